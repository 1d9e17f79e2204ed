//! Reading what the kernel tells of the parent and the flows, between the phases.
//! ```text
//!   ┤ begin ├─ create ─┤ end, flows, begin ├─ steady ─┤ end, flows, begin ├─ tear-down ─┤ end ├
//! ```
//! The flows wait at a gate; no timed span holds a reading. A reading is itself bytes read by the
//! parent: before a phase its own bytes are read last, after it first, so that they cancel. A
//! thread that was read leaves a little more for the kernel to forget at its end: so it is done in
//! the last repetition alone, and for at most [`MOST`] flows.

use measure::Measured;
use measure::task::{Io, Reader, Task};

use crate::flow_status::FlowStatus;
use crate::record::kernel_counters::{KernelCounters, OfFlow, OfParent, PerPhase};
use crate::shared_memory::SharedMemory;

/// Flows are read one by one, some 50 us each.
const MOST: usize = 256;

/// Why nothing is read of flows that hire.
pub(super) const HIRED: &str =
    "flows make threads of their own, which have ended when this is read";

#[derive(Debug)]
pub(super) struct CounterReader {
    reader: Reader,
    parent: Task,
    flows: usize,
    hires: bool,
    migrations: Track<u64>,
    io: Track<Io>,
}

impl CounterReader {
    pub(super) fn new(parent: i32, flows: usize, hires: bool) -> Self {
        Self {
            reader: Reader::default(),
            parent: Task {
                pid: parent,
                tid: parent,
            },
            flows,
            hires,
            migrations: Track::default(),
            io: Track::default(),
        }
    }

    pub(super) fn begin(&mut self) {
        let own = self.reader.migrations(self.parent);
        self.migrations.begin(own);
        let own = self.reader.own_io(self.parent);
        self.io.begin(own);
    }

    pub(super) fn end(&mut self) {
        let own = self.reader.io(self.parent);
        self.io.end(own);
        let own = self.reader.migrations(self.parent);
        self.migrations.end(own);
    }

    pub(super) fn flows(&mut self, shared: &SharedMemory) {
        if self.flows > MOST {
            return;
        }
        let ids = || shared.flows().iter().map(FlowStatus::ids);
        let tasks = || ids().map(|(pid, tid)| Task { pid, tid });
        let migrations = tasks().map(|task| self.reader.migrations(task)).collect();
        self.migrations.gates.push(all(migrations));
        let io = tasks().map(|task| self.reader.io(task)).collect();
        self.io.gates.push(all(io));
    }

    pub(super) fn counters(self) -> KernelCounters {
        let all = all_is_read(self.flows, self.hires);
        KernelCounters {
            migrations: all
                .clone()
                .and_then(|()| self.migrations.per_phase(|a, b| a.saturating_sub(b))),
            io: all.and_then(|()| self.io.per_phase(Io::since)),
            footprint: None,
            shootdowns: None,
        }
    }
}

fn all_is_read(flows: usize, hires: bool) -> Measured<()> {
    if hires {
        return Measured::not_available(HIRED, "");
    }
    Measured::of(
        (flows <= MOST).then_some(()),
        format!("{flows} flows are more than are read one by one, which are {MOST}"),
        "use fewer flows",
    )
}

#[derive(Debug, Default)]
struct Track<T> {
    parent: Vec<(Measured<T>, Measured<T>)>,
    began: Option<Measured<T>>,
    gates: Vec<Measured<Vec<T>>>,
}

impl<T: Copy> Track<T> {
    fn begin(&mut self, own: Measured<T>) {
        self.began = Some(own);
    }

    fn end(&mut self, own: Measured<T>) {
        self.parent
            .extend(self.began.take().map(|began| (began, own)));
    }

    fn per_phase(self, since: impl Fn(T, T) -> T) -> Measured<PerPhase<T>> {
        let span = |(began, ended): (Measured<T>, Measured<T>)| {
            began.and_then(|began| ended.map(|ended| since(ended, began)))
        };
        let spans = self.parent.into_iter().map(span);
        let (parent, gates) = (all(spans.collect()), all(self.gates));
        parent.and_then(|parent| {
            gates.and_then(|gates| {
                let (&[create, steady, teardown], [born, done]) = (&parent[..], &gates[..]) else {
                    return Measured::not_available("the repetition did not come to its end", "");
                };
                let parent = OfParent {
                    create,
                    steady,
                    teardown,
                };
                let flows = born.iter().zip(done).map(|(&born, &done)| OfFlow {
                    create: born,
                    steady: since(done, born),
                });
                let flows = flows.collect();
                Measured::Value(PerPhase { parent, flows })
            })
        })
    }
}

fn all<T>(values: Vec<Measured<T>>) -> Measured<Vec<T>> {
    let mut all = Vec::with_capacity(values.len());
    for value in values {
        match value {
            Measured::Value(value) => all.push(value),
            Measured::NotAvailable { reason, remedy } => {
                return Measured::NotAvailable { reason, remedy };
            }
        }
    }
    Measured::Value(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A count that stood so at the readings of a repetition of two flows.
    fn track() -> Track<u64> {
        let mut track = Track::default();
        for (began, ended) in [(1, 2), (5, 9), (10, 10)] {
            track.begin(Measured::Value(began));
            track.end(Measured::Value(ended));
        }
        track.gates = vec![Measured::Value(vec![3, 0]), Measured::Value(vec![4, 7])];
        track
    }

    #[test]
    fn every_phase_has_what_came_in_it() {
        let told = track().per_phase(|a, b| a - b).into_value().unwrap();
        let OfParent {
            create,
            steady,
            teardown,
        } = told.parent;
        assert_eq!((create, steady, teardown), (1, 4, 0));
        let flows: Vec<_> = told.flows.iter().map(|f| (f.create, f.steady)).collect();
        assert_eq!(flows, [(3, 1), (0, 7)]);
        assert_eq!((told.create(), told.steady(), told.total()), (4, 12, 16));
    }

    #[test]
    fn one_reading_that_is_missing_makes_it_not_available() {
        let mut track = track();
        track.gates[1] = Measured::not_available("thread 5 had ended", "");
        let told = track.per_phase(|a, b| a - b);
        assert_eq!(told, Measured::not_available("thread 5 had ended", ""));
    }

    #[test]
    fn what_threads_of_flows_did_is_not_told_as_nothing() {
        let reason = "flows make threads of their own";
        let told = CounterReader::new(1, 1, true).counters();
        let (io, migrations) = (told.io.map(|_| ""), told.migrations.map(|_| ""));
        assert!(io.to_string().contains(reason), "{io}");
        assert!(migrations.to_string().contains(reason), "{migrations}");
        assert!(all_is_read(MOST, false).value().is_some());
        assert!(all_is_read(MOST + 1, false).value().is_none());
    }

    #[test]
    fn a_repetition_that_was_cut_has_no_counts() {
        let mut track = track();
        track.gates.pop();
        assert!(track.per_phase(|a, b| a - b).value().is_none());
    }
}

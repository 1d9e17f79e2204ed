//! Counts of a variant: medians over its repetitions.

use flow::Rep;
use flow::record::Forgotten;
use flow::record::kernel_counters::PerPhase;
use measure::Measured;
use measure::task::Io;
use measure::usage::{Counter, Usage};
use serde::{Deserialize, Serialize};

use super::phrases::because;
use crate::data::gathered::distinct;
use crate::data::median;

/// What the parent and all flows together were counted to do, medians of one repetition.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// CPU time, in ns.
    pub cpu_ns: Option<f64>,
    /// Page faults of the parent, of both kinds.
    pub parent_faults: f64,
    /// Page faults of the flows, of both kinds.
    pub flow_faults: Option<f64>,
    /// Times a CPU was given up.
    pub voluntary_switches: Option<f64>,
    /// Times it was taken.
    pub involuntary_switches: Option<f64>,
    /// Moves to another CPU.
    pub migrations: Option<f64>,
    /// Bytes that system calls read.
    pub bytes_read: Option<f64>,
    /// Bytes that system calls wrote.
    pub bytes_written: Option<f64>,
    /// Bytes fetched from storage.
    pub storage_read: Option<f64>,
    /// Bytes sent to storage.
    pub storage_written: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Span {
    Create,
    Steady,
    All,
}

pub(crate) fn of(reps: &[&Rep], span: Span) -> Option<Counts> {
    let over = |what: fn(&Rep, Span) -> f64| median(reps.iter().map(|rep| what(rep, span)));
    let io = |what: fn(Io) -> u64| {
        median(
            reps.iter()
                .filter_map(|rep| Some(what(io(rep, span)?) as f64)),
        )
    };
    let forgotten = forgotten(reps.iter().copied());
    let whole = |what| over(what).filter(|_| forgotten.is_none());
    Some(Counts {
        cpu_ns: over(|rep, span| both(rep, span).cpu_ns as f64)
            .filter(|_| forgotten != Some(Forgotten::All)),
        parent_faults: over(|rep, span| faults(parent(rep, span)))?,
        flow_faults: whole(|rep, span| faults(flows(rep, span))),
        voluntary_switches: whole(|rep, span| both(rep, span).voluntary_switches as f64),
        involuntary_switches: whole(|rep, span| both(rep, span).involuntary_switches as f64),
        migrations: median(reps.iter().filter_map(|rep| migrations(rep, span))),
        bytes_read: io(|io| io.read),
        bytes_written: io(|io| io.written),
        storage_read: io(|io| io.storage_read),
        storage_written: io(|io| io.storage_written),
    })
}

pub(crate) fn counter(reps: &[Rep], counter: Counter) -> Option<f64> {
    median(
        reps.iter()
            .map(|rep| both(rep, Span::All).of(counter) as f64),
    )
}

impl Counts {
    /// Page faults of the parent and the flows.
    #[must_use]
    pub fn faults(&self) -> Option<f64> {
        Some(self.parent_faults + self.flow_faults?)
    }

    /// Switches of both kinds.
    #[must_use]
    pub fn switches(&self) -> Option<f64> {
        Some(self.voluntary_switches? + self.involuntary_switches?)
    }
}

/// What repetitions lack because the kernel forgot children; the most that one of them lacks.
pub(crate) fn forgotten<'a>(reps: impl Iterator<Item = &'a Rep>) -> Option<Forgotten> {
    reps.filter_map(|rep| rep.self_managed.as_ref()?.forgotten)
        .max()
}

pub(crate) fn why_forgotten(forgotten: Forgotten) -> [&'static str; 2] {
    [
        "nobody waited for some children (SIGCHLD is ignored), and the kernel forgets what those used",
        match forgotten {
            Forgotten::Counts => "wait for them",
            Forgotten::All => {
                "run where control groups can be made: as root, or in a service with Delegate=yes"
            }
        },
    ]
}

/// What was asked for and could not be counted, each with its reason once.
#[must_use]
pub fn not_counted<'a>(reps: impl Iterator<Item = &'a Rep> + Clone) -> Vec<String> {
    let mut said = Vec::new();
    if let Some(forgotten) = forgotten(reps.clone()) {
        let [reason, remedy] = why_forgotten(forgotten);
        let what = match forgotten {
            Forgotten::Counts => "page faults, switches and bytes",
            Forgotten::All => "CPU time, page faults, switches and bytes",
        };
        said.push(format!("{what}: {}", because(reason, remedy)));
    }
    for told in reps.filter_map(|rep| rep.kernel_counters.as_ref()) {
        said.extend(missing("migrations", &told.migrations));
        said.extend(missing("bytes read and written", &told.io));
    }
    distinct(said)
}

fn missing<T>(what: &str, told: &Measured<PerPhase<T>>) -> Option<String> {
    match told {
        Measured::NotAvailable { reason, remedy } => {
            Some(format!("{what}: {}", because(reason, remedy)))
        }
        Measured::Value(_) => None,
    }
}

fn both(rep: &Rep, span: Span) -> Usage {
    parent(rep, span) + flows(rep, span)
}

fn parent(rep: &Rep, span: Span) -> Usage {
    let parent = &rep.parent;
    match span {
        Span::Create => parent.create,
        Span::Steady => parent.steady,
        Span::All => parent.create + parent.steady + parent.teardown,
    }
}

fn flows(rep: &Rep, span: Span) -> Usage {
    let flows = rep.flows.iter();
    match span {
        Span::Create => flows.map(|flow| flow.create).sum(),
        Span::Steady => flows.map(|flow| flow.steady).sum(),
        Span::All => flows.map(|flow| flow.create + flow.steady).sum(),
    }
}

fn faults(usage: Usage) -> f64 {
    (usage.minor_faults + usage.major_faults) as f64
}

fn migrations(rep: &Rep, span: Span) -> Option<f64> {
    let told = rep.kernel_counters.as_ref()?.migrations.value()?;
    Some(phase(told, span) as f64)
}

fn io(rep: &Rep, span: Span) -> Option<Io> {
    Some(phase(rep.kernel_counters.as_ref()?.io.value()?, span))
}

fn phase<T: Copy + std::iter::Sum>(told: &PerPhase<T>, span: Span) -> T {
    match span {
        Span::Create => told.create(),
        Span::Steady => told.steady(),
        Span::All => told.total(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use flow::Proof;
    use flow::record::kernel_counters::{KernelCounters, OfFlow, OfParent};

    fn told(migrations: Measured<PerPhase<u64>>) -> Rep {
        let mut rep = testing::rep(1_000, Proof::default());
        rep.kernel_counters = Some(Box::new(KernelCounters {
            migrations,
            io: Measured::not_available("denied", "be root"),
            footprint: None,
            shootdowns: None,
        }));
        rep
    }

    #[test]
    fn only_repetitions_that_were_told_count_and_nothing_becomes_zero() {
        let plain = testing::rep(1_000, Proof::default());
        let per_phase = PerPhase {
            parent: OfParent {
                create: 1,
                steady: 2,
                teardown: 4,
            },
            flows: vec![OfFlow {
                create: 8,
                steady: 16,
            }],
        };
        let rep = told(Measured::Value(per_phase));
        let reps = [&plain, &rep, &plain];
        let moves = |span| of(&reps, span).unwrap().migrations;
        assert_eq!(moves(Span::Create), Some(9.0));
        assert_eq!(moves(Span::Steady), Some(18.0));
        assert_eq!(moves(Span::All), Some(31.0));
        assert_eq!(of(&reps, Span::All).unwrap().bytes_read, None);
        assert_eq!(of(&[&plain], Span::All).unwrap().migrations, None);
        assert_eq!(
            not_counted(reps.into_iter()),
            ["bytes read and written: denied (be root)"]
        );
    }
}

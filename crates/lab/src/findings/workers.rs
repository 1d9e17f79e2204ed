//! What workers used, one by one and together: the rows of the source's table, of the steady phase.
//! The CPU share is CPU time over its wall time: shares on one CPU add up to at most 1. Bytes are
//! the kernel's counts for each flow, by system calls and towards storage, and of files those read
//! back and found right. Each figure is the median over good slots of its repetitions' median.

mod crowded;

pub(super) use crowded::crowded;
use flow::record::kernel_counters::OfFlow;
use flow::{FlowRecord, Rep, SlotRecord};
use measure::Measured;
use measure::task::Io;
use serde::{Deserialize, Serialize};
use workload::Work;

use super::profile::reps;
use crate::data::median;

const FLOWS: usize = 64;

/// What the workers of a variant used in the steady phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Workers {
    /// Each of them, in flow order; at most the first 64.
    pub each: Vec<Used>,
    /// All of them together.
    pub sum: Used,
}

/// What one worker used, or all of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Used {
    /// CPU time over the wall time of the steady phase; 1 = one CPU all the time.
    pub cpu_share: f64,
    /// Bytes given to system calls that write.
    pub written: Measured<f64>,
    /// Bytes sent to storage, or to be sent later.
    pub storage_written: Measured<f64>,
    /// Bytes of files that were written, read back and right; only where work leaves files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_bytes: Option<f64>,
    /// From the release to the end of its work, in ns; of all: create, steady and tear-down.
    pub time_ns: f64,
}

/// `typical`, if the variant's time is compared; `None` unless its flows are workers.
pub(super) fn workers(
    work: &Work,
    records: &[&SlotRecord],
    typical_ns: Option<f64>,
) -> Option<Workers> {
    work.worker_kind()?;
    let first = reps(records).next()?;
    let each = (0..first.flows.len().min(FLOWS)).map(|flow| of_flow(work, records, flow));
    Some(Workers {
        each: each.collect::<Option<_>>()?,
        sum: Used {
            cpu_share: over(records, |rep| {
                let cpu: u64 = rep.flows.iter().map(|flow| flow.steady.cpu_ns).sum();
                share(cpu, rep)
            })?,
            written: bytes(records, |flows| total(flows).written),
            storage_written: bytes(records, |flows| total(flows).storage_written),
            file_bytes: files(work, records, |rep| rep.proof().count),
            time_ns: match typical_ns {
                Some(typical) => typical,
                None => over(records, |rep| Some(rep.total_ns() as f64))?,
            },
        },
    })
}

fn of_flow(work: &Work, records: &[&SlotRecord], flow: usize) -> Option<Used> {
    let of = |rep: &Rep| -> Option<FlowRecord> { rep.flows.get(flow).cloned() };
    let io = |flows: &[OfFlow<Io>]| flows.get(flow).map_or(Io::default(), |flow| flow.steady);
    Some(Used {
        cpu_share: over(records, |rep| share(of(rep)?.steady.cpu_ns, rep))?,
        written: bytes(records, |flows| io(flows).written),
        storage_written: bytes(records, |flows| io(flows).storage_written),
        file_bytes: files(work, records, |rep| {
            of(rep).map_or(0, |flow| flow.proof.count)
        }),
        time_ns: over(records, |rep| Some(of(rep)?.end_ns as f64))?,
    })
}

fn over(records: &[&SlotRecord], what: impl Fn(&Rep) -> Option<f64>) -> Option<f64> {
    let slots = records.iter();
    median(slots.filter_map(|record| median(record.reps.iter().filter_map(&what))))
}

fn share(cpu_ns: u64, rep: &Rep) -> Option<f64> {
    (rep.steady_ns > 0).then(|| cpu_ns as f64 / rep.steady_ns as f64)
}

fn total(flows: &[OfFlow<Io>]) -> Io {
    flows.iter().map(|flow| flow.steady).sum()
}

/// Over the repetitions that have it (reading takes time), or the first reason why none has.
fn bytes(records: &[&SlotRecord], what: impl Fn(&[OfFlow<Io>]) -> u64) -> Measured<f64> {
    let told = reps(records).filter_map(|rep| rep.kernel_counters.as_deref());
    let mut values = Vec::new();
    for io in told.map(|told| &told.io) {
        match io {
            Measured::Value(io) => values.push(what(&io.flows) as f64),
            Measured::NotAvailable { reason, remedy } => {
                return Measured::not_available(reason.clone(), remedy.clone());
            }
        }
    }
    let none = || Measured::not_available("the journal is of a version that did not count it", "");
    median(values).map_or_else(none, Measured::Value)
}

fn files(work: &Work, records: &[&SlotRecord], right: impl Fn(&Rep) -> u64) -> Option<f64> {
    if work.file_bytes() == 0 {
        return None;
    }
    over(records, |rep| Some(right(rep) as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::testing::done_in;
    use crate::testing::{MS, PROOF, rep};
    use flow::record::kernel_counters::{KernelCounters, OfParent, PerPhase};
    use workload::{Cpu, Io as Files};

    fn io_work() -> Work {
        Work::Io(Files {
            workers: 2,
            loops: 1,
            block: 4096,
            sync: workload::Sync::Dsync,
            folder: None,
        })
    }

    /// Bytes of both flows: the first writes `written` to files and storage.
    fn told(written: u64) -> KernelCounters {
        let io = Io {
            written,
            storage_written: written,
            ..Io::default()
        };
        let flow = |steady| OfFlow {
            create: Io::default(),
            steady,
        };
        KernelCounters {
            migrations: Measured::not_available("not read", ""),
            io: Measured::Value(PerPhase {
                parent: OfParent {
                    create: Io::default(),
                    steady: Io::default(),
                    teardown: Io::default(),
                },
                flows: vec![flow(io), flow(io)],
            }),
            footprint: None,
            shootdowns: None,
        }
    }

    fn record(told: Option<KernelCounters>) -> SlotRecord {
        let mut record = done_in(vec![rep(10 * MS, PROOF)]);
        record.reps[0].kernel_counters = told.map(Box::new);
        record
    }

    #[test]
    fn shares_and_bytes_add_up() {
        let record = record(Some(told(4096)));
        let workers = workers(&io_work(), &[&record], None).unwrap();
        assert_eq!(workers.each.len(), 2);
        // The second flow ends, and has computed, after half of the phase.
        assert_eq!(workers.each[0].cpu_share, 1.0);
        assert_eq!(workers.each[1].cpu_share, 0.5);
        assert_eq!(workers.sum.cpu_share, 1.5);
        assert_eq!(workers.each[1].storage_written, Measured::Value(4096.0));
        assert_eq!(workers.sum.written, Measured::Value(8192.0));
        assert_eq!(workers.sum.file_bytes, Some(PROOF.count as f64));
        assert_eq!(workers.sum.time_ns, 10.0 * MS as f64);
    }

    #[test]
    fn what_was_not_counted_is_not_zero_and_other_work_has_no_table() {
        let record = record(None);
        let cpu = Work::Cpu(Cpu {
            workers: 2,
            loops: 1,
        });
        let table = workers(&cpu, &[&record], Some(7.5)).unwrap();
        // One quantity has one value, that of the case's table.
        assert_eq!(table.sum.time_ns, 7.5);
        assert!(matches!(table.sum.written, Measured::NotAvailable { .. }));
        assert_eq!(table.sum.file_bytes, None);
        let spin = crate::testing::case("x", 1, &["thread"]).work;
        assert_eq!(workers(&spin, &[&record], None), None);
    }
}

//! The cases that the flags of `flowgauge workers` ask for: for each kind one of the table, and
//! one for each number of a sweep.

use std::path::PathBuf;

use flow::{Channel, Model, Placement, Schedule, Variant};
use lab::{Case, LabelledVariant, Metric, Sampling, SweepPoint};
use workload::{Cpu, Io, Mem, Work};

use super::counts::Counts;
use super::name;
use crate::args::{Kind, WorkersArgs};

/// Rounds at the most for each count of a sweep, where none are asked for.
const SWEEP_ROUNDS: usize = 10;

/// What cases are made of.
pub(super) struct Cases<'a> {
    pub(super) args: &'a WorkersArgs,
    pub(super) counts: &'a Counts,
    /// Where the files of io are.
    pub(super) folder: Option<PathBuf>,
    /// The sampler beside the slots of the table, as the source had one.
    pub(super) sampling: Option<Sampling>,
}

impl Cases<'_> {
    /// The table first, then the sweeps.
    pub(super) fn all(&self) -> Vec<Case> {
        let kinds = self.args.kind.iter();
        let table = kinds.clone().map(|&kind| self.of_table(kind));
        let swept = kinds.flat_map(|&kind| self.of_sweep(kind));
        table.chain(swept).collect()
    }

    /// The slots of the table have a sampler beside them; where one is asked for, all have that.
    fn of_table(&self, kind: Kind) -> Case {
        let work = self.work(kind, self.counts.table);
        let mut variants = self.variants(&work, vec![Model::Process, Model::Thread]);
        if self.args.how.sample.is_none() {
            for variant in &mut variants {
                variant.sample.clone_from(&self.sampling);
            }
        }
        Case {
            title: in_table(&work),
            ..case(name(kind).to_owned(), work, variants)
        }
    }

    fn of_sweep(&self, kind: Kind) -> Vec<Case> {
        let kind_name = name(kind);
        let point = |&workers: &u64| {
            let work = self.work(kind, workers);
            let variants = self.variants(&work, self.counts.models(workers));
            let case_name = format!("{kind_name}-workers/{workers}");
            Case {
                title: format!("Workers that {}, against their number", what(&work)),
                max_rounds: self.args.how.rounds.is_none().then_some(SWEEP_ROUNDS),
                sweep: Some(SweepPoint {
                    sweep: format!("{kind_name} workers"),
                    parameter: "workers".to_owned(),
                    value: workers as f64,
                    unit: "workers".to_owned(),
                }),
                ..case(case_name, work, variants)
            }
        };
        self.counts.swept.iter().map(point).collect()
    }

    fn work(&self, kind: Kind, workers: u64) -> Work {
        let args = self.args;
        let loops = args.loops;
        match kind {
            Kind::Cpu => Work::Cpu(Cpu { workers, loops }),
            Kind::Mem => Work::Mem(Mem {
                workers,
                loops,
                bytes: workload::mem::USUAL_BYTES,
            }),
            Kind::Io => Work::Io(Io {
                workers,
                loops,
                block: args.block,
                sync: args.sync,
                folder: self.folder.clone(),
            }),
        }
    }

    fn variants(&self, work: &Work, models: Vec<Model>) -> Vec<LabelledVariant> {
        let flows = u32::try_from(work.units()).unwrap_or(u32::MAX);
        let variant = |model| Variant {
            model,
            flows,
            placement: self.args.cpu.clone().unwrap_or(Placement::One),
            schedule: Schedule::Static,
            channel: Channel::Fifo,
            ballast: None,
        };
        lab::labelled(models.into_iter().map(variant).collect())
    }
}

fn case(name: String, work: Work, variants: Vec<LabelledVariant>) -> Case {
    Case {
        name,
        title: String::new(),
        sweep: None,
        work,
        metric: Metric::Total,
        variants,
        reps: None,
        max_rounds: None,
        floor: None,
    }
}

/// What the workers do.
fn what(work: &Work) -> &'static str {
    match work.worker_kind() {
        Some("cpu") => "compute",
        Some("mem") => "take, fill and free arrays of 50 MiB",
        _ => "write blocks and wait for the disk",
    }
}

fn in_table(work: &Work) -> String {
    let what = what(work);
    match work.units() {
        1 => format!("1 worker, to {what}"),
        2 => format!("Two workers that {what}"),
        workers => format!("{workers} workers that {what}"),
    }
}

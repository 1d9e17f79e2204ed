//! `flowgauge workers`: the study of workers on one CPU with its own options.
//!
//! The built-in study's full preset with the kinds, counts, CPUs and amounts of work that the
//! flags ask for. Counts that both models have are compared; beyond them the one that goes on
//! is measured alone. Each worker does the same work, so different counts are different work and
//! are never compared: without a count that both have, nothing of what was asked can be answered,
//! and that is said.

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use flow::{Channel, Model, Placement, Schedule, Variant};
use lab::{Case, Metric, Preset, Sampling, Study, SweepPoint};
use machine::Machine;
use workload::{Cpu, Io, Mem, Work};

use crate::args::{Kind, WorkersArgs};
use crate::ending::Ending;
use crate::launch::CellLauncher;
use crate::number::{self, Sizes};
use crate::output::tell;
use crate::result_file::ResultFile;
use crate::session;

/// Workers of each program in the table, as in the source.
const TABLE: u64 = 2;
/// A range of so many counts is swept one by one; a longer one in steps of 1, 2, 5.
const ONE_BY_ONE: u64 = 16;
/// Rounds at the most for each count of a sweep, where none are asked for.
const SWEEP_ROUNDS: usize = 10;
/// Seconds for the study where no budget is given: Ctrl-C or `--budget` end it earlier.
const BUDGET_S: f64 = 900.0;

/// Seconds between two samples of the slots of the table, where no other interval is asked for;
/// the source looked every half second.
const SAMPLE_S: f64 = 0.2;

/// Runs the study as asked.
pub(crate) fn run(args: &WorkersArgs) -> Result<Ending> {
    let study = study(args)?;
    for case in &study.cases {
        case.work.check()?;
    }
    let asked = study.cases.len();
    let (fitted, left_out) = lab::room::fitted(study, &Machine::read());
    if fitted.cases.len() < asked {
        bail!("{}", first_of(&left_out));
    }
    let mut settings = session::settings(&args.how, Preset::Full)?;
    settings.budget_s = args.how.budget.or(Some(BUDGET_S));
    let mut launcher = CellLauncher::new(ResultFile::prepare(None, false)?)?;
    let session = session::begin(vec![fitted], settings, &args.how)?;
    for line in options(args) {
        tell(&line);
    }
    session::carry_out(session, &mut launcher, args.how.watch, &args.how.answer)
}

/// The first of several reasons that are much alike.
fn first_of(reasons: &[String]) -> String {
    match reasons {
        [] => String::new(),
        [only] => only.clone(),
        [first, others @ ..] => format!("{first} (and so with {} further cases)", others.len()),
    }
}

/// A number or a range as it is typed.
fn asked(sizes: &Sizes) -> String {
    match sizes {
        Sizes::One(count) => count.to_string(),
        Sizes::Sweep(range) => format!("{}..{}", range.start(), range.end()),
    }
}

/// The built-in study with the cases that the flags ask for.
fn study(args: &WorkersArgs) -> Result<Study> {
    for (place, kind) in args.kind.iter().enumerate() {
        let twice = args.kind[..place].contains(kind);
        ensure!(!twice, "--kind names {} twice: once is enough", name(*kind));
    }
    ensure!(args.loops > 0, "--loops 0: there must be at least 1 loop");
    let folder = absolute(args)?;
    let counts = Counts::of(args)?;
    let kinds = args.kind.iter();
    let table = kinds.clone().map(|&kind| {
        let work = work(args, kind, counts.table, folder.clone());
        case(args, work, name(kind).to_owned(), &counts, None)
    });
    let swept = kinds.flat_map(|&kind| {
        let point = |&workers: &u64| {
            let work = work(args, kind, workers, folder.clone());
            let case_name = format!("{}-workers/{workers}", name(kind));
            let sweep = format!("{} workers", name(kind));
            case(args, work, case_name, &counts, Some((sweep, workers)))
        };
        counts.swept().iter().map(point).collect::<Vec<_>>()
    });
    let cases: Vec<Case> = table.chain(swept).collect();
    Ok(Study {
        headline: cases[0].name.clone(),
        cases,
        ..lab::builtin("workers", Preset::Full)?
    })
}

/// The folder from the root, so that a run can be taken up again from anywhere.
fn absolute(args: &WorkersArgs) -> Result<Option<PathBuf>> {
    let Some(folder) = &args.folder else {
        return Ok(None);
    };
    let shown = folder.display();
    let found = folder
        .canonicalize()
        .with_context(|| format!("--folder {shown}: name a folder that is there"))?;
    ensure!(found.is_dir(), "--folder {shown} is no folder: name one");
    Ok(Some(found))
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Cpu => "cpu",
        Kind::Mem => "mem",
        Kind::Io => "io",
    }
}

/// How many workers there are in the table and in the sweeps.
#[derive(Debug)]
struct Counts {
    table: u64,
    processes: Vec<u64>,
    threads: Vec<u64>,
    /// All of them, in order; none where both are one and the same count.
    swept: Vec<u64>,
}

impl Counts {
    fn of(args: &WorkersArgs) -> Result<Self> {
        let processes = counts("--processes", &args.processes)?;
        let threads = counts("--threads", &args.threads)?;
        let both = processes.iter().filter(|count| threads.contains(count));
        let both: Vec<u64> = both.copied().collect();
        let Some(&least) = both.first() else {
            bail!(
                "--processes {} --threads {}: each worker does the same work, so different numbers \
                 of them do different work and cannot be compared: name a number that both have \
                 (--processes {0} --threads {0})",
                asked(&args.processes),
                asked(&args.threads)
            );
        };
        let same = processes == threads && processes.len() == 1;
        let mut swept = [processes.as_slice(), &threads].concat();
        swept.sort_unstable();
        swept.dedup();
        Ok(Self {
            table: if both.contains(&TABLE) { TABLE } else { least },
            swept: if same { Vec::new() } else { swept },
            processes,
            threads,
        })
    }

    fn swept(&self) -> &[u64] {
        &self.swept
    }

    /// The models that are to have so many workers.
    fn models(&self, workers: u64) -> Vec<Model> {
        let has = |counts: &[u64], model| counts.contains(&workers).then_some(model);
        let models = [
            has(&self.processes, Model::Process),
            has(&self.threads, Model::Thread),
        ];
        models.into_iter().flatten().collect()
    }
}

fn counts(flag: &str, asked: &Sizes) -> Result<Vec<u64>> {
    let counts = match asked {
        Sizes::One(count) => vec![*count],
        Sizes::Sweep(range) if range.end() - range.start() < ONE_BY_ONE => range.clone().collect(),
        Sizes::Sweep(range) => number::one_two_five(range),
    };
    let least = counts.iter().min().copied().unwrap_or(0);
    ensure!(least > 0, "{flag} 0: there must be at least 1 worker");
    let most = counts.iter().max().copied().unwrap_or(0);
    u32::try_from(most)
        .with_context(|| format!("{flag} {most}: no machine has so many workers"))?;
    Ok(counts)
}

fn work(args: &WorkersArgs, kind: Kind, workers: u64, folder: Option<PathBuf>) -> Work {
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
            folder,
        }),
    }
}

/// A case of the table, or of a sweep (its name and the count).
fn case(
    args: &WorkersArgs,
    work: Work,
    name: String,
    counts: &Counts,
    swept: Option<(String, u64)>,
) -> Case {
    let models = match &swept {
        Some((_, workers)) => counts.models(*workers),
        None => vec![Model::Process, Model::Thread],
    };
    let flows = u32::try_from(work.units()).unwrap_or(u32::MAX);
    let variant = |model| Variant {
        model,
        flows,
        placement: args.cpu.clone().unwrap_or(Placement::One),
        schedule: Schedule::Static,
        channel: Channel::Fifo,
        ballast: None,
    };
    let mut variants = lab::labelled(models.into_iter().map(variant).collect());
    // The table has a sampler beside it, as the source had; sweeps have the one asked for.
    if swept.is_none() && args.how.sample.is_none() {
        variants.iter_mut().for_each(|variant| {
            variant.sample = Some(Sampling {
                interval_s: SAMPLE_S,
                folder: None,
            });
        });
    }
    Case {
        title: title(&work, swept.is_some()),
        name,
        max_rounds: (swept.is_some() && args.how.rounds.is_none()).then_some(SWEEP_ROUNDS),
        sweep: swept.map(|(sweep, workers)| SweepPoint {
            sweep,
            parameter: "workers".to_owned(),
            value: workers as f64,
            unit: "workers".to_owned(),
        }),
        work,
        metric: Metric::Total,
        variants,
        reps: None,
        floor: None,
    }
}

fn title(work: &Work, swept: bool) -> String {
    let what = match work.worker_kind() {
        Some("cpu") => "compute",
        Some("mem") => "take, fill and free arrays of 50 MiB",
        _ => "write blocks and wait for the disk",
    };
    match (swept, work.units()) {
        (true, _) => format!("Workers that {what}, against their number"),
        (false, 1) => format!("1 worker, to {what}"),
        (false, 2) => format!("Two workers that {what}"),
        (false, workers) => format!("{workers} workers that {what}"),
    }
}

/// The options, for people.
fn options(args: &WorkersArgs) -> Vec<String> {
    let kinds: Vec<&str> = args.kind.iter().map(|kind| name(*kind)).collect();
    let range = |sizes: &Sizes, one: &str, many: &str| match sizes {
        Sizes::One(1) => format!("1 {one}"),
        Sizes::One(count) => format!("{count} {many}"),
        Sizes::Sweep(range) => format!("{} to {} {many}", range.start(), range.end()),
    };
    let cpu = match &args.cpu {
        None => "all on the first CPU that may be used".to_owned(),
        Some(placement) => placement.to_string(),
    };
    let folder = args.folder.as_ref().map_or_else(
        || "the results folder".to_owned(),
        |folder| folder.display().to_string(),
    );
    let mut lines = vec![
        "Using these options (flowgauge workers --help explains them):".to_owned(),
        format!("  kinds                {}", kinds.join(", ")),
        format!(
            "  workers              {}, {}",
            range(&args.processes, "process", "processes"),
            range(&args.threads, "thread", "threads")
        ),
        format!("  CPU                  {cpu}"),
        format!("  loops                {}", args.loops),
    ];
    if args.kind.contains(&Kind::Io) {
        lines.push(format!(
            "  files of io          {} bytes a block, {}, in {folder}",
            args.block, args.sync
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use clap::{Parser, ValueEnum};

    use super::*;
    use crate::args::{Cli, Command};

    #[test]
    fn every_kind_has_its_name_on_the_command_line() {
        for kind in Kind::value_variants() {
            let named = kind.to_possible_value().map(|v| v.get_name().to_owned());
            assert_eq!(named.as_deref(), Some(name(*kind)));
        }
    }

    fn counts_of(line: &str) -> Result<Counts> {
        let words = format!("flowgauge workers {line}");
        let Command::Workers(args) = Cli::parse_from(words.split_whitespace()).command else {
            panic!("{words}")
        };
        Counts::of(&args)
    }

    /// Two threads were measured where three had been asked for.
    #[test]
    fn the_table_has_a_count_that_was_asked_for_of_both() {
        let table = |line| counts_of(line).unwrap().table;
        assert_eq!(table(""), 2);
        assert_eq!(table("--threads 3..4"), 3);
        assert_eq!(table("--processes 4 --threads 4"), 4);
        assert_eq!(table("--processes 2 --threads 2..8"), 2);
        for line in ["--processes 2 --threads 3", "--processes 2 --threads 3..4"] {
            let refused = counts_of(line).unwrap_err().to_string();
            assert!(refused.starts_with(line), "{refused}");
            assert!(refused.contains("cannot be compared"), "{refused}");
        }
    }

    #[test]
    fn many_like_reasons_are_told_by_the_first() {
        let reasons = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(first_of(&reasons[..1]), "a");
        assert_eq!(first_of(&reasons), "a (and so with 2 further cases)");
    }

    #[test]
    fn long_ranges_are_not_swept_one_by_one() {
        assert_eq!(counts("-p", &Sizes::Sweep(2..=5)).unwrap(), [2, 3, 4, 5]);
        assert_eq!(
            counts("-p", &Sizes::Sweep(2..=40)).unwrap(),
            [2, 5, 10, 20, 40]
        );
        assert_eq!(counts("-p", &Sizes::One(3)).unwrap(), [3]);
        let refused = counts("--threads", &Sizes::One(0)).unwrap_err();
        assert!(refused.to_string().contains("--threads 0"), "{refused}");
    }
}

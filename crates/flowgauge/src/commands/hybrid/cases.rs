use std::path::Path;

use anyhow::{Result, anyhow};
use flow::placement::Cpus;
use flow::{Model, Variant};
use lab::{BestOf, Case, LabelledVariant, Metric, SweepPoint};
use mpi::{Body, Task};
use program::Program;
use workload::numeric::{Kernel, Size};
use workload::primes::Method;
use workload::searching::Trees;
use workload::{Bytes, Design, Numeric, Primes, Reading, Searching, Warehouse, Work};

use crate::args::{BodyArg, HybridArgs};

const REPS: u32 = 5;
const SWEEP_ROUNDS: usize = 20;
/// Of all messages in a repetition; also points of a grid.
const AMOUNT: u64 = 1 << 26;
/// Unless a message is larger.
const WINDOW_BYTES: u64 = 1 << 25;
const LEAST_WINDOWS: u64 = 10;
const MOST_FILES: u64 = 20_000;
/// Suffix of variants whose flows move.
pub(super) const MIGRATABLE: &str = ", migratable";
/// Of repetitions within a repetition.
const REPEATED: (u64, u64) = (40, 20_000);

/// The last is the headline.
const ALL: [BodyArg; 10] = [
    BodyArg::PingPong,
    BodyArg::Bandwidth,
    BodyArg::AllReduce,
    BodyArg::Farm,
    BodyArg::Uneven,
    BodyArg::Primes,
    BodyArg::Numeric,
    BodyArg::Warehouse,
    BodyArg::Search,
    BodyArg::Halo,
];

struct Asked {
    name: &'static str,
    title: String,
    metric: Metric,
    /// If it is swept: parameter, value, unit.
    at: Option<(&'static str, u64, &'static str)>,
    flows: u32,
    /// Only ranks of one thread.
    ranks_only: bool,
    /// Label after the split, and body.
    bodies: Vec<(&'static str, Body)>,
}

/// `program` makes a task's command, given all tasks of the case.
pub(super) fn cases(
    args: &HybridArgs,
    flows: u32,
    cpus: &Cpus,
    program: impl Fn(&Task, &[&Task]) -> Program,
) -> Result<Vec<Case>> {
    let wanted = ALL
        .iter()
        .filter(|body| args.body.is_empty() || args.body.contains(body));
    let asked: Vec<Vec<Asked>> = wanted
        .map(|&body| asked(body, args, flows))
        .collect::<Result<_>>()?;
    let asked: Vec<Asked> = asked.into_iter().flatten().collect();
    let each: Vec<Vec<(String, Task)>> = asked.iter().map(|asked| tasks(asked, cpus)).collect();
    let all: Vec<&Task> = each.iter().flatten().map(|(_, task)| task).collect();
    let made = asked.iter().zip(&each).map(|(asked, tasks)| {
        for (_, task) in tasks {
            task.check()
                .map_err(|error| anyhow!("{}: {error}", asked.name))?;
        }
        let programs = tasks
            .iter()
            .map(|(label, task)| (label.clone(), task, program(task, &all)));
        case(asked, programs.collect())
    });
    made.collect()
}

fn asked(body: BodyArg, args: &HybridArgs, flows: u32) -> Result<Vec<Asked>> {
    let sizes =
        |make: fn(u64, u32) -> Asked| args.bytes.iter().map(|&bytes| make(bytes, flows)).collect();
    Ok(match body {
        BodyArg::PingPong => sizes(|bytes, _| ping_pong(bytes)),
        BodyArg::Bandwidth => sizes(|bytes, _| bandwidth(bytes)),
        BodyArg::AllReduce => sizes(all_reduce),
        BodyArg::Halo => args.side.iter().map(|&side| halo(side, flows)).collect(),
        BodyArg::Primes => vec![work(
            "primes",
            "Primes among 256,000 numbers, in even blocks",
            flows,
            primes(10_000_001, 4_000),
        )],
        // Later blocks take several times as long.
        BodyArg::Farm => vec![handed_out(
            "farm",
            "Primes in 64 uneven blocks, dealt out or taken one by one",
            flows,
            primes(1, 16_000),
        )],
        BodyArg::Uneven => vec![uneven(flows)],
        BodyArg::Numeric => vec![work(
            "numeric",
            "A sparse matrix times a vector, one for each flow",
            flows,
            numeric(flows),
        )],
        BodyArg::Warehouse => vec![work(
            "warehouse",
            "Transactions over trees of objects, a warehouse for each flow",
            flows,
            warehouse(flows),
        )],
        BodyArg::Search => vec![handed_out(
            "search",
            "A tree of files is searched, its folders dealt out or taken one by one",
            flows,
            search(args.tree.as_deref())?,
        )],
    })
}

fn repeated(each: u64) -> u64 {
    (AMOUNT / each.max(1)).clamp(REPEATED.0, REPEATED.1)
}

/// A point of a sweep of one body, of which the time of a unit is compared.
fn swept(
    name: &'static str,
    title: String,
    at: (&'static str, u64, &'static str),
    (flows, body): (u32, Body),
) -> Asked {
    Asked {
        name,
        title,
        metric: Metric::Unit,
        at: Some(at),
        flows,
        ranks_only: false,
        bodies: vec![("", body)],
    }
}

fn ping_pong(bytes: u64) -> Asked {
    let title = format!("Time of a message of {bytes} bytes from one flow to another");
    let rounds = repeated(bytes);
    let body = Body::PingPong { bytes, rounds };
    swept("ping-pong", title, ("bytes", bytes, "bytes"), (2, body))
}

/// As OSU, if their buffers fit.
fn bandwidth(bytes: u64) -> Asked {
    let title = format!("Time of each of many messages of {bytes} bytes in one direction");
    let window = (WINDOW_BYTES / bytes.max(1)).clamp(1, mpi::task::MOST_WINDOW);
    let body = Body::Bandwidth {
        bytes,
        window,
        windows: (repeated(bytes) / window).max(LEAST_WINDOWS),
    };
    swept("bandwidth", title, ("bytes", bytes, "bytes"), (2, body))
}

fn all_reduce(bytes: u64, flows: u32) -> Asked {
    let title = format!("Time of a sum over {flows} flows of {bytes} bytes each");
    let rounds = repeated(bytes);
    let body = Body::AllReduce { bytes, rounds };
    swept(
        "all-reduce",
        title,
        ("bytes", bytes, "bytes"),
        (flows, body),
    )
}

fn halo(side: u64, flows: u32) -> Asked {
    let title = format!("Time of a step of a stencil over {side} x {side} points");
    let steps = repeated(side * side);
    let body = Body::Halo { side, steps };
    swept("halo", title, ("side", side, "rows"), (flows, body))
}

fn work(name: &'static str, title: &str, flows: u32, work: Work) -> Asked {
    Asked {
        name,
        title: title.to_owned(),
        metric: Metric::Steady,
        at: None,
        flows,
        ranks_only: false,
        bodies: vec![("", Body::Units(Box::new(work)))],
    }
}

/// Dealt out, or taken one by one.
fn handed_out(name: &'static str, title: &str, flows: u32, units: Work) -> Asked {
    let taken = Body::Farm(Box::new(units.clone()));
    let mut asked = work(name, title, flows, units);
    asked.bodies[0].0 = ", dealt out";
    asked.bodies.push((", taken", taken));
    asked
}

/// Over ranks of one thread: dealt out, taken, or as flows that move.
fn uneven(flows: u32) -> Asked {
    let units = || Box::new(primes(1, 16_000));
    let title = format!(
        "Primes in 64 uneven blocks over {flows} ranks: divided before, taken one by one, or moved"
    );
    Asked {
        ranks_only: true,
        bodies: vec![
            (", static", Body::Static(units())),
            (", taken", Body::Farm(units())),
            (MIGRATABLE, Body::Migratable(units())),
        ],
        ..work("uneven", &title, flows, primes(1, 16_000))
    }
}

fn primes(start: u64, block: u64) -> Work {
    Work::Primes(Primes {
        start,
        block,
        blocks: 64,
        every: 1_000,
        method: Method::Trial,
    })
}

fn numeric(flows: u32) -> Work {
    Work::Numeric(Numeric {
        kernel: Kernel::Sparse,
        size: Size::Large,
        units: flows.into(),
        passes: 40,
        seed: 0,
    })
}

fn warehouse(flows: u32) -> Work {
    Work::Warehouse(Warehouse {
        workers: flows.into(),
        transactions: 50_000,
        heap: Bytes(32 << 20),
        seed: 0,
    })
}

fn search(tree: Option<&Path>) -> Result<Work> {
    let search = Searching {
        pattern: "errno".to_owned(),
        literal: true,
        ignore_case: false,
        word: false,
        tree: tree.map(Path::to_owned).into_iter().collect(),
        most_files: Some(MOST_FILES),
        most_bytes: None,
        hidden: false,
        no_ignore: false,
        text: false,
        globs: Vec::new(),
        design: Design::default(),
        io: Reading::default(),
        cold: false,
    };
    let mut work = Work::Search(search);
    work.find_input(&mut Trees::default())?;
    Ok(work)
}

/// One rank with all threads first.
fn tasks(asked: &Asked, cpus: &Cpus) -> Vec<(String, Task)> {
    let least = if asked.ranks_only { asked.flows } else { 1 };
    let splits = (least..=asked.flows).filter(|ranks| asked.flows.is_multiple_of(*ranks));
    let each = splits.flat_map(|ranks| {
        asked.bodies.iter().map(move |(behind, body)| {
            let threads = asked.flows / ranks;
            let task = Task {
                ranks,
                threads,
                cpus: near(cpus, asked.flows),
                body: body.clone(),
                warmups: 1,
                reps: REPS,
            };
            (format!("{ranks}x{threads}{behind}"), task)
        })
    });
    each.collect()
}

/// Cores first, then hardware threads; those of a core side by side.
fn near(cpus: &Cpus, flows: u32) -> Vec<u32> {
    let others = cpus.smt.iter().filter(|cpu| !cpus.cores.contains(cpu));
    let mut chosen: Vec<u32> = cpus
        .cores
        .iter()
        .chain(others)
        .copied()
        .take(flows as usize)
        .collect();
    chosen.sort_by_key(|cpu| cpus.smt.iter().position(|one| one == cpu));
    chosen
}

fn case(asked: &Asked, programs: Vec<(String, &Task, Program)>) -> Result<Case> {
    let several = programs.len() > 2 && asked.at.is_none();
    let variants = programs
        .iter()
        .enumerate()
        .map(|(at, (label, task, program))| LabelledVariant {
            work: (at > 0).then(|| of_program(program.clone())),
            ..LabelledVariant::new(label, variant(task))
        });
    let (_, _, first) = programs
        .first()
        .ok_or_else(|| anyhow!("{}: there is no split", asked.name))?;
    let name = match asked.at {
        Some((_, value, _)) => format!("{}/{value}", asked.name),
        None => asked.name.to_owned(),
    };
    let work = (of_program(first.clone()), asked.metric);
    Ok(Case {
        sweep: asked.at.map(|(parameter, value, unit)| SweepPoint {
            sweep: asked.name.to_owned(),
            parameter: parameter.to_owned(),
            value: value as f64,
            unit: unit.to_owned(),
        }),
        reps: Some(REPS),
        max_rounds: asked.at.map(|_| SWEEP_ROUNDS),
        // One process is the usual choice, where that is a split.
        best_of: several.then_some(BestOf {
            default: (!asked.ranks_only).then_some(0),
        }),
        ..Case::new(name, &asked.title, work, variants.collect())
    })
}

fn of_program(program: Program) -> Work {
    Work::Program(Box::new(program))
}

fn variant(task: &Task) -> Variant {
    let model = Model::Mix {
        processes: task.ranks,
        threads: task.threads,
    };
    Variant::new(model, task.flows())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Cli, Command};

    fn four() -> Cpus {
        Cpus {
            allowed: vec![0, 1, 2, 3],
            cores: vec![0, 1],
            smt: vec![0, 2, 1, 3],
            numa: Vec::new(),
        }
    }

    fn made(words: &[&str], flows: u32) -> Result<Vec<Case>> {
        let all = ["flowgauge", "hybrid"].iter().chain(words);
        let Command::Hybrid(args) = Cli::parse_from(all).command else {
            panic!("{words:?}")
        };
        cases(&args, flows, &four(), |task, _| {
            Program::new(format!("ranks {}", task.ranks))
        })
    }

    fn labels(case: &Case) -> Vec<&str> {
        case.variants
            .iter()
            .map(|variant| variant.label.as_str())
            .collect()
    }

    #[test]
    fn every_split_is_a_variant_and_threads_alone_are_the_reference() {
        let cases = made(&["--body", "primes,farm"], 4).unwrap();
        assert_eq!(labels(&cases[1]), ["1x4", "2x2", "4x1"]);
        assert_eq!(cases[1].best_of, Some(BestOf { default: Some(0) }));
        assert_eq!(cases[0].variants.len(), 6);
        assert_eq!(labels(&cases[0])[..2], ["1x4, dealt out", "1x4, taken"]);
    }

    /// Flows move between ranks of one thread: no other split has them.
    #[test]
    fn uneven_work_is_divided_taken_or_moved_by_ranks_of_one_thread() {
        let cases = made(&["--body", "uneven"], 4).unwrap();
        let ways = ["4x1, static", "4x1, taken", "4x1, migratable"];
        assert_eq!(labels(&cases[0]), ways);
        assert_eq!(cases[0].best_of, Some(BestOf { default: None }));
    }

    #[test]
    fn each_size_is_a_point_of_a_sweep_and_a_message_has_two_ends() {
        let cases = made(
            &[
                "--body",
                "ping-pong,halo",
                "--bytes",
                "8,1M",
                "--side",
                "64",
            ],
            4,
        )
        .unwrap();
        let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names, ["ping-pong/8", "ping-pong/1048576", "halo/64"]);
        assert_eq!(labels(&cases[0]), ["1x2", "2x1"]);
        assert_eq!(labels(&cases[2]), ["1x4", "2x2", "4x1"]);
        let odd = made(&["--body", "ping-pong", "--bytes", "9"], 2).unwrap_err();
        assert!(
            odd.to_string()
                .contains("ping-pong: 9 bytes: use a multiple of 8"),
            "{odd}"
        );
    }

    #[test]
    fn threads_of_a_rank_are_near_each_other_and_cores_come_first() {
        assert_eq!(near(&four(), 2), [0, 1]);
        assert_eq!(near(&four(), 3), [0, 2, 1]);
        assert_eq!(near(&four(), 4), [0, 2, 1, 3]);
    }
}

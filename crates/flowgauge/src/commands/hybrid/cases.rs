use std::path::Path;

use anyhow::{Result, anyhow, ensure};
use flow::placement::Cpus;
use flow::{Model, Variant};
use lab::{BestOf, Case, LabelledVariant, Metric, SweepPoint};
use mpi::{Body, Over, Task};
use program::Program;
use workload::numeric::{Kernel, Size};
use workload::primes::Method;
use workload::searching::Trees;
use workload::{Bytes, Design, Numeric, Primes, Reading, Searching, Warehouse, Work};

use crate::args::{BodyArg, HybridArgs, PlacementArg};

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
const ALL: [BodyArg; 12] = [
    BodyArg::PingPong,
    BodyArg::Bandwidth,
    BodyArg::AllReduce,
    BodyArg::Weak,
    BodyArg::Strong,
    BodyArg::Farm,
    BodyArg::Uneven,
    BodyArg::Primes,
    BodyArg::Numeric,
    BodyArg::Warehouse,
    BodyArg::Search,
    BodyArg::Halo,
];

/// Where flows can be.
pub(super) struct Place {
    /// Of each node.
    pub(super) cpus: Vec<Cpus>,
    /// Of the node that has fewest.
    pub(super) sockets: u32,
    /// All nodes; `None`: this machine alone.
    pub(super) over: Option<Over>,
}

/// Ranks on each of so many nodes, and threads in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Split {
    nodes: u32,
    ranks_each: u32,
    threads: u32,
}

impl Place {
    pub(super) fn nodes(&self) -> u32 {
        u32::try_from(self.cpus.len()).unwrap_or(u32::MAX)
    }

    /// Of the node that has fewest.
    pub(super) fn cpus_each(&self) -> u32 {
        let least = self.cpus.iter().map(|cpus| cpus.allowed.len()).min();
        u32::try_from(least.unwrap_or(0)).unwrap_or(u32::MAX)
    }

    /// All up to four, then twice as many each time, and all nodes.
    fn numbers(&self) -> Vec<u32> {
        let all = self.nodes();
        let is_one = |nodes: &u32| *nodes <= 4 || nodes.is_power_of_two() || *nodes == all;
        (1..=all).filter(is_one).collect()
    }

    /// Few nodes first, then few ranks.
    fn splits(&self, flows: u32, placement: &[PlacementArg]) -> Vec<Split> {
        let fits = |nodes: &u32| flows.is_multiple_of(*nodes) && flows / nodes <= self.cpus_each();
        let numbers: Vec<u32> = (1..=self.nodes()).filter(fits).collect();
        let ends = [numbers.first(), numbers.last()].map(|end| end.copied());
        let [fewest, most] = ends;
        let is_asked = |split: &Split| {
            let is = |how: &PlacementArg| match how {
                PlacementArg::Packed => Some(split.nodes) == fewest,
                PlacementArg::Spread => Some(split.nodes) == most,
                PlacementArg::Node => split.ranks_each == 1,
                PlacementArg::Socket => split.ranks_each == self.sockets,
            };
            placement.is_empty() || placement.iter().any(is)
        };
        let all = numbers.iter().flat_map(|&nodes| {
            let each = flows / nodes;
            let ranks = (1..=each).filter(move |ranks| each.is_multiple_of(*ranks));
            ranks.map(move |ranks_each| Split {
                nodes,
                ranks_each,
                threads: each / ranks_each,
            })
        });
        all.filter(is_asked).collect()
    }

    fn label(&self, split: Split, behind: &str) -> String {
        let Split {
            nodes,
            ranks_each,
            threads,
        } = split;
        let on = match (&self.over, nodes) {
            (None, _) => String::new(),
            (Some(_), nodes) => format!(" on {}", report::number::many(nodes.into(), "node")),
        };
        format!("{}x{threads}{on}{behind}", nodes * ranks_each)
    }

    fn task(&self, split: Split, body: &Body) -> Task {
        let Split {
            nodes,
            ranks_each,
            threads,
        } = split;
        let own = self.cpus.iter().take(nodes as usize);
        Task {
            ranks: nodes * ranks_each,
            threads,
            cpus: own
                .flat_map(|cpus| near(cpus, ranks_each * threads))
                .collect(),
            over: self.over.as_ref().map(|over| Over {
                nodes: over.nodes[..nodes as usize].to_vec(),
                ..over.clone()
            }),
            body: body.clone(),
            warmups: 1,
            reps: REPS,
        }
    }
}

/// About more and more nodes.
const OVER_NODES: [BodyArg; 2] = [BodyArg::Strong, BodyArg::Weak];

struct Asked {
    name: &'static str,
    title: String,
    metric: Metric,
    /// If it is swept: parameter, value, unit.
    at: Option<(&'static str, u64, &'static str)>,
    flows: u32,
    /// All CPUs of so many nodes, where it is not every split of the flows.
    nodes: Vec<u32>,
    /// Only ranks of one thread.
    ranks_only: bool,
    /// Label after the split, and body.
    bodies: Vec<(&'static str, Body)>,
}

/// `program` makes a task's command, given all tasks of the case.
pub(super) fn cases(
    args: &HybridArgs,
    flows: u32,
    place: &Place,
    program: impl Fn(&Task, &[&Task]) -> Program,
) -> Result<Vec<Case>> {
    let wanted = ALL.iter().filter(|body| match args.body.is_empty() {
        true => place.nodes() > 1 || !OVER_NODES.contains(body),
        false => args.body.contains(body),
    });
    let asked: Vec<Vec<Asked>> = wanted
        .map(|&body| asked(body, args, flows, place))
        .collect::<Result<_>>()?;
    let asked = asked.into_iter().flatten();
    let each = asked.map(|asked| {
        let tasks = tasks(&asked, place, &args.placement);
        (asked, tasks)
    });
    // Two flows are in no rank a node of four.
    let (asked, each): (Vec<Asked>, Vec<_>) = each.filter(|(_, tasks)| !tasks.is_empty()).unzip();
    ensure!(
        !each.is_empty(),
        "--placement: no split of {flows} flows lies so on these nodes"
    );
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

fn asked(body: BodyArg, args: &HybridArgs, flows: u32, place: &Place) -> Result<Vec<Asked>> {
    ensure!(
        place.nodes() > 1 || !OVER_NODES.contains(&body),
        "--body strong and weak are about more and more nodes, and there is one: --hosts names more"
    );
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
        BodyArg::Strong => strong(args.tree.as_deref(), place)?,
        BodyArg::Weak => place.numbers().into_iter().map(weak).collect(),
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
        nodes: Vec::new(),
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
        nodes: Vec::new(),
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

/// The same work on all CPUs of more and more nodes: where does a further node stop paying?
fn strong(tree: Option<&Path>, place: &Place) -> Result<Vec<Asked>> {
    let works = [
        (
            "strong/primes",
            "Primes among 256,000 numbers, over more and more nodes",
            primes(10_000_001, 4_000),
        ),
        (
            "strong/search",
            "A tree of files is searched, over more and more nodes",
            search(tree)?,
        ),
    ];
    let asked = works.into_iter().map(|(name, title, units)| Asked {
        nodes: place.numbers(),
        ..work(name, title, 0, units)
    });
    Ok(asked.collect())
}

/// Each node gets as much: how does the time grow with them?
fn weak(nodes: u32) -> Asked {
    let units = Work::Primes(of_blocks(10_000_001, 4_000, 64 * u64::from(nodes)));
    let title = format!("Primes among 256,000 numbers for each of {nodes} nodes");
    Asked {
        at: Some(("nodes", nodes.into(), "nodes")),
        nodes: vec![nodes],
        ..work("weak", &title, 0, units)
    }
}

fn primes(start: u64, block: u64) -> Work {
    Work::Primes(of_blocks(start, block, 64))
}

fn of_blocks(start: u64, block: u64, blocks: u64) -> Primes {
    Primes {
        start,
        block,
        blocks,
        every: 1_000,
        method: Method::Trial,
    }
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

/// One rank with all threads first. Of two flows over nodes two ranks on one node: the way between nodes is
/// compared with that within one.
fn tasks(asked: &Asked, place: &Place, placement: &[PlacementArg]) -> Vec<(String, Task)> {
    if !asked.nodes.is_empty() {
        return over_more(asked, place);
    }
    let mut splits = place.splits(asked.flows, placement);
    splits.retain(|split| split.threads == 1 || !asked.ranks_only);
    if let (true, [first, second, ..]) = (place.over.is_some() && asked.flows == 2, &mut splits[..])
        && first.nodes == second.nodes
    {
        std::mem::swap(first, second);
    }
    let each = splits.into_iter().flat_map(|split| {
        let bodies = asked
            .bodies
            .iter()
            .filter(move |(_, body)| split.nodes == 1 || !matches!(body, Body::Migratable(_)));
        bodies.map(move |(behind, body)| (place.label(split, behind), place.task(split, body)))
    });
    each.collect()
}

/// A rank on each CPU. In a sweep a split has one name at all numbers of nodes.
fn over_more(asked: &Asked, place: &Place) -> Vec<(String, Task)> {
    let splits = asked.nodes.iter().map(|&nodes| Split {
        nodes,
        ranks_each: place.cpus_each(),
        threads: 1,
    });
    let each = splits.flat_map(|split| {
        let label = match asked.at {
            Some(_) => "rank".to_owned(),
            None => place.label(split, ""),
        };
        asked
            .bodies
            .iter()
            .map(move |(_, body)| (label.clone(), place.task(split, body)))
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
        let here = Place {
            cpus: vec![four()],
            sockets: 1,
            over: None,
        };
        made_at(&here, words, flows)
    }

    fn made_at(place: &Place, words: &[&str], flows: u32) -> Result<Vec<Case>> {
        let all = ["flowgauge", "hybrid"].iter().chain(words);
        let Command::Hybrid(args) = Cli::parse_from(all).command else {
            panic!("{words:?}")
        };
        cases(&args, flows, place, |task, _| {
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

    fn nodes(number: usize) -> Place {
        Place {
            cpus: vec![four(); number],
            sockets: 2,
            over: Some(Over {
                nodes: (1..=number).map(|node| format!("n{node}")).collect(),
                scratch: "/dev/shm/x".into(),
                counted: None,
            }),
        }
    }

    #[test]
    fn nodes_are_one_more_axis_of_a_split() {
        let cases = made_at(&nodes(2), &["--body", "primes,uneven"], 4).unwrap();
        let all = ["1x4", "2x2", "4x1"].map(|split| format!("{split} on 1 node"));
        let over = ["2x2", "4x1"].map(|split| format!("{split} on 2 nodes"));
        assert_eq!(labels(&cases[1]), [&all[..], &over[..]].concat());
        // Flows move within a node alone.
        let moved = labels(&cases[0])
            .into_iter()
            .filter(|label| label.ends_with(MIGRATABLE));
        assert_eq!(moved.collect::<Vec<_>>(), ["4x1 on 1 node, migratable"]);
        let task = nodes(2).task(
            Split {
                nodes: 2,
                ranks_each: 2,
                threads: 1,
            },
            &Body::Halo { side: 64, steps: 1 },
        );
        assert_eq!((task.check(), task.cpus), (Ok(()), vec![0, 1, 0, 1]));
        // More flows than a node has CPUs.
        let cases = made_at(&nodes(2), &["--body", "primes"], 8).unwrap();
        assert_eq!(labels(&cases[0])[0], "2x4 on 2 nodes");
    }

    #[test]
    fn more_nodes_get_the_same_work_or_as_much_each() {
        let cases = made_at(&nodes(6), &["--body", "strong,weak", "--tree", "."], 4).unwrap();
        let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        let weak = ["weak/1", "weak/2", "weak/3", "weak/4", "weak/6"];
        assert_eq!(
            names,
            [&weak[..], &["strong/primes", "strong/search"]].concat()
        );
        assert_eq!(labels(&cases[4]), ["rank"]);
        assert_eq!(labels(&cases[5])[..2], ["4x1 on 1 node", "8x1 on 2 nodes"]);
        assert_eq!(cases[5].best_of, Some(BestOf { default: Some(0) }));
        let alone = made(&["--body", "weak"], 4).unwrap_err().to_string();
        assert!(alone.contains("--hosts"), "{alone}");
    }

    #[test]
    fn ways_to_lie_on_nodes_are_chosen_and_messages_within_a_node_are_the_reference() {
        let of = |how: &str| {
            let cases = made_at(&nodes(4), &["--body", "primes", "--placement", how], 4).unwrap();
            labels(&cases[0]).join("; ")
        };
        assert_eq!(of("packed"), "1x4 on 1 node; 2x2 on 1 node; 4x1 on 1 node");
        assert_eq!(of("spread"), "4x1 on 4 nodes");
        assert_eq!(of("node"), "1x4 on 1 node; 2x2 on 2 nodes; 4x1 on 4 nodes");
        assert_eq!(of("socket"), "2x2 on 1 node; 4x1 on 2 nodes");
        let cases = made_at(&nodes(2), &["--body", "ping-pong", "--bytes", "8"], 4).unwrap();
        assert_eq!(
            labels(&cases[0]),
            ["2x1 on 1 node", "1x2 on 1 node", "2x1 on 2 nodes"]
        );
    }

    #[test]
    fn threads_of_a_rank_are_near_each_other_and_cores_come_first() {
        assert_eq!(near(&four(), 2), [0, 1]);
        assert_eq!(near(&four(), 3), [0, 2, 1]);
        assert_eq!(near(&four(), 4), [0, 2, 1, 3]);
    }
}

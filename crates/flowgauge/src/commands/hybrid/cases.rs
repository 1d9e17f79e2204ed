//! The cases of a run: each body that is asked for, in each way in which its flows can lie.

use anyhow::{Result, anyhow, ensure};
use flow::{Model, Variant};
use lab::{BestOf, Case, LabelledVariant, SweepPoint};
use mpi::{Body, Task};
use program::Program;

use super::bodies::{ALL, Asked, OVER_NODES, asked};
use super::place::{Place, REPS, Split};
use crate::args::axis::each_once;
use crate::args::{HybridArgs, PlacementArg};
use crate::commands::of_program;

const SWEEP_ROUNDS: usize = 20;

/// `program` makes a task's command, given all tasks of the case.
pub(super) fn cases(
    (args, works): (&HybridArgs, &[Case]),
    flows: u32,
    place: &Place,
    program: impl Fn(&Task, &[&Task]) -> Program,
) -> Result<Vec<Case>> {
    let wanted = ALL.iter().filter(|body| match args.body.is_empty() {
        true => place.nodes() > 1 || !OVER_NODES.contains(body),
        false => args.body.contains(body),
    });
    each_once("--bytes", &args.bytes)?;
    each_once("--side", &args.side)?;
    let asked: Vec<Vec<Asked>> = wanted
        .map(|&body| asked(body, (args, works), flows, place))
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

/// One rank with all threads first; of two flows over nodes two ranks on one node, against the way between nodes.
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
        None => asked.name.clone(),
    };
    let work = (of_program(first.clone()), asked.metric);
    Ok(Case {
        sweep: asked.at.map(|(parameter, value, unit)| SweepPoint {
            sweep: asked.name.clone(),
            parameter: parameter.to_owned(),
            value: value as f64,
            unit: unit.to_owned(),
        }),
        reps: Some(REPS),
        max_rounds: asked.at.map(|_| SWEEP_ROUNDS),
        // One process is the usual choice, where that is a split.
        best_of: several.then_some(BestOf {
            default: (!asked.ranks_only).then_some(0),
            over_nodes: !asked.nodes.is_empty(),
        }),
        ..Case::new(name, &asked.title, work, variants.collect())
    })
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
    use mpi::Over;

    use super::super::bodies::MIGRATABLE;
    use super::super::place::four;
    use super::*;
    use crate::args::{Cli, Command};

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
        let works = lab::study::of_command("hybrid")?;
        cases((&args, &works.cases), flows, place, |task, _| {
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
        assert_eq!(cases[1].best_of, Some(BestOf::beside(Some(0))));
        assert_eq!(cases[0].variants.len(), 9);
        let ways = ["1x4, dealt out", "1x4, taken", "1x4, stolen"];
        assert_eq!(labels(&cases[0])[..3], ways);
    }

    #[test]
    fn every_body_has_its_cases_and_their_flows() {
        let made = made_at(
            &nodes(2),
            &["--tree", ".", "--bytes", "8", "--side", "64"],
            4,
        )
        .unwrap();
        let names: Vec<&str> = made.iter().map(|case| case.name.as_str()).collect();
        let expected = "ping-pong/8 bandwidth/8 all-reduce/8 weak/1 weak/2 strong/primes strong/search farm uneven \
                        primes numeric warehouse search halo/64";
        assert_eq!(names.join(" "), expected);
    }

    /// Flows move between ranks of one thread: no other split has them.
    #[test]
    fn uneven_work_is_divided_taken_stolen_or_moved_by_ranks_of_one_thread() {
        let cases = made(&["--body", "uneven"], 4).unwrap();
        let ways = ["static", "taken", "stolen", "migratable"].map(|way| format!("4x1, {way}"));
        assert_eq!(labels(&cases[0]), ways);
        assert_eq!(cases[0].best_of, Some(BestOf::beside(None)));
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
        assert!(cases[5].best_of.is_some_and(|best_of| best_of.over_nodes));
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
}

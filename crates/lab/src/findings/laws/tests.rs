//! Laws of sweeps whose truth is known.

use flow::SelfManagedUsage;
use workload::{Cpu, Io, Work};

use super::{Law, Shape};
use crate::data::{Case, Origin, Published};
use crate::findings::testing::{begins, ends, has, lacks, point, record, run_study};
use crate::testing::{MS, Mock, PROOF, case, done, study};

fn cpu(workers: u64) -> Work {
    Work::Cpu(Cpu { workers, loops: 1 })
}

fn io(workers: u64) -> Work {
    Work::Io(Io {
        workers,
        loops: 1,
        block: 4096,
        sync: workload::Sync::Dsync,
        folder: None,
    })
}

/// A sweep over the number of workers, on one CPU or anywhere.
fn sweep(counts: &[u64], work: fn(u64) -> Work, placement: &str) -> Vec<Case> {
    let at = |&count: &u64| {
        let mut case = case(&format!("workers/{count}"), count, &["process", "thread"]);
        for labelled in &mut case.variants {
            labelled.variant.placement = placement.parse().unwrap();
        }
        case.work = work(count);
        point(case, ["some workers", "workers", "workers"], count as f64)
    };
    counts.iter().map(at).collect()
}

/// A source that says of both models that arithmetic grows in a line, and that all else is flat.
fn source(cases: &[Case]) -> Origin {
    let claim = match cases[0].work.worker_kind() {
        Some("cpu") => "linear",
        _ => "flat",
    };
    let of = |variant: &str| {
        let text = format!(
            "finding = 'x'\ntheirs = 'y'\nclaim = '{claim}'\n\
             ours.law = {{ sweep = 'some workers', variant = '{variant}', quantity = 'time' }}"
        );
        toml::from_str::<Published>(&text).unwrap()
    };
    Origin {
        author: "A".to_owned(),
        title: "T".to_owned(),
        year: 2026,
        finding: "f".to_owned(),
        setup: None,
        topics: Vec::new(),
        published: vec![of("process"), of("thread")],
    }
}

/// The laws of processes and of threads, whose slots take what `ns` says of their number.
fn laws(cases: Vec<Case>, ns: fn(&str, u64, usize) -> u64) -> Vec<Law> {
    let mock = Mock::new(move |units, model, n, spec| {
        done(
            spec,
            ns(model, units, n),
            spec.work.expected().unwrap_or(PROOF),
        )
    });
    let mut study = study(cases);
    study.origin = Some(source(&study.cases));
    let result = run_study(study, mock);
    for law in &result.parts.laws {
        assert!(result.sentences.contains(&law.sentence), "{}", law.sentence);
    }
    result.parts.laws
}

fn is_flat(law: &Law) -> bool {
    matches!(law.shape, Shape::Flat | Shape::NearlyFlat)
}

/// Some noise: up to 0.6 % and never the same twice in a row.
fn noise(n: usize) -> u64 {
    [0, 40_000, 10_000, 60_000, 20_000, 30_000, 50_000][n % 7]
}

#[test]
fn nodes_with_the_same_work_each_have_a_law_too() {
    let mut cases = sweep(&[1, 2, 3, 4], cpu, "free");
    for case in &mut cases {
        let point = case.sweep.as_mut().unwrap();
        (point.sweep, point.parameter) = ("weak".to_owned(), "nodes".to_owned());
    }
    let laws = laws(cases, |_, _, n| 10 * MS + noise(n));
    assert!(is_flat(&laws[0]), "{laws:?}");
    let said = &laws[0].sentence;
    begins(said, "weak, 1 to 4 nodes, processes: ");
    has(said, "each further node costs");
    has(said, "one node's part");
}

/// The law of the same work on 1 to 4 nodes, which takes `ns` of their number.
fn over_nodes(ns: fn(u64) -> u64) -> Law {
    let mut one = case("strong", 1, &["1x8", "2x4", "4x2", "8x1"]);
    for (labelled, nodes) in one.variants.iter_mut().zip(1..) {
        labelled.variant.flows = 2 * nodes;
    }
    one.best_of = Some(crate::data::BestOf {
        default: Some(0),
        over_nodes: true,
    });
    let mock = Mock::new(move |_, _, n, spec| {
        let nodes = u64::from(spec.variant.flows) / 2;
        let mut answer = done(spec, ns(nodes) + noise(n), PROOF);
        for rep in &mut record(&mut answer).reps {
            let counts = [
                ("compute_ns", 5 - nodes),
                ("communication_ns", nodes),
                ("waiting_ns", 0),
            ];
            rep.self_managed = Some(Box::new(SelfManagedUsage {
                counts: counts.map(|(name, ns)| (name.to_owned(), ns)).into(),
                ..SelfManagedUsage::default()
            }));
        }
        answer
    });
    run_study(study(vec![one]), mock).parts.laws.remove(0)
}

#[test]
fn the_same_work_on_more_nodes_has_a_law_of_nodes_x_time() {
    let all_divided = over_nodes(|nodes| 120 * MS / nodes);
    assert!(is_flat(&all_divided), "{all_divided:?}");
    let said = &all_divided.sentence;
    begins(said, "strong, 1 to 4 nodes, ranks: nodes x time is ");
    has(said, "; 4 nodes beat every smaller number");
    let nothing_divided = over_nodes(|_| 20 * MS);
    assert_eq!(nothing_divided.shape, Shape::Linear);
    let said = &nothing_divided.sentence;
    has(said, "a further node stops paying at 1: ");
}

#[test]
fn where_a_further_node_stops_paying_is_said_with_what_flows_do() {
    let said = over_nodes(|nodes| 40 * MS / nodes + 4 * MS * nodes).sentence;
    has(&said, "; a further node stops paying at 3: on 4 it takes ");
    ends(
        &said,
        "; of a flow's time on 1 and on 4 nodes: computing 80 and 20 %, communication 20 and 80 %, \
                 waiting 0 and 0 %",
    );
}

#[test]
fn each_worker_that_costs_the_same_makes_a_line() {
    let laws = laws(sweep(&[2, 3, 4, 5], cpu, "one"), |_, units, n| {
        units * 10 * MS + noise(n)
    });
    assert_eq!(laws.len(), 2);
    assert_eq!(laws[0].variant, "process");
    assert_eq!(laws[0].shape, Shape::Linear);
    assert_eq!(laws[0].expected, Some(Shape::Linear));
    assert!((laws[0].line.slope - 10e6).abs() < 1e5, "{:?}", laws[0]);
    let said = &laws[0].sentence;
    begins(
        said,
        "cpu with 2 to 5 processes: the time is linear in their number, as the source \
             says: each further worker costs 10.0 ms [9.9",
    );
    has(said, " 100 % [9");
    ends(said, "of one worker's part of the time (R² 1.000)");
}

#[test]
fn workers_that_all_wait_at_once_are_flat() {
    let laws = laws(sweep(&[2, 4, 8], io, "one"), |_, _, n| 10 * MS + noise(n));
    assert_eq!(laws[1].shape, Shape::Flat);
    begins(
        &laws[1].sentence,
        "io with 2 to 8 threads: the time is flat, as the source says: each further \
             worker costs ",
    );
    lacks(&laws[1].sentence, "R²");
}

/// A slope whose interval leaves out 0 was called flat.
#[test]
fn a_small_slope_that_is_known_not_to_be_0_is_nearly_flat() {
    let laws = laws(sweep(&[2, 4, 8], io, "one"), |model, units, n| {
        let more = if model == "thread" { 50_000 * units } else { 0 };
        10 * MS + more + n as u64 % 5
    });
    assert_eq!(laws[1].shape, Shape::NearlyFlat);
    let said = &laws[1].sentence;
    has(said, "the time is nearly flat, as the source says: ");
    lacks(said, "R²");
}

#[test]
fn a_law_that_was_not_expected_comes_with_what_the_cpu_says() {
    // Scripted flows compute 1.5 times as long as the steady phase takes: a busy CPU.
    let laws = laws(sweep(&[2, 3, 4], io, "one"), |_, units, n| {
        units * 10 * MS + noise(n)
    });
    let said = &laws[0].sentence;
    has(said, "linear in their number, where the source says flat: ");
    ends(
        said,
        "they use 150 % of the CPU, so it is the CPU that they wait for",
    );
}

#[test]
fn what_lies_between_is_told_as_such_and_nothing_is_expected_of_free_workers() {
    let laws = laws(sweep(&[2, 3, 4, 5], cpu, "free"), |_, units, n| {
        20 * MS + units * 4 * MS + noise(n)
    });
    assert_eq!((laws[0].shape, laws[0].expected), (Shape::Between, None));
    let said = &laws[0].sentence;
    has(
        said,
        ": the time grows in a line, by less than in proportion: each further worker ",
    );
    // 4 ms of (20 + 3.5 * 4) / 3.5.
    assert!((laws[0].growth - 0.41).abs() < 0.01, "{}", laws[0].growth);
}

#[test]
fn steeper_and_falling_laws_have_their_names() {
    let steep = laws(sweep(&[2, 3, 4, 5], cpu, "one"), |_, units, n| {
        units * units * 3 * MS + noise(n)
    });
    assert_eq!(steep[0].shape, Shape::Steeper);
    let fall = laws(sweep(&[2, 3, 4, 5], cpu, "one"), |_, units, n| {
        (60 - 8 * units) * MS + noise(n)
    });
    assert_eq!(fall[0].shape, Shape::Falling);
    has(
        &fall[0].sentence,
        "the time falls, where the source says linear",
    );
}

#[test]
fn two_counts_and_wild_slots_tell_no_law() {
    let two = laws(sweep(&[2, 3], cpu, "one"), |_, units, n| {
        units * 10 * MS + noise(n)
    });
    assert_eq!(two[0].shape, Shape::CannotTell);
    ends(&two[0].sentence, "2 counts are too few");
    let wild = laws(sweep(&[2, 3, 4], cpu, "one"), |_, units, n| {
        (units + 7 * (n as u64 * 7 % 11)) * 10 * MS
    });
    assert_eq!(wild[0].shape, Shape::CannotTell, "{}", wild[0].sentence);
}

#[test]
fn a_law_that_certainly_grows_is_not_called_unknown() {
    let laws = laws(sweep(&[2, 3, 4], io, "one"), |_, units, n| {
        units * (90 + 14 * (n as u64 * 7 % 5)) * MS / 10
    });
    assert_eq!(laws[0].shape, Shape::Growing, "{}", laws[0].sentence);
    has(
        &laws[0].sentence,
        "the time grows, whether in a line is not clear, where the source says flat",
    );
}

#[test]
fn other_sweeps_have_no_law_of_workers() {
    let mut cases = sweep(&[2, 3, 4], cpu, "one");
    for case in &mut cases {
        case.work = crate::testing::case("x", case.work.units(), &["thread"]).work;
    }
    assert_eq!(laws(cases, |_, units, _| units * MS), Vec::new());
}

#[test]
fn straightness_is_rounded_and_only_one_is_one() {
    let said = [0.7088, 0.99258, 0.9999, 1.0, 0.0].map(super::straight_share);
    assert_eq!(said, ["0.71", "0.993", "0.999", "1.000", "0.00"]);
}

/// Of a time that jumps up and comes down again it said "R² 0.00", as of a line.
#[test]
fn what_a_constant_tells_better_is_not_called_a_line() {
    let laws = laws(sweep(&[2, 3, 4, 5], cpu, "one"), |_, units, n| {
        [20, 70, 50, 30][units as usize - 2] * MS + noise(n)
    });
    let law = &laws[0];
    assert!(
        law.line.straightness.is_some_and(|share| share <= 0.0),
        "{law:?}"
    );
    ends(&law.sentence, "(not a line)");
}

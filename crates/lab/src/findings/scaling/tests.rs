//! Tests of throughput, of exact times.

use flow::record::footprint::{OfCore, Touched};
use flow::record::kernel_counters::KernelCounters;
use flow::{Placement, Variant};
use workload::{Bytes, Warehouse, Work};

use super::*;
use crate::data::{Case, LabelledVariant, Metric};
use crate::findings::StudyResult;
use crate::findings::testing::{begins, ends, has, lacks};
use crate::findings::testing::{point as point_of_sweep, record, run_study};
use crate::testing;
use crate::testing::{MS, Mock, PROOF, done};

/// A case of `flows` flows along cores.
fn case(flows: u32) -> Case {
    let like = testing::case("x", 1, &["process", "thread"]);
    let variants = like.variants.into_iter().map(|labelled| LabelledVariant {
        variant: Variant {
            flows,
            placement: Placement::Cores,
            ..labelled.variant
        },
        ..labelled
    });
    let case = Case {
        name: format!("warehouse/cores/{flows}"),
        work: Work::Warehouse(Warehouse {
            workers: flows.into(),
            transactions: 1_000,
            heap: Bytes(1 << 20),
            seed: 0,
        }),
        metric: Metric::Steady,
        variants: variants.collect(),
        max_rounds: Some(10),
        ..like
    };
    point_of_sweep(case, ["warehouse/cores", "flows", "flows"], flows.into())
}

fn footprint(shared: u64, by_cores: Measured<Touched>) -> Footprint {
    Footprint {
        page: 4096,
        flows: vec![touched(100, 1); 2],
        cores: Measured::Value(vec![OfCore {
            core: 0,
            flows: 1,
            touched: touched(100, 1),
        }]),
        all: touched(200 - shared, 1),
        by_flows: Measured::Value(touched(shared, 1)),
        by_flows_at_most: None,
        by_cores_at_most: None,
        by_cores,
        resident: Measured::Value(200),
    }
}

fn touched(small: u64, huge: u64) -> Touched {
    Touched { small, huge }
}

/// A run in which a repetition takes what `ns` says of flows and model.
fn results(ns: fn(u64, &str) -> u64) -> StudyResult {
    with_footprint(ns, footprint(7, Measured::not_available("why", "how")))
}

fn with_footprint(ns: fn(u64, &str) -> u64, footprint: Footprint) -> StudyResult {
    let study = testing::study(vec![case(1), case(2), case(64)]);
    let mock = Mock::new(move |units, model, _, spec| {
        let mut answer = done(spec, ns(units, model), PROOF);
        if let Some(last) = record(&mut answer).reps.last_mut() {
            last.kernel_counters = Some(Box::new(KernelCounters {
                migrations: Measured::not_available("not read", ""),
                io: Measured::not_available("not read", ""),
                shootdowns: None,
                footprint: Some(Measured::Value(footprint.clone())),
            }));
        }
        answer
    });
    run_study(study, mock)
}

/// Twice the flows take 1.25 times as long; threads a tenth longer than processes.
fn times(flows: u64, model: &str) -> u64 {
    let one = if flows == 1 { 8 * MS } else { 10 * MS };
    if model == "thread" {
        one * 11 / 10
    } else {
        one
    }
}

#[test]
fn throughput_is_work_over_time_and_over_one_flow() {
    let study = results(times);
    let [all] = &study.parts.scaling[..] else {
        panic!("{:?}", study.parts.scaling)
    };
    assert_eq!(
        (all.workload.as_str(), all.along),
        ("warehouse", Topology::Cores)
    );
    let flows: Vec<u32> = all.points.iter().map(|point| point.flows).collect();
    assert_eq!(flows, [1, 2, 64]);
    let two = &all.points[1];
    let [process, thread] = &two.variants[..] else {
        panic!("{two:?}")
    };
    // 2,000 transactions in the steady 8 ms of 10.
    assert_eq!(process.per_s, 250_000.0);
    let over_one = process.over_one.unwrap();
    assert!((over_one.ratio - 1.6).abs() < 1e-9, "{over_one:?}");
    assert!(over_one.interval.is_some());
    let itself = all.points[0].variants[0].over_one.unwrap();
    assert_eq!((itself.ratio, itself.interval), (1.0, None));
    assert_eq!((process.processes, process.threads), (2, 1));
    assert_eq!((thread.processes, thread.threads), (1, 2));
    let ratio = two.threads_over_processes.unwrap();
    assert!((ratio.ratio - 1.0 / 1.1).abs() < 1e-9, "{ratio:?}");
    assert_eq!(ratio.ends(), "[0.90x … 0.91x]");
}

#[test]
fn the_answer_names_work_and_way_and_numbers_beyond_the_cpus_are_said() {
    let study = results(times);
    let said = &study.sentences;
    begins(&said[0], "warehouse with ");
    has(&said[0], "along cores: threads 1.10x slower");
    has(&said.join("\n"), "64 flows are more than");
    let of_pages = "of the 193 pages that 64 threads work on, 7 are";
    has(&said.join("\n"), of_pages);
    lacks(&said.join("\n"), "instead of");
}

#[test]
fn pages_are_kept_with_what_is_missing_and_why() {
    let study = results(times);
    let variant = &study.parts.scaling[0].points[1].variants[1];
    let footprint = variant.footprint.as_ref().unwrap().value().unwrap();
    assert_eq!(footprint.by_flows.value().unwrap().small, 7);
    assert!(footprint.by_cores.value().is_none());
    assert_eq!(variant.memory, Measured::Value(1_110));
}

#[test]
fn where_flows_have_cores_it_is_pages_of_several_cores_that_are_told() {
    let on_cores = footprint(7, Measured::Value(touched(3, 1)));
    let said = with_footprint(times, on_cores).sentences;
    let of_pages = "64 threads work on, 3 are worked on by threads of more than one core";
    assert!(said.iter().any(|line| line.contains(of_pages)), "{said:?}");
}

#[test]
fn other_work_has_no_scaling() {
    let study = testing::study(vec![testing::case("x", 1, &["process", "thread"])]);
    let study = run_study(study, Mock::timed(|_, _| MS));
    assert!(study.parts.scaling.is_empty());
}

/// What a study says whose repetitions take what this function says of flows and model; cases whose flows
/// take 0 fail.
fn said(cases: Vec<Case>, ns: fn(u64, &str) -> u64) -> StudyResult {
    let mock = Mock::new(move |units, model, _, spec| match ns(units, model) {
        0 => testing::lost(),
        ns => done(spec, ns, PROOF),
    });
    run_study(testing::study(cases), mock)
}

#[test]
fn a_run_that_was_cut_at_one_flow_names_work_and_way_and_what_has_no_data() {
    let other = Case {
        name: "other/cores/2".to_owned(),
        ..case(2)
    };
    let only_one = |flows: u64, _: &str| if flows == 1 { MS } else { 0 };
    let study = said(vec![case(1), other], only_one);
    let first = &study.sentences[0];
    begins(first, "warehouse with 1 flow along cores: ");
    ends(first, "; no data yet: other");
}

/// A server in three forms, and the same requests within the program.
fn server() -> Case {
    let server: Work = serde_json::from_value(serde_json::json!({
        "kind": "wiki-server", "workers": 1, "requests": 1_000, "connections": 4,
    }))
    .unwrap();
    let wiki = serde_json::from_value(serde_json::json!({"kind": "wiki", "requests": 1_000}));
    let like = testing::case("wiki-server", 1, &["process", "thread", "1x1", "fiber"]);
    let mut variants = like.variants;
    for labelled in &mut variants[..3] {
        labelled.work = Some(server.clone());
    }
    Case {
        work: wiki.unwrap(),
        metric: Metric::Steady,
        variants,
        max_rounds: Some(10),
        ..like
    }
}

#[test]
fn a_server_alone_has_a_sentence_a_form_and_is_not_answered_by_what_the_network_costs() {
    let within_is_faster = |_: u64, model: &str| if model == "fiber" { MS } else { 4 * MS };
    let study = said(vec![server()], within_is_faster);
    let first = &study.sentences[0];
    begins(first, "wiki-server: threads and processes");
    has(first, "; 1x1 and processes");
    lacks(first, "fiber");
    let headline = study.headline().unwrap();
    assert_eq!(headline.subject, "thread");
}

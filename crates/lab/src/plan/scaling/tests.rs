//! Tests of spreading a study over machines that nobody has at hand.

use super::*;
use crate::data::{Metric, Preset};
use crate::plan::study::builtin;
use crate::testing::machine;

fn scaling() -> Study {
    builtin("scaling", Preset::Quick).unwrap()
}

fn spread(spread: &Spread, machine: &Machine) -> (Vec<String>, Vec<String>) {
    let (study, left_out) = spread.over(scaling(), machine);
    let names = study.cases.iter().map(|case| case.name.clone());
    (names.collect(), left_out)
}

fn case<'a>(study: &'a Study, name: &str) -> &'a Case {
    let mut cases = study.cases.iter();
    cases.find(|case| case.name == name).unwrap()
}

fn of<'a>(names: &'a [String], base: &str) -> Vec<&'a str> {
    let own = |name: &'a String| name.strip_prefix(base)?.strip_prefix('/');
    names.iter().filter_map(own).collect()
}

#[test]
fn with_smt_flows_go_along_threads_along_cores_and_everywhere() {
    let machine = machine(6, 2);
    let (names, left_out) = spread(&Spread::default(), &machine);
    let along = [
        "smt/1", "smt/2", "cores/1", "cores/2", "cores/4", "cores/6", "all",
    ];
    assert_eq!(of(&names, "warehouse"), along);
    let pairs = ["smt/2", "cores/2", "cores/4", "cores/6", "all"];
    assert_eq!(of(&names, "handoff"), pairs);
    assert!(left_out.is_empty(), "{left_out:?}");
    let (study, _) = Spread::default().over(scaling(), &machine);
    assert_eq!(study.headline, "warehouse/cores/6");
}

#[test]
fn flows_along_smt_are_on_one_core_first() {
    let machine = machine(4, 2);
    let (study, _) = Spread::default().over(scaling(), &machine);
    let cpus = crate::plan::cpus(&machine);
    let first = &case(&study, "warehouse/smt/2").variants[0];
    let placed = first.variant.placement.resolve(&cpus).unwrap();
    assert_eq!(placed[..3], [0, 4, 1]);
    let all = case(&study, "warehouse/all");
    assert_eq!(all.work.units(), 8);
    assert_eq!(all.variants[1].variant.flows, 8);
}

#[test]
fn without_smt_the_rest_is_run_and_the_reason_said() {
    let (names, left_out) = spread(&Spread::default(), &machine(2, 1));
    assert_eq!(of(&names, "warehouse"), ["cores/1", "cores/2"]);
    let why = [
        "along SMT: not available: 1 thread per core",
        "on all hardware threads: the same as along cores: 1 thread per core",
    ];
    assert_eq!(left_out, why);
}

/// It was refused, though there was something to run.
#[test]
fn all_hardware_threads_alone_are_run_as_the_way_that_is_the_same() {
    let asked = Spread {
        along: vec![Topology::All],
        ..Spread::default()
    };
    let (names, left_out) = spread(&asked, &machine(2, 1));
    assert_eq!(of(&names, "warehouse"), ["cores/1", "cores/2"]);
    let note =
        "on all hardware threads: the same as along cores: 1 thread per core; run along cores";
    assert_eq!(left_out, [note]);
    let (names, _) = spread(&asked, &machine(1, 2));
    assert_eq!(of(&names, "warehouse"), ["smt/1", "smt/2"]);
}

#[test]
fn one_core_of_two_threads_has_nothing_that_all_would_add() {
    let (names, left_out) = spread(&Spread::default(), &machine(1, 2));
    assert_eq!(of(&names, "warehouse"), ["smt/1", "smt/2", "cores/1"]);
    let why = "on all hardware threads: the same as along SMT: 1 core";
    assert_eq!(left_out, [why]);
}

#[test]
fn numbers_beyond_the_cpus_are_run_and_pairs_stay_pairs() {
    let asked = Spread {
        flows: Some(vec![1, 3, 4]),
        ..Spread::default()
    };
    let (names, left_out) = spread(&asked, &machine(2, 1));
    assert_eq!(of(&names, "warehouse"), ["cores/1", "cores/3", "cores/4"]);
    assert_eq!(of(&names, "handoff"), ["cores/4"]);
    let odd = left_out.iter().filter(|line| line.contains("even number"));
    assert_eq!(odd.count(), 2);
}

#[test]
fn a_grid_has_every_mix_between_processes_and_threads() {
    let asked = Spread {
        grid: true,
        ..Spread::default()
    };
    let (study, _) = asked.over(scaling(), &machine(8, 1));
    let variants = case(&study, "warehouse/cores/8").variants.iter();
    let labels: Vec<&str> = variants.map(|v| v.label.as_str()).collect();
    assert_eq!(labels, ["process", "4x2", "2x4", "thread"]);
    let small = asked.over(scaling(), &machine(2, 1)).0;
    let mut cases = small.cases.iter();
    let last = cases.rfind(|case| base(case) == "warehouse").unwrap();
    assert_eq!(last.name, "warehouse/cores/4");
    assert_eq!(last.variants[1].label, "2x2");
}

#[test]
fn a_grid_on_an_odd_number_of_cores_has_whole_pairs_and_nothing_to_leave_out() {
    let asked = Spread {
        along: vec![Topology::Cores],
        grid: true,
        ..Spread::default()
    };
    for (cores, pairs) in [(5, "cores/4"), (7, "cores/6")] {
        let (names, left_out) = spread(&asked, &machine(cores, 1));
        assert_eq!(left_out, Vec::<String>::new(), "{cores} cores");
        assert_eq!(of(&names, "handoff").last(), Some(&pairs));
        let all = format!("cores/{cores}");
        assert_eq!(of(&names, "warehouse").last(), Some(&all.as_str()));
    }
}

#[test]
fn a_case_that_is_not_timed_in_its_steady_phase_tells_no_throughput() {
    let (study, _) = Spread::default().over(scaling(), &machine(2, 1));
    let mut case = study.cases[0].clone();
    assert_eq!(along(&case), Some(Topology::Cores));
    for metric in [Metric::Total, Metric::Create] {
        case.metric = metric;
        assert_eq!(along(&case), None, "{metric:?}");
    }
}

#[test]
fn only_model_allocator_and_pages_differ_within_a_case_and_no_two_cases_have_one_name() {
    let asked = Spread {
        grid: true,
        ..Spread::default()
    };
    let (study, _) = asked.over(scaling(), &machine(4, 2));
    crate::plan::check(std::slice::from_ref(&study), &Machine::read()).unwrap();
    for case in &study.cases {
        let first = &case.variants[0].variant;
        for labelled in &case.variants {
            let other = Variant {
                model: first.model,
                allocator: None,
                heap_pages: None,
                ..labelled.variant.clone()
            };
            assert_eq!(&other, first, "{}", case.name);
            assert_eq!(labelled.work, None);
        }
        let placement = along(case).map(Topology::placement);
        assert_eq!(placement.as_ref(), Some(&first.placement));
    }
}

#[test]
fn the_full_preset_has_a_real_server_in_every_form_beside_what_it_serves() {
    let full = builtin("scaling", Preset::Full).unwrap();
    let (study, _) = Spread::default().over(full, &machine(4, 2));
    let served = |case: &&Case| case.name.starts_with("wiki-server");
    let cases: Vec<&Case> = study.cases.iter().filter(served).collect();
    let [case] = cases[..] else {
        panic!("{} cases", cases.len())
    };
    let form = |labelled: &LabelledVariant| match &labelled.work {
        Some(workload::Work::WikiServer(server)) => Some((server.design, server.requests)),
        Some(other) => panic!("{other:?}"),
        None => None,
    };
    let forms: Vec<_> = case.variants.iter().map(form).collect();
    use workload::server::Design::{PerConnection, Pool};
    let requests = case.work.units();
    let served = [Pool, Pool, Pool, PerConnection].map(|design| Some((design, requests)));
    assert_eq!(forms[..4], served);
    assert_eq!(forms[4..], [None, None]);
    assert_eq!(along(case), None);
    crate::plan::check(std::slice::from_ref(&study), &Machine::read()).unwrap();
}

#[test]
fn a_name_tells_its_base() {
    let mut case = scaling().cases[0].clone();
    for (name, wanted) in [
        ("warehouse/cores/8", "warehouse"),
        ("numeric-small/fft/smt/2", "numeric-small/fft"),
        ("warehouse/all", "warehouse"),
        ("mine", "mine"),
        ("mine/cores", "mine"),
    ] {
        case.name = name.to_owned();
        assert_eq!(base(&case), wanted);
    }
}

#[test]
fn other_studies_stay_as_they_are() {
    let study = builtin("sharing", Preset::Quick).unwrap();
    let (same, left_out) = Spread::default().over(study.clone(), &machine(2, 2));
    assert_eq!((same, left_out), (study, Vec::new()));
}

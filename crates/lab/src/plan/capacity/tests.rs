//! Tests of what there is room for.

use super::fitted::without_those;
use super::*;
use crate::data::Preset;
use crate::plan::study::builtin;
use crate::testing::{Says, labels};
use flow::{HandOver, Placement};
use serde_json::json;
use workload::Turns;

fn turns(flows: u64) -> Work {
    Work::Turns(Turns {
        flows,
        kernel_turns: 1,
        user_turns: 1,
        user_laps: None,
        touched_at_most: None,
        stack_use: 0,
        hand_over: HandOver::Pipe,
        by_readiness: false,
        stack: Some(1 << 20),
    })
}

fn variant(model: Model, flows: u32) -> Variant {
    Variant {
        placement: Placement::One,
        ..Variant::new(model, flows)
    }
}

#[test]
fn what_cannot_be_is_refused_with_the_need_and_the_limit() {
    let machine = Machine::read();
    let refused =
        |model, flows: u32| no_room(&machine, &variant(model, flows), &turns(flows.into()));
    let why = refused(Model::FIBER_PACKED, u32::MAX).unwrap();
    why.says("they need 4,");
    why.says("at most");
    let why = refused(Model::Process, u32::MAX).unwrap();
    why.says("to raise it");
    assert_eq!(refused(Model::Task, 2), None);
}

/// On one CPU the moves between two CPUs were measured on that one.
#[test]
fn processes_that_want_a_core_each_are_left_out_where_there_are_fewer() {
    let study = builtin("migrate", Preset::Quick).unwrap().for_cpus(2);
    let moves = |name: &str| {
        let case = study.cases.iter().find(|case| case.is_called(name));
        let case = case.unwrap();
        let mut variants = case.variants.iter();
        let hand_off = variants.position(|one| one.label == "hand-off alone");
        let hand_off = hand_off.unwrap();
        let mut machine = Machine::read();
        machine.allowance.cpus.truncate(1);
        no_room(
            &machine,
            &case.variants[hand_off].variant,
            case.work_of(hand_off),
        )
    };
    assert_eq!(moves("same-cpu"), None);
    let why = moves("other-cpu").unwrap();
    why.begins("2 processes on a core each");
    why.ends("on 1 CPU");
}

#[test]
fn movable_flows_over_more_processes_than_cpus_are_refused() {
    let machine = Machine::read();
    let cpus = machine.allowed().len() as u32;
    let over = |processes| Model::migratable(flow::Way::Isomalloc, processes);
    let refused = |model| no_room(&machine, &variant(model, 4), &Work::Turns(Turns::idle(4)));
    let why = refused(over(cpus + 1)).unwrap();
    let what_then = match cpus {
        1 => "on 1 CPU: it needs 2".to_owned(),
        _ => format!("on {cpus} CPUs: use at most migratable/{cpus}"),
    };
    why.ends(&what_then);
    assert_eq!(refused(over(cpus)), None);
}

/// Processes that take turns at a socket or a queue were begun all the same.
#[test]
fn what_stands_beside_movable_flows_has_no_more_processes_than_cpus_either() {
    let machine = Machine::read();
    let cpus = machine.allowed().len().max(2) as u32;
    let migrate = |processes: u32| {
        let work = json!({"by": "socket", "bytes": 64, "moves": 9, "processes": processes});
        Work::Migrate(serde_json::from_value(work).unwrap())
    };
    let balance = |processes: u32| {
        let work = json!({"balance": "queue", "amount": 99, "pieces": 9, "processes": processes});
        Work::Balanced(serde_json::from_value(work).unwrap())
    };
    let refused = |model, flows, work: &Work| no_room(&machine, &variant(model, flows), work);
    for (model, work) in [
        (Model::Process, migrate(cpus + 1)),
        (Model::Thread, balance(cpus + 1)),
    ] {
        let why = refused(model, cpus + 1, &work).unwrap();
        why.says(&format!("use processes = {cpus} at most"));
    }
    assert_eq!(refused(Model::Process, cpus, &migrate(cpus)), None);
    assert_eq!(refused(Model::Thread, cpus, &balance(cpus)), None);
}

#[test]
fn a_heap_larger_than_memory_is_refused_with_the_need() {
    let work = |heap| {
        Work::Warehouse(workload::Warehouse {
            workers: 2,
            transactions: 1,
            heap: workload::Bytes(heap),
            seed: 0,
        })
    };
    let machine = Machine::read();
    for model in [Model::Thread, Model::Process, Model::FIBER] {
        let why = no_room(&machine, &variant(model, 2), &work(1 << 40)).unwrap();
        why.says("2 flows take 2,560 GiB");
        why.says("room for 0 of them");
        assert_eq!(no_room(&machine, &variant(model, 2), &work(1 << 20)), None);
    }
}

#[test]
fn workers_that_would_take_all_memory_are_refused() {
    let mem = |bytes| {
        Work::Mem(workload::Mem {
            pause_us: 0,
            workers: 2,
            loops: 1,
            bytes,
        })
    };
    let machine = Machine::read();
    let two = variant(Model::Process, 2);
    assert_eq!(no_room(&machine, &two, &mem(64 << 20)), None);
    let why = no_room(&machine, &two, &mem(1 << 50)).unwrap();
    why.says("room for 0 of them");
}

#[test]
fn where_there_are_no_fibers_they_are_left_out_once_and_the_rest_is_run() {
    let none = Err("no fibers on this target");
    let study = builtin("switch", Preset::Quick).unwrap();
    let cases = study.cases.len();
    let (study, left_out) = without_those(study, |variant, _| without(variant.model, none));
    let models = [
        "fiber",
        "fiber-packed",
        "migratable",
        "migratable-copied",
        "migratable-aliased",
    ];
    let why = models.map(|name| format!("model {name} is not available: no fibers on this target"));
    assert_eq!(left_out, why);
    assert_eq!(study.cases.len(), cases);
    let models = study.cases.iter().flat_map(|case| &case.variants);
    let models: Vec<Model> = models.map(|labelled| labelled.variant.model).collect();
    assert!(models.contains(&Model::Task) && !models.contains(&Model::FIBER));
}

#[test]
fn what_is_left_out_of_a_sweep_is_one_line_a_variant() {
    let study = builtin("switch", Preset::Full).unwrap();
    let variants = study.cases.iter().flat_map(|case| &case.variants);
    let processes = variants.filter(|labelled| labelled.label == "process");
    let sizes: Vec<u32> = processes.map(|labelled| labelled.variant.flows).collect();
    assert!(sizes.len() > 2);
    let (_, left_out) = without_those(study, |variant, _| {
        let small = variant.model != Model::Process || variant.flows <= 200;
        (!small).then(|| format!("{} are too many", variant.flows))
    });
    let most = *sizes.iter().max().unwrap();
    let why = format!(
        "500 are too many; so are more, up to {}",
        count(most.into())
    );
    assert_eq!(left_out, [why]);
}

#[test]
fn of_memory_the_same_reserve_is_kept_that_limits_keeps() {
    let machine = Machine::read();
    let free = rooms(&machine, Model::FIBER_PACKED, &turns(2));
    let lowest = free.first().unwrap();
    let share = (lowest.count as f64 * SHARE) as u64;
    let refused = |flows: u64| {
        let variant = variant(Model::FIBER_PACKED, u32::try_from(flows).unwrap());
        no_room(&machine, &variant, &turns(flows)).is_some()
    };
    assert!(!refused(share) && refused(share + 1));
}

#[test]
fn a_study_that_fits_is_left_as_it_is() {
    let study = builtin("primes", Preset::Quick).unwrap();
    assert_eq!(fitted(study.clone(), &Machine::read()), (study, Vec::new()));
}

#[test]
fn what_has_no_room_is_left_out_and_said() {
    let mut study = builtin("primes", Preset::Quick).unwrap();
    study.cases.truncate(2);
    for labelled in &mut study.cases[0].variants {
        labelled.variant.flows = u32::MAX;
    }
    let (fitted, left_out) = fitted(study.clone(), &Machine::read());
    assert_eq!(fitted.cases.len(), 1);
    assert_eq!(fitted.headline, study.cases[1].name);
    assert_eq!(left_out.len(), 2);
}

/// A claim named a label that the run did not have, and its row said that it was not run.
#[test]
fn a_claim_follows_the_label_that_a_version_changes() {
    let text = r#"schema = 1
name = "mine"
title = "Mine"
stands_for = "nothing"
headline = "one"
[origin]
author = "a"
title = "t"
year = 2026
finding = "f"
[[published]]
finding = "x"
theirs = "y"
ours.pair = { case = "one", subject = "new {version}", reference = "old", quantity = "time" }
[work]
kind = "program"
command = "true"
version = "echo 3.14"
[[case]]
name = "one"
title = "One"
[[case.variant]]
label = "old"
model = "process"
flows = 1
[[case.variant]]
label = "new {version}"
model = "process"
flows = 2
"#;
    let study = crate::plan::study::parse(text, "mine.toml", Preset::Quick).unwrap();
    let (study, why) = equipped(study);
    assert_eq!(why, [""; 0]);
    assert_eq!(labels(&study), ["old", "new 3.14"]);
    let Some(crate::data::Ours::Pair(pair)) = &study.origin.unwrap().published[0].ours else {
        panic!("no pair");
    };
    assert_eq!((&*pair.subject, &*pair.reference), ("new 3.14", "old"));
}

//! Every operation under every model, with real flows: each is verified, all prove the same
//! work, and nothing stays.

use std::collections::BTreeSet;
use std::fs;
use std::thread::sleep;
use std::time::Duration;

use flow::Model;
use lab::{CaseEnd, CaseResult};

use super::common::Home;

/// More than one stretch between two long checks, and not a whole number of them.
const OPS: u64 = 70;
const FLOWS: u64 = 3;

/// Operations that the models can do: flows that share a carrier cannot wait for each other.
fn names(models: &[&str]) -> Vec<&'static str> {
    let can_wait = models.iter().all(|model| {
        let model: Model = model.parse().unwrap();
        !model.is_user_level()
    });
    let all = operation::all().iter();
    let fit = all.filter(|facts| can_wait || !facts.waits);
    fit.map(|facts| facts.name).collect()
}

fn study(models: &[&str]) -> String {
    let names = names(models);
    let variants: String = models
        .iter()
        .map(|model| format!("[[case.variant]]\nmodel = \"{model}\"\n"))
        .collect();
    format!(
        "schema = 1\nname = \"all\"\ntitle = \"All\"\nstands_for = \"A test.\"\n\
         headline = \"of/getppid\"\n[[case]]\nname = \"of\"\ntitle = \"{{operation}}\"\n\
         reps = 2\n[case.work]\nkind = \"operation\"\noperation = \"getppid\"\nflows = {FLOWS}\n\
         ops = {OPS}\n[case.each]\nparameter = \"operation\"\nvalues = {names:?}\n{variants}"
    )
}

/// What System V tables hold: table, key and number of each.
fn system_v() -> BTreeSet<String> {
    let entries = |table: &str| {
        let text = fs::read_to_string(format!("/proc/sysvipc/{table}")).unwrap_or_default();
        let name = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().take(2).collect();
            format!("{table} {}", words.join(" "))
        };
        text.lines().skip(1).map(name).collect::<Vec<_>>()
    };
    ["shm", "sem", "msg"]
        .into_iter()
        .flat_map(entries)
        .collect()
}

/// What System V tables hold and did not before, when nobody takes it away any more: tests beside this one use them too.
fn left_in_system_v(before: &BTreeSet<String>) -> Vec<String> {
    let left = || system_v().difference(before).cloned().collect::<Vec<_>>();
    for _ in 0..600 {
        if left().is_empty() {
            break;
        }
        sleep(Duration::from_millis(100));
    }
    left()
}

/// Runs every operation under the models, once; each must be done by each.
fn all_work(models: &[&str]) {
    let home = Home::new();
    let before = system_v();
    home.write("all.toml", study(models));
    home.run("run all.toml --rounds 1 --budget 10m --out out")
        .answered();
    home.assert_nothing_left();
    home.assert_no_files();
    assert_eq!(left_in_system_v(&before), Vec::<String>::new());
    let cases = &home.results().studies[0].cases;
    assert_eq!(cases.len(), names(models).len());
    for case in cases {
        same_work(case, models.len());
    }
}

fn same_work(case: &CaseResult, models: usize) {
    let name = &case.case.name;
    assert_eq!(case.ended, Some(CaseEnd::Rounds), "{name}");
    assert_eq!(case.slots.len(), models, "{name}");
    let proof = |slot: &lab::RawSlot| slot.outcome.answer.done().map(|done| done.proof);
    let first = proof(&case.slots[0]);
    assert_eq!(first.map(|proof| proof.count), Some(FLOWS * OPS), "{name}");
    for slot in &case.slots {
        assert_eq!(proof(slot), first, "{name}: {:?}", slot.outcome);
    }
}

#[test]
fn every_operation_is_done_under_what_flows_share_or_do_not() {
    all_work(&[
        "process",
        "process-shared-files",
        "thread-private-files",
        "thread",
    ]);
}

#[test]
fn every_operation_is_done_under_the_other_models() {
    all_work(&["3x1", "1x3"]);
    all_work(&["fiber", "fiber/2", "task"]);
}

/// Three fibers on one carrier waited in the kernel for each other, for ever.
#[test]
fn operations_whose_flows_wait_for_each_other_are_refused_where_they_share_a_carrier() {
    let home = Home::new();
    let messages = "schema = 1\nname = \"all\"\ntitle = \"All\"\nstands_for = \"A test.\"\nheadline = \"of\"\n\
         [[case]]\nname = \"of\"\ntitle = \"Messages\"\n\
         work = { kind = \"operation\", operation = \"group-pipe\", flows = 3 }\n\
         [[case.variant]]\nmodel = \"thread\"\n[[case.variant]]\nmodel = \"fiber\"\n";
    home.write("all.toml", messages);
    home.run("run all.toml")
        .refused(2, &["group-pipe has flows that wait for each other"]);
}

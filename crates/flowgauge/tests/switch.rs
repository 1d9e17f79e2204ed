//! `flowgauge switch` and the models of user-level flows, for real. Nothing here asserts
//! how fast anything is.

use std::path::Path;
use std::process::{Command, Output};

use flow::{Answer, Placement, Rep};
use lab::{CaseResult, Results};
use tempfile::TempDir;

fn flowgauge(line: &str, out: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flowgauge"))
        .args(line.split(' '))
        .arg("--out")
        .arg(out)
        .output()
        .expect("the command starts")
}

/// Runs to an answer (0, or 3 for "cannot tell") and reads its journal.
fn answered(line: &str) -> Results {
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("out");
    let output = flowgauge(line, &out);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0)), "{said}");
    Results::from_journal(&out.join(lab::journal::FILE_NAME)).expect("a journal")
}

/// What is said about arguments that cannot be run.
fn refused(line: &str) -> String {
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("out");
    let output = flowgauge(line, &out);
    assert_eq!(output.status.code(), Some(2), "{line}");
    assert!(!out.exists(), "{line} left a folder");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn cases(results: &Results) -> &[CaseResult] {
    &results.studies[0].cases
}

/// Every repetition of a variant, all of whose slots must be good.
fn reps<'a>(case: &'a CaseResult, label: &str) -> Vec<&'a Rep> {
    let place = case
        .variants
        .iter()
        .position(|variant| variant.label == label)
        .unwrap_or_else(|| panic!("no {label}"));
    let slots = case.slots.iter().filter(|slot| slot.variant == place);
    slots
        .flat_map(|slot| match &slot.outcome.answer {
            Answer::Done(record) => &record.reps,
            Answer::Failed { reason, .. } => panic!("{label}: {reason}"),
        })
        .collect()
}

#[test]
fn every_model_takes_turns_and_shows_that_it_switched() {
    let results = answered("switch --flows 5 --yield sched_yield,pipe,futex --rounds 2 --seed 1");
    let case = &cases(&results)[0];
    let kernel = ["process", "thread"];
    for label in kernel
        .iter()
        .flat_map(|model| ["sched_yield", "pipe", "futex"].map(|way| format!("{model}, {way}")))
    {
        for rep in reps(case, &label) {
            let turns = rep.turns.expect("turns");
            assert_eq!(turns.taken, 20_000, "{label}");
            assert!(turns.switches * 10 >= turns.handed_over * 9, "{turns:?}");
            assert!(turns.handed_over >= turns.taken, "{turns:?}");
            assert_eq!(rep.flows.len(), 5, "{label}");
        }
    }
    for label in ["fiber", "fiber-packed", "task"] {
        for rep in reps(case, label) {
            let turns = rep.turns.expect("turns");
            assert_eq!((turns.taken, turns.checked), (4_000_000, 15), "{label}");
            assert_eq!(turns.orderly, turns.checked, "{label}");
            assert_eq!((rep.flows.len(), rep.flows[0].carried), (1, 5), "{label}");
        }
    }
    let sentences = results.studies[0].sentences.join("\n");
    assert!(
        sentences.contains("did the switches happen?"),
        "{sentences}"
    );
    assert!(sentences.contains("cheapest to switch"), "{sentences}");
}

/// Two systems of the source seemed to ignore repeated `sched_yield`, and switches looked cheap
/// there. Here such a slot is no data point.
#[test]
fn hand_overs_that_a_system_ignores_are_refused() {
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("out");
    let line = "switch --flows 20 --model process,thread --yield ignored --rounds 1 --seed 1";
    flowgauge(line, &out);
    let journal = out.join(lab::journal::FILE_NAME);
    let results = Results::from_journal(&journal).expect("a journal");
    for variant in &cases(&results)[0].variants {
        assert!(variant.value.is_none(), "{}", variant.label);
    }
    let text = std::fs::read_to_string(&journal).expect("a journal");
    assert!(text.contains("not_switched"), "{text}");
}

#[test]
fn both_experiments_run_and_a_journal_line_stays_small_for_many_flows() {
    let results = answered(
        "switch --flows 2..20000 --max-flows 5 --model task,fiber-packed --stack-use 0,4K,5000 --rounds 1",
    );
    let names: Vec<&str> = cases(&results)
        .iter()
        .map(|case| case.case.name.as_str())
        .collect();
    let points = ["flows/2", "flows/5", "stack/0", "stack/4096", "stack/5056"];
    assert_eq!(names, points, "5,000 bytes are 79 lines");
    for case in cases(&results) {
        assert!(case.case.variants.iter().all(|v| v.variant.flows <= 5));
    }

    let results = answered("switch --flows 10000 --model task,fiber --rounds 1");
    for label in ["task", "fiber"] {
        for rep in reps(&cases(&results)[0], label) {
            assert_eq!((rep.flows.len(), rep.flows[0].carried), (1, 10_000));
        }
    }
}

#[test]
fn user_level_flows_find_the_primes_that_threads_find() {
    let results = answered(
        "primes --model thread,fiber,fiber-packed,fiber/2,task,migratable,migratable-copied,migratable-aliased,migratable/2 -t 5 -b 5000 --every 10 --rounds 1",
    );
    let case = &cases(&results)[0];
    for (label, records) in [
        ("thread", 5),
        ("fiber", 1),
        ("fiber-packed", 1),
        ("fiber/2", 2),
        ("task", 1),
        ("migratable", 1),
        ("migratable-copied", 1),
        ("migratable-aliased", 1),
        ("migratable/2", 2),
    ] {
        for rep in reps(case, label) {
            assert_eq!(rep.flows.len(), records, "{label}");
            assert_eq!(rep.proof(), reps(case, "thread")[0].proof(), "{label}");
            assert!(rep.parent.received > 0, "{label}");
        }
    }
}

#[test]
fn carriers_of_fibers_run_on_cores_of_their_own_and_all_else_on_one_cpu() {
    let models = "thread,fiber,fiber/2,fiber-packed/2,migratable,migratable/2,task";
    let results = answered(&format!("switch --flows 6 --model {models} --rounds 1"));
    let case = &cases(&results)[0];
    for labelled in &case.case.variants {
        let several = labelled.variant.model.to_string().ends_with("/2");
        let placed = if several {
            Placement::Cores
        } else {
            Placement::One
        };
        assert_eq!(labelled.variant.placement, placed, "{}", labelled.label);
    }
    for rep in reps(case, "fiber/2 cores") {
        let carried: Vec<u64> = rep.flows.iter().map(|flow| flow.carried).collect();
        assert_eq!(carried, [3, 3]);
    }
}

#[test]
fn a_fiber_that_never_hands_over_is_ended_by_the_deadline() {
    let folder = TempDir::new().expect("a folder");
    let study = folder.path().join("hang.toml");
    let text = r#"schema = 1
name = "hang"
title = "Hang"
stands_for = "a fault"
headline = "hang"
[[case]]
name = "hang"
title = "Hang"
work = { kind = "drill", units = 3, fault = "hang", unit = 1 }
[[case.variant]]
model = "fiber"
flows = 3
"#;
    std::fs::write(&study, text).expect("written");
    let path = study.display();
    let out = folder.path().join("out");
    flowgauge(&format!("run {path} --rounds 1 --deadline 2s"), &out);
    let results = Results::from_journal(&out.join(lab::journal::FILE_NAME)).expect("a journal");
    let (_, reason) = &cases(&results)[0].variants[0].failures[0];
    assert!(reason.contains("still at work at the deadline"), "{reason}");
}

#[test]
fn what_cannot_be_run_is_refused_with_what_would_do() {
    for (flags, says) in [
        ("--flows 0", "at least 2"),
        ("--flows 1", "at least 2"),
        ("--flows 2..5 --max-flows 1", "more than 1"),
        ("--flows 4000000000 --model fiber-packed", "they need"),
        ("--flows 4000000000 --model process", "to raise it"),
        ("--stack-use 2M", "more than 1048576"),
        ("--stack-use 5G", "5368709120 bytes of stack use"),
        ("--stack-use 1000,1024", "1024 twice"),
        ("--stack 64", "need at least"),
        ("--stack 100001", "a multiple of 64"),
        (
            "--flows 10 --stack 18446744073709551552",
            "at most 536870912",
        ),
        (
            "--flows 2..10 --model fiber --stack 18446744073709551552",
            "at most 536870912",
        ),
        ("--flows 10 --model fiber --stack 1T", "at most 536870912"),
        (
            "--flows 1000000 --model fiber --stack 512M",
            "addresses of a process",
        ),
        ("--flows 10,,20", "neither a whole number nor a range"),
        ("--flows 2..", "with both of its ends, as 2..10000"),
        ("--flows -5", "'-5' is neither"),
        ("--model fibre", "is no model"),
        ("--model task,task", "twice"),
        ("--yield kindly", "sched_yield, pipe, futex, ignored"),
    ] {
        let said = refused(&format!("switch {flags}"));
        assert!(said.contains(says), "{flags}: {said}");
    }
}

/// The rounds of the first look (docs/method.md).
const FIRST_LOOK: usize = 7;

#[test]
fn a_short_budget_finishes_fewer_numbers_of_flows_and_the_headline_among_them() {
    let results = answered("switch --flows 2..50 --model task,fiber-packed --budget 2s");
    let rounds: Vec<usize> = cases(&results).iter().map(|case| case.rounds).collect();
    let headline = results.studies[0].headline_case().map(|case| case.rounds);
    assert!(headline > Some(0), "{rounds:?}");
    // A case is begun only if its first look fits, so few are short of it: where a guess was wrong.
    let short = rounds
        .iter()
        .filter(|&&rounds| 0 < rounds && rounds < FIRST_LOOK);
    assert!(short.count() <= 3, "{rounds:?}");
    assert!(
        results.studies[0].sentences[0].starts_with("at "),
        "{rounds:?}"
    );
}

#[test]
fn what_a_flag_does_beside_what_it_says_is_told() {
    let folder = TempDir::new().expect("a folder");
    for (flag, says) in [
        ("--yield pipe", "--yield has no effect"),
        ("--stack 20480", ""),
        ("--stack 20K", ""),
    ] {
        let out = folder.path().join(flag);
        let line = format!("switch --flows 2 --rounds 1 --model fiber {flag}");
        let said = flowgauge(&line, &out).stderr;
        let said = String::from_utf8_lossy(&said);
        let told = said.contains("has no effect");
        let is_right = said.contains(says) && told != says.is_empty();
        assert!(is_right, "{flag}: {said}");
    }
}

#[test]
fn the_value_of_a_slot_can_be_computed_again_from_its_row() {
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("out");
    flowgauge("switch --flows 5 --model process,task --rounds 1", &out);
    let text = std::fs::read_to_string(out.join("slots.csv")).expect("slots");
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let heads = lines.next().expect("heads");
    let at = |name: &str| heads.iter().position(|head| *head == name).expect(name);
    let mut by_slot = std::collections::BTreeMap::<String, Vec<f64>>::new();
    for row in lines {
        let number = |name: &str| row[at(name)].parse::<f64>().expect(name);
        assert!(number("turns_checked") >= number("turns_orderly"));
        by_slot
            .entry(row[at("slot_value_ns")].to_owned())
            .or_default()
            .push(number("steady_ns") / number("turns"));
    }
    assert_eq!(by_slot.len(), 2);
    for (value, mut reps) in by_slot {
        reps.sort_by(f64::total_cmp);
        // A slow machine has an even number of them, whose median is between the middle two.
        let middle = |place: usize| reps[place / 2];
        let median = f64::midpoint(middle(reps.len() - 1), middle(reps.len()));
        let value: f64 = value.parse().expect("a number");
        assert!((median / value - 1.0).abs() < 1e-3, "{value} {reps:?}");
    }
}

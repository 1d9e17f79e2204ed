//! Reasons from real journals, recorded where the cause of the difference is known: of each,
//! what its rule says, and that the rules which have no part in it are silent.
//!
//! How each was recorded is in `recorded/README.md`.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test ends where something is wrong")]

#[path = "../src/testing/says.rs"]
mod says;

use std::fs;
use std::path::{Path, PathBuf};

use lab::{CaseResult, Cause, Results};
use says::Says;
use serde_json::{Value, json};
use stats::Verdict;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded")
}

/// The one case of a recorded run.
fn case(name: &str) -> CaseResult {
    let journal = folder().join(name).with_extension("jsonl");
    let results = Results::from_journal(&journal).unwrap();
    results.studies.into_iter().next().unwrap().cases.remove(0)
}

/// The reasons of the finding on that subject, and what was measured besides.
fn why(name: &str, subject: &str) -> Vec<String> {
    let case = case(name);
    let mut findings = case.findings.into_iter();
    let finding = findings.find(|finding| finding.subject == subject);
    let finding = finding.unwrap_or_else(|| panic!("{name} has no {subject}"));
    [finding.why, finding.also_measured].concat()
}

/// The one reason with these words in it.
#[track_caller]
fn reason(why: &[String], words: &str) -> String {
    let with: Vec<&String> = why.iter().filter(|line| line.contains(words)).collect();
    assert_eq!(with.len(), 1, "'{words}' in {why:#?}");
    with[0].clone()
}

#[track_caller]
fn silent(why: &[String], words: &[&str]) {
    let said = |words: &&&str| why.iter().any(|line| line.contains(**words));
    assert_eq!(words.iter().find(said), None, "{why:#?}");
}

/// The number before these words, without its separators.
#[track_caller]
fn number_before(line: &str, words: &str) -> f64 {
    let before = line.split(words).next().unwrap();
    let number = before.split_whitespace().last().unwrap();
    number.replace(',', "").parse().unwrap()
}

/// 256 MiB in pages of 4 KB: 65,536 entries a child, and there are two.
const COPIED: f64 = 2.0 * 65_536.0;

#[test]
fn of_a_large_parent_create_dominates_and_it_is_page_tables_that_fork_copied() {
    let why = why("fork-ballast", "thread");
    why[0].begins("by the medians of the phases, which differ by 30.2 ms together");
    assert!(number_before(&why[0], " % is create") >= 98.0, "{}", why[0]);
    let copied = reason(&why, "fork copied");
    let entries = number_before(&copied, " page-table entries more for processes");
    assert!((COPIED..1.01 * COPIED).contains(&entries), "{copied}");
    copied.says("in 3 processes against ");
    copied.says(" in 1 process)");
    // Said once, and nobody waited for anybody.
    silent(&why, &["wait for each other"]);
    silent(&why[2..], &["of page tables"]);
}

#[test]
fn what_a_fork_copies_goes_with_the_address_space() {
    let why = why("fork-ballast", "thread");
    let shared = reason(&why, "by the models between");
    assert!(number_before(&shared, "x faster [") >= 10.0, "{shared}");
    shared.says("sharing the address space makes it ");
    shared.says("the file table makes an undecided difference");
}

#[test]
fn forked_flows_pay_for_the_pages_that_they_touch() {
    let why = why("fork-ballast", "thread");
    let faults = reason(&why, "page faults against");
    faults.begins("0 page faults against ");
}

#[test]
fn huge_pages_and_pages_kept_from_children_leave_nothing_to_copy() {
    let huge = reason(&why("ladder", "process huge"), "fork copied");
    huge.says("of process huge, 256 MiB lie in huge pages");
    let kept = reason(&why("ladder", "process dontfork"), "fork copied");
    for line in [huge, kept] {
        let entries = number_before(&line, " page-table entries more for process 4k");
        assert!((COPIED..1.01 * COPIED).contains(&entries), "{line}");
    }
}

#[test]
fn a_thread_for_each_item_pays_for_making_it() {
    let why = why("per-item", "thread x24 static");
    assert!(number_before(&why[0], " % is create") >= 60.0, "{}", why[0]);
    let made = reason(&why, "creating and ending");
    made.says("creates 24 flows, thread x2 queue 2: ");
    // Threads copy nothing.
    silent(&why, &["fork copied", "address space"]);
}

#[test]
fn work_that_is_dealt_out_unevenly_ends_late() {
    let why = why("uneven", "thread queue");
    let late = reason(&why, "as late as the mean one");
    let queue = number_before(&late, "x as late");
    assert!(queue < 1.15, "{late}");
    late.says("against 2.");
    silent(&why, &["fork copied", "flows are made"]);
}

#[test]
fn work_that_is_done_twice_takes_twice_the_cpu_time() {
    let why = why("planted", "twice");
    let cpu = reason(&why, "of CPU time against");
    let factor = number_before(&cpu.replace("(", ""), "x more");
    assert!((1.9..2.1).contains(&factor), "{cpu}");
    assert!(why.iter().any(|line| line.contains("the steady phase")));
    let others = ["fork copied", "flows are made", "page faults", "moves from"];
    silent(&why, &others);
}

/// The interval of a factor of two begins below two, and "cause not found" stood there.
#[test]
fn cpu_time_that_differs_as_the_time_does_is_named_on_the_first_screen() {
    let results = Results::from_journal(&folder().join("planted.jsonl")).unwrap();
    let below = results.answers().into_iter().flat_map(|row| row.below);
    let lines: Vec<String> = below.map(|line| line.text).collect();
    let named = lines.iter().any(|line| {
        line.starts_with("CPU time differs ") && line.ends_with("share of the gap was not measured")
    });
    assert!(named, "{lines:#?}");
}

#[test]
fn results_through_a_pipe_are_bytes_through_system_calls() {
    let case = case("talk");
    let counts = |at: usize| case.variants[at].counts.unwrap();
    // 123,481 primes of 8 bytes, written by flows and read by the parent.
    let primes = 8.0 * 123_481.0;
    let (pipe, memory) = (counts(0), counts(1));
    assert!(pipe.bytes_written.unwrap() - memory.bytes_written.unwrap() >= primes);
    assert!(pipe.bytes_read.unwrap() - memory.bytes_read.unwrap() >= primes);
    let why = why("talk", "thread shm");
    let bytes = reason(&why, "read and written by system calls against");
    bytes.says("less");
}

#[test]
fn sleepers_in_shared_memory_are_woken_more_often_than_those_of_a_pipe() {
    let why = why("talk", "thread shm");
    let switches = reason(&why, "context switches against");
    switches.says("more");
}

#[test]
fn flows_that_may_move_do_and_those_on_one_cpu_do_not() {
    let why = why("moving", "thread one");
    let moves = reason(&why, "moves from one CPU to another");
    moves.begins("0 moves ");
    assert!(number_before(&moves, ";") >= 6.0, "{moves}");
}

#[test]
fn threads_that_map_memory_wait_for_each_other_at_the_address_space() {
    let why = why("mmap", "thread");
    let shared = reason(&why, "by the models between");
    shared.says("sharing the address space makes it ");
    shared.says("x slower [");
    shared.says("the file table makes an undecided difference");
    let waits = reason(&why, "wait for each other");
    waits.says("at the address space that they share");
    let others = ["fork copied", "flows are made", "at the file table"];
    silent(&why, &others);
}

#[test]
fn flows_that_give_files_numbers_are_slowed_by_the_file_table() {
    let why = why("dup", "thread");
    let shared = reason(&why, "by the models between");
    let halves = shared.split_once(", and sharing the file table makes ");
    let (space, files) = halves.unwrap();
    space.says("the address space makes an undecided difference");
    files.begins("it ");
    files.says("x slower [");
    let cause = case("dup").shared.unwrap().cause;
    assert_eq!(cause, Cause::FileTable);
    // Its lock is waited for without sleep, so nobody is said to wait.
    let others = ["wait for each other", "fork copied", "flows are made"];
    silent(&why, &others);
}

/// Whatever a flow shares, a partner that is woken by a pipe costs the same.
#[test]
fn switches_over_a_pipe_are_a_tie_without_a_cause() {
    let case = case("tie");
    let mut findings = case.findings.iter();
    let thread = findings.find(|one| one.subject == "thread").unwrap();
    let verdict = thread.verdict;
    let is_tie = matches!(verdict, Verdict::Same { .. } | Verdict::CannotTell { .. });
    assert!(is_tie, "{thread:?}");
    let shared = case.shared.unwrap();
    let has_none = matches!(shared.cause, Cause::Neither | Cause::CannotTell);
    assert!(has_none, "{shared:?}");
    let causes = [
        "by the models between",
        "wait for each other",
        "fork copied",
        "flows are made",
    ];
    silent(&thread.why, &causes);
}

#[test]
fn processes_of_a_small_parent_have_page_tables_that_no_fork_is_blamed_for() {
    let why = why("tables", "thread");
    let tables = reason(&why, "of page tables against");
    tables.ends("x less)");
    silent(&why, &["fork copied", "wait for each other"]);
}

#[test]
fn the_verdict_on_the_steady_phase_stands_where_the_whole_differs() {
    const STEADY: &str = "in the steady phase alone: ";
    let planted = reason(&why("planted", "twice"), STEADY);
    planted.says("twice ");
    planted.says(" slower than plain");
    let tables = reason(&why("tables", "thread"), STEADY);
    tables.says("threads ");
    // Where the steady phase is what is compared, it is no part of it.
    silent(&why("mmap", "thread"), &[STEADY]);
    silent(&why("dup", "thread"), &[STEADY]);
}

#[test]
fn every_reason_of_a_recorded_run_is_said_once() {
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "jsonl") {
            continue;
        }
        let results = Results::from_journal(&path).unwrap();
        let cases = results.studies.iter().flat_map(|study| &study.cases);
        for finding in cases.flat_map(|case| &case.findings) {
            let mut said = finding.why.clone();
            said.sort();
            said.dedup();
            assert_eq!(said.len(), finding.why.len(), "{}", path.display());
        }
    }
}

/// Takes in the journal of a new recording: without warm-ups, pilots, host and paths.
/// `RECORDED=results-folder NAME=talk cargo test -p flowgauge-lab --test recorded take_in -- --ignored`
#[test]
#[ignore = "writes into the sources"]
fn take_in() {
    let results = PathBuf::from(std::env::var_os("RECORDED").unwrap());
    let name = std::env::var("NAME").unwrap();
    let journal = fs::read_to_string(results.join("journal.jsonl")).unwrap();
    let lines = journal.lines().map(|line| {
        let mut entry: Value = serde_json::from_str(line).unwrap();
        compact(&mut entry, &name);
        entry.to_string() + "\n"
    });
    let path = folder().join(&name).with_extension("jsonl");
    fs::write(path, lines.collect::<String>()).unwrap();
}

fn compact(entry: &mut Value, name: &str) {
    let line = entry["line"].as_str().unwrap_or("header").to_owned();
    match line.as_str() {
        "header" => {
            entry["machine"]["host"] = json!({ "value": "recorded" });
            entry["machine"]["kernel"]["release"] = json!({ "value": "6.18" });
            let command = entry["command"].as_array_mut().unwrap();
            let is_file = |word: &Value| word.as_str().is_some_and(|word| word.ends_with(".toml"));
            let files = command.iter_mut().filter(|word| is_file(word));
            files.for_each(|word| *word = json!(format!("{name}.toml")));
        }
        "pilot" => entry["outcomes"] = json!([]),
        "slot" => entry["outcome"]["answer"]["warmups"] = json!([]),
        _ => {}
    }
}

//! Results folders side by side, and what is refused.

use std::fs;

use serde_json::Value;

use super::common::{BOTH, Home, Made, Run, primes, says, table};

const FLAGS: &str = "--rounds 10 --floor 1%";

/// A home with two runs of one study: `before` and `after`.
fn home() -> Home {
    static MADE: Made = Made::new();
    Home::with(&MADE, |home| {
        home.write("mine.toml", primes(2_000, &BOTH));
        for out in ["before", "after"] {
            let line = format!("run mine.toml --out {out} {FLAGS}");
            home.run(&line).answered();
        }
    })
}

#[test]
fn every_format_tells_of_both_runs() {
    let home = home();
    let text = home.run("compare before after").answered();
    let names = ["before (reference): ", "after against before: "];
    says(&text.stdout, &[names[0], names[1], "vs before"]);
    let formatted = |format: &str| {
        let line = format!("compare before after --format {format}");
        home.run(&line).stdout
    };
    let document: Value = serde_json::from_str(&formatted("json")).unwrap();
    assert_eq!(document["document"], "flowgauge comparison");
    assert_eq!(document["runs"][1]["name"], "after");
    assert_eq!(table(formatted("csv").as_bytes()).len(), 4);
    let lines = formatted("jsonl");
    let rows = lines.lines().map(serde_json::from_str::<Value>);
    let rows: Vec<Value> = rows.map(Result::unwrap).collect();
    assert_eq!(rows.len(), 4);
    let is_judged = |row: &Value| row["run"] == "after" && row["verdict"].is_string();
    assert!(rows.iter().any(is_judged));
    home.assert_nothing_left();
}

#[test]
fn a_page_and_plots_are_written_where_they_are_asked_for() {
    let home = home();
    let line = "compare before after --out page --plots plots";
    home.run(line).answered();
    let page = ["compare.csv", "compare.html", "compare.json"];
    assert_eq!(home.listing("page"), page);
    let plots = ["mine-compared-forest.png", "mine-compared-forest.svg"];
    assert_eq!(home.listing("plots"), plots);
    // Again into the same folder, but not among other files.
    home.run(line).answered();
    home.run("compare before after --out before")
        .refused(2, &["--out before holds other files"]);
}

/// The times of `before` in both, whatever this machine made of the two runs.
fn same_times(home: &Home) {
    let [before, after] = ["before", "after"].map(|run| home.path(run).join("journal.jsonl"));
    fs::copy(before, after).unwrap();
}

/// The journal of a run, line by line.
fn journal(home: &Home, run: &str) -> Vec<Value> {
    let text = fs::read_to_string(home.path(run).join("journal.jsonl")).unwrap();
    let entries = text.lines().map(|line| serde_json::from_str(line).unwrap());
    entries.collect()
}

/// Changes lines of the journal of `after`; none of its lines has a checksum any more, as in one that somebody made.
fn changed(home: &Home, change: impl FnMut(&mut Value)) {
    let mut entries = journal(home, "after");
    entries.iter_mut().for_each(change);
    let bare = entries.iter_mut().map(|entry| {
        entry.as_object_mut().unwrap().remove("crc");
        entry.to_string() + "\n"
    });
    home.write("after/journal.jsonl", bare.collect::<String>());
}

fn is_slot_of(entry: &Value, variants: &[u64]) -> bool {
    let own = entry["variant"].as_u64();
    entry["line"] == "slot" && own.is_some_and(|own| variants.contains(&own))
}

/// The journal of `after`, with every time of variants made `factor` times as long: the
/// slots are changed, and everything else is as it was.
fn slow_variants(home: &Home, variants: &[u64], factor: u64) {
    changed(home, |entry| {
        if !is_slot_of(entry, variants) {
            return;
        }
        let reps = entry["outcome"]["answer"]["reps"].as_array_mut().unwrap();
        for rep in reps {
            for phase in ["create_ns", "steady_ns", "teardown_ns"] {
                rep[phase] = (rep[phase].as_u64().unwrap() * factor).into();
            }
        }
    });
}

#[test]
fn a_regression_is_an_exit_code() {
    let home = home();
    same_times(&home);
    slow_variants(&home, &[1], 100);
    let fails_at = |runs: &str, share: &str| {
        let line = format!("compare {runs} --floor 10% --fail-on-regression {share}");
        home.run(&line)
    };
    fails_at("before after", "50%").refused(1, &["regression: mine/only: thread"]);
    // The other way round it became faster. A share ends at 100 %.
    fails_at("after before", "5000%").refused(2, &[]);
    fails_at("after before", "99%").answered();
    let expect = |bound: &str| expecting(&home, &format!("mine/thread {bound}"));
    expect("<= 2").refused(1, &["expected after: mine/thread <= 2: FAILS: "]);
    expect(">= 2").answered();
    expect("<= 1h").refused(2, &[]);
}

fn expecting(home: &Home, expectation: &str) -> Run {
    home.run(&["compare", "before", "after", "--expect", expectation])
}

/// Makes the work of every slot of a variant of `after` another one than it was.
fn other_proof(home: &Home, variant: u64) {
    changed(home, |entry| {
        if is_slot_of(entry, &[variant]) {
            entry["outcome"]["answer"]["proof"]["checksum"] = 1.into();
        }
    });
}

const ABSOLUTE: &str = "--absolute --floor 90% --fail-on-regression 95%";

#[test]
fn what_was_not_compared_may_be_a_regression() {
    let home = home();
    same_times(&home);
    let line = format!("compare before after {ABSOLUTE}");
    home.run(&line).answered();
    other_proof(&home, 1);
    let one = home.run(&line);
    let missing =
        "1 of 2 variants were not compared, and may be slower: mine/only: thread of after";
    one.refused(3, &[missing]);
    // What more rounds would narrow is among what was compared.
    assert!(!one.stderr.contains("of 2 comparisons"), "{}", one.stderr);
    other_proof(&home, 0);
    let process = "mine/only: process of after is not compared: ";
    home.run(&line)
        .refused(2, &["nothing was compared", process]);
    // An expectation of it cannot be decided, for the same reason.
    let run = home.run(r#"compare before after --absolute --expect "mine/thread <= 1.03""#);
    run.refused(3, &["cannot be decided: not compared: "]);
}

/// The slots of processes of `before` in `after`, which has no others.
fn same_processes(home: &Home) {
    let before = journal(home, "before");
    let mut slots = before.iter().filter(|entry| is_slot_of(entry, &[0]));
    changed(home, |entry| {
        if is_slot_of(entry, &[0]) {
            let slot = slots.next().unwrap();
            assert_eq!(entry["round"], slot["round"]);
            entry["outcome"] = slot["outcome"].clone();
        }
    });
    // What has nothing to compare ends at an earlier look.
    assert!(slots.count() <= 3);
}

/// A variant that the second run did not have passed.
#[test]
fn what_is_gone_may_be_a_regression() {
    let home = home();
    fs::remove_dir_all(home.path("after")).unwrap();
    home.write("mine.toml", primes(2_000, &BOTH[..1]));
    let line = format!("run mine.toml --out after {FLAGS}");
    home.run(&line).answered();
    same_processes(&home);
    let gone = "note: not in after: mine/only/thread: not compared, and may be slower";
    let run = home.run(&format!("compare before after {ABSOLUTE}"));
    run.refused(3, &[gone]);
    // What is new has nothing to be slower than.
    let run = home.run(&format!("compare after before {ABSOLUTE}"));
    run.answered();
}

/// Identical runs minutes apart were called changed in 8 of 28: the machine had shifted between them.
#[test]
fn a_run_that_shifted_as_a_whole_changes_no_ratio_and_every_time() {
    let home = home();
    same_times(&home);
    // By more than the times of a run wander where the machine is busy.
    slow_variants(&home, &[0, 1], 30);
    let line = "compare before after --floor 10% --fail-on-regression 50%";
    let run = home.run(line).answered();
    says(&run.stdout, &["--absolute compares times"]);
    home.run(&format!("{line} --relative")).answered();
    home.run(&format!("{line} --absolute")).refused(1, &[]);
    home.run("compare before after --absolute --relative")
        .refused(2, &["cannot be used with"]);
}

#[test]
fn memory_between_runs_is_judged_by_the_ratio_of_memory() {
    let home = home();
    let expect = |bound: &str| expecting(&home, &format!("mine/thread memory {bound}"));
    expect("<= 0.0001").refused(1, &[]);
    // Far beyond what a process that shares its program with others can differ by; not in bytes.
    expect("<= 5").answered();
}

#[test]
fn runs_on_different_machines_are_warned_about() {
    let home = home();
    let text = fs::read_to_string(home.path("after/journal.jsonl")).unwrap();
    let header: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let release = header["machine"]["kernel"]["release"]["value"].as_str();
    let other = text.replacen(release.unwrap(), "1.2.3-other", 1);
    home.write("after/journal.jsonl", other);
    let warning = "warning: before and after differ in kernel: ";
    let run = home.run("compare before after");
    says(&run.stdout, &[warning, "against 1.2.3-other"]);
}

/// They stood side by side with typical times of one run and fastest ones of the other.
#[test]
fn runs_that_were_valued_differently_are_valued_alike() {
    let home = home();
    let line = format!("run mine.toml --value undisturbed --out fastest {FLAGS}");
    home.run(&line).answered();
    let warning = "fastest: its slots were valued undisturbed when it ran; here they are valued \
                   typical";
    says(&home.run("compare before fastest").stdout, &[warning]);
    let warning = "before: its slots were valued typical";
    says(&home.run("compare fastest before").stdout, &[warning]);
    assert!(!home.run("compare before after").stdout.contains("valued"));
}

#[test]
fn a_folder_under_two_names_is_one_folder() {
    let home = home();
    for again in ["before", "./before", "before/.", "after/../before"] {
        let run = home.run(&["compare", "before", again]);
        run.refused(2, &[&format!("{again} is named twice")]);
    }
}

#[test]
fn what_cannot_be_compared_is_refused_with_the_reason() {
    let home = home();
    let refused = |runs: &str, words: &[&str]| {
        home.run(&format!("compare {runs}")).refused(2, words);
    };
    refused("before", &["needs at least two results folders"]);
    let nowhere = ["nowhere is no results folder", "nothing of that name"];
    refused("before nowhere", &nowhere);
    let meant = "did you mean one of mine/thread";
    expecting(&home, "mine/thraed <= 3ms").refused(2, &["there is no 'mine/thraed'", meant]);
    fs::create_dir(home.path("empty")).unwrap();
    refused(
        "before empty",
        &["empty is no results folder", "journal.jsonl"],
    );

    let other = primes(2_000, &BOTH[..1]).replace("\"mine\"", "\"other\"");
    home.write("other.toml", other);
    home.run("run other.toml --rounds 1 --out other").answered();
    let [ours, theirs] = ["before holds mine (only)", "other holds other (only)"];
    refused("before other", &["nothing in common", ours, theirs]);

    let whole = fs::read_to_string(home.path("after/journal.jsonl")).unwrap();
    let with = |from: &str, to: &str| {
        let changed = whole.replacen(from, to, 1);
        home.write("after/journal.jsonl", changed);
    };
    let schema = format!(r#"{{"schema":{},"#, lab::SCHEMA);
    with(&schema, r#"{"schema":8,"#);
    let newer = ["after/journal.jsonl has schema 8", "newer flowgauge"];
    refused("before after", &newer);
    with(r#""line":"slot""#, r#""line":"slto""#);
    let run = home.run("compare before after").answered();
    says(&format!("{} {}", run.stdout, run.stderr), &["damaged"]);
}

#[test]
fn a_journal_that_was_cut_off_is_compared_as_far_as_it_goes() {
    let home = home();
    let journal = home.path("after/journal.jsonl");
    let whole = fs::read(&journal).unwrap();
    fs::write(&journal, &whole[..whole.len() - 200]).unwrap();
    let cut = [
        "after did not come to its end",
        "after: the journal's last line was cut off",
    ];
    says(&home.run("compare before after").answered().stdout, &cut);
}

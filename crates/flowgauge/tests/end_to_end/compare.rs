//! Results folders side by side, and what is refused.

use std::fs;

use super::common::{Home, primes};

const FLAGS: [&str; 4] = ["--rounds", "10", "--floor", "1%"];

/// A home with two runs of one study: `before` and `after`.
fn home() -> Home {
    let home = Home::new();
    home.write(
        "mine.toml",
        &primes(2_000, &[("process", 2), ("thread", 2)]),
    );
    for out in ["before", "after"] {
        home.run(&[&["run", "mine.toml", "--out", out], &FLAGS[..]].concat())
            .answered();
    }
    home
}

fn code(home: &Home, line: &str) -> (Option<i32>, String, String) {
    let run = home.run(&line.split(' ').collect::<Vec<_>>());
    (run.code, run.stdout, run.stderr)
}

#[test]
fn every_format_tells_of_both_runs() {
    let home = home();
    let (code_of_text, text, _) = code(&home, "compare before after");
    assert_eq!(code_of_text, Some(0));
    assert!(text.contains("before (reference): ") && text.contains("after against before: "));
    assert!(text.contains("vs before"), "{text}");
    let (_, json, _) = code(&home, "compare before after --format json");
    let document: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(document["document"], "flowgauge comparison");
    assert_eq!(document["runs"][1]["name"], "after");
    let (_, csv, _) = code(&home, "compare before after --format csv");
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    assert_eq!(reader.records().filter(|row| row.is_ok()).count(), 4);
    let (_, lines, _) = code(&home, "compare before after --format jsonl");
    let rows = lines.lines().map(serde_json::from_str::<serde_json::Value>);
    let rows: Vec<_> = rows.map(Result::unwrap).collect();
    assert_eq!(rows.len(), 4);
    assert!(
        rows.iter()
            .any(|row| row["run"] == "after" && row["verdict"].is_string())
    );
    home.assert_nothing_left();
}

#[test]
fn a_page_and_plots_are_written_where_they_are_asked_for() {
    let home = home();
    let line = "compare before after --out page --plots plots";
    assert_eq!(code(&home, line).0, Some(0));
    assert_eq!(
        home.listing("page"),
        ["compare.csv", "compare.html", "compare.json"]
    );
    assert_eq!(
        home.listing("plots"),
        ["mine-compared-forest.png", "mine-compared-forest.svg"]
    );
    // Again into the same folder, but not among other files.
    assert_eq!(code(&home, line).0, Some(0));
    home.run(&["compare", "before", "after", "--out", "before"])
        .refused(2, &["--out before holds other files"]);
}

/// The times of `before` in both, whatever this machine made of the two runs.
fn same_times(home: &Home) {
    let [before, after] = ["before", "after"].map(|run| home.path(run).join("journal.jsonl"));
    fs::copy(before, after).unwrap();
}

/// A line of a journal that somebody else made: none of its lines has a checksum.
fn unsealed(mut entry: serde_json::Value) -> String {
    entry.as_object_mut().unwrap().remove("crc");
    entry.to_string() + "\n"
}

fn slow_threads(home: &Home, factor: u64) {
    slow_variants(home, &[1], factor);
}

/// The journal of `after`, with every time of variants made `factor` times as long: the
/// slots are changed, and everything else is as it was.
fn slow_variants(home: &Home, variants: &[u64], factor: u64) {
    let path = home.path("after/journal.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let slower = |line: &str| {
        let mut entry: serde_json::Value = serde_json::from_str(line).unwrap();
        let own = entry["variant"].as_u64();
        if entry["line"] == "slot" && own.is_some_and(|own| variants.contains(&own)) {
            let reps = entry["outcome"]["answer"]["reps"].as_array_mut().unwrap();
            for rep in reps {
                for phase in ["create_ns", "steady_ns", "teardown_ns"] {
                    rep[phase] = (rep[phase].as_u64().unwrap() * factor).into();
                }
            }
        }
        unsealed(entry)
    };
    fs::write(path, text.lines().map(slower).collect::<String>()).unwrap();
}

#[test]
fn a_regression_is_an_exit_code() {
    let home = home();
    same_times(&home);
    slow_threads(&home, 100);
    let line = "compare before after --floor 10% --fail-on-regression 50%";
    let (code_now, _, said) = code(&home, line);
    assert_eq!(code_now, Some(1), "{said}");
    assert!(said.contains("regression: mine/only: thread"), "{said}");
    // The other way round it became faster.
    let (code_now, _, said) = code(
        &home,
        "compare after before --floor 10% --fail-on-regression 5000%",
    );
    assert_eq!(code_now, Some(2), "a share ends at 100 %: {said}");
    let (code_now, _, said) = code(
        &home,
        "compare after before --floor 10% --fail-on-regression 99%",
    );
    assert_eq!(code_now, Some(0), "{said}");
    let expect = |bound: &str| {
        let expectation = format!("mine/thread {bound}");
        let run = home.run(&["compare", "before", "after", "--expect", &expectation]);
        (run.code, run.stderr)
    };
    assert_eq!(expect("<= 2").0, Some(1));
    assert_eq!(expect(">= 2").0, Some(0));
    assert!(
        expect("<= 2")
            .1
            .contains("expected after: mine/thread <= 2: FAILS: ")
    );
    assert_eq!(expect("<= 1h").0, Some(2));
}

/// Makes the work of every slot of variants of `after` another one than it was.
fn other_proof(home: &Home, variants: &[u64]) {
    let path = home.path("after/journal.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let other = |line: &str| {
        let mut entry: serde_json::Value = serde_json::from_str(line).unwrap();
        let own = entry["variant"].as_u64();
        if entry["line"] == "slot" && own.is_some_and(|own| variants.contains(&own)) {
            entry["outcome"]["answer"]["proof"]["checksum"] = 1.into();
        }
        unsealed(entry)
    };
    fs::write(path, text.lines().map(other).collect::<String>()).unwrap();
}

#[test]
fn what_was_not_compared_may_be_a_regression() {
    let home = home();
    same_times(&home);
    let line = "compare before after --absolute --floor 90% --fail-on-regression 95%";
    assert_eq!(code(&home, line).0, Some(0));
    other_proof(&home, &[1]);
    let (one, _, said) = code(&home, line);
    assert_eq!(one, Some(3), "{said}");
    assert!(
        said.contains(
            "1 of 2 variants were not compared, and may be slower: mine/only: thread of after"
        ),
        "{said}"
    );
    // What more rounds would narrow is among what was compared.
    assert!(!said.contains("of 2 comparisons"), "{said}");
    other_proof(&home, &[0]);
    home.run(&line.split(' ').collect::<Vec<_>>()).refused(
        2,
        &[
            "nothing was compared",
            "mine/only: process of after is not compared: ",
        ],
    );
    // An expectation of it cannot be decided, for the same reason.
    let run = home.run(&[
        "compare",
        "before",
        "after",
        "--absolute",
        "--expect",
        "mine/thread <= 1.03",
    ]);
    assert_eq!(run.code, Some(3));
    assert!(
        run.stderr.contains("cannot be decided: not compared: "),
        "{}",
        run.stderr
    );
}

/// The slots of processes of `before` in `after`, which has no others.
fn same_processes(home: &Home) {
    let read = |run: &str| {
        let text = fs::read_to_string(home.path(run).join("journal.jsonl")).unwrap();
        let entries = text.lines().map(|line| serde_json::from_str(line).unwrap());
        entries.collect::<Vec<serde_json::Value>>()
    };
    let is_slot = |entry: &&serde_json::Value| entry["line"] == "slot" && entry["variant"] == 0;
    let before = read("before");
    let mut slots = before.iter().filter(is_slot);
    let of_before = |mut entry: serde_json::Value| {
        if is_slot(&&entry) {
            let slot = slots.next().unwrap();
            assert_eq!(entry["round"], slot["round"]);
            entry["outcome"] = slot["outcome"].clone();
        }
        unsealed(entry)
    };
    let after: String = read("after").into_iter().map(of_before).collect();
    // What has nothing to compare ends at an earlier look.
    assert!(slots.count() <= 3);
    fs::write(home.path("after/journal.jsonl"), after).unwrap();
}

/// A variant that the second run did not have passed.
#[test]
fn what_is_gone_may_be_a_regression() {
    let home = Home::new();
    let both = [("process", 2), ("thread", 2)];
    for (out, variants) in [("before", &both[..]), ("after", &both[..1])] {
        home.write("mine.toml", &primes(2_000, variants));
        home.run(&[&["run", "mine.toml", "--out", out], &FLAGS[..]].concat())
            .answered();
    }
    same_processes(&home);
    let line = "compare before after --absolute --floor 90% --fail-on-regression 95%";
    let (code_now, _, said) = code(&home, line);
    assert_eq!(code_now, Some(3), "{said}");
    assert!(
        said.contains("note: not in after: mine/only/thread: not compared, and may be slower"),
        "{said}"
    );
    // What is new has nothing to be slower than.
    let line = "compare after before --absolute --floor 90% --fail-on-regression 95%";
    assert_eq!(code(&home, line).0, Some(0));
}

/// Identical runs minutes apart were called changed in 8 of 28: the machine had shifted between them.
#[test]
fn a_run_that_shifted_as_a_whole_changes_no_ratio_and_every_time() {
    let home = home();
    same_times(&home);
    slow_variants(&home, &[0, 1], 3);
    let line = "compare before after --floor 10% --fail-on-regression 50%";
    let (code_now, text, said) = code(&home, line);
    assert_eq!(code_now, Some(0), "{said}");
    assert!(text.contains("--absolute compares times"), "{text}");
    assert_eq!(code(&home, &format!("{line} --relative")).0, Some(0));
    let (code_now, _, said) = code(&home, &format!("{line} --absolute"));
    assert_eq!(code_now, Some(1), "{said}");
    home.run(&["compare", "before", "after", "--absolute", "--relative"])
        .refused(2, &["cannot be used with"]);
}

#[test]
fn memory_between_runs_is_judged_by_the_ratio_of_memory() {
    let home = home();
    let expect = |bound: &str| {
        let expectation = format!("mine/thread memory {bound}");
        let run = home.run(&["compare", "before", "after", "--expect", &expectation]);
        (run.code, run.stderr)
    };
    assert_eq!(expect("<= 0.0001").0, Some(1), "{}", expect("<= 0.0001").1);
    // Far beyond what a process that shares its program with others can differ by; not in bytes.
    assert_eq!(expect("<= 5").0, Some(0), "{}", expect("<= 5").1);
}

#[test]
fn runs_on_different_machines_are_warned_about() {
    let home = home();
    let path = home.path("after/journal.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let header: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let release = header["machine"]["kernel"]["release"]["value"]
        .as_str()
        .unwrap();
    fs::write(&path, text.replacen(release, "1.2.3-other", 1)).unwrap();
    let (_, text, _) = code(&home, "compare before after");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("warning: before and after differ in kernel: "),
        "{text}"
    );
    assert!(words.contains("against 1.2.3-other"), "{text}");
}

/// They stood side by side with typical times of one run and fastest ones of the other.
#[test]
fn runs_that_were_valued_differently_are_valued_alike() {
    let home = home();
    let line = "run mine.toml --value undisturbed --out fastest";
    home.run(&[&line.split(' ').collect::<Vec<_>>()[..], &FLAGS[..]].concat())
        .answered();
    let words = |line: &str| {
        let text = code(&home, line).1;
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let said = words("compare before fastest");
    let warning = "fastest: its slots were valued undisturbed when it ran; here they are valued \
                   typical";
    assert!(said.contains(warning), "{said}");
    let said = words("compare fastest before");
    assert!(
        said.contains("before: its slots were valued typical"),
        "{said}"
    );
    assert!(!words("compare before after").contains("valued"));
}

#[test]
fn a_folder_under_two_names_is_one_folder() {
    let home = home();
    for again in ["before", "./before", "before/.", "after/../before"] {
        let said = format!("{again} is named twice");
        home.run(&["compare", "before", again])
            .refused(2, &[said.as_str()]);
    }
}

#[test]
fn what_cannot_be_compared_is_refused_with_the_reason() {
    let home = home();
    home.run(&["compare", "before"])
        .refused(2, &["needs at least two results folders"]);
    home.run(&["compare", "before", "nowhere"])
        .refused(2, &["nowhere is no results folder", "nothing of that name"]);
    home.run(&[
        "compare",
        "before",
        "after",
        "--expect",
        "mine/thraed <= 3ms",
    ])
    .refused(
        2,
        &[
            "there is no 'mine/thraed'",
            "did you mean one of mine/thread",
        ],
    );
    fs::create_dir(home.path("empty")).unwrap();
    home.run(&["compare", "before", "empty"])
        .refused(2, &["empty is no results folder", "journal.jsonl"]);

    let other = primes(2_000, &[("process", 2)]).replace("\"mine\"", "\"other\"");
    home.write("other.toml", &other);
    home.run(&["run", "other.toml", "--rounds", "1", "--out", "other"])
        .answered();
    home.run(&["compare", "before", "other"]).refused(
        2,
        &[
            "nothing in common",
            "before holds mine (only)",
            "other holds other (only)",
        ],
    );

    let journal = home.path("after/journal.jsonl");
    let whole = fs::read_to_string(&journal).unwrap();
    fs::write(
        &journal,
        whole.replacen(
            &format!(r#"{{"schema":{},"#, lab::SCHEMA),
            r#"{"schema":8,"#,
            1,
        ),
    )
    .unwrap();
    home.run(&["compare", "before", "after"])
        .refused(2, &["after/journal.jsonl has schema 8", "newer flowgauge"]);
    fs::write(
        &journal,
        whole.replacen("\"line\":\"slot\"", "\"line\":\"slto\"", 1),
    )
    .unwrap();
    let (code_now, text, said) = code(&home, "compare before after");
    assert_eq!(code_now, Some(0), "{said}");
    let words = format!("{text} {said}");
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("damaged"), "{words}");
}

#[test]
fn a_journal_that_was_cut_off_is_compared_as_far_as_it_goes() {
    let home = home();
    let journal = home.path("after/journal.jsonl");
    let whole = fs::read(&journal).unwrap();
    fs::write(&journal, &whole[..whole.len() - 200]).unwrap();
    let (code_now, text, _) = code(&home, "compare before after");
    assert_eq!(code_now, Some(0));
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("after did not come to its end"), "{text}");
    assert!(
        words.contains("after: the journal's last line was cut off"),
        "{text}"
    );
}

//! Expectations, plots, tidy rows, completions and manual pages.

use std::fs;
use std::process::Command;

use super::common::{BOTH, Home, Made, Run, primes, says, table};

/// A home with a run in `out`.
fn home() -> Home {
    static MADE: Made = Made::new();
    Home::with(&MADE, |home| {
        home.write("mine.toml", primes(1_000, &BOTH));
        home.run("run mine.toml --rounds 10 --out out").answered();
    })
}

fn expecting(home: &Home, expectations: &[&str]) -> Run {
    let mut words = vec!["report", "out"];
    for expectation in expectations {
        words.extend(["--expect", expectation]);
    }
    home.run(&words)
}

#[test]
fn expectations_decide_the_exit_code() {
    let home = home();
    let both_hold = ["mine/thread <= 10s", "mine/process memory < 1GiB"];
    let run = expecting(&home, &both_hold).answered();
    says(&run.stderr, &["expected mine/thread <= 10s: holds: "]);
    let run = expecting(&home, &["mine/thread <= 10s", "mine/thread <= 1ns"]);
    run.refused(1, &["expected mine/thread <= 1ns: FAILS: "]);
    // They were on standard error alone.
    let findings = fs::read_to_string(home.path("out/findings.json")).unwrap();
    let findings: serde_json::Value = serde_json::from_str(&findings).unwrap();
    let judged = |at: usize| &findings["expected"][at]["judged"];
    assert_eq!([judged(0), judged(1)], ["holds", "fails"]);
    for wrong in [
        "mine/fiber <= 1ms",
        "mine/thread <= 5MB cpu",
        "mine/thread <= 1.05",
    ] {
        expecting(&home, &[wrong]).refused(2, &[]);
    }
}

#[test]
fn what_cannot_be_decided_exits_with_3() {
    let home = Home::new();
    home.write("mine.toml", primes(1_000, &BOTH));
    let run = home.run(r#"run mine.toml --rounds 2 --out out --expect "mine/thread <= 10s""#);
    let open = "expected mine/thread <= 10s: cannot be decided";
    run.refused(3, &[open, "too few slots"]);
    // With enough of them it is; and the expectation of the first command still stands.
    let run = home.run("run --resume out --rounds 12").answered();
    says(&run.stderr, &["expected mine/thread <= 10s: holds"]);
}

/// The expectations of a cut `workers` were dropped when it was taken up again.
#[test]
fn every_command_that_runs_keeps_its_expectations_over_a_cut() {
    for (command, expected) in [
        (
            "workers --kind cpu --loops 1 --processes 2 --threads 2",
            "workers/thread <= 1us",
        ),
        ("wiki --requests 4 --pages 2 -w 1", "wiki/thread <= 1us"),
    ] {
        let home = Home::new();
        let line = format!(r#"{command} --rounds 2 --out out --expect "{expected}""#);
        home.run(&line).refused(3, &["cannot be decided"]);
        let run = home.run("run --resume out --rounds 12");
        run.refused(1, &[&format!("expected {expected}: FAILS")]);
    }
}

#[test]
fn an_expectation_that_names_nothing_is_refused_before_anything_runs() {
    let home = Home::new();
    let expecting = |expectation: &str| {
        let line = "primes -p 2 -t 2 -b 1000 --out out --expect";
        home.run(&format!(r#"{line} "{expectation}""#))
    };
    let run = expecting("primes/thred <= 1ms");
    run.refused(2, &["no 'primes/thred'", "primes/thread"]);
    assert_eq!(home.listing("."), [""; 0]);
    let none = "'fast enough' is no expectation";
    expecting("fast enough").refused(2, &[none, "switch/fiber@1000 <= 2ns"]);
}

#[test]
fn plots_are_drawings_and_pictures() {
    let home = home();
    let run = home.run("report out --plots plots").answered();
    says(&run.stderr, &["in plots"]);
    let names = home.listing("plots");
    for kind in ["forest", "slots", "ecdf", "phases", "memory"] {
        let file = format!("{kind}.svg");
        let is_there = names.iter().any(|name| name.ends_with(&file));
        assert!(is_there, "{kind}: {names:?}");
    }
    let pictures = || names.iter().filter(|name| name.ends_with(".png"));
    assert_eq!(pictures().count() * 2, names.len());
    let first = pictures().next().unwrap();
    let png = fs::read(home.path("plots").join(first)).unwrap();
    assert!(png.starts_with(b"\x89PNG") && png.len() > 5_000);
}

#[test]
fn rows_are_the_same_in_csv_and_in_json_lines() {
    let home = home();
    let printed = |format: &str| {
        let line = format!("report out --format {format}");
        home.run(&line).answered().stdout
    };
    let (csv, lines) = (printed("csv"), printed("jsonl"));
    home.run("report out --tables").answered();
    let kept = fs::read_to_string(home.path("out/slots.jsonl")).unwrap();
    assert_eq!(lines, kept);
    let rows = table(csv.as_bytes());
    assert_eq!(rows.len(), lines.lines().count());
    for (row, line) in rows.iter().zip(lines.lines()) {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        for (name, field) in row {
            let told = match &line[name] {
                serde_json::Value::Null => String::new(),
                serde_json::Value::String(text) => text.clone(),
                number => number.to_string(),
            };
            let number = field.parse::<f64>().ok();
            assert_eq!(told.parse::<f64>().ok(), number, "{name}");
            assert!(&told == field || number.is_some(), "{name}: {told} {field}");
        }
    }
}

/// The block of docs/results.md in a language, in the folder of a run of `primes`.
fn documented(language: &str) -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/results.md");
    let text = fs::read_to_string(path).unwrap();
    let block = text.split(&format!("```{language}\n")).nth(1).unwrap();
    block.split("```").next().unwrap().to_owned()
}

/// Runs a program on a script in the folder of a run; `None` where it is not there.
fn read_by(script: &str, program: &str, flags: &[&str], probe: &[&str]) -> Option<String> {
    let there = Command::new(program).args(probe).output();
    if !there.is_ok_and(|answer| answer.status.success()) {
        skipped::skipped(format!(
            "{program} {probe:?} does not answer: its lines were not tried"
        ));
        return None;
    }
    static MADE: Made = Made::new();
    let home = Home::with(&MADE, |home| {
        let line = "primes -p 2 -t 2 -b 1000 --rounds 10 --out out";
        home.run(line).answered();
    });
    let mut reader = home.program(program, flags);
    let run = Run::of(reader.arg(script).current_dir(home.path("out")));
    Some(run.answered().stdout)
}

#[test]
fn the_documented_lines_for_pandas_read_a_run() {
    let script = documented("python");
    if let Some(told) = read_by(&script, "python3", &["-c"], &["-c", "import pandas"]) {
        let first = told.split_whitespace().take(2).collect::<Vec<_>>();
        let rounds: f64 = first[1].parse().unwrap();
        // As many as were run: the row may be decided at its first look.
        assert_eq!(first[0], "count", "{told}");
        assert!((7.0..=10.0).contains(&rounds), "{told}");
    }
}

#[test]
fn the_documented_lines_for_duckdb_read_a_run() {
    let query = documented("sql");
    let script = format!(
        "import duckdb\nfor one in {query:?}.split(';'):\n  if one.strip(): print(duckdb.sql(one).fetchall())"
    );
    if let Some(told) = read_by(&script, "python3", &["-c"], &["-c", "import duckdb"]) {
        let first = told.trim().lines().next().unwrap();
        let ratio = first.trim_matches(|c: char| "[(,)]".contains(c));
        assert!(ratio.parse::<f64>().unwrap() > 0.0, "{told}");
    }
}

#[test]
fn the_documented_lines_for_r_read_a_run() {
    let script = documented("r");
    if let Some(told) = read_by(&script, "Rscript", &["-e"], &["--version"]) {
        assert!(told.contains("Median"), "{told}");
    }
}

#[test]
fn completions_and_manual_pages_know_every_command() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = home.run(&["completions", shell]).answered().stdout;
        says(
            &script,
            &["compare", "fail-on-regression", "primes", "calibrate"],
        );
    }
    home.run("completions tcsh").refused(2, &["tcsh", "bash"]);
    let page = home.run("man").answered().stdout;
    says(&page, &[".TH flowgauge 1", "compare"]);
    home.run("man --out man1").answered();
    let pages = home.listing("man1");
    assert!(pages.contains(&"flowgauge.1".to_owned()), "{pages:?}");
    let compare = fs::read_to_string(home.path("man1/flowgauge-compare.1")).unwrap();
    says(&compare, &["regression"]);
    // Examples are lines of their own, in a section that says so; every page named is there.
    for name in &pages {
        let page = fs::read_to_string(home.path(&format!("man1/{name}"))).unwrap();
        assert!(page.contains(".SH EXAMPLES\n.nf\nflowgauge "), "{page}");
        assert!(!page.contains("EXTRA"), "{page}");
        assert_eq!(page.matches(".TH ").count(), 1, "{page}");
    }
    assert!(page.contains("flowgauge\\-run(1)"), "{page}");
    for named in page.split('\n').filter(|line| line.ends_with("(1)")) {
        let file = format!("{}.1", named.trim_end_matches("(1)").replace('\\', ""));
        assert!(pages.contains(&file), "{named}");
    }
}

/// Only built-in studies had flags of their own.
#[test]
fn a_study_file_is_a_command_with_the_flags_that_it_gives() {
    let home = Home::new();
    let study = primes(1_000, &BOTH);
    let (head, cases) = study.split_once("[[case]]").unwrap();
    let flag = "[command]\nabout = \"Mine\"\nexamples = [[\"flowgauge mine.toml\", \"it\"]]\n\n\
                [[command.flag]]\nname = \"block\"\nvalue = \"count\"\nsets = \"work.block\"\n\
                help = \"Numbers in a block\"\n\n";
    home.write("mine.toml", format!("{head}{flag}[[case]]{cases}"));
    let help = home.run("mine.toml --help");
    says(&help.stdout, &["--block <N>"]);
    let line = "mine.toml --block 700 --rounds 1 --out out";
    home.run(line).answered();
    let slots = fs::read_to_string(home.path("out/findings.json")).unwrap();
    says(&slots, &["\"block\": 700"]);
    home.run("run mine.toml --block 700")
        .refused(2, &["'--block' is an option of", "mine.toml"]);
    home.write("plain.toml", &study);
    home.run("plain.toml --rounds 1 --out plain").answered();
    home.run("none.toml").refused(2, &["cannot read none.toml"]);
    let clash = flag.replace("\"block\"\nvalue", "\"rounds\"\nvalue");
    home.write("clash.toml", format!("{head}{clash}[[case]]{cases}"));
    home.run("clash.toml")
        .refused(2, &["clash.toml", "rounds", "name it otherwise"]);
    home.assert_nothing_left();
}

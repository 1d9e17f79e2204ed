//! Expectations, plots, tidy rows, completions and manual pages.

use std::fs;
use std::process::Command;

use super::common::{Home, primes};

/// A home with a run in `out`.
fn home() -> Home {
    let home = Home::new();
    home.write(
        "mine.toml",
        &primes(1_000, &[("process", 2), ("thread", 2)]),
    );
    home.run(&["run", "mine.toml", "--rounds", "10", "--out", "out"])
        .answered();
    home
}

fn expecting(home: &Home, expectations: &[&str]) -> (Option<i32>, String) {
    let mut words = vec!["report", "out"];
    for expectation in expectations {
        words.extend(["--expect", expectation]);
    }
    let run = home.run(&words);
    (run.code, run.stderr)
}

#[test]
fn expectations_decide_the_exit_code() {
    let home = home();
    let (code, said) = expecting(&home, &["mine/thread <= 10s", "mine/process memory < 1GiB"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("expected mine/thread <= 10s: holds: "),
        "{said}"
    );
    let (code, said) = expecting(&home, &["mine/thread <= 10s", "mine/thread <= 1ns"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("expected mine/thread <= 1ns: FAILS: "),
        "{said}"
    );
    // They were on standard error alone.
    let findings = fs::read_to_string(home.path("out/findings.json")).unwrap();
    let findings: serde_json::Value = serde_json::from_str(&findings).unwrap();
    let expected = &findings["expected"];
    assert_eq!(
        (&expected[0]["judged"], &expected[1]["judged"]),
        (&"holds".into(), &"fails".into())
    );
    for wrong in [
        "mine/fiber <= 1ms",
        "mine/thread <= 5MB cpu",
        "mine/thread <= 1.05",
    ] {
        assert_eq!(expecting(&home, &[wrong]).0, Some(2), "{wrong}");
    }
}

#[test]
fn what_cannot_be_decided_exits_with_3() {
    let home = Home::new();
    home.write(
        "mine.toml",
        &primes(1_000, &[("process", 2), ("thread", 2)]),
    );
    let line = "run mine.toml --rounds 2 --out out --expect";
    let words: Vec<&str> = line.split(' ').chain(["mine/thread <= 10s"]).collect();
    let run = home.run(&words);
    run.refused(
        3,
        &[
            "expected mine/thread <= 10s: cannot be decided",
            "too few slots",
        ],
    );
    // With enough of them it is; and the expectation of the first command still stands.
    let run = home.run(&["run", "--resume", "out", "--rounds", "12"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stderr.contains("expected mine/thread <= 10s: holds"),
        "{}",
        run.stderr
    );
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
        let line = format!("{command} --rounds 2 --out out --expect");
        let words: Vec<&str> = line.split(' ').chain([expected]).collect();
        home.run(&words).refused(3, &["cannot be decided"]);
        let run = home.run(&["run", "--resume", "out", "--rounds", "12"]);
        run.refused(1, &[&format!("expected {expected}: FAILS")]);
    }
}

#[test]
fn an_expectation_that_names_nothing_is_refused_before_anything_runs() {
    let home = Home::new();
    let line = "primes -p 2 -t 2 -b 1000 --out out --expect";
    let words: Vec<&str> = line.split(' ').chain(["primes/thred <= 1ms"]).collect();
    home.run(&words)
        .refused(2, &["no 'primes/thred'", "primes/thread"]);
    assert_eq!(home.listing("."), Vec::<String>::new());
    let words: Vec<&str> = line.split(' ').chain(["fast enough"]).collect();
    home.run(&words).refused(
        2,
        &[
            "'fast enough' is no expectation",
            "switch/fiber@1000 <= 2ns",
        ],
    );
}

#[test]
fn plots_are_drawings_and_pictures() {
    let home = home();
    let run = home.run(&["report", "out", "--plots", "plots"]).answered();
    assert!(run.stderr.contains("in plots"), "{}", run.stderr);
    let names = home.listing("plots");
    for kind in ["forest", "slots", "ecdf", "phases", "memory"] {
        assert!(
            names
                .iter()
                .any(|name| name.ends_with(&format!("{kind}.svg"))),
            "{names:?}"
        );
    }
    assert_eq!(
        names.iter().filter(|name| name.ends_with(".png")).count() * 2,
        names.len()
    );
    let first = names.iter().find(|name| name.ends_with(".png")).unwrap();
    let png = fs::read(home.path("plots").join(first)).unwrap();
    assert!(png.starts_with(b"\x89PNG") && png.len() > 5_000);
}

#[test]
fn rows_are_the_same_in_csv_and_in_json_lines() {
    let home = home();
    let csv = home
        .run(&["report", "out", "--format", "csv"])
        .answered()
        .stdout;
    let lines = home
        .run(&["report", "out", "--format", "jsonl"])
        .answered()
        .stdout;
    home.run(&["report", "out", "--tables"]).answered();
    assert_eq!(
        lines,
        fs::read_to_string(home.path("out/slots.jsonl")).unwrap()
    );
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let names = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), lines.lines().count());
    for (row, line) in rows.iter().zip(lines.lines()) {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        for (name, field) in names.iter().zip(row) {
            let told = match &line[name] {
                serde_json::Value::Null => String::new(),
                serde_json::Value::String(text) => text.clone(),
                number => number.to_string(),
            };
            assert_eq!(
                told.parse::<f64>().ok(),
                field.parse::<f64>().ok(),
                "{name}"
            );
            assert!(
                told == field || field.parse::<f64>().is_ok(),
                "{name}: {told} {field}"
            );
        }
    }
}

/// The block of docs/results.md in a language, in the folder of a run of `primes`.
fn documented(language: &str) -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/results.md");
    let text = fs::read_to_string(path).unwrap();
    let start = format!("```{language}\n");
    let block = text
        .split(&start)
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    block.to_owned()
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
    let home = Home::new();
    let line = "primes -p 2 -t 2 -b 1000 --rounds 10 --out out";
    home.run(&line.split(' ').collect::<Vec<_>>()).answered();
    let output = home
        .program(program, flags)
        .arg(script)
        .current_dir(home.path("out"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    Some(String::from_utf8(output.stdout).unwrap())
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
        let ratio = told
            .trim()
            .lines()
            .next()
            .unwrap()
            .trim_matches(|c: char| "[(,)]".contains(c));
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
        for word in ["compare", "fail-on-regression", "primes", "calibrate"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    home.run(&["completions", "tcsh"])
        .refused(2, &["tcsh", "bash"]);
    let page = home.run(&["man"]).answered().stdout;
    assert!(
        page.contains(".TH flowgauge 1") && page.contains("compare"),
        "{page}"
    );
    home.run(&["man", "--out", "man1"]).answered();
    let pages = home.listing("man1");
    assert!(pages.contains(&"flowgauge.1".to_owned()), "{pages:?}");
    assert!(
        pages.contains(&"flowgauge-compare.1".to_owned()),
        "{pages:?}"
    );
    let compare = fs::read_to_string(home.path("man1/flowgauge-compare.1")).unwrap();
    assert!(compare.contains("regression"), "{compare}");
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
    let study = primes(1_000, &[("process", 2), ("thread", 2)]);
    let (head, cases) = study.split_once("[[case]]").unwrap();
    let flag = "[command]\nabout = \"Mine\"\nexamples = [[\"flowgauge mine.toml\", \"it\"]]\n\n\
                [[command.flag]]\nname = \"block\"\nvalue = \"count\"\nsets = \"work.block\"\n\
                help = \"Numbers in a block\"\n\n";
    home.write("mine.toml", &format!("{head}{flag}[[case]]{cases}"));
    let help = home.run(&["mine.toml", "--help"]);
    assert!(help.stdout.contains("--block <N>"), "{}", help.stdout);
    let line = [
        "mine.toml",
        "--block",
        "700",
        "--rounds",
        "1",
        "--out",
        "out",
    ];
    home.run(&line).answered();
    let slots = fs::read_to_string(home.path("out/findings.json")).unwrap();
    assert!(slots.contains("\"block\": 700"), "{slots}");
    home.run(&["run", "mine.toml", "--block", "700"])
        .refused(2, &["'--block' is an option of", "mine.toml"]);
    home.write("plain.toml", &study);
    home.run(&["plain.toml", "--rounds", "1", "--out", "plain"])
        .answered();
    home.run(&["none.toml"])
        .refused(2, &["cannot read none.toml"]);
    let clash = flag.replace("\"block\"\nvalue", "\"rounds\"\nvalue");
    home.write("clash.toml", &format!("{head}{clash}[[case]]{cases}"));
    home.run(&["clash.toml"])
        .refused(2, &["clash.toml", "rounds", "name it otherwise"]);
    home.assert_nothing_left();
}

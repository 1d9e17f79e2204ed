//! `--watch`: what is shown of slots while they run, on a terminal and elsewhere.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::num::NonZero;

use nix::pty::{Winsize, openpty};
use nix::sys::signal::Signal;
use serde_json::Value;

use super::common::{Home, Process, RESULT_FILES, entries, says, within};

/// One line of a look: a thread.
#[derive(Debug)]
struct Row {
    what: String,
    pid: i64,
    tid: i64,
    state: String,
}

fn row(line: &str) -> Option<Row> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let what = *words.first()?;
    if !["parent", "process", "thread", "carrier"].contains(&what) {
        return None;
    }
    let state = if words[3] == "in" { "in I/O" } else { words[3] };
    Some(Row {
        what: what.to_owned(),
        pid: words[1].parse().ok()?,
        tid: words[2].parse().ok()?,
        state: state.to_owned(),
    })
}

/// Every process and thread id that the journal knows.
fn ids(value: &Value, of: &mut BTreeSet<(i64, i64)>) {
    match value {
        Value::Object(fields) => {
            if let Some(pid) = fields.get("pid").and_then(Value::as_i64) {
                let tid = fields.get("tid").and_then(Value::as_i64);
                of.insert((pid, tid.unwrap_or(pid)));
            }
            fields.values().for_each(|value| ids(value, of));
        }
        Value::Array(values) => values.iter().for_each(|value| ids(value, of)),
        _ => {}
    }
}

/// Watches a run whose slots take some 100 ms, and checks that what is shown are the flows
/// of its slots, under the names that they should have.
fn check(arguments: &str, names: &[&str]) {
    let home = Home::new();
    let line = format!("{arguments} --rounds 1 --watch=10ms --out out");
    let run = home.run(&line).answered();
    home.assert_nothing_left();
    let mut known = BTreeSet::new();
    let entries = entries(&home.path("out"));
    entries.iter().for_each(|entry| ids(entry, &mut known));
    let rows: Vec<Row> = run.stderr.lines().filter_map(row).collect();
    for row in &rows {
        assert!(known.contains(&(row.pid, row.tid)), "{row:?} {known:?}");
        let states = ["running", "sleeping", "in I/O", "ended", "idle"];
        assert!(states.contains(&row.state.as_str()), "{row:?}");
    }
    let seen: BTreeSet<&str> = rows.iter().map(|row| row.what.as_str()).collect();
    assert_eq!(seen, names.iter().copied().collect(), "{}", run.stderr);
    assert!(rows.iter().any(|row| row.state == "running"), "{rows:?}");
    let mut lines = run.stderr.lines();
    let cost = lines.find(|line| line.starts_with("Watching: "));
    assert!(cost.unwrap().contains("of CPU time"), "{}", run.stderr);
}

#[test]
fn processes_are_shown_while_they_run() {
    check("primes -p 3 -b 300000", &["parent", "process"]);
}

#[test]
fn threads_are_shown_while_they_run() {
    check("primes -t 3 -b 300000", &["parent", "thread"]);
}

#[test]
fn threads_of_processes_are_shown_while_they_run() {
    let names = ["parent", "process", "thread"];
    check("primes --model 2x2 -b 300000", &names);
}

#[test]
fn fibers_are_shown_as_their_carriers() {
    let study = "schema = 1\nname = \"mine\"\ntitle = \"Mine\"\nstands_for = \"A test.\"\n\
                 headline = \"only\"\n[[case]]\nname = \"only\"\ntitle = \"Only\"\n\
                 [case.work]\nkind = \"spin\"\nunits = 4\nsteps = 100000000\nplanted = 0\n\
                 [[case.variant]]\nmodel = \"fiber/2\"\nflows = 4\n";
    let home = Home::new();
    home.write("mine.toml", study);
    let line = "run mine.toml --rounds 1 --watch=10ms --out out";
    let run = home.run(line).answered();
    says(&run.stderr, &["4 flows on 2 carriers"]);
    let carriers = run.stderr.lines().filter_map(row);
    assert!(carriers.filter(|row| row.what == "carrier").count() > 1);
}

#[test]
fn every_slot_is_shown_or_said_to_be_too_short() {
    let home = Home::new();
    let line = "primes -p 1 -t 1 -b 1000 --rounds 5 --watch --out out";
    let run = home.run(line).answered();
    let lines = || run.stderr.lines();
    let short = lines().filter(|line| line.contains(", before the first look after 100 ms"));
    let seen = lines().filter(|line| line.contains(" in, 1 flow"));
    let seen: BTreeSet<&str> = seen.filter_map(|line| line.split(':').next()).collect();
    // Two pilots, five rounds, and two that are filmed.
    assert_eq!(short.count() + seen.len(), 14, "{}", run.stderr);
    assert!(run.stderr.contains("slots were over before the first look") || seen.len() == 14);
}

#[test]
fn nothing_is_shown_counted_or_sampled_where_nobody_asked() {
    let home = Home::new();
    let line = "primes -p 1 -t 1 -b 1000 --rounds 1 --out out";
    let run = home.run(line).answered();
    assert!(run.stderr.lines().filter_map(row).next().is_none());
    assert!(!run.stderr.contains("Watching"), "{}", run.stderr);
    for word in ["Counted while", "sampled"] {
        assert!(!run.stdout.contains(word), "{}", run.stdout);
    }
    assert_eq!(home.listing("out"), RESULT_FILES);
    let journal = std::fs::read_to_string(home.path("out/journal.jsonl")).unwrap();
    assert!(!journal.contains("\"count\":[") && !journal.contains("\"counted\""));
    home.assert_nothing_left();
}

/// Where flows are bound to one CPU and there is another, looks come from there, and the
/// slot's own process may still run on both.
#[test]
fn looks_keep_off_the_cpus_of_bound_flows() {
    let home = Home::new();
    let line = "primes -t 2 -b 300000 --rounds 1 --placement one --watch=10ms --out out";
    let run = home.run(line).answered();
    let expected = match machine::Machine::read().allowed().len() {
        1 => "on CPUs that flows may use",
        _ => "on CPUs of no flow",
    };
    says(&run.stderr, &[expected]);
}

/// On a terminal of 80 columns, looks are drawn in place below the line of progress, and
/// are gone at the end.
#[test]
fn on_a_terminal_looks_are_drawn_in_place() {
    let home = Home::new();
    let size = Winsize {
        ws_row: 24,
        ws_col: 80,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    let pair = openpty(Some(&size), None).unwrap();
    let line = "primes -p 2 -t 2 -b 1000000 --rounds 2 --watch=30ms --out out";
    let mut command = home.command(line);
    let mut child = command
        .env("TERM", "xterm")
        .stdout(File::create(home.path("stdout")).unwrap())
        .stderr(pair.slave)
        .spawn()
        .unwrap();
    drop(command);
    let size = |number| NonZero::new(number).unwrap();
    let mut terminal = vt100::Parser::new(size(24), size(80), 200);
    let mut master = File::from(pair.master);
    let (mut bytes, mut looks, mut most_headings) = ([0; 4_096], 0, 0);
    // A terminal that nobody writes to any more ends with an error.
    while let Ok(read @ 1..) = master.read(&mut bytes) {
        terminal.process(&bytes[..read]);
        let shown: Vec<String> = terminal.screen().rows(0, 80).collect();
        let headings = shown.iter().filter(|line| line.starts_with("  what "));
        most_headings = most_headings.max(headings.count());
        let mut rows = shown.iter().filter_map(|line| row(line));
        looks += usize::from(rows.any(|row| row.what == "parent"));
    }
    assert!(matches!(child.wait().unwrap().code(), Some(0)));
    let left = terminal.screen().contents();
    assert!(looks > 0, "{left}");
    assert_eq!(most_headings, 1, "one look at a time");
    assert!(!left.contains("parent"), "{left}");
    assert!(left.contains("Watching: "), "{left}");
}

#[test]
fn a_watched_run_leaves_nothing_behind() {
    for signal in [Signal::SIGINT, Signal::SIGKILL] {
        let home = Home::new();
        let line = "primes -p 2 -b 1G --watch=10ms --placement one --out out";
        let mut run = home.start(line);
        within(20, "a look", || {
            assert!(!run.has_ended(), "{}", run.stderr());
            run.stderr().contains("parent ").then_some(())
        });
        home.wait_for(Process::worker);
        run.send(signal);
        run.end();
        home.assert_nothing_left();
    }
}

//! A cut run, taken up again.

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use nix::sys::signal::Signal;

use super::common::{Home, Made, Running, Slot, primes, until};

const RUN: &str = "run mine.toml --out out --seed 20 --rounds";
/// Two cases would need two studies: the same file under two names of variants is enough.
const VARIANTS: [(&str, u32); 3] = [("process", 2), ("thread", 2), ("2x2", 4)];

/// A home with a study of 18 slots, each some 50 ms.
fn home() -> Home {
    let home = Home::new();
    home.write("mine.toml", primes(20_000, &VARIANTS));
    home
}

/// The slots of the study as a run that nobody cuts has them.
fn uninterrupted() -> Vec<Slot> {
    static SLOTS: OnceLock<Vec<Slot>> = OnceLock::new();
    let slots = SLOTS.get_or_init(|| {
        let home = home();
        home.run(&format!("{RUN} 6")).answered();
        home.slots()
    });
    assert_eq!(slots.len(), 18);
    slots.clone()
}

/// Cuts `run` by `signal` when its journal has `least` slots.
fn cut_at(home: &Home, mut run: Running, least: usize, signal: Signal) {
    home.wait_for_slots(least);
    run.send(signal);
    run.end();
}

/// A home in which `cut` has cut a run. On a busy machine the signal may come after the end of the
/// run: then there is nothing to be seen, and another home is tried.
fn in_time(cut: impl Fn() -> Home) -> Home {
    let homes = (0..20).map(|_try| cut());
    let mut in_time = homes.filter(|home| !home.results().finished);
    in_time.next().expect("a run that is cut before its end")
}

/// A home with a run that was cut by `signal` after some slots.
fn cut(signal: Signal) -> Home {
    static BY_INTERRUPT: Made = Made::new();
    static BY_KILL: Made = Made::new();
    let made = if signal == Signal::SIGKILL {
        &BY_KILL
    } else {
        &BY_INTERRUPT
    };
    Home::with(made, |kept| {
        let cut = in_time(|| {
            let home = home();
            let run = home.start(&format!("{RUN} 6"));
            cut_at(&home, run, 4, signal);
            home
        });
        for (name, bytes) in cut.files(".") {
            kept.write(&name, bytes);
        }
    })
}

fn journal(home: &Home) -> PathBuf {
    home.path("out/journal.jsonl")
}

#[test]
fn a_run_goes_on_as_if_it_had_not_been_cut() {
    let expected = uninterrupted();
    for signal in [Signal::SIGINT, Signal::SIGKILL] {
        let home = cut(signal);
        let done = home.slots();
        assert_eq!(done, expected[..done.len()]);
        let run = home.run("run --resume out").answered();
        let told = format!("continues after {} finished launches", done.len());
        assert!(run.stderr.contains(&told), "{}", run.stderr);
        assert_eq!(home.slots(), expected, "{signal}");
        let results = home.results();
        assert!(results.finished && results.interrupted.is_none());
        home.assert_nothing_left();
    }
}

#[test]
fn a_run_may_be_cut_twice() {
    let home = in_time(|| {
        let home = cut(Signal::SIGINT);
        let before = home.slots().len();
        let run = home.start("run --resume out");
        cut_at(&home, run, (before + 1).min(18), Signal::SIGTERM);
        home
    });
    home.run("run --resume out").answered();
    assert_eq!(home.slots(), uninterrupted());
}

#[test]
fn there_is_nothing_to_do_for_a_finished_run() {
    let home = home();
    home.run(&format!("{RUN} 6")).answered();
    let before = fs::read(journal(&home)).unwrap();
    let run = home.run("run --resume out");
    run.refused(2, &["journal.jsonl is finished", "nothing left to run"]);
    assert_eq!(fs::read(journal(&home)).unwrap(), before);
}

#[test]
fn a_finished_run_goes_on_with_more_rounds() {
    let home = home();
    home.run(&format!("{RUN} 2")).answered();
    let first = home.slots();
    assert_eq!(first.len(), 6);
    home.run("run --resume out --rounds 1")
        .refused(2, &["1 rounds are fewer than the 2 that were planned"]);
    home.run("run --resume out --rounds 6 --budget 10m")
        .answered();
    let all = home.slots();
    assert_eq!(all[..6], first);
    assert_eq!(all, uninterrupted());
}

#[test]
fn a_torn_last_line_is_dropped_and_said() {
    let home = cut(Signal::SIGKILL);
    let text = fs::read_to_string(journal(&home)).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let (last, whole) = lines.split_last().unwrap();
    let torn = format!("{}\n{}", whole.join("\n"), &last[..last.len() / 2]);
    fs::write(journal(&home), torn).unwrap();
    let told = format!("cut off after {} bytes", last.len() / 2);

    let report = home.run("report out");
    assert_eq!(report.code, Some(0), "{}", report.stderr);
    let run = home.run("run --resume out").answered();
    assert!(run.stderr.contains(&told), "{}", run.stderr);
    assert_eq!(home.slots(), uninterrupted());
}

#[test]
fn a_malformed_line_is_named_by_its_number() {
    let home = cut(Signal::SIGINT);
    let text = fs::read_to_string(journal(&home)).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines[2] = r#"{"line":"slot","study":"#;
    // As in a journal that somebody made.
    let bare = lines
        .iter()
        .map(|line| match line.rsplit_once(",\"crc\":\"") {
            Some((text, _)) => format!("{text}}}\n"),
            None => format!("{line}\n"),
        });
    let broken: String = bare.collect();
    fs::write(journal(&home), &broken).unwrap();
    for arguments in [vec!["run", "--resume", "out"], vec!["report", "out"]] {
        home.run(&arguments).refused(2, &["out/journal.jsonl:3: "]);
    }
    assert_eq!(fs::read_to_string(journal(&home)).unwrap(), broken);
}

#[test]
fn a_newer_schema_is_refused() {
    let home = cut(Signal::SIGINT);
    let text = fs::read_to_string(journal(&home)).unwrap();
    // Schemas 3 and 7 differ in one bit, which the checksum would set right.
    let newer = text.replacen(
        &format!(r#"{{"schema":{},"#, lab::SCHEMA),
        r#"{"schema":8,"#,
        1,
    );
    assert_ne!(text, newer);
    fs::write(journal(&home), &newer).unwrap();
    let run = home.run("run --resume out");
    run.refused(2, &["has schema 8", "newer flowgauge"]);
    assert_eq!(fs::read_to_string(journal(&home)).unwrap(), newer);
}

#[test]
fn a_folder_without_a_journal_is_refused() {
    let home = Home::new();
    fs::create_dir(home.path("empty")).unwrap();
    for folder in ["empty", "nowhere"] {
        let run = home.run(&["run", "--resume", folder]);
        run.refused(2, &[&format!("{folder} is no results folder")]);
    }
    fs::write(home.path("empty/journal.jsonl"), r#"{"schema":1,"ver"#).unwrap();
    let run = home.run("run --resume empty");
    run.refused(2, &["empty/journal.jsonl holds no whole line"]);
}

#[test]
fn a_journal_without_slots_survives_a_resume_that_fails() {
    let home = cut(Signal::SIGINT);
    let text = fs::read_to_string(journal(&home)).unwrap();
    let header = text.lines().next().unwrap();
    let elsewhere = header.replacen(r#""placement":"free""#, r#""placement":"4000""#, 1) + "\n";
    assert_ne!(elsewhere.trim_end(), header);
    fs::write(journal(&home), &elsewhere).unwrap();
    let run = home.run("run --resume out --trust");
    run.refused(2, &["CPU 4000 is not available"]);
    assert_eq!(fs::read_to_string(journal(&home)).unwrap(), elsewhere);
}

#[test]
fn settings_cannot_be_changed_on_the_way() {
    let home = cut(Signal::SIGINT);
    for (flag, value) in [
        ("--seed", "1"),
        ("--deadline", "3s"),
        ("--floor", "3%"),
        ("--out", "other"),
    ] {
        let run = home.run(&["run", "--resume", "out", flag, value]);
        run.refused(2, &[flag, "--resume"]);
    }
}

#[test]
fn the_file_of_a_cut_run_is_written_by_the_run_that_goes_on() {
    let line = "primes -p 2 -t 2 -b 20000 --rounds 6 -o found.csv --out out";
    let home = in_time(|| {
        let home = Home::new();
        let run = home.start(line);
        cut_at(&home, run, 3, Signal::SIGKILL);
        home
    });
    assert_eq!(home.listing("."), ["out"]);
    home.run("run --resume out").answered();
    assert_eq!(home.listing("."), ["found.csv", "out"]);
}

#[test]
fn a_run_that_is_still_going_on_cannot_be_taken_up() {
    let home = home();
    let mut run = home.start(&format!("{RUN} 6"));
    home.wait_for_slots(2);
    // However long the other command takes to begin, this run is not over before it looks.
    run.send(Signal::SIGSTOP);
    home.run("run --resume out")
        .refused(2, &["out/journal.jsonl", "still going on"]);
    run.send(Signal::SIGCONT);
    assert!(matches!(run.end().code(), Some(0)), "{}", run.stderr());
    assert_eq!(home.slots().len(), 18);
}

#[test]
fn the_command_that_is_recorded_can_be_given_again() {
    let home = cut(Signal::SIGINT);
    let command = home.results().header.command;
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    assert!(
        !words.contains(&"--out") && !words.contains(&"out"),
        "{words:?}"
    );
    let given = ["--seed", "20", "--rounds", "6"];
    assert_eq!(words[words.len() - given.len()..], given);
}

/// `--resume` of a stranger's journal ran its commands and did not say so first.
#[test]
fn a_run_of_another_machine_is_shown_and_not_run_until_it_is_trusted() {
    let home = Home::new();
    let line = [
        "exec",
        "touch made",
        "true",
        "--rounds",
        "10",
        "--out",
        "out",
    ];
    home.run(&line).answered();
    let text = fs::read_to_string(journal(&home)).unwrap();
    let header = text.lines().next().unwrap();
    let host = home.results().header.machine.host.to_string();
    let elsewhere = header.replacen(&format!("\"{host}\""), "\"elsewhere\"", 1);
    assert_ne!(elsewhere, header);
    fs::write(journal(&home), elsewhere + "\n").unwrap();
    fs::remove_file(home.path("made")).unwrap();
    let resume = ["run", "--resume", "out", "--rounds", "10"];
    let run = home.run(&resume);
    run.refused(
        2,
        &[
            "It would run: touch made",
            "of another machine (elsewhere)",
            "--trust",
        ],
    );
    assert!(!home.path("made").exists());
    home.run(&[&resume[..], &["--trust"]].concat()).answered();
    assert!(home.path("made").exists());
    // Nor is one of this machine whose header was changed, or lost its checksum.
    let other = header.replacen("touch made", "touch more", 3);
    let (bare, _) = other.split_once(",\"crc\"").unwrap();
    for header in [other.clone(), format!("{bare}}}")] {
        fs::write(journal(&home), header + "\n").unwrap();
        home.run(&resume)
            .refused(2, &["It would run: touch more", "was changed", "--trust"]);
        assert!(!home.path("more").exists());
    }
}

/// A child that was stopped between its fork and its exec held the lock, and the run was "still going
/// on" for ever.
#[test]
fn a_run_whose_stopped_child_holds_the_lock_is_named_with_it() {
    let home = cut(Signal::SIGKILL);
    let script = "exec 9< out/journal.jsonl; flock 9; echo $$ > holder.part; mv holder.part holder; kill -STOP $$; exit 0";
    let mut holder = home.program("sh", &["-c", script]).spawn().unwrap();
    until(20, "the holder", || home.path("holder").exists());
    let run = home.run("run --resume out");
    holder.kill().unwrap();
    holder.wait().unwrap();
    run.refused(
        2,
        &[
            "still going on, and is stopped",
            &format!("kill -9 {}", holder.id()),
        ],
    );
    home.run("run --resume out").answered();
}

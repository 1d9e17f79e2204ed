//! Ctrl-C and SIGTERM, to the main process alone and to its group.

use std::os::unix::process::ExitStatusExt;

use nix::sys::signal::Signal;

use super::common::{Home, RESULT_FILES, Running, end_signal, until, within};

/// Slots of about 100 ms, far more of them than the test waits for.
const LONG: &str = "-b 60000 --rounds 1000 --out out --channel fifo";

const MODELS: [&str; 4] = ["-p 3", "-t 3", "--model 2x2", "-p 2 -t 2"];

/// Starts a run and waits until its journal holds some slots.
pub(super) fn started(home: &Home, models: &str) -> Running {
    let line = format!("primes {models} {LONG}");
    let mut run = home.start(&line);
    within(20, "the first slots", || {
        assert!(!run.has_ended(), "{}", run.stderr());
        (home.slots().len() >= 3).then_some(())
    });
    run
}

/// What every cut run leaves: a readable journal with each finished slot, and no more.
pub(super) fn assert_kept(home: &Home, at_least: usize) {
    let kept = home.results();
    let good = kept.studies[0].cases[0].slots.iter();
    let good = good.filter(|slot| slot.value_ns.is_some()).count();
    assert!(good >= at_least, "{good} of {at_least} slots");
    assert!(!kept.finished);
    home.run("report out").answered();
    assert_eq!(home.listing("."), ["out"]);
    assert_eq!(home.listing("out"), RESULT_FILES);
}

/// Cuts a run of each model and looks at all that is left.
fn check(signal: Signal, send: impl Fn(&Running, Signal)) {
    for models in MODELS {
        let home = Home::new();
        let mut run = started(&home, models);
        let before = home.slots().len();
        send(&run, signal);
        let status = run.end();
        home.assert_nothing_left();
        assert_eq!(status.code(), Some(128 + signal as i32), "{models}");
        assert_eq!(end_signal(&home.path("out")), Some(signal as i64));
        assert_eq!(home.results().interrupted, Some(signal as i32));
        let stderr = run.stderr();
        assert!(stderr.contains("--resume out"), "{stderr}");
        assert!(stderr.to_lowercase().contains("interrupted"), "{stderr}");
        assert!(!run.stdout().is_empty(), "it shows what it has");
        assert_kept(&home, before);
    }
}

#[test]
fn sigint_to_the_group_leaves_nothing() {
    check(Signal::SIGINT, Running::send_to_group);
}

#[test]
fn sigint_to_the_main_process_alone_leaves_nothing() {
    check(Signal::SIGINT, Running::send);
}

#[test]
fn sigterm_to_the_group_leaves_nothing() {
    check(Signal::SIGTERM, Running::send_to_group);
}

#[test]
fn sigterm_to_the_main_process_alone_leaves_nothing() {
    check(Signal::SIGTERM, Running::send);
}

#[test]
fn a_closed_terminal_leaves_nothing() {
    check(Signal::SIGHUP, Running::send);
}

#[test]
fn a_hanging_slot_does_not_hold_up_an_interrupt() {
    for model in ["process", "thread"] {
        let home = Home::new();
        home.write("hang.toml", super::common::drill("hang", &[(model, 4)]));
        let mut run = home.start("run hang.toml --deadline 1h --out out");
        within(20, "flows at work", || {
            // The main process, its janitor, the slot and its forked flows.
            let wanted = if model == "process" { 7 } else { 3 };
            (home.processes().len() == wanted).then_some(())
        });
        run.send(Signal::SIGINT);
        assert_eq!(run.end().code(), Some(130), "{}", run.stderr());
        home.assert_nothing_left();
        assert_eq!(end_signal(&home.path("out")), Some(2));
    }
}

#[test]
fn an_interrupted_probe_of_processes_ends_as_interrupted_and_leaves_nothing() {
    let home = Home::new();
    let line = "limits --model process --fence none --probe-to 1500 --rounds 20 --out out";
    let mut run = home.start(line);
    within(60, "many processes", || {
        assert!(!run.has_ended(), "{}", run.stderr());
        (home.processes().len() > 50).then_some(())
    });
    run.send(Signal::SIGINT);
    let status = run.end();
    home.assert_nothing_left();
    let stderr = run.stderr();
    assert_eq!(status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("clean-up verified"), "{stderr}");
}

#[test]
fn a_run_that_is_cut_while_its_workers_narrate_says_so() {
    let home = Home::new();
    let line = "primes -v -p 2 -b 100M --out out";
    let mut run = home.start(line);
    until(20, "the workers start", || {
        run.stderr().contains("starting on")
    });
    run.send(Signal::SIGTERM);
    let status = run.end();
    assert_eq!((status.code(), status.signal()), (Some(143), None));
    home.assert_nothing_left();
    assert_eq!(end_signal(&home.path("out")), Some(15));
}

/// Ctrl-C was noted, and looked at after all of the tree had been walked.
#[test]
fn an_interrupt_ends_a_walk_through_a_tree_at_once() {
    for line in [
        "search --study needle / --out out",
        "run search --tree / --out out",
    ] {
        let home = Home::new();
        let mut run = home.start(line);
        std::thread::sleep(std::time::Duration::from_millis(300));
        let begun = std::time::Instant::now();
        run.send(Signal::SIGINT);
        let status = run.end();
        assert!(
            status.code() == Some(130) || status.signal() == Some(2),
            "{status:?} {}",
            run.stderr()
        );
        // The whole of a machine takes many seconds; an end takes some milliseconds.
        assert!(begun.elapsed().as_secs() < 6, "{:?}", begun.elapsed());
        home.assert_nothing_left();
        assert!(!home.path("out").exists());
    }
}

//! Commands that fail: the slot fails, with the reason and the last lines of output.

use super::{exec, failed, failure};
use crate::common::{Home, says};

#[test]
fn what_a_failed_command_wrote_last_is_kept() {
    for (command, said) in [
        (
            "sh -c 'echo boom >&2; exit 3'",
            "exit code 3; it said: boom",
        ),
        ("sh -c 'kill -SEGV $$'", "ended by SIGSEGV"),
        ("sh -c 'read x < /dev/tty'", "/dev/tty"),
        (
            "no-such-builtin-here | true; no-such-program",
            "exit code 127",
        ),
    ] {
        let home = Home::new();
        let run = exec(&home, &[command]);
        assert_ne!(run.code, Some(0), "{command}");
        failed(&home, &[said]);
        home.assert_nothing_left();
    }
}

#[test]
fn a_daemon_is_found_ended_and_named() {
    // It is left when it has begun its program, whose name is given.
    let left = "sh -c 'setsid sleep 60 & until grep -q sleep /proc/$!/comm; do sleep 0.01; done'";
    let home = Home::new();
    exec(&home, &[left]);
    failed(&home, &["left a process behind, which was ended: sleep 60"]);
    home.assert_nothing_left();

    let home = Home::new();
    exec(&home, &[left, "--leaves-processes"]).answered();
    assert_eq!(failure(&home), "");
    home.assert_nothing_left();
}

#[test]
fn a_command_that_hangs_or_ignores_the_request_to_end_is_ended() {
    // What ignores the request has to be at it before the request comes.
    for (command, timeout, said) in [
        ("sleep 60", "0.3s", "deadline of 0.3 s"),
        ("yes", "0.3s", "deadline of 0.3 s"),
        (
            "sh -c 'trap \"\" TERM; while true; do sleep 1; done'",
            "2s",
            "(SIGTERM) and was killed",
        ),
        ("sh -c 'kill -STOP $$'", "0.3s", "deadline of 0.3 s"),
    ] {
        let home = Home::new();
        let bounds = ["--grace", "0.3s", "--output", "pipe", "--timeout", timeout];
        exec(&home, &[&[command], &bounds[..]].concat());
        failed(&home, &[said]);
        home.assert_nothing_left();
    }
}

/// It forks faster than one process can be killed after the other.
#[test]
fn a_command_that_forks_on_and_on_is_ended() {
    let home = Home::new();
    home.write("forks.sh", "f() { sleep 60 & f & wait; }\nf\n");
    exec(&home, r#""sh forks.sh" --timeout 0.5s --grace 10ms"#);
    failed(&home, &["deadline of 0.5 s"]);
    home.assert_nothing_left();
}

/// Each process of it ends as soon as it has made the next one, so that a list of them is outdated
/// before anything is done with it. The first one ends at once.
#[test]
fn a_command_that_forks_and_ends_and_forks_again_is_ended() {
    let home = Home::new();
    let chain = "import os\nfor _ in range(100_000):\n    if os.fork():\n        os._exit(0)\n";
    home.write("chain.py", chain);
    exec(&home, &["python3 chain.py", "--grace", "10ms"]);
    failed(&home, &["it left a process behind"]);
    home.assert_nothing_left();
}

/// The only sign of slots that failed was on standard error, and more rounds were advised.
#[test]
fn failed_slots_are_on_the_answer_screen_with_their_reason() {
    let home = Home::new();
    let run = exec(&home, &["-r", "1", "sh -c 'exit 7'"]);
    assert_eq!(run.code, Some(2));
    let words = run.words();
    says(
        &words,
        &["error: sh -c 'exit 7' failed 1 of 1 time: exit code 7"],
    );
    assert!(!words.contains("More rounds"), "{words}");
    assert!(!run.stderr.contains("measured"), "{}", run.stderr);
}

/// Launches read different things from the same `--stdin`, and each reason was printed in full.
#[test]
fn a_file_that_is_changed_while_it_is_read_fails_the_slot() {
    let home = Home::new();
    home.write("input", "x\n");
    let changes = "sh -c 'cat; echo y >> input'";
    let run = exec(&home, &[changes, "--stdin", "input"]);
    failed(&home, &["(--stdin) was changed"]);
    let times = run.stderr.matches(&format!("{changes} failed: ")).count();
    assert_eq!(times, 1, "{}", run.stderr);
}

#[test]
fn a_command_that_changes_its_own_input_is_seen_by_its_output() {
    let home = Home::new();
    home.write("input", "x\n");
    let changes = "sh -c 'cat input; echo y >> input'";
    exec(&home, &[changes, "--same-output"]);
    failed(&home, &["its output is not that of"]);
}

/// More output than any pipe holds, on both streams, of a command that then fails.
#[test]
fn a_flood_of_output_does_not_stall_and_its_end_is_kept() {
    let home = Home::new();
    let flood = "sh -c 'yes | head -c 3000000; yes no | head -c 300000 >&2; echo last >&2; exit 9'";
    exec(&home, &[flood, "--output", "pipe"]);
    failed(&home, &["exit code 9", "last"]);
}

/// The message was `Too many open files` alone.
#[test]
fn copies_for_which_there_are_too_few_open_files_fail_with_what_to_do() {
    let home = Home::new();
    let line = "exec --out out -r 1 --copies 90 'sleep 0.01' --against true";
    home.shell(&format!("ulimit -n 100; exec flowgauge {line}"));
    failed(&home, &["ulimit -n raises"]);
    home.assert_nothing_left();
}

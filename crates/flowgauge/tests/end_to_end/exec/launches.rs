//! What is run beside a command, what proves its work, and what is filled in.

use std::fs;

use super::{exec, failure};
use crate::common::Home;

#[test]
fn proofs_of_the_work() {
    for (arguments, said) in [
        (
            vec!["echo a", "echo b", "--same-output"],
            "its output is not that of",
        ),
        (
            vec!["echo a", "--check-output", "b"],
            "nothing that matches 'b'; it said: a",
        ),
        (vec!["echo a", "--check-output", "expected.txt"], "not what"),
        (
            vec!["echo a", "--check", "false"],
            "check (false) failed: exit code 1",
        ),
        (
            vec!["echo a", "--prepare", "exit 4"],
            "prepare (exit 4) failed: exit code 4",
        ),
        (
            vec!["cat", "--stdin", "expected.txt", "--check-output", "^x$"],
            "matches '^x$'; it said: right",
        ),
    ] {
        let home = Home::new();
        home.write("expected.txt", "right\n");
        exec(&home, &arguments);
        assert!(
            failure(&home).contains(said),
            "{arguments:?}: {}",
            failure(&home)
        );
    }
    for arguments in [
        vec!["echo a", "printf 'a\\n'", "--same-output"],
        vec!["echo right", "--check-output", "expected.txt"],
        vec!["sh -c 'exit 3'", "-i"],
        vec!["sh -c 'test $A = b'", "--env", "A=b"],
        vec!["test -f {dir}/x", "--setup", "touch {dir}/x"],
    ] {
        let home = Home::new();
        home.write("expected.txt", "right\n");
        exec(&home, &arguments).answered();
        assert_eq!(failure(&home), "", "{arguments:?}");
    }
}

#[test]
fn before_and_after_each_launch_and_each_slot() {
    let home = Home::new();
    let mark = |word: &str| format!("echo {word} >> log");
    let (setup, prepare, conclude, cleanup) = (mark("s"), mark("p"), mark("e"), mark("c"));
    let all = [
        "-s",
        &setup,
        "-p",
        &prepare,
        "-C",
        &conclude,
        "-c",
        &cleanup,
        "-r",
        "1",
        "echo r >> log",
    ];
    home.run(&[&["exec", "--out", "out"], &all[..]].concat())
        .answered();
    let log = fs::read_to_string(home.path("log"))
        .unwrap()
        .replace('\n', "");
    // The pilot and one round, a launch each.
    assert_eq!(log, "sprecspre".to_owned() + "c");
}

#[test]
fn placeholders_are_filled_in_and_braces_of_other_programs_are_not() {
    let home = Home::new();
    let line = "sh -c 'test {flows} = 3 && test -d {dir} && for i in 1; do test ${i} = 1; done && \
                echo {port} | grep -qE \"^[0-9]+$\" && test {cpu} = 0 && \
                test $(echo a b | awk \"{print \\$2}\") = b'";
    exec(&home, &[line, "--flows", "3"]).answered();
    assert_eq!(failure(&home), "");
}

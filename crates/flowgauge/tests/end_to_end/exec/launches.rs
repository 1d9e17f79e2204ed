//! What is run beside a command, what proves its work, and what is filled in.

use std::fs;

use super::{exec, failure};
use crate::common::Home;

#[test]
fn proofs_of_the_work() {
    let failed = [
        r#""echo a" "echo b" --same-output => its output is not that of"#,
        r#""echo a" --check-output b => nothing that matches 'b'; it said: a"#,
        r#""echo a" --check-output expected.txt => not what"#,
        r#""echo a" --check false => check (false) failed: exit code 1"#,
        r#""echo a" --prepare "exit 4" => prepare (exit 4) failed: exit code 4"#,
        "cat --stdin expected.txt --check-output ^x$ => matches '^x$'; it said: right",
    ];
    let well = [
        r#""echo a" "printf 'a\n'" --same-output => "#,
        r#""echo right" --check-output expected.txt => "#,
        r#""sh -c 'exit 3'" -i => "#,
        r#""sh -c 'test $A = b'" --env A=b => "#,
        r#""test -f {dir}/x" --setup "touch {dir}/x" => "#,
    ];
    for row in failed.into_iter().chain(well) {
        let (line, said) = row.split_once(" => ").unwrap();
        let home = Home::new();
        home.write("expected.txt", "right\n");
        let run = exec(&home, line);
        let failure = failure(&home);
        assert!(failure.contains(said), "{row}: {failure}");
        if said.is_empty() {
            assert_eq!((run.code, failure.as_str()), (Some(0), ""), "{row}");
        }
    }
}

#[test]
fn before_and_after_each_launch_and_each_slot() {
    let home = Home::new();
    let mark = |flag: &str| format!(r#" -{flag} "echo {flag} >> log""#);
    let marks = mark("s") + &mark("p") + &mark("C") + &mark("c");
    exec(&home, &format!(r#"{marks} -r 1 "echo r >> log""#)).answered();
    let log = fs::read_to_string(home.path("log")).unwrap();
    let log = log.replace('\n', "");
    // The pilot and one round: a launch each, and one to see the memory of what ends at once.
    assert_eq!(log, "sprCprCcsprCprCc");
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

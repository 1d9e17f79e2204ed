//! Questions that people argue about: listed, answered, refused.

use super::common::{Home, labels, says};

#[test]
fn every_question_is_listed_with_what_is_missing() {
    let home = Home::new();
    let run = home.run("decide").answered();
    for name in lab::decision_names() {
        let study = lab::decision(name).unwrap();
        let asked = study.decision.unwrap().question;
        assert!(run.stdout.contains(&asked), "{name}: {}", run.stdout);
    }
}

#[test]
fn a_question_is_answered_on_one_screen_with_what_decides_it_and_where_it_was_argued_about() {
    let home = Home::new();
    let run = home.run("decide memory --rounds 1 --out out");
    let study = lab::decision("memory").unwrap();
    let asked = study.decision.unwrap();
    let source = &asked.threads[0].url;
    says(&run.stdout, &[&asked.question, "WHAT DECIDES IT", source]);
    // In a file every table stands before the screen.
    let (_, screen) = run.stdout.rsplit_once("\nflowgauge · ").unwrap();
    assert!(screen.lines().count() <= 50, "one screen: {screen}");
}

#[test]
fn a_question_of_a_file_says_which_version_ran_and_leaves_out_what_is_not_here() {
    let home = Home::new();
    let study = r#"
schema = 1
name = "mine"
title = "Two shells"
stands_for = "Shells."
headline = "shells"
[decision]
question = "Which shell?"
theory = ["The one that does less."]
[[case]]
name = "shells"
title = "Shells that end at once"
default = "sh {version}"
[case.work]
kind = "program"
command = "sh -c 'exit 0'"
version = "echo shell 1.2.3"
[[case.variant]]
label = "sh {version}"
model = "process"
flows = 1
[[case.variant]]
label = "sh again"
model = "process"
flows = 1
work = { command = "sh -c 'exit 0 '" }
[[case.variant]]
label = "none"
model = "process"
flows = 1
work = { command = "no-such-shell", needs = { "false always" = "it cannot be had" } }
"#;
    home.write("mine.toml", study);
    let run = home.run("decide ./mine.toml --rounds 1 --out out");
    let results = home.results();
    let case = &results.studies[0].cases[0];
    assert_eq!(labels(case), ["sh 1.2.3", "sh again"], "{}", run.stderr);
    let mut notes = results.notes.iter();
    assert!(notes.any(|note| note.contains("`false always` fails here")));
    let run = home.run("decide quotas");
    run.refused(2, &["did you mean 'quota'?"]);
}

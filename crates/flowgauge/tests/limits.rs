//! `flowgauge limits`, for real. Nothing here asserts how fast anything is, or how much this
//! machine holds.

use std::path::Path;
use std::process::{Command, Output};

use lab::Results;
use tempfile::TempDir;

fn limits(args: &[&str], out: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flowgauge"))
        .arg("limits")
        .args(args)
        .arg("--out")
        .arg(out)
        .output()
        .expect("the command starts")
}

#[test]
fn every_model_says_how_many_what_stops_it_and_what_one_costs() {
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("out");
    let output = limits(&["--probe-to", "200", "--rounds", "1", "--seed", "1"], &out);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 3)), "{said}");
    assert!(said.contains("The fence: 80 %"), "{said}");
    assert!(said.contains("clean-up verified"), "{said}");

    let results = Results::from_journal(&out.join(lab::journal::FILE_NAME)).expect("a journal");
    let sentences = &results.studies[0].sentences;
    for model in ["process", "thread", "fiber", "fiber-packed", "task"] {
        let begins = format!("limits: {model}: at most ");
        let sentence = sentences.iter().find(|said| said.starts_with(&begins));
        let sentence = sentence.unwrap_or_else(|| panic!("{model}: {sentences:?}"));
        for part in [
            "bounded by",
            "to raise it",
            "200 made for real",
            "to create",
        ] {
            assert!(sentence.contains(part), "{sentence}");
        }
    }
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(
        shown.contains("90,000+"),
        "the source's table is missing: {shown}"
    );
}

#[test]
fn nothing_to_probe_and_models_named_twice_are_refused() {
    let folder = TempDir::new().expect("a folder");
    for (args, says) in [
        (&["--probe-to", "0"][..], "nothing to probe"),
        (&["--probe-to", "100"], "nothing to probe"),
        (&["--model", "task,task"], "twice"),
        (&["--model", "green"], "is no model"),
    ] {
        let out = folder.path().join("out");
        let output = limits(args, &out);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(says), "{said}");
        assert!(!out.exists(), "{args:?} left a folder");
    }
}

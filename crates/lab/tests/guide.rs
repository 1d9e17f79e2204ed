//! Studies and machines of the guide are read as a build reads them.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test ends where something is wrong")]

use std::fs;

use lab::study::StudyCommand;
use lab::study::parse;
use lab::{Preset, Study};
use simulate::Machine;

/// The first block of TOML of a page.
fn block(page: &str) -> &str {
    let (_, begin) = page.split_once("```toml\n").unwrap();
    begin.split_once("```").unwrap().0
}

const STUDY: &str = include_str!("../../../docs/guide/study.md");

fn text(page: &str) -> String {
    [block(STUDY), block(page)].join("\n")
}

fn read(text: &str) -> Study {
    parse(text, "guide", Preset::Quick).unwrap()
}

#[test]
fn the_study_of_the_guide_is_one() {
    let study = read(block(STUDY));
    assert_eq!(study.headline, "pieces");
    let variants = study.cases[0].variants.iter();
    let labels: Vec<&str> = variants.map(|variant| variant.label.as_str()).collect();
    assert_eq!(labels, ["process", "thread"]);
}

#[test]
fn the_flag_of_the_guide_is_one() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("arithmetic.toml");
    fs::write(&file, text(include_str!("../../../docs/guide/flag.md"))).unwrap();
    let read = StudyCommand::of_file(file.to_str().unwrap()).unwrap();
    assert_eq!(read.command.flags[0].name, "steps");
    assert_eq!(read.study(Preset::Full).unwrap().name, "arithmetic");
}

#[test]
fn the_finding_of_the_guide_is_one() {
    let study = read(&text(include_str!("../../../docs/guide/finding.md")));
    assert_eq!(study.published()[0].theirs, "1.43 % faster");
}

/// A publication is one file, and each of its findings stands beside something or says why not.
#[test]
fn every_file_of_the_literature_is_a_study_with_findings() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../literature");
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        seen += 1;
        let text = fs::read_to_string(&path).unwrap();
        let name = path.display().to_string();
        for preset in [Preset::Quick, Preset::Full] {
            let found = parse(&text, &name, preset).unwrap().published();
            assert!(!found.is_empty(), "{name}");
            for one in found {
                let is_answered = one.ours.is_some() || one.not_here.is_some();
                assert!(is_answered, "{name}: {}", one.finding);
            }
        }
    }
    assert!(seen >= 13, "{seen}");
}

#[test]
fn the_machine_of_the_guide_is_one() {
    let text = block(include_str!("../../../docs/guide/machine.md"));
    let machine = Machine::read("guide", "guide", text).unwrap();
    assert_eq!(machine.hardware_threads(), 2);
}

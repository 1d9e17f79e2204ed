//! Tests of single steps; which steps each command takes is shown by a test of the commands.

use super::*;
use crate::data::axis::Axis;
use crate::data::{AskedParentMemory, Preset};
use crate::plan::here::Tried;
use crate::plan::study::builtin;
use crate::plan::{LaidWork, Wanted};
use crate::testing::{self, Says, labels, planned};
use flow::Pages;

fn usual() -> Settings {
    Settings::usual(Preset::Quick, 1)
}

#[test]
fn a_variant_whose_allocator_is_not_here_is_left_out_and_one_that_was_asked_for_is_an_error() {
    let mut study = testing::study(vec![testing::case("c", 1, &["process", "thread"])]);
    let empty = tempfile::tempdir().unwrap();
    let path = empty.path().join("missing.so").display().to_string();
    study.cases[0].variants[0].variant.allocator = Some(path.parse().unwrap());
    let left = planned(study.clone(), &usual()).unwrap();
    assert_eq!(labels(&left.studies[0]), ["thread"]);
    let why = format!("the allocator {path} is no file");
    let mock = "mock".to_owned();
    assert_eq!(left.left_out, [LeftOut { study: mock, why }]);
    let mut asked = usual();
    let allocator = Axis::of("allocator").and_then(|axis| axis.laid.as_ref());
    asked.axes.lay(allocator.unwrap(), vec![path]);
    assert!(planned(study, &asked).is_err());
}

/// A kind of pages that could not be had was named on standard error alone; the results looked as
/// if nobody had asked for it.
#[test]
fn parent_memory_that_cannot_be_had_is_left_out_alone_and_refused_where_nothing_is_left() {
    let with = |pages: &[Pages]| Settings {
        parent_memory: Some(AskedParentMemory {
            bytes: 1 << 20,
            pages: pages.to_vec(),
        }),
        ..usual()
    };
    let study = |settings: &Settings| {
        let study = testing::study(vec![testing::case("c", 1, &["process"])]);
        parent_memory::loaded(study, settings.parent_memory.as_ref().unwrap())
    };
    let mut never = Tried::default();
    let huge = ("parent_memory", Some("1M huge".to_owned()), None);
    never.0.insert(huge, Err("never".to_owned()));
    let both = with(&[Pages::Small, Pages::Huge]);
    let (left, why) = never.had(study(&both), &both).unwrap();
    assert_eq!(labels(&left), ["process 4k"]);
    assert_eq!(why, ["never"]);
    let huge = with(&[Pages::Huge]);
    let refused = never.had(study(&huge), &huge).unwrap_err();
    assert_eq!(refused, "mock/c: never");
}

#[test]
fn a_parameter_that_no_work_has_is_refused_and_one_that_some_have_is_set_there() {
    let tree = tempfile::tempdir().unwrap();
    std::fs::write(tree.path().join("a.txt"), "text\n").unwrap();
    let planned = |name: &str| {
        let request = Request {
            wanted: vec![Wanted::fitted(builtin(name, Preset::Quick).unwrap())],
            work: vec![LaidWork {
                flag: "tree",
                key: "tree",
                value: tree.path().to_str().unwrap().into(),
                otherwise: "no search",
            }],
            ..Request::default()
        };
        lay_out(&request, &usual(), &Machine::read())
    };
    let refused = planned("primes").unwrap_err();
    assert_eq!(refused.to_string(), "--tree: no search");
    let real = tree.path().canonicalize().unwrap();
    for work in planned("search").unwrap().works() {
        let written = serde_json::to_value(&*work).unwrap();
        assert_eq!(written["tree"], serde_json::json!([real]));
    }
}

#[test]
fn a_case_that_is_not_there_is_refused_with_those_that_are() {
    let cases = ["a", "b"].map(|name| testing::case(name, 1, &["process"]));
    let study = testing::study(cases.to_vec());
    let planned = |case: &str| {
        let cases = [case.to_owned()];
        let request = Request {
            wanted: vec![Wanted::as_written(study.clone())],
            cases: &cases,
            ..Request::default()
        };
        lay_out(&request, &usual(), &Machine::read())
    };
    assert_eq!(planned("b").unwrap().studies[0].cases.len(), 1);
    planned("c").unwrap_err().to_string().ends("use a, b");
}

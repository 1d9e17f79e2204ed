//! Cases that are spread over words.

use super::*;

const EACH: &str = r#"schema = 1
name = "e"
title = "E"
stands_for = "nothing"
headline = "c/mmap/2"

[[case]]
name = "c"
title = "{operation}, by itself"
[case.work]
kind = "operation"
operation = "mmap"
flows = 1
[case.each]
parameter = "operation"
values = ["mmap", "getppid"]
[case.sweep]
name = "flows"
parameter = "flows"
values = [1, 2]
unit = "flows"
[[case.variant]]
model = "process"
[[case.variant]]
model = "thread"
[case.quick]
each = ["mmap"]
values = [2]
"#;

#[test]
fn a_case_for_each_word_is_spread_out_under_names_of_its_own() {
    let study = read(EACH, Preset::Full);
    let all = ["c/mmap/1", "c/mmap/2", "c/getppid/1", "c/getppid/2"];
    assert_eq!(names(&study), all);
    let last = &study.cases[3];
    assert_eq!(last.title, "getppid, by itself");
    assert_eq!(last.sweep.as_ref().unwrap().sweep, "flows/getppid");
    assert_eq!(last.variants[1].variant.flows, 2);
    let Work::Operation(work) = &last.work else {
        panic!("{:?}", last.work)
    };
    assert_eq!((work.operation.as_str(), work.flows), ("getppid", 2));
}

#[test]
fn all_stands_for_every_operation_and_for_nothing_else() {
    let all = EACH.replace("[\"mmap\", \"getppid\"]", "\"all\"");
    let study = read(&all, Preset::Full);
    let known: Vec<&str> = workload::operations::names().collect();
    assert!(known.len() >= 35);
    assert_eq!(study.cases.len(), 2 * known.len());
    for (two, name) in study.cases.chunks(2).zip(known) {
        assert_eq!(two[0].name, format!("c/{name}/1"));
    }
    after(&all, "parameter = \"operation\"", "parameter = \"ops\"")
        .says("of another parameter name each word");
    after(&all, "\"all\"", "\"most\"").says("\"all\" for every operation");
}

#[test]
fn a_preset_may_have_fewer_words() {
    assert_eq!(names(&read(EACH, Preset::Quick)), ["c/mmap/2"]);
}

#[test]
fn a_word_that_is_no_value_is_reported_on_its_line() {
    after(
        EACH,
        "values = [\"mmap\", ",
        "values = [\"mmap\",\n\"mmp\", ",
    )
    .begins("mine.toml:17: 'mmp' is no operation: did you mean 'mmap'?");
    after(EACH, "parameter = \"operation\"", "parameter = \"oper\"")
        .begins("mine.toml:16: unknown field `oper`");
    let words = |to| after(EACH, "[\"mmap\", \"getppid\"]", to);
    let twice = "mine.toml:8: two cases are named 'c/mmap/1'";
    assert_eq!(words("[\"mmap\", \"mmap\"]"), twice);
    assert_eq!(words("[]"), "mine.toml:15: each has no values");
}

#[test]
fn words_for_a_case_without_each_are_refused() {
    let own = "[case.full]\neach = [\"x\"]";
    error("[case.quick]\nmax_rounds = 7", own)
        .says("each is for a case with [case.each]: this one has none");
}

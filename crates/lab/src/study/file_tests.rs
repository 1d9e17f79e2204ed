use super::*;
use workload::Work;

const STUDY: &str = r#"schema = 1
name = "mine"
title = "Mine"
stands_for = "nothing"
headline = "one"

[[case]]
name = "one"
title = "One"
[case.work]
kind = "primes"
start = 1
block = 100
blocks = 5
every = 10
method = "trial"
[[case.variant]]
model = "process"
flows = 5
[[case.variant]]
model = "thread"
flows = 5
[case.quick]
max_rounds = 7
work = { block = 10 }

[[case]]
name = "many"
title = "Many"
metric = "steady"
[case.work]
kind = "primes"
start = 1
block = 1
blocks = 5
every = 10
method = "sieve"
[case.sweep]
name = "grain"
parameter = "block"
values = [1000, 10_000]
unit = "numbers"
[[case.variant]]
model = "4x2"
[case.quick]
values = [50]
"#;

fn study(preset: Preset) -> Study {
    parse(STUDY, "mine.toml", preset).unwrap()
}

/// The error after a change of the text.
fn error(from: &str, to: &str) -> String {
    assert!(STUDY.contains(from), "{from}");
    let text = STUDY.replacen(from, to, 1);
    parse(&text, "mine.toml", Preset::Full)
        .unwrap_err()
        .to_string()
}

fn block(case: &Case) -> u64 {
    match &case.work {
        Work::Primes(primes) => primes.block,
        other => panic!("{other:?}"),
    }
}

#[test]
fn presets_are_laid_over_the_case() {
    let (quick, full) = (study(Preset::Quick), study(Preset::Full));
    assert_eq!(block(&quick.cases[0]), 10);
    assert_eq!(block(&full.cases[0]), 100);
    assert_eq!(quick.cases[0].max_rounds, Some(7));
    assert_eq!(full.cases[0].max_rounds, None);
}

#[test]
fn a_sweep_is_one_case_a_value() {
    let names = |preset| -> Vec<String> {
        study(preset)
            .cases
            .into_iter()
            .map(|case| case.name)
            .collect()
    };
    assert_eq!(names(Preset::Full), ["one", "many/1000", "many/10000"]);
    assert_eq!(names(Preset::Quick), ["one", "many/50"]);
    let case = &study(Preset::Full).cases[2];
    assert_eq!(block(case), 10_000);
    let point = case.sweep.as_ref().unwrap();
    assert_eq!((point.sweep.as_str(), point.value), ("grain", 10_000.0));
    assert_eq!(case.variants[0].variant.flows, 8);
}

#[test]
fn a_preset_may_skip_a_case() {
    let text = STUDY.replace("max_rounds = 7\nwork = { block = 10 }", "skip = true");
    let error = parse(&text, "mine.toml", Preset::Quick)
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "mine.toml:5: the headline 'one' is none of the cases: many/50"
    );
    assert_eq!(
        parse(&text, "mine.toml", Preset::Full).unwrap().cases.len(),
        3
    );
}

#[test]
fn an_unknown_key_is_named_with_its_line_and_the_accepted_ones() {
    assert_eq!(
        error("title = \"One\"", "tilte = \"One\""),
        "mine.toml:9: unknown field `tilte`, expected one of `name`, `title`, `work`, \
         `metric`, `variant`, `each`, `sweep`, `reps`, `max_rounds`, `floor`, `ballast`, \
         `ballast_pages`, `quick`, `full`"
    );
    assert_eq!(
        error("every = 10", "evry = 10"),
        "mine.toml:15: unknown field `evry`, expected one of `start`, `block`, `blocks`, \
         `every`, `method`"
    );
    assert!(error("flows = 5", "flow = 5").starts_with("mine.toml:19: unknown field `flow`"));
    let parameter = error("parameter = \"block\"", "parameter = \"blok\"");
    assert!(
        parameter.starts_with("mine.toml:40: unknown field `blok`"),
        "{parameter}"
    );
}

#[test]
fn what_is_missing_or_impossible_is_said_with_its_line() {
    assert!(error("every = 10\n", "").starts_with("mine.toml:10: missing field `every`"));
    assert!(error("\"thread\"", "\"fred\"").starts_with("mine.toml:21: 'fred' is no model"));
    assert!(error("flows = 5", "flows = 0").starts_with("mine.toml:17: flows must be"));
    assert!(error("flows = 5\n", "").starts_with("mine.toml:17: a variant of model process"));
    assert!(error("\"4x2\"", "\"4x2\"\nflows = 4").contains("4x2 has 8 flows, not 4"));
    assert!(error("schema = 1", "schema = 2\nnew = 1").starts_with("mine.toml:1: schema 2"));
    assert!(error("schema = 1", "schema = ").starts_with("mine.toml:1: "));
    let label = "\"thread\"\nlabel = \"process\"";
    assert!(error("\"thread\"", label).contains("two variants are labelled 'process'"));
    let twice = STUDY.replace("\"many\"", "\"one\"").replace("many", "one");
    assert!(
        parse(&twice, "f", Preset::Full).is_ok(),
        "one and one/1000 are different names"
    );
}

const TURNS: &str = r#"schema = 1
name = "mine"
title = "Mine"
stands_for = "nothing"
headline = "flows/2"
[[case]]
name = "flows"
title = "Flows"
metric = "switch"
work = { kind = "turns", flows = 2, kernel_turns = 10, user_turns = 10 }
[case.sweep]
name = "flows"
parameter = "flows"
values = [2, 100]
unit = "flows"
[[case.variant]]
model = "process"
most_flows = 50
[[case.variant]]
model = "thread"
label = "thread, pipe"
full_only = true
work = { yield = "pipe" }
[[case.variant]]
model = "task"
"#;

/// The labels of each case of [`TURNS`].
fn labels(preset: Preset) -> Vec<Vec<String>> {
    let study = parse(TURNS, "t.toml", preset).unwrap();
    let labels = |case: Case| case.variants.into_iter().map(|v| v.label).collect();
    study.cases.into_iter().map(labels).collect()
}

#[test]
fn the_work_may_say_how_many_flows_there_are() {
    let study = parse(TURNS, "t.toml", Preset::Full).unwrap();
    let flows = study.cases.iter().map(|case| {
        let all: Vec<u32> = case.variants.iter().map(|v| v.variant.flows).collect();
        (all[0], all.iter().all(|flows| *flows == all[0]))
    });
    assert_eq!(flows.collect::<Vec<_>>(), [(2, true), (100, true)]);
    let other = TURNS.replace("model = \"task\"", "model = \"task\"\nflows = 3");
    let error = parse(&other, "t.toml", Preset::Full).unwrap_err();
    assert!(
        error.to_string().contains("task has 2 flows, not 3"),
        "{error}"
    );
    let mix = TURNS.replace("model = \"task\"", "model = \"4x2\"");
    let error = parse(&mix, "t.toml", Preset::Full).unwrap_err();
    assert!(error.to_string().contains("for another number"), "{error}");
}

#[test]
fn variants_may_be_for_few_flows_or_for_the_full_preset_only() {
    assert_eq!(
        labels(Preset::Full),
        [
            vec!["process", "thread, pipe", "task"],
            vec!["thread, pipe", "task"]
        ]
    );
    assert_eq!(
        labels(Preset::Quick),
        [vec!["process", "task"], vec!["task"]]
    );
}

#[test]
fn a_variant_may_do_its_work_in_its_own_way() {
    let study = parse(TURNS, "t.toml", Preset::Full).unwrap();
    let pipe = study.cases[1].variants[0].work.clone();
    match pipe {
        Some(Work::Turns(turns)) => {
            assert_eq!(turns.hand_over, flow::HandOver::Pipe);
            assert_eq!(turns.flows, 100);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(study.cases[1].variants[1].work, None);
}

#[test]
fn a_name_that_would_lead_out_of_the_results_folder_is_refused() {
    let long = format!("\"{}\"", "a".repeat(65));
    for name in [
        r#""../../etc/x""#,
        r#""a/b""#,
        r#""""#,
        r#""a b""#,
        r#""ä""#,
        &long,
    ] {
        let said = error("\"mine\"", name);
        assert!(said.starts_with("mine.toml:2: the name "), "{said}");
        assert!(
            said.contains("of a study cannot be used: take 1 to 64"),
            "{said}"
        );
    }
    let said = error("name = \"many\"", "name = \"ma ny\"");
    assert!(
        said.starts_with("mine.toml:28: the name \"ma ny\" of a case"),
        "{said}"
    );
    let text = STUDY.replacen("\"mine\"", "\"My-study_2\"", 1);
    assert_eq!(parse(&text, "f", Preset::Full).unwrap().name, "My-study_2");
}

#[test]
fn a_case_of_a_name_that_is_taken_is_reported_where_it_stands() {
    let sweep = STUDY.find("[case.sweep]").unwrap();
    let text = STUDY.replacen("\"many\"", "\"one\"", 1);
    let plain = text[..sweep - 1].to_owned() + "[[case.variant]]\nmodel = \"4x2\"\n";
    let error = parse(&plain, "f", Preset::Full).unwrap_err().to_string();
    assert_eq!(error, "f:28: two cases are named 'one'");
}

#[test]
fn a_value_of_the_wrong_type_names_its_key_and_its_line() {
    assert_eq!(
        error("block = 100", "block = \"many\""),
        "mine.toml:13: block: invalid type: string \"many\", expected u64"
    );
    let both = error(
        "block = 100\nblocks = 5",
        "block = \"many\"\nblocks = \"many\"",
    );
    assert!(
        both.starts_with("mine.toml:14: blocks: invalid type"),
        "{both}"
    );
    assert!(error("every = 10", "every = -1").starts_with("mine.toml:15: every: invalid value"));
    assert!(
        error("flows = 5", "flows = \"five\"")
            .starts_with("mine.toml:19: flows: invalid value: string \"five\", expected a number")
    );
    assert!(error("max_rounds = 7", "max_rounds = 7.5").starts_with("mine.toml:24: max_rounds: "));
    assert!(error("title = \"One\"", "title = 1").starts_with("mine.toml:9: title: invalid type"));
}

#[test]
fn a_case_may_say_what_does_not_matter_in_it() {
    let with = |floor: &str| {
        STUDY.replace(
            "metric = \"steady\"",
            &format!("metric = \"steady\"\n{floor}"),
        )
    };
    let read = |floor| parse(&with(floor), "mine.toml", Preset::Full);
    let floors: Vec<_> = read("floor = 0.05")
        .unwrap()
        .cases
        .iter()
        .map(|case| case.floor)
        .collect();
    assert_eq!(floors[..2], [None, Some(0.05)]);
    for wrong in ["floor = 1.5", "floor = -0.1", "floor = nan"] {
        let said = read(wrong).unwrap_err().to_string();
        assert!(
            said.contains("is no fraction: 0.05 stands for 5 %"),
            "{said}"
        );
    }
}

#[test]
fn a_kind_of_work_that_is_unknown_is_no_variant() {
    let said = error("kind = \"primes\"", "kind = \"prims\"");
    assert!(
        said.starts_with("mine.toml:11: unknown kind `prims`, expected one of `primes`"),
        "{said}"
    );
    let said = error("\"trial\"", "\"tril\"");
    assert!(
        said.starts_with("mine.toml:16: unknown method `tril`, expected"),
        "{said}"
    );
    let said = error("metric = \"steady\"", "metric = \"stedy\"");
    assert!(
        said.contains(": unknown metric `stedy`, expected"),
        "{said}"
    );
}

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
    let study = parse(EACH, "e.toml", Preset::Full).unwrap();
    let names: Vec<&str> = study.cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(
        names,
        ["c/mmap/1", "c/mmap/2", "c/getppid/1", "c/getppid/2"]
    );
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
    let study = parse(&all, "e.toml", Preset::Full).unwrap();
    let known: Vec<&str> = workload::operations::names().collect();
    assert!(known.len() >= 35);
    assert_eq!(study.cases.len(), 2 * known.len());
    for (two, name) in study.cases.chunks(2).zip(known) {
        assert_eq!(two[0].name, format!("c/{name}/1"));
    }
    let error = |text: &str| parse(text, "e.toml", Preset::Full).unwrap_err().to_string();
    let said = error(&all.replace("parameter = \"operation\"", "parameter = \"ops\""));
    assert!(
        said.contains("of another parameter name each word"),
        "{said}"
    );
    let said = error(&all.replace("\"all\"", "\"most\""));
    assert!(said.contains("\"all\" for every operation"), "{said}");
}

#[test]
fn a_preset_samples_the_sampled_at_an_interval_of_its_own() {
    let sampled = STUDY
        .replacen(
            "model = \"thread\"",
            "model = \"thread\"\nsample_s = 0.5",
            1,
        )
        .replacen("max_rounds = 7", "max_rounds = 7\nsample_s = 0.25", 1);
    let interval = |preset| {
        let study = parse(&sampled, "mine.toml", preset).unwrap();
        let variants = study.cases[0].variants.iter();
        let intervals = variants.map(|v| v.sample.as_ref().map(|sample| sample.interval_s));
        intervals.collect::<Vec<_>>()
    };
    assert_eq!(interval(Preset::Full), [None, Some(0.5)]);
    assert_eq!(interval(Preset::Quick), [None, Some(0.25)]);
    let said = error(
        "[case.quick]\nmax_rounds = 7",
        "[case.full]\nsample_s = 0.25",
    );
    assert!(said.contains("for variants with sample_s"), "{said}");
}

#[test]
fn a_preset_may_have_fewer_words() {
    let study = parse(EACH, "e.toml", Preset::Quick).unwrap();
    let names: Vec<&str> = study.cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names, ["c/mmap/2"]);
}

#[test]
fn a_word_that_is_no_value_is_reported_on_its_line() {
    let error = |from: &str, to: &str| {
        let text = EACH.replacen(from, to, 1);
        parse(&text, "e.toml", Preset::Full)
            .unwrap_err()
            .to_string()
    };
    let said = error("values = [\"mmap\", ", "values = [\"mmap\",\n\"mmp\", ");
    assert!(
        said.starts_with("e.toml:17: 'mmp' is no operation: did you mean 'mmap'?"),
        "{said}"
    );
    let said = error("parameter = \"operation\"", "parameter = \"oper\"");
    assert!(
        said.starts_with("e.toml:16: unknown field `oper`"),
        "{said}"
    );
    assert_eq!(
        error("[\"mmap\", \"getppid\"]", "[\"mmap\", \"mmap\"]"),
        "e.toml:8: two cases are named 'c/mmap/1'"
    );
    assert_eq!(
        error("[\"mmap\", \"getppid\"]", "[]"),
        "e.toml:15: each has no values"
    );
}

#[test]
fn words_for_a_case_without_each_are_refused() {
    let said = error(
        "[case.quick]\nmax_rounds = 7",
        "[case.full]\neach = [\"x\"]",
    );
    assert!(
        said.contains("each is for a case with [case.each]: this one has none"),
        "{said}"
    );
}

/// A case with parent memory, of which its variants differ.
const LADDER: &str = r#"schema = 1
name = "mine"
title = "Mine"
stands_for = "A test."
headline = "one"
[[case]]
name = "one"
title = "One"
ballast = "64M"
work = { kind = "spin", units = 1, steps = 1 }
quick = { ballast = "1M" }
[[case.variant]]
model = "process"
flows = 1
[[case.variant]]
model = "process"
flows = 1
ballast_pages = "dontfork"
[[case.variant]]
model = "process"
flows = 1
ballast = 8_192
[[case.variant]]
model = "thread"
flows = 1
ballast = 0
"#;

#[test]
fn parent_memory_is_that_of_the_case_unless_a_variant_has_its_own() {
    let labels = |preset| -> Vec<String> {
        let study = parse(LADDER, "mine.toml", preset).unwrap();
        let variants = study.cases[0].variants.iter();
        variants.map(|v| v.label.clone()).collect()
    };
    assert_eq!(
        labels(Preset::Full),
        [
            "process 64M 4k",
            "process 64M dontfork",
            "process 8K 4k",
            "thread"
        ]
    );
    assert_eq!(labels(Preset::Quick)[0], "process 1M 4k");
}

#[test]
fn parent_memory_that_cannot_be_is_refused_with_its_line() {
    let refused = |from: &str, to: &str| {
        let text = LADDER.replacen(from, to, 1);
        let error = parse(&text, "mine.toml", Preset::Full).unwrap_err();
        error.to_string()
    };
    let error = refused("\"64M\"", "\"64MB\"");
    assert!(
        error.starts_with("mine.toml:9: ") && error.contains("64MB"),
        "{error}"
    );
    let error = refused("\"dontfork\"", "\"2m\"");
    assert!(
        error.starts_with("mine.toml:18: ") && error.contains("dontfork"),
        "{error}"
    );
    let error = refused("ballast = \"64M\"\n", "");
    assert!(error.contains("ballast = \"256M\""), "{error}");
}

/// What a refused key is answered with: the keys that there are.
fn expected(error: &str) -> Vec<String> {
    let list = error
        .split("expected")
        .nth(1)
        .unwrap_or_else(|| panic!("{error}"));
    let words = list.split('`').skip(1).step_by(2);
    words.map(str::to_owned).collect()
}

fn keys<T: serde::de::DeserializeOwned>() -> Vec<String> {
    let error = toml::from_str::<T>("no-such-key = 1").err().unwrap();
    expected(&error.to_string())
}

#[test]
fn every_kind_and_key_is_in_the_docs() {
    use crate::study::command::{Change, Command, Flag};
    use crate::study::format::{
        FileCase, FileEach, FileOrigin, FileStudy, FileSweep, FileVariant, Overrides,
    };
    use crate::study::{OfSweep, OfVariant, OfWork, Pair, Published};
    let page = include_str!("../../../../docs/writing-a-study.md");
    let missing = |word: &String| {
        let ways = [
            "",
            "[case.",
            "[[case.",
            "[",
            "[[",
            "[command.",
            "[[command.",
            "[[origin.",
        ];
        let mut ways = ways.iter().map(|way| format!("`{way}{word}"));
        !ways.any(|way| page.contains(&way))
    };
    let kind = |text: &str| serde_json::from_str::<Work>(text).unwrap_err().to_string();
    let kinds = expected(&kind(r#"{"kind": "no-such-kind"}"#));
    assert!(kinds.len() > 12, "{kinds:?}");
    let mut words = kinds.clone();
    for name in &kinds {
        let parameters = expected(&kind(&format!(r#"{{"kind": "{name}", "no-such-key": 1}}"#)));
        assert!(!parameters.is_empty(), "{name}");
        words.extend(parameters);
    }
    let files = [
        keys::<FileStudy>(),
        keys::<FileCase>(),
        keys::<FileVariant>(),
        keys::<FileEach>(),
        keys::<FileSweep>(),
        keys::<Overrides>(),
        keys::<FileOrigin>(),
        keys::<Command>(),
        keys::<Change>(),
        keys::<Flag>(),
        keys::<Published>(),
        keys::<Pair>(),
        keys::<OfVariant>(),
        keys::<OfSweep>(),
        keys::<OfWork>(),
    ];
    assert!(files.iter().all(|keys| keys.len() > 1), "{files:?}");
    words.extend(files.into_iter().flatten());
    words.retain(missing);
    assert_eq!(words, [""; 0]);
}

#[test]
fn figures_of_a_source_in_their_former_keys_are_refused_with_the_form_of_today() {
    let origin = "[origin]\nauthor = \"a\"\ntitle = \"t\"\nyear = 2010\nfinding = \"f\"\n";
    let before = STUDY.split("[[case]]").next().unwrap();
    let line = before.matches('\n').count() + 7;
    for key in ["row", "mark", "limit", "figure"] {
        let figure = format!("{origin}\n[[origin.{key}]]\nwho = \"parent\"\n\n[[case]]");
        let text = STUDY.replacen("[[case]]", &figure, 1);
        let error = parse(&text, "mine.toml", Preset::Full).unwrap_err();
        let error = error.to_string();
        assert!(error.starts_with(&format!("mine.toml:{line}: ")), "{error}");
        assert!(
            error.contains(&format!("[[origin.{key}]] is written as [[published]] now")),
            "{error}"
        );
    }
}

/// It was read and ignored, where the command refuses it.
#[test]
fn a_store_with_a_size_of_pages_is_refused_with_its_line() {
    let begin = STUDY.split("[[case]]").next().unwrap();
    let text = format!(
        "{begin}[[case]]\nname = \"one\"\ntitle = \"One\"\n\n[case.work]\nkind = \"wiki\"\n\
         requests = 5\nstore = \"mine.sqlite\"\npage_size = \"4K\"\n\n[[case.variant]]\n\
         model = \"thread\"\nflows = 2\n"
    );
    let error = parse(&text, "mine.toml", Preset::Full).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("page_size is for pages that are made"),
        "{error}"
    );
}

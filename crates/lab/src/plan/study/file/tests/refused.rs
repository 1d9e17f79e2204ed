//! What a study file may not say, and where the error points.

use super::*;

#[test]
fn an_unknown_key_is_named_with_its_line_and_the_accepted_ones() {
    assert_eq!(
        error("title = \"One\"", "tilte = \"One\""),
        "mine.toml:9: unknown field `tilte`, expected one of `name`, `title`, `work`, \
         `metric`, `variant`, `each`, `sweep`, `reps`, `max_rounds`, `floor`, `default`, `ballast`, \
         `ballast_pages`, `quick`, `full`"
    );
    assert_eq!(
        error("every = 10", "evry = 10"),
        "mine.toml:15: unknown field `evry`, expected one of `start`, `block`, `blocks`, \
         `every`, `method`"
    );
    error("flows = 5", "flow = 5").begins("mine.toml:19: unknown field `flow`");
    error("parameter = \"block\"", "parameter = \"blok\"")
        .begins("mine.toml:40: unknown field `blok`");
}

#[test]
fn what_is_missing_or_impossible_is_said_with_its_line() {
    error("every = 10\n", "").begins("mine.toml:10: missing field `every`");
    error("\"thread\"", "\"fred\"").begins("mine.toml:21: 'fred' is no model");
    error("flows = 5", "flows = 0").begins("mine.toml:17: flows must be");
    error("flows = 5\n", "").begins("mine.toml:17: a variant of model process");
    error("\"4x2\"", "\"4x2\"\nflows = 4").says("4x2 has 8 flows, not 4");
    error("schema = 1", "schema = 2\nnew = 1").begins("mine.toml:1: schema 2");
    error("schema = 1", "schema = ").begins("mine.toml:1: ");
    let label = "\"thread\"\nlabel = \"process\"";
    error("\"thread\"", label).says("two variants are labelled 'process'");
    let row =
        "headline = \"one\"\ndeciding = [{ case = \"one\", label = \"One\", subject = \"fred\" }]";
    error("headline = \"one\"", row).ends("no variant of 'one' that is compared is called 'fred'");
    let twice = STUDY.replace("\"many\"", "\"one\"").replace("many", "one");
    assert!(
        parse(&twice, "f", Preset::Full).is_ok(),
        "one and one/1000 are different names"
    );
}

#[test]
fn a_name_that_would_lead_out_of_the_results_folder_is_refused() {
    let long = "a".repeat(65);
    for name in ["../../etc/x", "a/b", "", "a b", "ä", &long] {
        let said = error("\"mine\"", &format!("{name:?}"));
        said.begins("mine.toml:2: the name ");
        said.says("of a study cannot be used: take 1 to 64");
    }
    error("name = \"many\"", "name = \"ma ny\"")
        .begins("mine.toml:28: the name \"ma ny\" of a case");
    let text = STUDY.replacen("\"mine\"", "\"My-study_2\"", 1);
    assert_eq!(read(&text, Preset::Full).name, "My-study_2");
}

#[test]
fn a_case_of_a_name_that_is_taken_is_reported_where_it_stands() {
    let sweep = STUDY.find("[case.sweep]").unwrap();
    let text = STUDY.replacen("\"many\"", "\"one\"", 1);
    let plain = text[..sweep - 1].to_owned() + "[[case.variant]]\nmodel = \"4x2\"\n";
    let why = "mine.toml:28: two cases are named 'one'";
    assert_eq!(refused(&plain, Preset::Full), why);
}

#[test]
fn a_value_of_the_wrong_type_names_its_key_and_its_line() {
    assert_eq!(
        error("block = 100", "block = \"many\""),
        "mine.toml:13: block: invalid type: string \"many\", expected u64"
    );
    let both = "block = \"many\"\nblocks = \"many\"";
    error("block = 100\nblocks = 5", both).begins("mine.toml:14: blocks: invalid type");
    error("every = 10", "every = -1").begins("mine.toml:15: every: invalid value");
    error("flows = 5", "flows = \"five\"")
        .begins("mine.toml:19: flows: invalid value: string \"five\", expected a number");
    error("max_rounds = 7", "max_rounds = 7.5").begins("mine.toml:24: max_rounds: ");
    error("title = \"One\"", "title = 1").begins("mine.toml:9: title: invalid type");
}

#[test]
fn a_kind_of_work_that_is_unknown_is_no_variant() {
    error("kind = \"primes\"", "kind = \"prims\"")
        .begins("mine.toml:11: unknown kind `prims`, expected one of `primes`");
    error("\"trial\"", "\"tril\"").begins("mine.toml:16: unknown method `tril`, expected");
    error("metric = \"steady\"", "metric = \"stedy\"").says(": unknown metric `stedy`, expected");
}

/// The study with a finding of its source that has these lines.
fn with_finding(lines: &str) -> String {
    with(&format!(
        "[origin]\nauthor = \"a\"\ntitle = \"t\"\nyear = 2010\nfinding = \"f\"\n\n\
         [[published]]\nfinding = \"x\"\ntheirs = \"y\"\n{lines}"
    ))
}

/// They were dropped in silence.
#[test]
fn findings_without_their_source_are_refused() {
    let finding = with("[[published]]\nfinding = \"x\"\ntheirs = \"y\"\n");
    refused(&finding, Preset::Full).says("name that in [origin]");
}

fn pair(case: &str, subject: &str, quantity: &str) -> String {
    format!(
        "ours.pair = {{ case = \"{case}\", subject = \"{subject}\", reference = \"process\", \
         quantity = \"{quantity}\" }}"
    )
}

/// Names that do not exist passed, and the row said for ever that something was not run.
#[test]
fn a_finding_that_names_what_the_study_does_not_have_is_refused_with_its_line() {
    read(&with_finding(&pair("one", "thread", "time")), Preset::Full);
    let before = STUDY.split("[[case]]").next().unwrap();
    let line = before.matches('\n').count() + 7;
    let no_misses =
        "no quantity is named 'simulated-page-walk' (did you mean 'simulated-page-walks'?)";
    for (ours, what) in [
        (
            pair("on", "thread", "time"),
            "no case is named 'on' (did you mean 'one'?)",
        ),
        (
            pair("one", "threads", "time"),
            "no variant of 'one' is called 'threads' (did you mean",
        ),
        (
            pair("one", "thread", "tme"),
            "no quantity is named 'tme' (did you mean 'time'?)",
        ),
        (pair("one", "thread", "simulated-page-walk"), no_misses),
        (
            "ours.law = { sweep = \"grains\", variant = \"4x2\", quantity = \"time\" }".to_owned(),
            "no sweep is named 'grains'",
        ),
    ] {
        let said = refused(&with_finding(&ours), Preset::Full);
        said.begins(&format!("mine.toml:{line}: "));
        said.says(what);
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
    refused(&text, Preset::Full).says("page_size is for pages that are made");
}

/// `size = nan` was reproduced by anything, and a size upside down was read the other way round.
#[test]
fn a_claim_that_cannot_be_said_of_its_result_is_refused() {
    let own = pair("one", "thread", "time");
    let amount = "ours.amount = { case = \"one\", variant = \"thread\", quantity = \"time\" }";
    let of_pair = |lines: &str| with_finding(&format!("{lines}\n{own}"));
    let of_amount = |claim: &str| with_finding(&format!("claim = \"{claim}\"\n{amount}"));
    read(&of_pair("claim = \"faster\"\nsize = 0.5"), Preset::Full);
    let elsewhere = "claim = \"more\"\nnot_here = \"z\"\ncommand = \"c\"";
    read(&with_finding(elsewhere), Preset::Full);
    for (lines, why) in [
        ("claim = \"faster\"\nsize = nan", "size is a number above 0"),
        ("claim = \"faster\"\nsize = inf", "size is a number above 0"),
        ("claim = \"faster\"\nsize = 0.0", "size is a number above 0"),
        ("claim = \"faster\"\nsize = 3.0", "of less it is below 1"),
        ("claim = \"slower\"\nsize = 0.3", "of more it is above 1"),
        ("claim = \"linear\"", "of a pair use \"faster\", \"slower\""),
        ("unlike = \"\"", "leave an empty one out"),
    ] {
        let said = refused(&of_pair(lines), Preset::Full);
        said.begins("mine.toml:");
        said.says(why);
    }
    let of_itself = own.replace("process", "thread");
    for (text, why) in [
        (of_amount("faster"), "of an amount use \"same\""),
        (of_amount("same"), "needs a value"),
        (with_finding("claim = \"faster\""), "a claim needs ours"),
        (with_finding(&of_itself), "both sides"),
    ] {
        refused(&text, Preset::Full).says(why);
    }
}

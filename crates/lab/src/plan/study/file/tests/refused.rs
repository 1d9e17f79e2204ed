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
    let row =
        "headline = \"one\"\ndeciding = [{ case = \"one\", label = \"One\", subject = \"fred\" }]";
    let said = error("headline = \"one\"", row);
    assert!(
        said.ends_with("no variant of 'one' that is compared is called 'fred'"),
        "{said}"
    );
    let twice = STUDY.replace("\"many\"", "\"one\"").replace("many", "one");
    assert!(
        parse(&twice, "f", Preset::Full).is_ok(),
        "one and one/1000 are different names"
    );
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

/// Names that do not exist passed, and the row said for ever that something was not run.
#[test]
fn a_finding_that_names_what_the_study_does_not_have_is_refused_with_its_line() {
    let with = |ours: &str| {
        let text = format!(
            "[origin]\nauthor = \"a\"\ntitle = \"t\"\nyear = 2010\nfinding = \"f\"\n\n\
             [[published]]\nfinding = \"x\"\ntheirs = \"y\"\nours.{ours}\n\n[[case]]"
        );
        let text = STUDY.replacen("[[case]]", &text, 1);
        parse(&text, "mine.toml", Preset::Full)
    };
    let pair = |case: &str, subject: &str, quantity: &str| {
        with(&format!(
            "pair = {{ case = \"{case}\", subject = \"{subject}\", reference = \"process\", \
             quantity = \"{quantity}\" }}"
        ))
    };
    assert!(pair("one", "thread", "time").is_ok());
    let line = STUDY
        .split("[[case]]")
        .next()
        .unwrap()
        .matches('\n')
        .count()
        + 7;
    for (read, what) in [
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
        (
            pair("one", "thread", "simulated-page-walk"),
            "no quantity is named 'simulated-page-walk' (did you mean 'simulated-page-walks'?)",
        ),
        (
            with("law = { sweep = \"grains\", variant = \"4x2\", quantity = \"time\" }"),
            "no sweep is named 'grains'",
        ),
    ] {
        let error = read.unwrap_err().to_string();
        assert!(error.starts_with(&format!("mine.toml:{line}: ")), "{error}");
        assert!(error.contains(what), "{error}");
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

/// `size = nan` was reproduced by anything, and a size upside down was read the other way round.
#[test]
fn a_claim_that_cannot_be_said_of_its_result_is_refused() {
    let with = |rest: &str| {
        let text = format!(
            "[origin]\nauthor = \"a\"\ntitle = \"t\"\nyear = 2010\nfinding = \"f\"\n\n\
             [[published]]\nfinding = \"x\"\ntheirs = \"y\"\n{rest}\n\n[[case]]"
        );
        let text = STUDY.replacen("[[case]]", &text, 1);
        parse(&text, "mine.toml", Preset::Full)
            .map(drop)
            .map_err(|error| error.to_string())
    };
    let pair = "ours.pair = { case = \"one\", subject = \"thread\", reference = \"process\", \
                quantity = \"time\" }";
    let amount = "ours.amount = { case = \"one\", variant = \"thread\", quantity = \"time\" }";
    let of_pair = |rest: &str| with(&format!("{rest}\n{pair}"));
    assert_eq!(of_pair("claim = \"faster\"\nsize = 0.5"), Ok(()));
    assert_eq!(
        with("claim = \"more\"\nnot_here = \"z\"\ncommand = \"c\""),
        Ok(())
    );
    for (rest, why) in [
        ("claim = \"faster\"\nsize = nan", "size is a number above 0"),
        ("claim = \"faster\"\nsize = inf", "size is a number above 0"),
        ("claim = \"faster\"\nsize = 0.0", "size is a number above 0"),
        ("claim = \"faster\"\nsize = 3.0", "of less it is below 1"),
        ("claim = \"slower\"\nsize = 0.3", "of more it is above 1"),
        ("claim = \"linear\"", "of a pair use \"faster\", \"slower\""),
        ("unlike = \"\"", "leave an empty one out"),
    ] {
        let said = of_pair(rest).unwrap_err();
        assert!(
            said.contains(why) && said.starts_with("mine.toml:"),
            "{rest}: {said}"
        );
    }
    for (rest, why) in [
        (
            format!("claim = \"faster\"\n{amount}"),
            "of an amount use \"same\"",
        ),
        (format!("claim = \"same\"\n{amount}"), "needs a value"),
        ("claim = \"faster\"".to_owned(), "a claim needs ours"),
        (pair.replace("process", "thread"), "both sides"),
    ] {
        let said = with(&rest).unwrap_err();
        assert!(said.contains(why), "{rest}: {said}");
    }
}

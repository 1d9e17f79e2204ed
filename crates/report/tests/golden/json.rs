//! Documents.

use lab::Preset;
use report::terminal::{self, Style};
use report::{html, json};
use serde_json::Value;

use crate::support::full::busy;
use crate::support::{findings, machine, mapped, results};

#[test]
fn findings_without_raw_slots() {
    let mut document = findings(&results());
    assert_eq!(document["header"]["settings"]["seed"], 42);
    let cases = document["studies"][0]["cases"]
        .as_array_mut()
        .expect("cases");
    cases.truncate(1);
    assert!(cases[0].get("slots").is_none());
    assert!(cases[0].get("films").is_none());
    // The flows are many and all alike; the machine is a test of its own.
    for variant in cases[0]["variants"].as_array_mut().expect("variants") {
        variant["flows"].as_array_mut().expect("flows").truncate(1);
    }
    insta::assert_snapshot!(format!("{:#}", document["studies"][0]["cases"]));
}

#[test]
fn what_is_missing_has_its_reason() {
    let document = findings(&results());
    let lost = &document["studies"][1]["cases"][0]["variants"][1];
    assert_eq!(lost["value"]["not_available"]["reason"], "no good slot");
    let denied = &document["studies"][2]["cases"][0]["variants"][0]["memory"]["not_available"];
    assert!(
        denied["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains("denied")),
        "{denied}"
    );
}

#[test]
fn numbers_that_are_none_become_reasons() {
    let mut results = results();
    let summary = &mut results.studies[0].cases[0].variants[0];
    summary.cpu_ns = Some(f64::NAN);
    let document = findings(&results);
    let summary = &document["studies"][0]["cases"][0]["variants"][0];
    assert!(summary["cpu_ns"]["not_available"].is_object());
}

/// Paths of all reasons in a document, but those of the machine, which gives its own.
fn reasons(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) if fields.contains_key("not_available") => found.push(path.into()),
        Value::Object(fields) => {
            for (name, field) in fields.iter().filter(|(name, _)| *name != "machine") {
                reasons(field, &format!("{path}/{name}"), found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| reasons(item, path, found)),
        _ => {}
    }
}

#[test]
fn what_was_not_asked_for_gets_no_false_reason() {
    let mut results = results();
    results.interrupted = None;
    results.header.settings.budget_s = None;
    let document = findings(&results);
    let settings = &document["header"]["settings"];
    assert!(settings["budget_s"].is_null() && settings["floor"].is_null());
    assert!(settings["deadline_s"].is_null() && document["interrupted"].is_null());
    assert!(document["studies"][2]["study"]["origin"].is_null());
    assert!(document["studies"][0]["cases"][0]["case"]["sweep"].is_null());
    let quota = &document["header"]["machine"]["allowance"]["quota"]["value"];
    assert!(quota.is_null(), "{quota}");
    let mut found = Vec::new();
    reasons(&document, "", &mut found);
    assert!(!found.is_empty());
    let measured = |path: &String| {
        ["noise", "variants", "findings", "quantities", "contrasts"]
            .iter()
            .any(|part| path.starts_with(&format!("/studies/cases/{part}")))
    };
    assert!(found.iter().all(measured), "{found:?}");
}

#[test]
fn before_a_comparison_ran_more_rounds_are_not_said_to_be_of_no_use() {
    let document = findings(&results());
    let more = &document["studies"][1]["cases"][0]["findings"][0]["verdict"]["more_rounds"];
    assert_eq!(
        more["not_available"]["reason"],
        "no round in which both variants have a value"
    );
}

#[test]
fn the_machine() {
    let document: Value = serde_json::from_str(&json::machine(&machine())).expect("JSON");
    assert_eq!(document["schema"], json::SCHEMA);
    assert!(document["machine"]["topology"].is_object());
    // No quota is an answer and not a missing quantity.
    assert!(document["machine"]["allowance"]["quota"]["value"].is_null());
    let header = findings(&results())["header"]["machine"].clone();
    assert_eq!(header, document["machine"]);
}

/// Whether the words of a text stand in another one in that order, from its front on, which is then
/// taken away: labels and bars may stand between them.
fn follow<'a>(words: &str, text: &mut impl Iterator<Item = &'a str>) -> bool {
    words
        .split_whitespace()
        .all(|word| text.any(|own| own == word))
}

/// What a browser shows of the answers of a page.
fn shown(page: &str) -> String {
    let start = page.find("<section id=\"answers\"").expect("answers");
    let section = &page[start..start + page[start..].find("</section>").expect("its end")];
    let parts = section
        .split('<')
        .map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    let text = parts.collect::<Vec<_>>().join(" ");
    let text = text
        .replace("&quot;", "\"")
        .replace("&lt;", "<")
        .replace("&gt;", ">");
    text.replace("&amp;", "&")
}

/// What a person read first stood in no file: a script could not read what the screen said.
#[test]
fn the_answers_are_those_of_the_screen_and_of_the_page() {
    for results in [results(), mapped(), busy(Preset::Quick, 10)] {
        let document = findings(&results);
        let style = Style {
            width: 200,
            ..Style::default()
        };
        let screen = terminal::run(&results, &style, None);
        let page = shown(&html::page(&results));
        let answers = document["answers"].as_array().expect("answers");
        assert!(!answers.is_empty());
        let several = results.studies.len() > 1;
        if let Some(sentence) = document["sentence"].as_str() {
            for text in [&screen, &page] {
                let mut words = text
                    .split_whitespace()
                    .map(|word| word.trim_end_matches('.'));
                assert!(follow(sentence, &mut words), "{sentence}: {text}");
            }
        }
        let (mut on_screen, mut on_page) = (screen.split_whitespace(), page.split_whitespace());
        for answer in answers {
            let text = |field: &str| answer[field].as_str().unwrap_or_default();
            let words = format!("{} {}", text("words"), text("ends"));
            // Of many rows, those that say little are named alone.
            let is_open = ["cannot_tell", "not_compared"].contains(&text("verdict"));
            let says_little =
                text("question") == "how_long" || is_open && !words.contains("at most");
            let shown = if several && says_little { "" } else { &words };
            assert!(follow(shown, &mut on_screen), "{words}: {screen}");
            // What acts or hides in a name is spelt out on a page.
            let is_plain = text("label").is_ascii() && !text("label").contains('\u{1b}');
            let row = format!("{} {words}", text("label"));
            assert!(!is_plain || follow(&row, &mut on_page), "{row}: {page}");
            let study = &document["studies"][answer["place"].as_u64().expect("a place") as usize];
            assert_eq!(study["study"]["name"], answer["study"]);
        }
    }
}

/// The numbers of an answer are those of the finding that it speaks of.
#[test]
fn an_answer_has_the_numbers_of_its_finding() {
    let document = findings(&busy(Preset::Quick, 10));
    let mut compared = 0;
    for answer in document["answers"].as_array().expect("answers") {
        let study = &document["studies"][answer["place"].as_u64().expect("a place") as usize];
        let cases = study["cases"].as_array().expect("cases");
        let Some(case) = cases
            .iter()
            .find(|one| one["case"]["name"] == answer["case"])
        else {
            continue;
        };
        let findings = case["findings"].as_array().expect("findings");
        let finding = findings.iter().find(|one| {
            one["subject"] == answer["subject"] && one["reference"] == answer["reference"]
        });
        let Some(finding) = finding.filter(|_| answer["question"] != "memory") else {
            continue;
        };
        let estimate = &finding["estimate"];
        assert_eq!(estimate["ratio"], answer["ratio"], "{answer}");
        assert_eq!(estimate["low"], answer["interval"][0], "{answer}");
        assert_eq!(estimate["high"], answer["interval"][1], "{answer}");
        assert_eq!(finding["verdict"]["word"], answer["verdict"], "{answer}");
        compared += 1;
    }
    assert!(compared > 8, "{compared}");
}

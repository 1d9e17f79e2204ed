//! Documents.

use report::json;
use serde_json::Value;

use crate::support::{machine, results};

fn parse(text: &str) -> Value {
    serde_json::from_str(text).expect("it is JSON")
}

#[test]
fn findings_without_raw_slots() {
    let mut document = parse(&json::findings(&results()));
    assert_eq!(document["header"]["settings"]["seed"], 42);
    let cases = document["studies"][0]["cases"]
        .as_array_mut()
        .expect("cases");
    cases.truncate(1);
    assert!(cases[0].get("slots").is_none());
    // The flows are many and all alike; the machine is a test of its own.
    for variant in cases[0]["variants"].as_array_mut().expect("variants") {
        variant["flows"].as_array_mut().expect("flows").truncate(1);
    }
    insta::assert_snapshot!(format!("{:#}", document["studies"][0]["cases"]));
}

#[test]
fn what_is_missing_has_its_reason() {
    let document = parse(&json::findings(&results()));
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
    let document = parse(&json::findings(&results));
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
    let document = parse(&json::findings(&results));
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
    let document = parse(&json::findings(&results()));
    let more = &document["studies"][1]["cases"][0]["findings"][0]["verdict"]["more_rounds"];
    assert_eq!(
        more["not_available"]["reason"],
        "no round in which both variants have a value"
    );
}

#[test]
fn the_machine() {
    let document = parse(&json::machine(&machine()));
    assert_eq!(document["schema"], json::SCHEMA);
    assert!(document["machine"]["topology"].is_object());
    // No quota is an answer and not a missing quantity.
    assert!(document["machine"]["allowance"]["quota"]["value"].is_null());
    let header = parse(&json::findings(&results()))["header"]["machine"].clone();
    assert_eq!(header, document["machine"]);
}

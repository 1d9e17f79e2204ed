//! Results as JSON: the types of crate `lab`, documented with the journal, with four changes.
//!
//! * `document` and `schema` say what it is and which version of its schema.
//! * `findings.json` begins with `answers`, the rows of the first screen, and leaves out the raw
//!   slots: they are in the journal and in `slots.csv`.
//! * JSON has no NaN and no infinity, and a bare `null` does not say why. A missing quantity is
//!   `{"not_available": {"reason": "..."}}` with its reason from `REASONS`; the `null`s that stay
//!   mean "none was asked for". A machine gives its own reasons.

mod embedded;

pub(crate) use embedded::{ascii, embedded, embedded_comparison};

use lab::Results;
use lab::compare::SideBySide;
use lab::fleet::{Comparison, Fleet};
use machine::Machine;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::text::escaped;

/// The documents' schema: it grows when a field goes or changes meaning (docs/results.md).
pub const SCHEMA: u32 = 2;

const NOT_COUNTED: &str = "not counted: not_counted of the variant says why";

const REASONS: &[(&str, &str)] = &[
    ("value", "no good slot"),
    ("undisturbed_ns", "no good slot"),
    (
        "cpu_ns",
        "no good slot, or not_counted of the variant says why",
    ),
    ("user_ns", NOT_COUNTED),
    ("system_ns", NOT_COUNTED),
    ("cpu_share", NOT_COUNTED),
    ("flow_faults", NOT_COUNTED),
    ("voluntary_switches", NOT_COUNTED),
    ("involuntary_switches", NOT_COUNTED),
    ("phases", "no good slot"),
    ("counts", "no good slot"),
    ("parent_end_ns", "no good slot"),
    ("imbalance", "no good slot, or flows that did not end"),
    ("value_ns", "the slot failed"),
    ("estimate", "no round in which both variants have a value"),
    ("low", "too few rounds for an interval"),
    ("high", "too few rounds for an interval"),
    ("more_rounds", "no number of rounds would settle it"),
    ("noise", "fewer than 5 rounds"),
    ("spread", "fewer than 5 rounds"),
    ("pair", "fewer than 5 rounds"),
    ("p95", "fewer than 20 values"),
    ("p99", "fewer than 100 values"),
    ("tail", "no values"),
    ("slow_beyond", "no values"),
    ("migrations", NOT_COUNTED),
    ("bytes_read", NOT_COUNTED),
    ("bytes_written", NOT_COUNTED),
    ("storage_read", NOT_COUNTED),
    ("storage_written", NOT_COUNTED),
    ("slab", "the kernel does not tell it for a process"),
    ("peak_rss", "the kernel does not tell it"),
    ("room", "no limit of this machine can be read"),
    (
        "bytes_each",
        "memory was not read, or did not grow with the flows",
    ),
    ("create_ns_each", "none could be made"),
    (
        "refused_with",
        "many more were made than predicted, and none was refused",
    ),
];

/// `findings.json`: header, studies, summaries, findings and warnings, without raw slots.
#[must_use]
pub fn findings(results: &Results) -> String {
    pretty(&document("flowgauge findings", &findings_value(results)))
}

/// Runs side by side.
#[must_use]
pub fn compared(all: &SideBySide) -> String {
    let mut value = serde_json::to_value(all).unwrap_or_default();
    for study in items(&mut value, "studies") {
        let limits = items(study, "limits");
        limits.for_each(|row| items(row, "sides").for_each(explain_limit));
    }
    for variant in cases(&mut value).flat_map(|case| items(case, "variants")) {
        for side in items(variant, "sides") {
            remove(side, "flows");
            explain(side);
        }
        for change in items(variant, "changes") {
            explain_verdict(change);
            if let Some(why) = text(change, "not_compared") {
                change["estimate"] = not_available(&why);
            }
            change.get_mut("estimate").into_iter().for_each(explain);
        }
    }
    pretty(&document("flowgauge comparison", &value))
}

/// Many machines.
#[must_use]
pub fn fleet(fleet: &Fleet) -> String {
    let document = FleetDocument {
        comparisons: Comparisons(&fleet.comparisons),
        document: "flowgauge fleet",
        machines: serde_json::to_value(&fleet.machines).unwrap_or_default(),
        schema: fleet.schema,
        warnings: &fleet.warnings,
    };
    let whole = serde_json::to_string_pretty(&document).unwrap_or_default();
    format!("{}\n", escaped(&whole))
}

#[derive(Serialize)]
struct FleetDocument<'a> {
    comparisons: Comparisons<'a>,
    document: &'static str,
    machines: Value,
    schema: u32,
    warnings: &'a [String],
}

/// Explained one at a time: those of a thousand machines take a gigabyte.
struct Comparisons<'a>(&'a [Comparison]);

impl Serialize for Comparisons<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.0.iter().map(comparison))
    }
}

fn comparison(one: &Comparison) -> Value {
    let mut one = serde_json::to_value(one).unwrap_or_default();
    let few = "fewer than 3 machines have an interval";
    one.get_mut("verdict").into_iter().for_each(explain);
    if let Some(across) = one.get_mut("across").filter(|across| across.is_null()) {
        *across = not_available("no machine has an interval");
    }
    for name in ["/across/mean", "/across/next"] {
        let field = one.pointer_mut(name).filter(|field| field.is_null());
        field
            .into_iter()
            .for_each(|field| *field = not_available(few));
    }
    for on in items(&mut one, "each") {
        if let Some(finding) = on.get_mut("finding") {
            explain_verdict(finding);
            explain(finding);
            finding.get_mut("estimate").into_iter().for_each(explain);
        }
    }
    one
}

/// `machine.json`: the machine as it was read, and what to beware of.
#[must_use]
pub fn machine(machine: &Machine) -> String {
    let warnings: Vec<_> = machine.warnings().iter().map(ToString::to_string).collect();
    let facts = json!({ "machine": machine, "warnings": warnings });
    pretty(&document("flowgauge machine", &facts))
}

fn findings_value(results: &Results) -> Value {
    let (answers, sentence) = (results.answers(), results.sentence());
    let mut results = results.clone();
    let studies = results.studies.iter_mut();
    for case in studies.flat_map(|study| &mut study.cases) {
        case.slots.clear();
        case.films.clear();
    }
    let mut value = serde_json::to_value(&results).unwrap_or_default();
    value["answers"] = serde_json::to_value(answers).unwrap_or_default();
    if let Some(sentence) = sentence {
        value["sentence"] = sentence.into();
    }
    for study in items(&mut value, "studies") {
        items(study, "limits").for_each(explain_limit);
        items(study, "probes").for_each(explain);
    }
    for case in cases(&mut value) {
        remove(case, "slots");
        explain_case(case);
    }
    value
}

fn cases(results: &mut Value) -> impl Iterator<Item = &mut Value> {
    items(results, "studies").flat_map(|study| items(study, "cases"))
}

fn explain_limit(limit: &mut Value) {
    if let Some(reason) = text(limit, "bytes_not_available") {
        limit["bytes_each"] = not_available(&reason);
        remove(limit, "bytes_not_available");
    }
    explain(limit);
}

fn items<'a>(value: &'a mut Value, field: &str) -> impl Iterator<Item = &'a mut Value> {
    let array = value.get_mut(field).and_then(Value::as_array_mut);
    let items = array.into_iter().flatten();
    items.filter(|item| !item.is_null())
}

fn text(value: &Value, field: &str) -> Option<String> {
    value.get(field)?.as_str().map(str::to_owned)
}

fn remove(value: &mut Value, field: &str) {
    if let Value::Object(fields) = value {
        fields.remove(field);
    }
}

pub(crate) fn then_and_now(by_study: impl Serialize) -> String {
    let value = serde_json::to_value(by_study).unwrap_or_default();
    pretty(&document("then-and-now", &value))
}

fn document(name: &str, value: &Value) -> Value {
    let mut fields = Map::new();
    fields.insert("document".into(), name.into());
    fields.insert("schema".into(), SCHEMA.into());
    if let Value::Object(own) = value {
        fields.extend(own.clone());
    }
    Value::Object(fields)
}

/// Elsewhere a `null` may be an answer. `serde_json` writes NaN as `null`, which gets its reason.
fn explain_case(case: &mut Value) {
    for finding in items(case, "findings") {
        explain_verdict(finding);
    }
    if let Value::Object(fields) = case {
        let names = ["noise", "variants", "findings"].into_iter();
        let measured = names.filter_map(|name| fields.remove_entry(name));
        let mut measured: Map<String, Value> = measured.collect();
        explain_fields(&mut measured);
        fields.extend(measured);
    }
}

/// Without an estimate, missing rounds do not mean that none would suffice.
fn explain_verdict(finding: &mut Value) {
    let compared = finding.get("estimate").is_some_and(|e| !e.is_null());
    let more = finding.pointer_mut("/verdict/more_rounds");
    if let (false, Some(more)) = (compared, more) {
        *more = not_available("no round in which both variants have a value");
    }
}

fn explain(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(explain),
        Value::Object(fields) => {
            explain_memory(fields);
            explain_fields(fields);
        }
        _ => {}
    }
}

fn explain_fields(fields: &mut Map<String, Value>) {
    for (name, field) in fields.iter_mut() {
        let reason = REASONS.iter().find(|(known, _)| known == name);
        match (field.is_null(), reason) {
            (true, Some((_, reason))) => *field = not_available(reason),
            _ => explain(field),
        }
    }
}

fn explain_memory(fields: &mut Map<String, Value>) {
    if fields.get("memory").is_some_and(Value::is_null) {
        let reason = fields.get("memory_not_available").and_then(Value::as_str);
        let reason = not_available(reason.unwrap_or("no good slot"));
        fields.insert("memory".into(), reason);
    }
    fields.remove("memory_not_available");
}

fn not_available(reason: &str) -> Value {
    json!({ "not_available": { "reason": reason } })
}

fn pretty(value: &Value) -> String {
    format!("{}\n", escaped(&format!("{value:#}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_quantity_has_its_reason_and_nothing_is_nan() {
        let mut value = json!({
            "p95": f64::NAN, "memory": null, "memory_not_available": "denied", "budget_s": null,
        });
        explain(&mut value);
        assert_eq!(
            value["p95"]["not_available"]["reason"],
            "fewer than 20 values"
        );
        assert_eq!(value["memory"]["not_available"]["reason"], "denied");
        assert!(value["budget_s"].is_null());
    }
}

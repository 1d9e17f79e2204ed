//! What a page embeds for programs: the values of each variant, each comparison, and how to run it
//! again; the rest is in `findings.json`. It is one line of harmless ASCII.

use lab::compare::{Change, ComparedRun, ComparedStudy, ComparedVariant, SideBySide};
use lab::findings::Word;
use lab::{CaseResult, Results, StudyResult, VariantSummary};
use serde_json::{Value, json};
use stats::Estimate;

use super::SCHEMA;
use crate::document::detail::Data;
use crate::text::json_escapes;
use crate::words::finding_of;

/// Unrelated to the version of `findings.json`.
const DOCUMENT: &str = "flowgauge page";
const COMPARISON: &str = "flowgauge comparison page";

pub(crate) fn embedded(results: &Results, data: Data) -> String {
    let header = &results.header;
    let told = results.studies.iter().filter(|_| data != Data::Nothing);
    let studies = told.map(|one| study(one, data == Data::All));
    let holds = match data {
        Data::All => "every case",
        Data::Headlines => "headline cases",
        Data::Nothing => "nothing: there is no room; see findings.json",
    };
    let document = json!({
        "document": DOCUMENT,
        "schema": SCHEMA,
        "version": header.version,
        "began_unix_s": header.began_unix_s,
        "command": command(&header.command),
        "seed": header.settings.seed,
        "host": header.machine.host,
        "columns": COLUMNS,
        "holds": holds,
        "studies": studies.collect::<Vec<_>>(),
    });
    ascii(&document.to_string())
}

fn command(words: &[String]) -> Option<&[String]> {
    let length: usize = words.iter().map(String::len).sum();
    (length <= COMMAND).then_some(words)
}

const COMMAND: usize = 20_000;

/// Own values of a variant, then its comparison with the reference (empty for the reference).
const COLUMNS: [&str; 7] = [
    "variant",
    "typical_ns",
    "memory_bytes",
    "verdict",
    "ratio",
    "low",
    "high",
];

fn study(study: &StudyResult, all: bool) -> Value {
    let cases = study.cases.iter();
    let told = cases.filter(|case| all || case.case.name == study.study.headline);
    let cases = told.map(|case| {
        let rows = case.variants.iter().map(|variant| row(case, variant));
        json!([case.case.name, case.case.metric, rows.collect::<Vec<_>>()])
    });
    json!({
        "name": study.study.name,
        "title": study.study.title,
        "cases": cases.collect::<Vec<_>>(),
    })
}

fn row(case: &CaseResult, variant: &VariantSummary) -> Value {
    let memory = variant.memory.as_ref();
    let mut row = vec![
        json!(variant.label),
        short(variant.value.map(|value| value.typical)),
        short(memory.map(|memory| memory.total() as f64)),
    ];
    if let Some(finding) = finding_of(case, &variant.label) {
        let word = Word::of_time(finding.verdict);
        row.extend(compared(word, finding.estimate.as_ref()));
    }
    Value::Array(row)
}

fn compared(word: Word, estimate: Option<&Estimate>) -> [Value; 4] {
    let ends = estimate.and_then(Estimate::interval);
    [
        json!(word.name().replace('_', " ")),
        short(estimate.map(|estimate| estimate.ratio)),
        short(ends.map(|(low, _)| low)),
        short(ends.map(|(_, high)| high)),
    ]
}

/// Four digits; the other files have all. Missing values are `null`.
fn short(value: Option<f64>) -> Value {
    let short = value.and_then(|exact| format!("{exact:.3e}").parse::<f64>().ok());
    match short {
        Some(whole) if whole.fract() == 0.0 && whole.abs() < 1e15 => json!(whole as i64),
        other => json!(other),
    }
}

pub(crate) fn embedded_comparison(all: &SideBySide) -> String {
    let run = |run: &ComparedRun| {
        json!({
            "name": run.name,
            "machine": run.machine,
            "version": run.version,
            "began_unix_s": run.began_unix_s,
            "seed": run.seed,
        })
    };
    let document = json!({
        "document": COMPARISON,
        "schema": SCHEMA,
        "basis": all.basis,
        "runs": all.runs.iter().map(run).collect::<Vec<_>>(),
        "columns": COMPARED,
        "studies": all.studies.iter().map(compared_study).collect::<Vec<_>>(),
    });
    ascii(&document.to_string())
}

/// Typical time of a variant in a run, then its comparison with the first run.
const COMPARED: [&str; 7] = [
    "variant",
    "run",
    "typical_ns",
    "verdict",
    "ratio",
    "low",
    "high",
];

fn compared_study(study: &ComparedStudy) -> Value {
    let cases = study.cases.iter().map(|case| {
        let rows = case.variants.iter().flat_map(compared_rows);
        json!([case.name, case.metric, rows.collect::<Vec<_>>()])
    });
    json!({
        "name": study.name,
        "title": study.title,
        "cases": cases.collect::<Vec<_>>(),
    })
}

fn compared_rows(variant: &ComparedVariant) -> Vec<Value> {
    let sides = variant.sides.iter().zip(&variant.changes).enumerate();
    let rows = sides.filter_map(|(run, (side, change))| {
        let value = side.as_ref()?.value;
        let mut row = vec![
            json!(variant.label),
            json!(run),
            short(value.map(|value| value.typical)),
        ];
        let compared = |change: &Change| compared(change.word(), change.estimate.as_ref());
        row.extend(change.iter().flat_map(compared));
        Some(Value::Array(row))
    });
    rows.collect()
}

/// Without `<`, `>` and `&`, which occur in strings only, as escapes.
pub(crate) fn ascii(json: &str) -> String {
    json_escapes(json, |c| {
        !c.is_ascii() || matches!(c, '<' | '>' | '&' | '\u{7f}')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_can_end_a_script_element() {
        let hostile = json!({ "a": "</script><!-- \u{202e}😀\u{2028}" }).to_string();
        let safe = ascii(&hostile);
        assert!(safe.is_ascii() && !safe.contains('<'), "{safe}");
        let back: Value = serde_json::from_str(&safe).expect("still JSON");
        assert_eq!(back["a"], "</script><!-- \u{202e}😀\u{2028}");
    }

    #[test]
    fn numbers_are_as_long_as_they_are_of_use() {
        assert_eq!(short(Some(41_234_567.89)).to_string(), "41230000");
        assert_eq!(short(Some(1.234_567)).to_string(), "1.235");
        assert_eq!(short(Some(f64::NAN)), Value::Null);
        assert_eq!(short(None), Value::Null);
    }
}

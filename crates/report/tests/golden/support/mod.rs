//! A run that never was, but could have been: made through a journal, so that every number
//! in it agrees with every other. It holds what reports must cope with:
//!
//! | study | case | what it is |
//! |---|---|---|
//! | `primes` | `trial` | decided, with the source's table |
//! | | `grain/...` | a sweep |
//! | hostile names | drill | slots that failed; markup, control and bidi characters |
//! | `scaling` | `in-between` | four variants, interrupted, memory known as RSS alone |
//! | | `later` | never begun |

mod counted;
pub(crate) mod full;
mod journal;
pub(crate) mod scaling;
pub(crate) mod searches;
mod slots;
mod studies;
pub(crate) mod workers;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;

use lab::Results;
use machine::Machine;
use report::csv::TABLES;
use report::json;
use report::terminal::{self, Style};
use serde_json::Value;
use stats::Verdict;

/// Markup, an escape sequence, a change of direction and an invisible space.
pub(crate) const HOSTILE: &str =
    "<script>alert('1')</script>\u{1b}[31m red \u{202e}gnorw\u{2066}\u{200b} & \"q\"";

/// A terminal of that width where everything is asked for.
pub(crate) fn verbose(width: usize) -> Style {
    Style {
        width,
        verbose: true,
        ..Style::default()
    }
}

/// Everything that a terminal of that width shows.
pub(crate) fn whole_text(results: &Results, width: usize) -> String {
    terminal::run(results, &verbose(width), None)
}

/// `findings.json`, read again.
pub(crate) fn findings(results: &Results) -> Value {
    serde_json::from_str(&json::findings(results)).expect("JSON")
}

/// What `--tables` writes into a file of that name.
pub(crate) fn table(file: &str, results: &Results) -> Option<String> {
    let (_, text) = TABLES.iter().find(|(name, _)| *name == file)?;
    text(results)
}

/// No line is wider than its terminal.
pub(crate) fn assert_fits(terminal: fn(usize) -> String) {
    for width in [60, 80, 120] {
        let text = terminal(width);
        assert!(widest(&text) <= width, "{text}");
    }
}

/// A run from its journal, made once: tests that run side by side must not write the journal that
/// others read.
pub(crate) fn made(name: &str, journal: impl FnOnce() -> String) -> Results {
    static RUNS: Mutex<BTreeMap<String, Results>> = Mutex::new(BTreeMap::new());
    let mut runs = RUNS.lock().expect("no test fails in it");
    let run = runs.entry(name.to_owned()).or_insert_with(|| {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.jsonl"));
        std::fs::write(&path, journal()).expect("the journal can be written");
        Results::from_journal(&path).expect("the journal can be read")
    });
    run.clone()
}

/// The run.
pub(crate) fn results() -> Results {
    let mut results = made("report-golden", journal::text);
    results.warnings = vec![
        "the noise of trial is 2.1 %: give it more rounds, --rounds 80".to_owned(),
        format!("a warning about {HOSTILE}"),
    ];
    speak(&mut results);
    results
}

/// A run of operations under the four models: a map.
pub(crate) fn mapped() -> Results {
    made("report-golden-map", journal::of_operations)
}

/// The run of [`results`] with events counted: process 4 times as many TLB misses as others,
/// counters that ran a third of the time, one that never ran, one that was refused.
pub(crate) fn counted() -> Results {
    let journal = || counted::text(&journal::text());
    let mut results = made("report-golden-counted", journal);
    results.warnings.clear();
    results
}

/// A small virtual machine.
pub(crate) fn machine() -> Machine {
    serde_json::from_str(include_str!("machine.json")).expect("the fixture is a machine")
}

/// Fixed sentences. Those of findings are made, and tested, elsewhere: here it matters
/// that they are shown.
fn speak(results: &mut Results) {
    for study in &mut results.studies {
        let variants = study.cases.iter_mut().flat_map(|case| &mut case.variants);
        for reason in variants.filter_map(|variant| variant.memory_not_available.as_mut()) {
            *reason = "smaps_rollup is denied (run as the same user)".to_owned();
        }
        for finding in study.cases.iter_mut().flat_map(|case| &mut case.findings) {
            let word = match finding.verdict {
                Verdict::Faster { .. } => "is faster than",
                Verdict::Slower { .. } => "is slower than",
                Verdict::Same { .. } => "takes as long as",
                Verdict::CannotTell { .. } => "is too close to call against",
            };
            let (subject, reference) = (&finding.subject, &finding.reference);
            finding.sentence = format!("{subject} {word} {reference}, here in one sentence.");
            finding.why = vec![
                "92 % of the difference is create and tear-down".to_owned(),
                "fork copied 38x more page-table entries (64,109 page faults against 1,706)"
                    .to_owned(),
            ];
        }
        let headline = study.cases.iter().flat_map(|case| &case.findings).next();
        study.sentences = headline
            .map(|finding| finding.sentence.clone())
            .into_iter()
            .collect();
    }
    let remark = "grain: thread costs less than process up to blocks of about 40,000 numbers.";
    results.studies[0].sentences.push(remark.to_owned());
}

/// Columns of the widest line; a command is never cut, however long it is.
pub(crate) fn widest(text: &str) -> usize {
    let others = text.lines().filter(|line| !is_command(line));
    others.map(|line| line.chars().count()).max().unwrap_or(0)
}

/// Whether a line is a command alone.
pub(crate) fn is_command(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("flowgauge ") && !line.starts_with("flowgauge · ")
}

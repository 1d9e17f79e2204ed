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

use std::path::PathBuf;
use std::sync::OnceLock;

use lab::Results;
use machine::Machine;
use report::csv::TABLES;
use report::terminal::Style;
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

/// The run.
pub(crate) fn results() -> Results {
    static RESULTS: OnceLock<Results> = OnceLock::new();
    RESULTS.get_or_init(make).clone()
}

/// A run of operations under the four models: a map.
pub(crate) fn mapped() -> Results {
    static RESULTS: OnceLock<Results> = OnceLock::new();
    RESULTS.get_or_init(make_mapped).clone()
}

fn make_mapped() -> Results {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("report-golden-map.jsonl");
    std::fs::write(&path, journal::of_operations()).expect("the journal can be written");
    Results::from_journal(&path).expect("the journal can be read")
}

/// The run of [`results`] with events counted: process 4 times as many TLB misses as others,
/// counters that ran a third of the time, one that never ran, one that was refused.
pub(crate) fn counted() -> Results {
    static RESULTS: OnceLock<Results> = OnceLock::new();
    RESULTS.get_or_init(make_counted).clone()
}

fn make_counted() -> Results {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("report-golden-counted.jsonl");
    std::fs::write(&path, counted::text(&journal::text())).expect("the journal can be written");
    let mut results = Results::from_journal(&path).expect("the journal can be read");
    results.warnings.clear();
    results
}

/// A small virtual machine.
pub(crate) fn machine() -> Machine {
    serde_json::from_str(include_str!("machine.json")).expect("the fixture is a machine")
}

fn make() -> Results {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("report-golden.jsonl");
    std::fs::write(&path, journal::text()).expect("the journal can be written");
    let mut results = Results::from_journal(&path).expect("the journal can be read");
    results.warnings = vec![
        "the noise of trial is 2.1 %: give it more rounds, --rounds 80".to_owned(),
        format!("a warning about {HOSTILE}"),
    ];
    speak(&mut results);
    results
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

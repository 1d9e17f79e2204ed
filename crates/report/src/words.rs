//! Findings and settings in words: the same in the terminal and on the page.

use flow::Variant;
use lab::{Case, CaseEnd, CaseResult, Cause, Finding, LabelledVariant, Metric, Results};
use serde_json::Value;
use stats::{Estimate, Verdict};
use workload::{Searching, Work};

use crate::number::{bytes, count, factor, factor_interval, percent, plain, ratio_interval};
use crate::text::TIE;

/// What a text is about; colour may underline it and never carries it alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Tone {
    #[default]
    Plain,
    Strong,
    Quiet,
    Faster,
    Slower,
    Doubt,
}

impl Tone {
    /// The class that colours it on the page.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Doubt => "doubt",
            Self::Plain | Self::Strong | Self::Quiet => "same",
        }
    }
}

/// A comparison as a cell shows it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Comparison {
    /// `1.31x faster`.
    pub(crate) word: String,
    /// `[1.27 ... 1.35]`, in the direction of the word; where the word has none, the
    /// interval of the ratio of times, `[0.996 ... 1.004]`. Empty where there is none.
    pub(crate) interval: String,
    pub(crate) tone: Tone,
}

/// What the estimate and its verdict say.
pub(crate) fn comparison(estimate: Option<&Estimate>, verdict: &Verdict) -> Comparison {
    let times = estimate.map_or(f64::NAN, |estimate| estimate.ratio);
    let ends = estimate.and_then(Estimate::interval);
    let as_is = || ends.map(|(low, high)| ratio_interval(low, high));
    let (word, interval, tone) = match *verdict {
        Verdict::Faster { .. } => {
            let speed = 1.0 / times;
            let interval = ends.map(|(low, high)| factor_interval(speed, 1.0 / high, 1.0 / low));
            (format!("{} faster", factor(speed)), interval, Tone::Faster)
        }
        Verdict::Slower { .. } => {
            let interval = ends.map(|(low, high)| factor_interval(times, low, high));
            (format!("{} slower", factor(times)), interval, Tone::Slower)
        }
        Verdict::Same { within } => (
            format!("same within {}", short_percent(within)),
            as_is(),
            Tone::Plain,
        ),
        Verdict::CannotTell { .. } => {
            let word = estimate.map_or("not compared", |_| "cannot tell");
            (word.to_owned(), as_is(), Tone::Doubt)
        }
    };
    Comparison {
        word,
        interval: interval.unwrap_or_default(),
        tone,
    }
}

/// A floor as people say it: `1 %`, not `1.0 %`.
fn short_percent(fraction: f64) -> String {
    percent(fraction).replace(".0 %", " %")
}

/// The finding about a variant, by its label.
pub(crate) fn finding_of<'a>(case: &'a CaseResult, label: &str) -> Option<&'a Finding> {
    case.findings
        .iter()
        .find(|finding| finding.subject == label)
}

/// `2 CPUs`, `20 rounds x 5`, `noise 2.1 %`: the circumstances of a case, each of which
/// stays on one line.
pub(crate) fn circumstances(results: &Results, case: &CaseResult) -> Vec<String> {
    let cpus = results.header.machine.usable_cpus();
    let mut parts = vec![many(cpus as u64, "CPU")];
    if !case.slots.is_empty() {
        parts.push(format!(
            "{} x {}",
            many(case.rounds as u64, "round"),
            case.reps
        ));
    }
    if case.case.metric != Metric::Total {
        parts.push(format!("{} only", metric(case.case.metric)));
    }
    let noise = case.noise.and_then(|noise| noise.pair.or(noise.spread));
    parts.push(match noise {
        Some(noise) => format!("noise {}", percent(noise)),
        None => "noise n/a (fewer than 5 rounds)".to_owned(),
    });
    parts
        .iter()
        .map(|part| part.replace(' ', &TIE.to_string()))
        .collect()
}

/// Which shared resource makes the difference in a case, in words.
pub(crate) fn cause(case: &CaseResult) -> (Tone, &'static str) {
    match case.shared.map(|shared| shared.cause) {
        Some(Cause::AddressSpace) => (Tone::Strong, "address space"),
        Some(Cause::FileTable) => (Tone::Strong, "file table"),
        Some(Cause::Both) => (Tone::Strong, "both"),
        Some(Cause::Neither) => (Tone::Plain, "neither"),
        Some(Cause::CannotTell) | None => (Tone::Doubt, "cannot tell"),
    }
}

/// `10 to 20 rounds x 2`, `noise up to 2.1 %`: the circumstances of several cases.
pub(crate) fn noise_of(cases: &[&CaseResult]) -> Vec<String> {
    let mut parts = vec![many(cases.len() as u64, "operation")];
    let rounds = || cases.iter().map(|case| case.rounds as u64);
    if let (Some(least), Some(most)) = (rounds().min(), rounds().max()) {
        parts.push(if least == most {
            many(most, "round")
        } else {
            format!("{least} to {}", many(most, "round"))
        });
    }
    let noise = cases
        .iter()
        .filter_map(|case| case.noise.and_then(|noise| noise.pair));
    if let Some(most) = noise.max_by(f64::total_cmp) {
        parts.push(format!("noise up to {}", percent(most)));
    }
    parts
        .iter()
        .map(|part| part.replace(' ', &TIE.to_string()))
        .collect()
}

/// The value of a case's parameter in its sweep, to the last digit: from the work itself
/// where it holds it, since floating point has no room for large whole numbers.
pub(crate) fn point_value(case: &Case) -> String {
    let Some(point) = &case.sweep else {
        return String::new();
    };
    let work = serde_json::to_value(&case.work).unwrap_or_default();
    let exact = work.get(&point.parameter).and_then(Value::as_u64);
    match exact.filter(|exact| *exact as f64 == point.value) {
        Some(exact) => count(exact),
        None => plain(point.value),
    }
}

/// `1 round`, `20 rounds`.
pub(crate) fn many(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(number))
}

/// The word for a metric.
pub(crate) fn metric(metric: Metric) -> &'static str {
    match metric {
        Metric::Total => "total",
        Metric::Steady => "steady",
        Metric::Create => "create",
        Metric::Switch => "switch",
    }
}

/// Why a case holds less than was asked for, if it does: `interrupted: 7 of 40 rounds`.
pub(crate) fn cut_short(results: &Results, case: &CaseResult) -> Option<String> {
    let asked = results.header.settings.max_rounds;
    let asked = case.case.max_rounds.map_or(asked, |most| most.min(asked));
    let rounds = format!("{} of {}", case.rounds, many(asked as u64, "round"));
    let decided = !case.findings.is_empty()
        && case
            .findings
            .iter()
            .all(|finding| finding.verdict.is_decided());
    match case.ended {
        Some(CaseEnd::Decided | CaseEnd::Rounds) => None,
        // What the last rounds decided is an answer like any other.
        Some(CaseEnd::Budget) if decided => None,
        Some(CaseEnd::Budget) => Some(format!(
            "out of time: {rounds}, for more go on with a longer --budget (run --resume)"
        )),
        Some(CaseEnd::Failures) => Some(format!("too many slots failed: {rounds}")),
        None if results.finished => None,
        None if results.interrupted.is_some() => Some(format!("interrupted: {rounds}")),
        None => Some(format!("cut short: {rounds}")),
    }
}

/// A workload with its parameters: `primes: block 200,000, blocks 5, method trial`.
pub(crate) fn work(work: &Work) -> String {
    if let Work::Search(search) = work {
        return searching(search);
    }
    let Ok(Value::Object(mut fields)) = serde_json::to_value(work) else {
        return String::new();
    };
    let kind = fields
        .remove("kind")
        .map(|kind| parameter(&kind))
        .unwrap_or_default();
    let fields: Vec<_> = fields
        .iter()
        .map(|(name, value)| format!("{name} {}", parameter(value)))
        .collect();
    format!("{kind}: {}", fields.join(", "))
}

/// `search: 'errno' in /usr/include/EGL and 22 more, pool, read, at most 800 files`.
fn searching(search: &Searching) -> String {
    let shown = |path: &std::path::PathBuf| path.display().to_string();
    let tree = match &search.tree[..] {
        [] => "a tree of this machine".to_owned(),
        [one] => shown(one),
        [first, more @ ..] => format!("{} and {} more", shown(first), more.len()),
    };
    let mut parts = vec![
        format!("search: '{}' in {tree}", search.pattern),
        search.design.name().to_owned(),
        search.io.name().to_owned(),
    ];
    let flags = [
        (search.literal, "literal"),
        (search.ignore_case, "upper and lower case alike"),
        (search.word, "whole words"),
        (search.hidden, "hidden files too"),
        (search.no_ignore, "ignored files too"),
        (search.text, "binary files too"),
        (search.cold, "page cache emptied before"),
    ];
    parts.extend(
        flags
            .into_iter()
            .filter(|(on, _)| *on)
            .map(|(_, word)| word.to_owned()),
    );
    parts.extend(search.globs.iter().map(|glob| format!("glob {glob}")));
    parts.extend(
        search
            .most_files
            .map(|files| format!("at most {} files", count(files))),
    );
    parts.extend(
        search
            .most_bytes
            .map(|most| format!("at most {}", bytes(most as f64))),
    );
    parts.join(", ")
}

fn parameter(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            // Not by way of floating point, which has no room for the last digits of large ones.
            (Some(whole), _) => count(whole),
            (_, Some(below)) => format!("-{}", count(below.unsigned_abs())),
            _ => number.as_f64().map_or_else(|| number.to_string(), plain),
        },
        other => other.to_string(),
    }
}

/// What could not be counted in a case, each with its reason once.
pub(crate) fn not_counted(case: &CaseResult) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in case
        .variants
        .iter()
        .flat_map(|variant| &variant.not_counted)
    {
        let line = format!("not available: {line}");
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// What is launched: `process, 5 flows, free, static, fifo`, and its work where that is
/// not the case's.
pub(crate) fn launched(labelled: &LabelledVariant) -> String {
    let Variant {
        model,
        flows,
        placement,
        schedule,
        channel,
        ballast,
    } = &labelled.variant;
    let flows = many((*flows).into(), "flow");
    let how = format!("{model}, {flows}, {placement}, {schedule}, {channel}");
    let how = match ballast {
        Some(ballast) => format!("{how}, {ballast} of ballast"),
        None => how,
    };
    match &labelled.work {
        Some(own) => format!("{how}, with work of its own: {}", work(own)),
        None => how,
    }
}

/// The command that runs the same again: as it was given, with the seed that was drawn.
pub(crate) fn run_again(results: &Results) -> String {
    let mut words = results.header.command.clone();
    let own = words.iter().take_while(|word| *word != "--").count();
    let seeded = words[..own]
        .iter()
        .any(|word| word == "--seed" || word.starts_with("--seed="));
    if !seeded {
        let seed = results.header.settings.seed.to_string();
        words.splice(own..own, ["--seed".to_owned(), seed]);
    }
    words
        .iter()
        .map(|word| shell_word(word))
        .collect::<Vec<_>>()
        .join(" ")
}

/// A word as a POSIX shell reads it back.
fn shell_word(word: &str) -> String {
    let safe = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(safe) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(ratio: f64, low: f64, high: f64) -> Estimate {
        Estimate {
            rounds: 20,
            ratio,
            low: Some(low),
            high: Some(high),
            alpha: 0.016,
        }
    }

    #[test]
    fn a_word_and_its_interval_point_the_same_way() {
        let faster = estimate(0.5, 0.4, 0.8);
        let said = comparison(Some(&faster), &Verdict::Faster { at_least: 0.25 });
        assert_eq!(
            (said.word.as_str(), said.interval.as_str()),
            ("2.00x faster", "[1.25 ... 2.50]")
        );
        let slower = estimate(4.31, 4.22, 4.4);
        let said = comparison(Some(&slower), &Verdict::Slower { at_least: 3.22 });
        assert_eq!(
            (said.word.as_str(), said.interval.as_str()),
            ("4.31x slower", "[4.22 ... 4.40]")
        );
    }

    #[test]
    fn without_a_direction_the_interval_is_that_of_the_times() {
        let near = estimate(1.0, 0.996, 1.003);
        let said = comparison(Some(&near), &Verdict::Same { within: 0.01 });
        assert_eq!(said.word, "same within 1 %");
        assert_eq!(said.interval, "[0.996 ... 1.003]");
        let said = comparison(None, &Verdict::CannotTell { more_rounds: None });
        assert_eq!(
            (said.word.as_str(), said.interval.as_str()),
            ("not compared", "")
        );
    }

    #[test]
    fn large_whole_numbers_keep_their_last_digits() {
        assert_eq!(
            parameter(&serde_json::json!(18_446_744_073_709_545_472_u64 + 101)),
            "18,446,744,073,709,545,573"
        );
        assert_eq!(
            parameter(&serde_json::json!(-9_007_199_254_740_993_i64)),
            "-9,007,199,254,740,993"
        );
        assert_eq!(parameter(&serde_json::json!(0.5)), "0.50");
    }

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(shell_word("--rounds=20"), "--rounds=20");
        assert_eq!(shell_word("a b"), "'a b'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word(""), "''");
    }
}

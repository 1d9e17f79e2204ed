//! What to do next, and what to beware of.

use lab::{CaseEnd, CaseResult, Results, VariantSummary};

use super::{Answers, Row};
use crate::text::shell_word;
use crate::words::{Tone, many};

/// Reasons of failed slots that are named.
const REASONS: usize = 4;
/// Rounds that are advised at the least: enough for an interval of any number of comparisons.
const LEAST_ROUNDS: usize = 20;

/// What to do about what is open.
pub(super) fn next(results: &Results, answers: &Answers) -> Vec<String> {
    let all = || answers.rows.iter().chain(&answers.others);
    let open: Vec<&Row> = all().filter(|row| row.tone == Tone::Doubt).collect();
    let mut next = Vec::new();
    if let Some(more) = more_rounds(results, &open) {
        // Such a row has a ratio alone.
        let is_early = |row: &&Row| row.ratio.is_some() && row.interval.is_none();
        let early = open.iter().filter(|row| is_early(row)).count();
        next.push(match (open.len(), early) {
            (1, 0) => format!("One row is undecided. {more}"),
            (1, _) => format!("One row has too few rounds. {more}"),
            (open, 0) => format!("{open} rows are undecided. {more}"),
            (open, _) => format!("{open} rows are undecided, {early} after too few rounds. {more}"),
        });
    }
    if !open.is_empty() {
        return next;
    }
    let begun = all().filter(|row| row.ratio.is_some());
    if let Some(row) =
        begun.min_by(|a, b| a.ratio.unwrap_or(1.0).total_cmp(&b.ratio.unwrap_or(1.0)))
    {
        let study = &results.studies[row.study].study.name;
        if results.studies.len() > 1 {
            let study = shell_word(study);
            next.push(format!(
                "One study alone, in more rounds: flowgauge run {study} --budget 5m"
            ));
        }
    }
    next
}

/// How to get more rounds of what is open; `None` where nothing is, or all of it has failed.
fn more_rounds(results: &Results, open: &[&Row]) -> Option<String> {
    let studies = open.iter().map(|row| &results.studies[row.study]);
    let cases = || studies.clone().flat_map(|study| &study.cases);
    if cases().all(|case| case.ended == Some(CaseEnd::Failures)) {
        return None;
    }
    let has_rounds = |case: &CaseResult| matches!(case.ended, None | Some(CaseEnd::Budget));
    let settings = &results.header.settings;
    let (rounds, minutes) = match cases().any(has_rounds) {
        true => (None, Some(5.0)),
        false => (
            Some((2 * settings.max_rounds).max(LEAST_ROUNDS)),
            settings.budget_s.map(|s| ((s + 300.0) / 60.0).ceil()),
        ),
    };
    let each = match (minutes, results.studies.len()) {
        (Some(minutes), 2..) => format!(", up to {minutes} minutes a study"),
        _ => String::new(),
    };
    let rounds = rounds.map(|rounds| format!(" --rounds {rounds}"));
    let budget = minutes.map(|minutes| format!(" --budget {minutes}m"));
    let flags = [rounds, budget].into_iter().flatten().collect::<String>();
    Some(format!(
        "More rounds{each}: flowgauge run --resume DIR{flags}"
    ))
}

/// Slots of a variant that failed for one reason, with those of all its slots.
struct Failed {
    reason: String,
    slots: usize,
    all: usize,
    labels: Vec<String>,
}

/// The reason of most slots, and how many others there are.
fn first_of_most(failures: &[(usize, String)]) -> Option<String> {
    let (_, reason) = failures.iter().rev().max_by_key(|(count, _)| *count)?;
    Some(match failures.len() - 1 {
        0 => reason.clone(),
        others => format!("{reason} (and {})", many(others as u64, "other reason")),
    })
}

/// `sort failed 5 of 12 times: exit code 1`: an error where none succeeded.
fn failures(results: &Results) -> Vec<String> {
    let mut groups: Vec<Failed> = Vec::new();
    for (label, variant) in variants(results) {
        let failed: usize = variant.failures.iter().map(|(count, _)| count).sum();
        let Some(reason) = first_of_most(&variant.failures) else {
            continue;
        };
        let all = variant.good + failed;
        match groups.iter_mut().find(|group| group.reason == reason) {
            Some(group) => {
                group.slots += failed;
                group.all += all;
                group.labels.push(label.clone());
            }
            None => groups.push(Failed {
                reason,
                slots: failed,
                all,
                labels: vec![label.clone()],
            }),
        }
    }
    let nothing = variants(results).all(|(_, variant)| variant.good == 0);
    let begin = if nothing { "error: " } else { "" };
    let line = |group: &Failed| {
        let Failed {
            reason,
            slots,
            all,
            labels,
        } = group;
        let times = many(*all as u64, "time");
        let labels = labels.join(", ");
        format!("{begin}{labels} failed {slots} of {times}: {reason}")
    };
    let mut lines: Vec<String> = groups.iter().take(REASONS).map(line).collect();
    if let Some(more) = groups.len().checked_sub(REASONS).filter(|more| *more > 0) {
        let more = many(more as u64, "more reason");
        lines.push(format!("Slots failed for {more}: flowgauge report DIR -v"));
    }
    lines
}

/// The variants of a run, each with a name that is its own.
fn variants(results: &Results) -> impl Iterator<Item = (String, &VariantSummary)> {
    let cases = results.studies.iter().flat_map(|study| {
        let alone = results.studies.len() == 1;
        study
            .cases
            .iter()
            .map(move |case| match (alone, study.cases.len()) {
                (true, 1) => (String::new(), case),
                (true, _) => (format!("{}, ", case.case.name), case),
                (false, _) => (format!("{} {}, ", study.study.name, case.case.name), case),
            })
    });
    cases.flat_map(|(place, case)| {
        let named = case.variants.iter();
        named.map(move |variant| (format!("{place}{}", variant.label), variant))
    })
}

/// Warnings in the reader's words.
pub(super) fn warnings(results: &Results) -> Vec<String> {
    let mut warnings = Vec::new();
    warnings.extend(crate::document::study::ending(results));
    warnings.extend(failures(results));
    // Why there is nothing is among what was left out.
    if variants(results).all(|(_, variant)| variant.good == 0) {
        warnings.extend(results.notes.iter().cloned());
    }
    warnings.extend(results.warnings.iter().cloned());
    warnings
}

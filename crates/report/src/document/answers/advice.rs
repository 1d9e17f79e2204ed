use lab::findings::Word;
use lab::{Answer, CaseEnd, CaseResult, Results, StudyResult, VariantSummary};

use stats::Verdict;

use super::Answers;
use crate::text::shell_word;
use crate::words::{ending, first_of, many};
use lab::data::gathered::grouped;

const NAMED: usize = 3;
const REASONS: usize = 4;
/// Enough for an interval of any number of comparisons.
const LEAST_ROUNDS: usize = 20;
const MOST_ROUNDS: usize = 80;
const FAR: usize = 1_000;
const LEAST_MINUTES: f64 = 5.0;

pub(super) fn next(results: &Results, answers: &Answers, folder: &str) -> Vec<String> {
    let may_end = |row: &&Answer| row.is_not_known() && !is_not_compared(results, row);
    let open: Vec<&Answer> = answers.all().filter(may_end).collect();
    let is_early = |row: &&&Answer| row.times().is_some() && row.interval.is_none();
    let early = open.iter().filter(is_early).count();
    let is_empty = |row: &&Answer| has_no_rounds(results, row);
    let mut count = match (open.len(), early) {
        (0, _) => String::new(),
        (1, _) if open.iter().all(is_empty) => "One row has no data yet".to_owned(),
        (rows, _) if open.iter().all(is_empty) => format!("{rows} rows have no data yet"),
        (1, 0) => "One row is not known yet".to_owned(),
        (1, _) => "One row has too few rounds".to_owned(),
        (open, 0) => format!("{open} rows are not known yet"),
        (open, _) => format!("{open} rows are not known yet, {early} after too few rounds"),
    };
    let far = open.iter().filter(|row| is_far(results, row)).count();
    if far > 0 {
        count.push_str(&format!(", {far} would take over 1,000 more rounds"));
    }
    let hidden = hidden(results, answers);
    if !hidden.is_empty() {
        let more = if open.is_empty() { "" } else { "; " };
        let rounds = if hidden.len() == 1 { "has" } else { "have" };
        let questions = many(hidden.len() as u64, "case");
        count.push_str(&format!("{more}{questions} in -v {rounds} too few rounds"));
    }
    let cases: Vec<(&StudyResult, &CaseResult)> = open
        .iter()
        .filter(|row| !is_far(results, row))
        .flat_map(|row| cases(results, row))
        .chain(hidden)
        .collect();
    let mut next = Vec::new();
    match more_rounds(results, &cases, folder) {
        Some(more) => next.push(format!("{count}. {more}")),
        None if far > 0 => next.push(format!("{count}: small differences for so noisy a machine")),
        None => {}
    }
    next.extend(open.iter().find_map(|row| alone(results, row)));
    if !next.is_empty() || !open.is_empty() {
        return next;
    }
    let begun = answers.all().filter(|row| row.times().is_some());
    let ratio = |row: &Answer| row.ratio.unwrap_or(1.0);
    let most = begun.min_by(|a, b| ratio(a).total_cmp(&ratio(b)));
    let most = most.filter(|_| results.studies.len() > 1);
    let most = most.and_then(|row| runnable(results, &row.study));
    next.extend(most.map(|study| {
        format!("One study alone, in more rounds: flowgauge run {study} --budget 5m")
    }));
    next
}

fn has_no_rounds(results: &Results, row: &Answer) -> bool {
    cases(results, row).all(|(_, case)| case.rounds == 0)
}

fn is_not_compared(results: &Results, row: &Answer) -> bool {
    row.verdict == Some(Word::NotCompared) && !has_no_rounds(results, row)
}

fn is_far(results: &Results, row: &Answer) -> bool {
    let missing = cases(results, row).flat_map(|(_, case)| missing(case));
    row.interval.is_some() && missing.min().is_some_and(|rounds| rounds > FAR)
}

/// Rounds that each comparison still needs, where that is known.
fn missing(case: &CaseResult) -> impl Iterator<Item = usize> {
    let findings = case.findings.iter();
    findings.filter_map(|finding| match finding.verdict {
        Verdict::CannotTell { more_rounds } => more_rounds,
        _ => None,
    })
}

fn cases<'a>(
    results: &'a Results,
    row: &'a Answer,
) -> impl Iterator<Item = (&'a StudyResult, &'a CaseResult)> {
    let study = &results.studies[row.place];
    let own = study.cases.iter();
    let own = own.filter(|case| row.case.is_empty() || case.case.name == row.case);
    own.map(move |case| (study, case))
}

/// Cases in no row with too few rounds for an interval.
fn hidden<'a>(results: &'a Results, answers: &Answers) -> Vec<(&'a StudyResult, &'a CaseResult)> {
    let [study] = &results.studies[..] else {
        return Vec::new();
    };
    let mut rows = answers.all();
    let has_few = |case: &&CaseResult| {
        let mut findings = case.findings.iter();
        let is_early = findings.all(|one| one.estimate.is_none_or(|e| e.interval().is_none()));
        is_early && !case.findings.is_empty() && !rows.any(|row| row.case == case.case.name)
    };
    let few = study.cases.iter().filter(has_few);
    few.map(|case| (study, case)).collect()
}

/// `None` if more rounds could decide nothing.
fn more_rounds(
    results: &Results,
    open: &[(&StudyResult, &CaseResult)],
    folder: &str,
) -> Option<String> {
    let open: Vec<(&StudyResult, &CaseResult)> = open.iter().copied().filter(can_end).collect();
    let open = &open[..];
    let ended = |end: Option<CaseEnd>| open.iter().any(|(_, case)| case.ended == end);
    let (in_time, in_rounds) = (ended(Some(CaseEnd::Budget)), ended(Some(CaseEnd::Rounds)));
    if open.is_empty() || !in_time && !in_rounds && !ended(None) {
        return None;
    }
    let settings = &results.header.settings;
    let rounds = (2 * settings.max_rounds).max(LEAST_ROUNDS);
    let rounds = in_rounds.then(|| format!(" --rounds {rounds}"));
    let budget_s = settings.budget_s;
    let minutes = budget_s.map(|budget_s| minutes(results, budget_s, open));
    let budget = minutes.map(|minutes| format!(" --budget {minutes}m"));
    let flags = [rounds, budget].into_iter().flatten().collect::<String>();
    Some(format!(
        "More rounds: flowgauge run --resume {folder}{flags}"
    ))
}

/// Both sides of a comparison have good slots, or nothing failed yet.
fn can_end((_, case): &(&StudyResult, &CaseResult)) -> bool {
    let never = |label: &str| {
        let mut variants = case.variants.iter();
        variants.any(|one| one.label == label && one.good == 0 && !one.failures.is_empty())
    };
    let mut findings = case.findings.iter();
    findings.any(|one| !never(&one.subject) && !never(&one.reference))
}

/// Minutes for intervals of all that is open: what the run took so far, and the missing rounds.
fn minutes(results: &Results, budget_s: f64, open: &[(&StudyResult, &CaseResult)]) -> f64 {
    let took_s = |case: &CaseResult| -> f64 {
        let slots = case.slots.iter();
        slots.map(|slot| slot.outcome.launch_ns as f64 / 1e9).sum()
    };
    let missing_s = |case: &CaseResult| {
        let missing = missing(case).max().unwrap_or(0).min(MOST_ROUNDS);
        missing as f64 * took_s(case) / case.rounds.max(1) as f64
    };
    let missing_s: f64 = open.iter().map(|(_, case)| missing_s(case)).sum();
    let cases = results.studies.iter().flat_map(|study| &study.cases);
    let needs_s = cases.map(took_s).sum::<f64>() + missing_s;
    let enough_s = (2.0 * budget_s).max(1.25 * needs_s);
    (enough_s / 60.0).ceil().max(LEAST_MINUTES)
}

/// How `flowgauge run` names a study; `None` of one that a command line or a decision made.
fn runnable(results: &Results, study: &str) -> Option<String> {
    let is_known = lab::builtin_names().any(|known| known == study);
    let file = results.header.file_of(study);
    file.or(is_known.then_some(study)).map(shell_word)
}

pub(super) fn causes(results: &Results, without: &[(String, usize)]) -> Option<String> {
    let (_, place) = without.first()?;
    let study = runnable(results, &results.studies[*place].study.name)?;
    let labels: Vec<&str> = without.iter().map(|(label, _)| label.as_str()).collect();
    Some(format!(
        "No cause was found for {}. Counting events may show one: flowgauge run {study} --events all",
        first_of(&labels, NAMED, "; ")
    ))
}

/// Command for a row that would decide by itself but is one of many comparisons here.
fn alone(results: &Results, row: &Answer) -> Option<String> {
    let (study, case) = cases(results, row).next()?;
    let is_stuck = row.is_exploratory && case.ended == Some(CaseEnd::Decided);
    let name = runnable(results, &study.study.name)?;
    let (label, case) = (&row.label, shell_word(&case.case.name));
    is_stuck.then(|| {
        format!(
            "{label} is one of many comparisons here; alone it needs less evidence: flowgauge run \
             {name} --case {case}"
        )
    })
}

fn first_of_most(failures: &[(usize, String)]) -> Option<String> {
    let (_, reason) = failures.iter().rev().max_by_key(|(count, _)| *count)?;
    Some(match failures.len() - 1 {
        0 => reason.clone(),
        others => format!("{reason} (and {})", many(others as u64, "other reason")),
    })
}

/// `sort failed 5 of 12 times: exit code 1`; an error if the run went on without it, or none succeeded.
fn failures(results: &Results, folder: &str) -> Vec<String> {
    let failed = variants(results).filter_map(|(label, variant)| {
        let failed: usize = variant.failures.iter().map(|(count, _)| count).sum();
        let reason = first_of_most(&variant.failures)?;
        let slots = (failed, variant.good + failed);
        let (failed, all) = variant.launches.map_or(slots, |launches| {
            (launches.failed as usize, launches.begun as usize)
        });
        Some(((reason, variant.lost.is_some()), (label, failed, all)))
    });
    let groups = grouped(failed);
    let lines = groups.iter().take(REASONS).map(|((reason, is_lost), own)| {
        let begin = if *is_lost { "error: " } else { "" };
        let labels: Vec<&str> = own.iter().map(|(label, ..)| label.as_str()).collect();
        let failed: usize = own.iter().map(|(_, failed, _)| failed).sum();
        let all: usize = own.iter().map(|(.., all)| all).sum();
        let (labels, times) = (labels.join(", "), many(all as u64, "time"));
        format!("{begin}{labels} failed {failed} of {times}: {reason}")
    });
    let mut lines: Vec<String> = lines.collect();
    if let Some(more) = groups.len().checked_sub(REASONS).filter(|more| *more > 0) {
        let more = many(more as u64, "more reason");
        lines.push(format!(
            "Slots failed for {more}: flowgauge report {folder} -v"
        ));
    }
    lines
}

fn variants(results: &Results) -> impl Iterator<Item = (String, &VariantSummary)> {
    let alone = results.studies.len() == 1;
    let studies = results.studies.iter();
    let cases = studies.flat_map(|study| study.cases.iter().map(move |case| (study, case)));
    cases.flat_map(move |(study, case)| {
        let place = match (alone, study.cases.len()) {
            (true, 1) => String::new(),
            (true, _) => format!("{}, ", case.case.name),
            (false, _) => format!("{} {}, ", study.study.name, case.case.name),
        };
        let named = case.variants.iter();
        named.map(move |variant| (format!("{place}{}", variant.label), variant))
    })
}

pub(super) fn warnings(results: &Results, folder: &str) -> Vec<String> {
    let mut warnings = Vec::new();
    warnings.extend(ending(results, folder));
    warnings.extend(failures(results, folder));
    if variants(results).all(|(_, variant)| variant.good == 0) {
        warnings.extend(results.notes.iter().cloned());
    }
    warnings.extend(results.warnings.iter().cloned());
    warnings
}

//! The first screen: who wins, by how much, how sure is that, why, and what to do next.
//!
//! # Theory
//!
//! A row is a case that decides something: those that a study names (`deciding`), else its
//! headline. Where processes and threads are compared, the row says how threads compare with
//! processes; any other row says which variant is the best of its case, and names both sides
//! whatever the verdict, as another run may compare others. The words of a row are
//! those of its finding ([`lab::compared`]); its cause is that of the finding, which has one only
//! where a difference was established. Nothing here knows a study by its name.
//!
//! What is said below a row has a kind ([`About`]): a run of several studies shows causes alone on
//! its first screen, and one line names the rows of which a doubt is the same.
//!
//! One line says at which level headline answers hold together ([`Answers::level`]). A row that is
//! none of them is marked as exploratory ([`Row::mark`]): a further case of a study, or memory.

mod advice;
mod along;
mod asked;
mod limits;
mod misses;
mod row;
mod terms;

use lab::findings::Role;
use lab::{CaseResult, Deciding, Finding, Results, StudyResult};

use crate::words::{Tone, many};
use stats::Verdict;

use limits::limits;
use row::row;
pub(crate) use row::{About, Below, Row, are_threads_and_processes};

/// Pairs of equal slots that differ by more than this make a machine noisy.
const NOISY: f64 = 0.05;
/// Rows that one line names; of more it gives the number.
const NAMED: usize = 3;

/// What a run answers.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    /// Machine, studies, time and seed.
    pub(crate) head: Vec<String>,
    /// What is varied and compared, of a study alone that varies something.
    pub(crate) asked: Option<String>,
    /// Threads against processes.
    pub(crate) rows: Vec<Row>,
    /// Everything else.
    pub(crate) others: Vec<Row>,
    /// What the names of variants mean that stand in the rows.
    pub(crate) terms: Option<String>,
    /// At which level headline answers hold.
    level: Option<String>,
    /// What to do next; `DIR` stands for the results folder.
    pub(crate) next: Vec<String>,
    /// What the reader must know, the most important first.
    pub(crate) warnings: Vec<String>,
}

impl Answers {
    /// At which level the rows hold, and what their marks mean.
    pub(crate) fn level(&self) -> Option<String> {
        let all = || self.rows.iter().chain(&self.others);
        let marks = [
            (all().any(|row| row.is_exploratory), "; * is exploratory"),
            (
                all().any(|row| row.is_of_few_rounds),
                "; \u{2020} rests on few rounds and may be smaller",
            ),
        ];
        let marks = marks.iter().filter(|(has, _)| *has).map(|(_, mark)| *mark);
        let level = self.level.clone()?;
        Some(level + &marks.collect::<String>())
    }

    /// The rows of a study.
    pub(crate) fn of_study(&self, place: usize) -> Vec<&Row> {
        let rows = self.rows.iter().chain(&self.others);
        rows.filter(|row| row.study == place).collect()
    }

    pub(crate) fn of(results: &Results) -> Self {
        let studies = results.studies.iter().enumerate();
        let rows = studies.flat_map(|(place, study)| rows(results, place, study));
        let rows = rows.chain(memory(results).map(|row| (true, row)));
        let (rows, others): (Vec<_>, Vec<_>) = rows.partition(|(is_main, _)| *is_main);
        let all = |rows: Vec<(bool, Row)>| rows.into_iter().map(|(_, row)| row).collect();
        let mut answers = Self {
            head: head(results),
            asked: asked::asked(results),
            terms: None,
            rows: all(rows),
            others: all(others),
            level: level(results),
            next: Vec::new(),
            warnings: advice::warnings(results),
        };
        let all = answers.rows.iter().chain(&answers.others);
        answers.terms = terms::terms(results, all);
        answers.next = advice::next(results, &answers);
        if answers.rows.len() + answers.others.len() > 1 {
            let without = answers.together(About::NoCause);
            let line = advice::causes(results, &without);
            answers.next.extend(line);
        }
        if results.studies.len() > 1 {
            for row in answers.rows.iter_mut().chain(&mut answers.others) {
                row.is_of_few_rounds = row.no_longer_says(About::Overstated);
            }
        }
        answers
    }

    /// The rows below which something is said of a kind, by their labels and the places of their
    /// studies: it is no longer said below each.
    fn together(&mut self, about: About) -> Vec<(String, usize)> {
        let all = self.rows.iter_mut().chain(&mut self.others);
        let saying = all.filter_map(|row| {
            row.no_longer_says(about)
                .then(|| (row.label.clone(), row.study))
        });
        saying.collect()
    }
}

/// `All 8 headline answers together are right in at least 95 of 100 runs`; nothing where no
/// comparison is decided.
fn level(results: &Results) -> Option<String> {
    let cases = results.studies.iter().flat_map(|study| &study.cases);
    let findings = cases.flat_map(|case| &case.findings);
    let is_answer = |finding: &&Finding| !matches!(finding.verdict, Verdict::CannotTell { .. });
    let mut answered = findings.filter(is_answer);
    let answers = answered.find_map(|finding| match finding.role {
        Role::Alone => Some(0),
        Role::Headline { answers } => Some(answers),
        Role::Exploratory { .. } => None,
    })?;
    let who = match answers {
        0 => "Each answer by itself is".to_owned(),
        1 => "The answer is".to_owned(),
        many => format!("All {many} headline answers together are"),
    };
    let right = right_of_100(results.error);
    Some(format!("{who} right in at least {right} of 100 runs"))
}

/// `95`, and `93.8` where a run was resumed: never rounded up.
pub(crate) fn right_of_100(error: f64) -> String {
    let tenths = (1000.0 * (1.0 - error) + 1e-6).floor();
    crate::number::trimmed(tenths / 10.0, 1)
}

/// `Primes; Disk writes; Search and 2 more`.
fn few(labels: &[String]) -> String {
    let named = labels[..labels.len().min(NAMED)].join("; ");
    match labels.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// How threads compare with processes in memory, in a run of several studies: in the first of
/// their headlines that has both. A study alone says it of its own variants.
fn memory(results: &Results) -> Option<Row> {
    let several = results.studies.len() > 1;
    let mut studies = results.studies.iter().enumerate().filter(|_| several);
    studies.find_map(|(place, study)| {
        let case = study.headline_case()?;
        let mut contrasts = case.contrasts.iter();
        let found = contrasts.find(|one| {
            let is_pair = are_threads_and_processes(case, &one.subject, &one.reference);
            one.name == "memory" && is_pair
        })?;
        let (_, words) = found.sentence.split_once(": ")?;
        let tone = match found.verdict {
            lab::findings::Word::CannotTell => Tone::Doubt,
            _ => Tone::Plain,
        };
        let (words, ends) = words.split_at(words.find(" [").unwrap_or(words.len()));
        let label = format!("Memory, {}", study.study.name);
        Some(Row {
            ends: ends.trim_start().to_owned(),
            case: case.case.name.clone(),
            is_exploratory: case.findings.iter().all(|one| one.role != Role::Alone),
            ..Row::new(place, label, words, tone)
        })
    })
}

/// `2 CPUs (virtual machine, noisy)`, `8 studies in 2 min 5 s`, `seed 940732`.
fn head(results: &Results) -> Vec<String> {
    let machine = &results.header.machine;
    let mut about = Vec::new();
    if machine.processor.is_virtual.value() == Some(&true) {
        about.push("virtual machine");
    }
    if noise(results).is_some_and(|noise| noise > NOISY) {
        about.push("noisy");
    }
    let cpus = many(machine.usable_cpus() as u64, "CPU");
    let simulation = results.header.settings.simulate.as_ref();
    let cpus = match simulation {
        Some(simulation) => format!("simulated: {}", simulation.machine.name),
        None => cpus,
    };
    let cpus = match about.is_empty() {
        true => cpus,
        false => format!("{cpus} ({})", about.join(", ")),
    };
    let what = match &results.studies[..] {
        [one] => format!("{}: {}", one.study.name, one.study.title),
        all => format!("{} studies", all.len()),
    };
    let took = match results.took_s > 0.0 {
        true => format!(" in {}", duration(results.took_s)),
        false => String::new(),
    };
    let seed = results.header.settings.seed;
    vec![cpus, format!("{what}{took}"), format!("seed {seed}")]
}

/// The noise of the noisiest case.
fn noise(results: &Results) -> Option<f64> {
    let cases = results.studies.iter().flat_map(|study| &study.cases);
    cases.filter_map(|case| case.noise?.pair).reduce(f64::max)
}

/// `2 min 5 s`.
fn duration(seconds: f64) -> String {
    let whole = seconds.round().max(1.0) as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, min, s) => format!("{min} min {s} s"),
        (h, min, _) => format!("{h} h {min} min"),
    }
}

/// The rows of a study, each with whether it is on threads against processes.
fn rows(results: &Results, place: usize, study: &StudyResult) -> Vec<(bool, Row)> {
    if !study.limits.is_empty() {
        return vec![(false, limits(place, study))];
    }
    let named: Vec<(String, &CaseResult)> = study
        .study
        .deciding
        .iter()
        .filter(|one| !one.alone || results.studies.len() == 1)
        .filter_map(|one| {
            let case = deciding(study, one)?;
            Some((case.case.filled(&one.label), case))
        })
        .collect();
    let cases = match named.is_empty() {
        false => named,
        true => study
            .headline_case()
            .into_iter()
            .map(|case| (capital(&study.study.name), case))
            .collect(),
    };
    let rows = cases
        .iter()
        .filter(|(_, case)| !misses::are_the_answer(study, case))
        .map(|(label, case)| row(results, (place, study), label, case));
    let misses = misses::rows(place, study).map(|row| (false, row));
    rows.chain(misses).collect()
}

/// The case that it names; of one that is spread out the headline, or else the last of its parts
/// that tells anything.
pub(super) fn deciding<'a>(study: &'a StudyResult, named: &Deciding) -> Option<&'a CaseResult> {
    let own = |case: &&CaseResult| named.has(&case.case.name);
    let headline = study.headline_case().filter(own);
    let tells = |case: &&CaseResult| {
        let mut findings = case.findings.iter().filter_map(|finding| finding.estimate);
        findings.any(|estimate| estimate.interval().is_some())
    };
    let cases = || study.cases.iter().filter(own);
    headline
        .or_else(|| cases().rfind(tells))
        .or_else(|| cases().next_back())
}

fn capital(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    format!("{}{}", first.unwrap_or_default(), letters.as_str())
}

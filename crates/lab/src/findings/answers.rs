//! The answers that a person reads first: rows of the first screen, of the page and of
//! findings.json. A row is a case that decides something (`deciding`, else the headline). It
//! compares threads with processes where both are; otherwise it names the best variant and the
//! other side. Words and cause are those of its finding ([`super::compared()`]). Rows of several
//! studies go by what they say: a difference, then bounds and measurements, then what is not known.

mod along;
mod answer;
mod differs;
mod layout;
mod limits;
mod misses;
mod rounds;
mod row;
mod sentence;

pub use answer::{About, Answer, Line, Question};
pub use rounds::Rounds;
pub use row::are_threads_and_processes;

use std::collections::BTreeSet;

use super::{CaseResult, Results, StudyResult};
use crate::data::Deciding;
use crate::data::words::capital;

impl Results {
    /// The rows of the first screen, in the order in which it shows them.
    #[must_use]
    pub fn answers(&self) -> Vec<Answer> {
        let studies = self.studies.iter().enumerate();
        let rows = studies.flat_map(|(place, study)| of_study(self, place, study));
        let mut rows: Vec<Answer> = rows.chain(memory(self)).collect();
        let several = self.studies.len() > 1;
        let rank = |row: &Answer| match several {
            true => row.rank(),
            false => 0,
        };
        rows.sort_by_key(|row| (!row.is_on_threads_and_processes(), rank(row)));
        say_once(&mut rows);
        rows
    }
}

/// What the figures of several rows mean stands below the first of them.
fn say_once(rows: &mut [Answer]) {
    let mut said = BTreeSet::new();
    for row in rows {
        let below = &mut row.below;
        below.retain(|line| line.about != About::Meaning || said.insert(line.text.clone()));
    }
}

impl StudyResult {
    /// The case that a row is of.
    #[must_use]
    pub fn deciding_case(&self, named: &Deciding) -> Option<&CaseResult> {
        self.cases.get(self.study.row_of(named)?)
    }

    /// The label of the row that is of a case.
    #[must_use]
    pub fn row_label(&self, case: &CaseResult) -> Option<String> {
        let is_of = |row: &&CaseResult| row.case.name == case.case.name;
        let mut deciding = self.study.deciding.iter();
        let row = deciding.find(|one| self.deciding_case(one).as_ref().is_some_and(is_of))?;
        Some(case.case.filled(&row.label))
    }
}

fn of_study(results: &Results, place: usize, study: &StudyResult) -> Vec<Answer> {
    let mut rows = rows(results, study);
    for row in &mut rows {
        row.place = place;
        row.study.clone_from(&study.study.name);
    }
    rows
}

fn rows(results: &Results, study: &StudyResult) -> Vec<Answer> {
    if !study.parts.limits.is_empty() {
        return vec![limits::limits(study)];
    }
    let deciding = study.study.deciding.iter();
    let deciding = deciding.filter(|one| !one.alone || results.studies.len() == 1);
    let mut cases: Vec<(String, &CaseResult)> = deciding
        .filter_map(|one| {
            let case = study.deciding_case(one)?;
            Some((case.case.filled(&one.label), case))
        })
        .collect();
    if cases.is_empty() {
        let headline = study.headline_case();
        cases.extend(headline.map(|case| (capital(&study.study.name), case)));
    }
    let rows = cases
        .iter()
        .filter(|(_, case)| !misses::are_the_answer(study, case))
        .map(|(label, case)| row::row(results, study, label, case));
    rows.chain(misses::rows(study)).collect()
}

/// Of the first headline with both, in a run of several studies; a study alone has it in its row.
fn memory(results: &Results) -> Option<Answer> {
    let several = results.studies.len() > 1;
    let mut studies = results.studies.iter().enumerate().filter(|_| several);
    studies.find_map(|(place, study)| {
        let case = study.headline_case()?;
        let mut contrasts = case.contrasts.iter();
        let found = contrasts.find(|one| {
            let is_pair = are_threads_and_processes(case, &one.subject, &one.reference);
            one.name == "memory" && is_pair
        })?;
        let floor = case.findings.first().map_or(0.0, |one| one.floor);
        let contrast = found.contrast.value();
        let said = found.in_words(floor);
        Some(Answer {
            place,
            study: study.study.name.clone(),
            case: case.case.name.clone(),
            question: Question::Memory,
            quantity: found.name.clone(),
            subject: Some(found.subject.clone()),
            reference: Some(found.reference.clone()),
            ratio: contrast.map(|one| one.estimate),
            interval: contrast.and_then(super::Contrast::interval),
            floor,
            verdict: Some(found.verdict),
            words: said.word,
            ends: said.interval,
            is_exploratory: true,
            ..Answer::called(format!("Memory, {}", study.study.name))
        })
    })
}

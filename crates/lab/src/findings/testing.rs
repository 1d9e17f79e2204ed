//! What tests of findings share: runs of scripted slots, single slots, points of sweeps, and what is said.

use flow::{Answer, Rep, SlotRecord};
use measure::memory::Reading;
use tempfile::tempdir;

use super::{RawSlot, Results, StudyResult};
use crate::data::{Case, Header, Outcome, Study, SweepPoint};
use crate::run::progress::Silent;
use crate::run::{Journal, run};
use crate::testing::{MEMORY, Mock, PROOF, header};

pub(crate) fn results(header: Header, mock: &mut Mock) -> Results {
    let folder = tempdir().unwrap();
    let mut journal = Journal::create(folder.path(), header).unwrap();
    let clock = mock.clock();
    run(&mut journal, mock, &clock, &mut Silent).unwrap()
}

pub(crate) fn results_of(study: Study, mut mock: Mock) -> Results {
    results(header(vec![study]), &mut mock)
}

pub(crate) fn run_study(study: Study, mock: Mock) -> StudyResult {
    results_of(study, mock).studies.remove(0)
}

/// The case as a point of a sweep; `of` is the sweep, its parameter and its unit.
pub(crate) fn point(case: Case, of: [&str; 3], value: f64) -> Case {
    let [sweep, parameter, unit] = of.map(str::to_owned);
    let sweep = Some(SweepPoint {
        sweep,
        parameter,
        value,
        unit,
    });
    Case { sweep, ..case }
}

pub(crate) fn done_in(reps: Vec<Rep>) -> SlotRecord {
    SlotRecord {
        warmups: Vec::new(),
        reps,
        memory: Reading::Honest(MEMORY),
        timed: None,
        proof: PROOF,
    }
}

pub(crate) fn slot(round: usize, variant: usize, value_ns: f64, answer: Answer) -> RawSlot {
    RawSlot {
        round,
        variant,
        at_s: 0.0,
        value_ns: Some(value_ns),
        outcome: Outcome::new(answer, 0),
    }
}

pub(crate) fn record(answer: &mut Answer) -> &mut SlotRecord {
    match answer {
        Answer::Done(record) => record,
        Answer::Failed { .. } => panic!("not done"),
    }
}

#[track_caller]
pub(crate) fn has(said: &str, part: &str) {
    assert!(said.contains(part), "no '{part}' in '{said}'");
}

#[track_caller]
pub(crate) fn lacks(said: &str, part: &str) {
    assert!(!said.contains(part), "'{part}' in '{said}'");
}

#[track_caller]
pub(crate) fn begins(said: &str, with: &str) {
    assert!(said.starts_with(with), "no '{with}' before '{said}'");
}

#[track_caller]
pub(crate) fn ends(said: &str, with: &str) {
    assert!(said.ends_with(with), "no '{with}' behind '{said}'");
}

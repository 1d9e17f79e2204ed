//! Whole runs of scripted slots: helpers here, the tests in a file for each idea.

mod budget;
mod failures;
mod longer;
mod looks;
mod resume;
mod search;
mod simulated;
mod slots;
mod whole;

use std::path::Path;

use tempfile::{TempDir, tempdir};

use super::*;
use crate::data::{Case, Chosen, Header};
use crate::run::ResumeOverrides;
use crate::run::progress::Silent;
use crate::testing::{Heard, MS, Mock, PROOF, case, done, header, noise_of_round, study};

const TWO: [&str; 2] = ["process", "thread"];

fn one_case() -> Header {
    header(vec![study(vec![case("one", 1, &TWO)])])
}

struct Ran {
    results: Results,
    heard: Vec<String>,
    folder: TempDir,
}

impl Ran {
    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join(crate::data::journal::FILE_NAME)
    }

    fn case(&self, place: usize) -> &crate::findings::CaseResult {
        &self.results.studies[0].cases[place]
    }

    fn rounds_heard(&self) -> usize {
        self.heard
            .iter()
            .filter(|line| line.starts_with("slot"))
            .count()
            / 2
    }

    fn count(&self, line: &str) -> usize {
        self.heard.iter().filter(|heard| *heard == line).count()
    }
}

fn run_mock(header: Header, mock: &mut Mock) -> Ran {
    let folder = tempdir().unwrap();
    let mut journal = Journal::create(folder.path(), header).unwrap();
    let mut heard = Heard::default();
    let clock = mock.clock();
    let results = run(&mut journal, mock, &clock, &mut heard).unwrap();
    assert_eq!(
        results,
        Results::from_journal(journal.path()).unwrap(),
        "made again"
    );
    Ran {
        results,
        heard: heard.0,
        folder,
    }
}

fn resume(path: &Path, mock: &mut Mock) -> Results {
    let mut journal = Journal::resume(path, ResumeOverrides::default()).unwrap();
    let clock = mock.clock();
    run(&mut journal, mock, &clock, &mut Silent).unwrap()
}

/// Processes take 20 ms, threads in every ten rounds as much less as more.
fn noise(model: &str, n: usize) -> u64 {
    noise_of_round(model == "thread", n)
}

/// Times that lose nothing between seconds and nanoseconds, so that clocks can be compared.
fn exact(model: &str, n: usize) -> u64 {
    let swing = if (n / 3 + usize::from(model == "thread")).is_multiple_of(2) {
        3
    } else {
        0
    };
    (10 + swing + n as u64 % 2) * 1_953_125
}

/// Cases of one sweep; each unit of work takes `exact` times that unit.
fn sweep(units: &[u64], budget_s: Option<f64>) -> Header {
    let case = |&value: &u64| {
        let mut case = case(&format!("flows/{value}"), value, &TWO);
        case.sweep = Some(crate::data::SweepPoint {
            sweep: "flows".to_owned(),
            parameter: "flows".to_owned(),
            value: value as f64,
            unit: "flows".to_owned(),
        });
        case
    };
    let mut header = header(vec![study(units.iter().map(case).collect())]);
    header.settings.max_rounds = 12;
    header.settings.budget_s = budget_s;
    header
}

fn by_units() -> Mock {
    Mock::new(|units, model, n, spec| done(spec, units * exact(model, n), PROOF))
}

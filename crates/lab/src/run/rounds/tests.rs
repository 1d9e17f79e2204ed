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

use std::path::{Path, PathBuf};

use tempfile::{TempDir, tempdir};

use super::*;
use crate::data::{Case, Chosen, Header};
use crate::findings::CaseResult;
use crate::run::ResumeOverrides;
use crate::run::progress::Silent;
use crate::testing::{
    Heard, MS, Mock, PROOF, Says, case, decides, done, header, noise_of_round, study,
};

const TWO: [&str; 2] = ["process", "thread"];
const THREE: [&str; 3] = ["process", "thread", "process-shared-files"];
const FOUR: [&str; 4] = [
    "process",
    "thread",
    "process-shared-files",
    "thread-private-files",
];

fn of_case(case: Case) -> Header {
    header(vec![study(vec![case])])
}

fn one_case() -> Header {
    of_case(case("one", 1, &TWO))
}

struct Ran {
    results: Results,
    heard: Vec<String>,
    folder: TempDir,
}

impl Ran {
    fn path(&self) -> PathBuf {
        self.folder.path().join(crate::data::journal::FILE_NAME)
    }

    fn case(&self, place: usize) -> &CaseResult {
        &self.results.studies[0].cases[place]
    }

    /// What was heard that begins so.
    fn heard(&self, begin: &'static str) -> impl DoubleEndedIterator<Item = &String> {
        let heard = self.heard.iter();
        heard.filter(move |line| line.starts_with(begin))
    }

    fn rounds_heard(&self) -> usize {
        self.heard("slot").count() / 2
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
    let again = Results::from_journal(journal.path()).unwrap();
    assert_eq!(results, again, "made again");
    Ran {
        results,
        heard: heard.0,
        folder,
    }
}

fn go_on(journal: &mut Journal, mock: &mut Mock) -> Results {
    let clock = mock.clock();
    run(journal, mock, &clock, &mut Silent).unwrap()
}

fn resume(path: &Path, mock: &mut Mock) -> Results {
    let mut journal = Journal::resume(path, ResumeOverrides::default()).unwrap();
    go_on(&mut journal, mock)
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
    each_unit(exact)
}

/// Each unit of work takes what this says of model and number.
fn each_unit(ns: fn(&str, usize) -> u64) -> Mock {
    Mock::new(move |units, model, n, spec| done(spec, units * ns(model, n), PROOF))
}

/// 20 ms, but of a slower model.
fn steady(slower: (&'static str, u64)) -> Mock {
    Mock::timed(move |model, n| n as u64 + if model == slower.0 { slower.1 } else { 20 * MS })
}

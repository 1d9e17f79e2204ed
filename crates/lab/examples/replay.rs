//! How many rows the schedule of today decides in how much time, from the rounds of a run that was:
//!
//! ```text
//! cargo run -p flowgauge-lab --example replay -- run/journal.jsonl 20 60 100 120
//! ```
//!
//! Each of the 20 runs draws whole rounds of each case from those of the journal, with replacement, so
//! slots that were measured together stay together, and each takes what it took. Rows whose cases
//! have no rounds there count as open. The verdicts are those that `flowgauge report` gives.
#![allow(clippy::print_stdout, reason = "an example says what it found")]

use std::cell::Cell;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::rc::Rc;

use flow::placement::Cpus;
use flow::{Answer, SlotSpec};
use lab::{
    Clock, Entry, Header, Journal, Launch, LaunchError, Outcome, Results, Silent, StudyResult,
};
use stats::simulate::Draw;
use workload::Work;

/// Both ends of an interval within this factor are an answer.
const NARROW: f64 = 1.1;

/// What a journal has of one case.
struct Recorded {
    /// Work and variant of each variant, as slots ask for them.
    specs: Vec<(Work, flow::Variant)>,
    pilots: Vec<Outcome>,
    /// By round, then by variant.
    rounds: Vec<Vec<Outcome>>,
    /// The round that is drawn now, and which of its variants were launched.
    drawn: (usize, Vec<bool>),
}

/// Launches what was recorded.
struct Replay {
    cases: Vec<Recorded>,
    draw: Draw,
    now_s: Rc<Cell<f64>>,
}

struct Now(Rc<Cell<f64>>);

impl Clock for Now {
    fn elapsed_s(&self) -> f64 {
        self.0.get()
    }
}

impl Replay {
    fn outcome(&mut self, spec: &SlotSpec<Work>) -> Option<Outcome> {
        let mut places = self.cases.iter().enumerate().filter_map(|(case, one)| {
            let own = |(work, variant): &(Work, flow::Variant)| {
                *work == spec.work && *variant == spec.variant
            };
            Some((case, one.specs.iter().position(own)?))
        });
        let (case, variant) = places.next()?;
        let case = &mut self.cases[case];
        if case.pilots.len() > variant && spec.warmups == 0 && spec.reps == 1 {
            return case.pilots.get(variant).cloned();
        }
        let (round, launched) = &mut case.drawn;
        if launched.is_empty() || launched[variant] {
            *round = (self.draw.uniform() * case.rounds.len() as f64) as usize;
            *launched = vec![false; case.specs.len()];
        }
        launched[variant] = true;
        let round = case.rounds.get(*round).or(case.rounds.last())?;
        Some(cut(round.get(variant)?.clone(), spec))
    }
}

/// A slot with fewer repetitions takes less time by as much as they took.
fn cut(mut outcome: Outcome, spec: &SlotSpec<Work>) -> Outcome {
    if let Answer::Done(record) = &mut outcome.answer {
        let fewer = record
            .reps
            .split_off(record.reps.len().min(spec.reps as usize));
        let saved: u64 = fewer.iter().map(flow::Rep::total_ns).sum();
        outcome.launch_ns = outcome.launch_ns.saturating_sub(saved);
    }
    outcome
}

impl Launch for Replay {
    fn launch(&mut self, spec: &SlotSpec<Work>) -> Result<Outcome, LaunchError> {
        let unknown = || LaunchError::Fatal("it was not recorded".to_owned());
        let outcome = self.outcome(spec).ok_or_else(unknown)?;
        self.now_s
            .set(self.now_s.get() + outcome.launch_ns as f64 / 1e9);
        Ok(outcome)
    }

    fn cpus(&self) -> Cpus {
        Cpus {
            allowed: vec![0, 1],
            cores: vec![0, 1],
            smt: vec![0, 1],
            numa: vec![0, 1],
        }
    }
}

/// The header with the cases that have rounds, and what they hold.
fn recorded(text: &str) -> Result<(Header, Vec<Recorded>), Box<dyn Error>> {
    let (header, lines) = text.split_once('\n').ok_or("the journal is empty")?;
    let mut header: Header = serde_json::from_str(header)?;
    let entries = lines.lines().map(serde_json::from_str);
    let entries: Vec<Entry> = entries.collect::<Result<_, _>>()?;
    let mut cases = Vec::new();
    for study in &mut header.studies {
        let (name, all) = (study.name.clone(), std::mem::take(&mut study.cases));
        for case in all {
            let specs = case.variants.iter().enumerate();
            let specs = specs.map(|(at, own)| (case.work_of(at).clone(), own.variant.clone()));
            let one = Recorded {
                specs: specs.collect(),
                pilots: pilots(&entries, &name, &case.name),
                rounds: rounds(&entries, &name, &case.name, case.variants.len()),
                drawn: (0, Vec::new()),
            };
            if one.rounds.len() > 1 && one.pilots.len() == one.specs.len() {
                cases.push(one);
                study.cases.push(lab::Case {
                    max_rounds: None,
                    ..case
                });
            }
        }
    }
    header.studies.retain(|study| !study.cases.is_empty());
    Ok((header, cases))
}

fn pilots(entries: &[Entry], of: &str, name: &str) -> Vec<Outcome> {
    let mut found = entries.iter().filter_map(|entry| match entry {
        Entry::Pilot {
            study,
            case,
            outcomes,
            ..
        } if study == of && case == name => Some(outcomes.clone()),
        _ => None,
    });
    found.next().unwrap_or_default()
}

fn rounds(entries: &[Entry], of: &str, name: &str, variants: usize) -> Vec<Vec<Outcome>> {
    let slots = entries.iter().filter_map(|entry| match entry {
        Entry::Slot(slot) if slot.study == of && slot.case == name => Some(slot),
        _ => None,
    });
    let mut slots: Vec<_> = slots.collect();
    slots.sort_by_key(|slot| (slot.round, slot.variant));
    let rounds = slots.chunk_by(|a, b| a.round == b.round);
    let whole = rounds.filter(|round| round.len() == variants);
    let outcomes = |round: &[&lab::SlotEntry]| round.iter().map(|s| s.outcome.clone()).collect();
    whole.map(outcomes).collect()
}

/// How a row stands: nothing, an answer, or decided.
fn standing(study: &StudyResult, row: usize) -> (bool, bool) {
    let case = &study.cases[row];
    let is_headline = case.case.name == study.study.headline;
    let headline = study.headline().filter(|_| is_headline);
    let Some(finding) = headline.or_else(|| study.finding_of(case)) else {
        return (case.rounds > 0, case.rounds > 0);
    };
    let ends = finding.estimate.and_then(|estimate| estimate.interval());
    let is_near = ends.is_some_and(|(low, high)| low >= 1.0 / NARROW && high <= NARROW);
    let is_decided = finding.verdict.is_decided();
    (is_decided, is_decided || is_near)
}

fn rows(results: &Results) -> impl Iterator<Item = (&StudyResult, usize)> {
    let alone = results.studies.len() == 1;
    let studies = results.studies.iter();
    studies.flat_map(move |study| {
        study
            .study
            .rows(alone)
            .into_iter()
            .map(move |row| (study, row))
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [journal, runs, budgets @ ..] = words.as_slice() else {
        return Err("usage: replay JOURNAL RUNS SECONDS...".into());
    };
    let text = fs::read_to_string(journal)?;
    let runs: u64 = runs.parse()?;
    let was = Results::from_journal(Path::new(journal))?;
    let count = |results: &Results, of: fn((bool, bool)) -> bool| {
        rows(results)
            .filter(|(study, row)| of(standing(study, *row)))
            .count()
    };
    println!(
        "as it was: {} decided, {} answers",
        count(&was, |row| row.0),
        count(&was, |row| row.1)
    );
    for budget in budgets {
        let (mut decided, mut answers, mut each) = (0, 0, std::collections::BTreeMap::new());
        for run in 0..runs {
            let (mut header, cases) = recorded(&text)?;
            header.settings.seed = run;
            header.settings.budget_s = Some(budget.parse()?);
            let folder = tempfile::tempdir()?;
            let mut journal = Journal::create(folder.path(), header)?;
            let now_s = Rc::default();
            let clock = Now(Rc::clone(&now_s));
            let mut replay = Replay {
                cases,
                draw: Draw::new(run, 0),
                now_s,
            };
            let results = lab::run(&mut journal, &mut replay, &clock, &mut Silent)?;
            decided += count(&results, |row| row.0);
            answers += count(&results, |row| row.1);
            for (study, row) in rows(&results) {
                let (is_decided, is_answer) = standing(study, row);
                let name = format!("{} {}", study.study.name, study.cases[row].case.name);
                let sum: &mut [usize; 3] = each.entry(name).or_default();
                sum[0] += usize::from(is_decided);
                sum[1] += usize::from(is_answer);
                sum[2] += study.cases[row].rounds;
            }
        }
        let mean = |sum: usize| sum as f64 / runs as f64;
        println!(
            "{budget} s: {:.1} decided, {:.1} answers",
            mean(decided),
            mean(answers)
        );
        for (name, sum) in each {
            let [decided, answers, rounds] = sum.map(mean);
            println!("    {name:<28} {decided:.2} {answers:.2} in {rounds:.0} rounds");
        }
    }
    Ok(())
}

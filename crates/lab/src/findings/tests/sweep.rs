//! What is said of sweeps whose truth is known.

use workload::{Cpu, Work};

use crate::data::Case;
use crate::findings::testing::{self, begins, ends, has};
use crate::testing::{MS, Mock, PROOF, case, done, study};

/// A point of a sweep: its value, the models, and its work.
fn point(at: u64, models: &[&str], work: Option<Work>) -> Case {
    let mut case = case(&format!("s/{at}"), at, models);
    case.work = work.unwrap_or(case.work);
    testing::point(case, ["swept", "n", "things"], at as f64)
}

fn workers(count: u64, models: &[&str]) -> Case {
    let work = Work::Cpu(Cpu {
        workers: count,
        loops: 1,
    });
    point(count, models, Some(work))
}

const BOTH: [&str; 2] = ["process", "thread"];

/// What is said of the sweep, of threads that take this many percent of what processes take.
fn said(cases: Vec<Case>, percent: fn(u64, usize) -> u64) -> Vec<String> {
    let mock = Mock::new(move |units, model, n, spec| {
        let percent = if model == "thread" {
            percent(units, n)
        } else {
            100
        };
        let noise = n as u64 % 7 * 5_000;
        let proof = spec.work.expected().unwrap_or(PROOF);
        done(spec, 10 * MS * percent / 100 + noise, proof)
    });
    let said = testing::run_study(study(cases), mock).sentences.into_iter();
    said.filter(|said| said.starts_with("swept: ")).collect()
}

/// It was said that more or less than 10 % is not known.
#[test]
fn a_rising_cost_is_told_from_where_on_it_is_more() {
    let cases = [2, 5].map(|at| point(at, &BOTH, None)).to_vec();
    let said = said(cases, |at, _| if at == 2 { 100 } else { 130 });
    assert_eq!(said.len(), 1, "{said:?}");
    let said = &said[0];
    begins(said, "swept: threads instead of processes cost ");
    has(said, "more than 10 % above about ");
    ends(said, "more than 2x nowhere from 2 to 5 things");
}

/// Who is dearer was taken from the smallest value, where the two were alike.
#[test]
fn the_dearer_one_is_the_one_that_is_told_to_be() {
    let cases = [2, 3, 5].map(|at| point(at, &BOTH, None)).to_vec();
    // At 2 threads take a hair less, and noise would hide it.
    let said = said(cases, |at, n| match at {
        2 => 96 + n as u64 * 5 % 8,
        _ => 130,
    });
    begins(&said[0], "swept: threads instead of processes");
}

#[test]
fn a_winner_that_changes_is_named_with_where() {
    let percent: fn(u64, usize) -> u64 = |at, n| match at {
        2 | 3 => 80,
        4 => 96 + n as u64 * 5 % 8,
        _ => 120,
    };
    let swept = [2, 3, 4, 5].map(|at| workers(at, &BOTH)).to_vec();
    let change = "swept: crossover between 3 and 5 things: threads are faster at 2 and 3, processes \
                  at 5; not known at 4";
    assert_eq!(said(swept, percent), [change]);
    // So in any sweep, beside what it costs.
    let swept = [2, 3, 4, 5].map(|at| point(at, &BOTH, None)).to_vec();
    let said = said(swept, percent);
    has(&said[0], "processes instead of threads cost more than 1 % ");
    assert_eq!(said[1], change);
}

#[test]
fn without_a_change_it_says_that_there_is_no_crossover() {
    let swept = || [2, 3, 5].map(|at| workers(at, &BOTH)).to_vec();
    assert_eq!(
        said(swept(), |_, _| 80),
        ["swept: no crossover from 2 to 5 things: threads are faster at 2, 3 and 5"]
    );
    assert_eq!(
        said(swept(), |_, _| 100),
        ["swept: no crossover from 2 to 5 things: not known at any of these numbers"]
    );
}

/// `--processes 3..5 --threads 2..8` got no answer: its smallest count has threads alone.
#[test]
fn counts_of_one_model_do_not_silence_the_others() {
    let models = |count: u64| match count {
        3..=5 => &BOTH[..],
        _ => &BOTH[1..],
    };
    let swept = (2..=8).map(|count| workers(count, models(count))).collect();
    assert_eq!(
        said(swept, |_, _| 80),
        ["swept: no crossover from 3 to 5 things: threads are faster at 3, 4 and 5"]
    );
}

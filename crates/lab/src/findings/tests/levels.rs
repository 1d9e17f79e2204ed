//! From which value of a sweep on processes cost more than a level.

use super::*;
use crate::data::Metric;
use crate::findings::testing::{begins, has, lacks};

/// Cases of a sweep; the value of each is the units of its work.
fn sweep(values: &[u64]) -> Vec<Case> {
    let at = |&value: &u64| {
        let case = case(&format!("grain/{value}"), value, &["process", "thread"]);
        point(case, ["grain", "block", "numbers"], value as f64)
    };
    values.iter().map(at).collect()
}

/// Work of 1 us a number; making processes costs 2 ms more than making threads.
fn fixed_cost() -> Mock {
    Mock::new(|units, model, n, spec| {
        let making = if model == "process" { 3 * MS } else { MS };
        done(spec, making + units * 1000 + n as u64 % 7 * 500, PROOF)
    })
}

#[test]
fn a_sweep_says_below_which_value_processes_cost_more() {
    let result = run_cases(sweep(&[100, 1000, 10_000, 100_000]), fixed_cost());
    // The truth, were there no bends: 199,000, 19,000 and 1,000.
    let said = result.sentences.last().unwrap();
    begins(
        said,
        "grain: processes instead of threads cost more than 1 % everywhere from 100 to 100,000 numbers, more than 10 % below about ",
    );
    has(said, "more than 2x below about 1,000 numbers [990 … 1,000]");
}

#[test]
fn a_sweep_whose_costs_are_small_everywhere_says_so() {
    let result = run_cases(sweep(&[1_000_000, 2_000_000]), fixed_cost());
    let said = result.sentences.last().unwrap();
    assert_eq!(
        said,
        "grain: processes instead of threads cost more than 1 % nowhere from 1,000,000 to \
         2,000,000 numbers"
    );
}

#[test]
fn a_sweep_claims_no_level_that_lies_within_an_interval() {
    // Processes take 1.75 to 2.65 times as long, whatever the size.
    let mock = Mock::new(|_, model, n, spec| {
        let percent = if model == "process" {
            175 + n as u64 * 37 % 91
        } else {
            100
        };
        done(spec, 10 * MS * percent / 100, PROOF)
    });
    let result = run_cases(sweep(&[1000, 100_000]), mock);
    let said = result.sentences.last().unwrap();
    has(
        said,
        "more than 10 % everywhere from 1,000 to 100,000 numbers",
    );
    let end = said.split(", ").last().unwrap();
    lacks(end, "everywhere");
    lacks(end, "nowhere");
    has(said, "more or less than 2x: unclear (threads 1.75x");
}

#[test]
fn a_sweep_that_was_cut_before_its_first_slot_has_no_empty_list_of_winners() {
    let mut cases = sweep(&[2, 3]);
    for case in &mut cases {
        case.metric = Metric::Switch;
    }
    let mut mock = fixed_cost();
    mock.signal_after = Some(0);
    let said = run_cases(cases, mock).sentences;
    lacks(&said.join("\n"), "cheapest");
}

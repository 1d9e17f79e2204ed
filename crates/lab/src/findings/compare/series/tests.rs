use super::super::tests::{after, before};
use super::*;
use crate::findings::Results;
use crate::findings::testing::{ends, has};

/// Runs a day apart of which those from a place on have slower threads.
fn days(count: u64, from: u64) -> Vec<Results> {
    let of = |day: u64| {
        let mut run = match day < from {
            true => before(),
            false => after(),
        };
        run.header.began_unix_s = 86_400 * day;
        run
    };
    (0..count).map(of).collect()
}

fn over(runs: &[Results]) -> Vec<Series> {
    let names: Vec<String> = (0..runs.len()).map(|day| format!("day {day}")).collect();
    let named = runs.iter().zip(&names);
    let named: Vec<Named<'_>> = named
        .map(|(results, name)| Named { name, results })
        .collect();
    series(&named)
}

#[test]
fn a_change_of_level_is_named_with_its_place_and_size_whatever_the_order_of_the_runs() {
    let mut runs = days(12, 7);
    runs.reverse();
    let all = over(&runs);
    let one = &all[0];
    let change = one.change.expect("a change");
    assert_eq!((change.at, one.points.len()), (7, 12), "{}", one.sentence);
    assert!(
        (change.estimate.ratio / 1.2 - 1.0).abs() < 0.01,
        "{change:?}"
    );
    // The runs are named by their places in the reversed order.
    has(&one.sentence, "between day 5 and day 4: 1.20x slower");
}

#[test]
fn a_level_that_stays_has_no_change_and_few_runs_have_none_to_find() {
    let same = over(&days(9, 9));
    assert!(same[0].change.is_none());
    ends(&same[0].sentence, "no change found in 9 runs");
    let few = over(&days(3, 1));
    has(&few[0].sentence, "from 8 runs on; these are 3");
}

#[test]
fn runs_of_several_machines_are_no_series() {
    let mut runs = days(9, 4);
    runs[3].header.machine.host = measure::Measured::Value("another".to_owned());
    let all = over(&runs);
    assert!(all[0].change.is_none() && all[0].sentence.contains("several machines"));
    assert_eq!(over(&[before()]).len(), 0, "one run is none");
}

//! The promises of the method, kept on simulated machines with known truth.
//!
//! `cargo test -p stats --test calibration -- --nocapture --test-threads=1`
//! prints the table that stands in docs/method.md.

use stats::simulate::{Experiment, HOSTILE, MODELS, NoiseModel, Order, QUIET, SHARED, Tally};
use stats::{LookPlan, Rule};

const EXPERIMENTS: usize = 2000;
const SEED: u64 = 20_260_101;

/// At most 5.8 % of 2,000: 5 % and what chance adds to it.
const MOST_FALSE: usize = 116;

/// 95 % of 2,000.
const FEWEST_FOUND: usize = 1900;

fn run(what: &str, experiment: &Experiment) -> Tally {
    let t = experiment.repeat(EXPERIMENTS, SEED).unwrap();
    println!(
        "| {:<7} | {what:<24} | {:>6} | {:>6} | {:>6} | {:>11} | {:>11.1} |",
        experiment.model.name,
        t.faster,
        t.slower,
        t.same,
        t.cannot_tell,
        t.mean_rounds()
    );
    t
}

#[test]
fn identical_programs_are_rarely_told_apart() {
    for model in MODELS {
        let t = run("identical", &Experiment::new(model, 1.0));
        assert!(t.differences() <= MOST_FALSE, "{}: {t:?}", model.name);
    }
}

/// Plants a difference on either side; returns the mean rounds of both.
fn planted(model: NoiseModel, factor: f64) -> f64 {
    let percent = (factor - 1.0) * 100.0;
    let slower = run(
        &format!("{percent:.0} % slower"),
        &Experiment::new(model, factor),
    );
    let faster = run(
        &format!("{percent:.0} % faster"),
        &Experiment::new(model, 1.0 / factor),
    );
    assert!(slower.slower >= FEWEST_FOUND, "{slower:?}");
    assert!(faster.faster >= FEWEST_FOUND, "{faster:?}");
    assert_eq!((slower.faster, faster.slower), (0, 0), "wrong direction");
    (slower.mean_rounds() + faster.mean_rounds()) / 2.0
}

#[test]
fn two_percent_is_found_on_a_quiet_machine_at_once() {
    assert!(planted(QUIET, 1.02) < 11.0);
}

#[test]
fn two_percent_is_found_on_a_shared_machine() {
    assert!(planted(SHARED, 1.02) <= 40.0);
}

#[test]
fn five_percent_is_found_on_a_hostile_machine() {
    planted(HOSTILE, 1.05);
}

#[test]
fn fixed_orders_lie_where_random_order_does_not() {
    for max_rounds in [10, 80] {
        let [random, alternating, blocks] =
            [Order::Random, Order::Alternating, Order::Blocks].map(|order| {
                let experiment = Experiment {
                    order,
                    plan: LookPlan::new(max_rounds).unwrap(),
                    ..Experiment::new(SHARED, 1.0)
                };
                run(&format!("identical, {order:?} {max_rounds}"), &experiment).differences()
            });
        println!("{random} {alternating} {blocks}");
    }
}

#[test]
fn other_plans_keep_the_level_too() {
    for max_rounds in [15, 31, 60, 100] {
        let experiment = Experiment {
            plan: LookPlan::new(max_rounds).unwrap(),
            rule: Rule {
                floor: 0.0,
                comparisons: 1,
            },
            ..Experiment::new(QUIET, 1.0)
        };
        let t = run(&format!("identical, at most {max_rounds}"), &experiment);
        assert!(t.differences() <= MOST_FALSE, "{max_rounds}: {t:?}");
    }
}

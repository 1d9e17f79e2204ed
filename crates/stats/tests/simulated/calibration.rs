//! The promises of the method, kept on simulated machines whose truth is known.
//!
//! The figures of the table in docs/method.md are what this prints:
//!
//! ```text
//! cargo test -p flowgauge-stats --test simulated calibration:: -- --nocapture --test-threads=1
//! ```

use stats::simulate::{Draw, Experiment, HOSTILE, MODELS, NoiseModel, Order, QUIET, SHARED, Tally};
use stats::{LookPlan, Sequential, Step};

const SEED: u64 = 20_260_101;

/// Experiments behind each promise.
const MANY: usize = 2000;

/// Experiments where a smaller number shows the point.
const FEWER: usize = 1000;

/// Of `MANY`, where it is promised: 5 %, and what chance adds in 19 of 20 seeds.
const MOST_FALSE: usize = 116;

/// Of `MANY`, in the rows beyond the promises: 5 % and three standard deviations,
/// because among many rows one is unlucky.
const MOST_BY_CHANCE: usize = 129;

/// Of `MANY`: 95 %.
const FEWEST_FOUND: usize = 1900;

/// Runs the experiments and prints them as a row of the table.
fn run(what: &str, experiment: &Experiment, experiments: usize) -> Tally {
    let t = experiment.repeat(experiments, SEED).unwrap();
    println!(
        "| {:<7} | {what:<27} | {experiments:>6} | {:>6} | {:>6} | {:>6} | {:>6} | {:>6.1} |",
        experiment.model.name,
        t.faster,
        t.slower,
        t.same,
        t.cannot_tell,
        t.mean_rounds()
    );
    t
}

/// Identical programs, of which every difference counts.
fn identical(model: NoiseModel) -> Experiment {
    let mut experiment = Experiment::new(model, 1.0);
    experiment.rule.floor = 0.0;
    experiment
}

/// Plants a difference of `factor` on either side; returns the mean rounds.
fn planted(model: NoiseModel, factor: f64) -> f64 {
    let percent = (factor - 1.0) * 100.0;
    let experiment = |ratio| Experiment::new(model, ratio);
    let slower = run(&format!("{percent:.0} % slower"), &experiment(factor), MANY);
    let faster = run(
        &format!("{percent:.0} % faster"),
        &experiment(1.0 / factor),
        MANY,
    );
    assert!(slower.slower >= FEWEST_FOUND, "{slower:?}");
    assert!(faster.faster >= FEWEST_FOUND, "{faster:?}");
    assert_eq!((slower.faster, faster.slower), (0, 0), "wrong direction");
    (slower.mean_rounds() + faster.mean_rounds()) / 2.0
}

#[test]
fn identical_programs_are_rarely_told_apart() {
    for model in MODELS {
        let t = run("identical", &Experiment::new(model, 1.0), MANY);
        assert!(t.differences() <= MOST_FALSE, "{}: {t:?}", model.name);
    }
}

#[test]
fn two_percent_is_found_on_a_quiet_machine_in_few_rounds() {
    assert!(planted(QUIET, 1.02) <= 15.0);
}

#[test]
fn two_percent_is_found_on_a_shared_machine() {
    assert!(planted(SHARED, 1.02) <= 40.0);
}

#[test]
fn five_percent_is_found_on_a_hostile_machine() {
    planted(HOSTILE, 1.05);
}

/// The sizes of the t3 part read as scales instead of standard deviations: more
/// noise than the promises are for, so less is found, but not more is invented.
#[test]
fn more_noise_costs_answers_and_not_truth() {
    for (model, factor) in [(SHARED, 1.02), (HOSTILE, 1.05)] {
        let t3 = model.t3 * 3_f64.sqrt();
        let rougher = NoiseModel { t3, ..model };
        let same = run("t3 x 1.73, identical", &Experiment::new(rougher, 1.0), MANY);
        assert!(same.differences() <= MOST_BY_CHANCE, "{same:?}");
        let what = format!("t3 x 1.73, {:.0} % slower", (factor - 1.0) * 100.0);
        let found = run(&what, &Experiment::new(rougher, factor), MANY);
        assert!(found.faster <= MANY / 1000, "{found:?}");
    }
}

/// On an overloaded machine a planted 5 % was found in the wrong direction once in 42 studies: where
/// the noise is many times the difference, a verdict has either direction by chance, and half the
/// level is what it may err by.
#[test]
fn a_difference_far_below_the_noise_is_found_in_the_wrong_direction_within_half_the_level() {
    for times in [2.0, 4.0, 8.0] {
        let model = NoiseModel {
            name: "hostile",
            t3: times * HOSTILE.t3,
            ar_spread: times * HOSTILE.ar_spread,
            ..HOSTILE
        };
        let experiment = Experiment {
            plan: LookPlan::new(20).unwrap(),
            ..Experiment::new(model, 1.05)
        };
        let what = format!("x {times:.0}, 5 % slower, 20 rounds");
        let found = run(&what, &experiment, MANY);
        assert!(found.faster <= MANY / 40, "{found:?}");
    }
}

#[test]
fn every_plan_keeps_the_level() {
    for max_rounds in [15, 31, 60, 100] {
        let experiment = Experiment {
            plan: LookPlan::new(max_rounds).unwrap(),
            ..identical(QUIET)
        };
        let what = format!("identical, d 0, {max_rounds} rounds");
        let t = run(&what, &experiment, MANY);
        assert!(t.differences() <= MOST_BY_CHANCE, "{max_rounds}: {t:?}");
    }
}

/// One look after ten rounds, at 1.6 %: only the order of the slots differs.
#[test]
fn blocks_invent_differences_where_random_order_does_not() {
    for model in MODELS {
        let [random, blocks] = [Order::Random, Order::Blocks].map(|order| {
            let experiment = Experiment {
                order,
                plan: LookPlan::new(10).unwrap(),
                ..Experiment::new(model, 1.0)
            };
            let what = format!("identical, 10 rounds, {order:?}").to_lowercase();
            run(&what, &experiment, FEWER).differences()
        });
        assert!(random <= FEWER * 3 / 100, "{}: {random}", model.name);
        // A quiet machine forgives any order; the others do not.
        assert!(
            model == QUIET || blocks > 10 * random,
            "{blocks} against {random}"
        );
    }
}

/// Whoever watches a run and ends it at the round that pleases most cannot break the level: every round
/// but the planned ones is judged at an eighth of it.
#[test]
fn a_comparison_that_is_watched_round_by_round_keeps_the_level() {
    for model in MODELS {
        let experiment = identical(model);
        let named = (0..MANY as u64).filter(|&index| {
            let (reference, subject) = experiment.measure(&mut Draw::new(SEED, index));
            let mut watched = Sequential::new(LookPlan::default(), experiment.rule).unwrap();
            reference.iter().zip(&subject).any(|(r, s)| {
                watched.push(*r, *s).unwrap();
                matches!(watched.watch(), Ok(Step::Decided(..)))
            })
        });
        let named = named.count();
        println!(
            "| {:<7} | identical, d 0, watched | {MANY} | {named} |",
            model.name
        );
        assert!(named <= MOST_BY_CHANCE, "{}: {named}", model.name);
    }
}

/// Ten times as many experiments, for the figure that 2,000 leave uncertain.
#[test]
#[ignore = "half a minute; run it when the looks or their level change"]
fn the_joint_level_is_five_percent() {
    for model in MODELS {
        let t = run("identical, d 0", &identical(model), 10 * MANY);
        let share = t.differences() as f64 / t.experiments as f64;
        assert!(share <= 0.052, "{}: {share}", model.name);
    }
}

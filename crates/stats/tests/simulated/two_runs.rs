//! What the comparison of two runs promises, on simulated machines whose truth is known.
//!
//! The figures of the table in docs/method.md are what this prints:
//!
//! ```text
//! cargo test -p flowgauge-stats --test simulated two_runs:: -- --nocapture --test-threads=1
//! ```

use stats::simulate::{Draw, HOSTILE, MODELS, Machine, NoiseModel, QUIET, SHARED};
use stats::{Rule, two_runs, typical, wander};

const SEED: u64 = 20_260_201;
const MANY: u64 = 2000;
const ROUNDS: usize = 20;
const ALPHA: f64 = 0.05;
/// 5 % of `MANY` and three standard deviations.
const MOST_BY_CHANCE: usize = 129;

/// A run of one variant whose true time is `time`, with another variant in between, as
/// every round has. The whole run is shifted by a factor that is drawn for it, with this
/// standard deviation: the machine of another day.
fn run(model: NoiseModel, time: f64, shift: f64, draw: &mut Draw) -> Vec<f64> {
    let day = draw.normal(shift).exp();
    let mut machine = Machine::new(model, 2 * ROUNDS, draw);
    let mut values = Vec::new();
    for _ in 0..ROUNDS {
        values.push(machine.slot(time * day, draw));
        let _other = machine.slot(day, draw);
    }
    values
}

/// The floor that the runs themselves call for, and at least `floor`.
fn guarded(floor: f64, a: &[f64], b: &[f64]) -> f64 {
    let wander = [a, b]
        .iter()
        .filter_map(|run| wander(run))
        .fold(0.0, f64::max);
    floor.max(wander)
}

/// What came of `MANY` comparisons.
#[derive(Debug, Default)]
struct Counts {
    /// The interval does not hold the true ratio.
    missed: usize,
    /// A difference beyond the floor was called.
    fixed: usize,
    /// The same, with the floor widened by what the runs wander.
    guarded: usize,
}

fn comparisons(model: NoiseModel, ratio: f64, shift: f64, floor: f64) -> Counts {
    let mut counts = Counts::default();
    for stream in 0..MANY {
        let mut draw = Draw::new(SEED, stream);
        let a = run(model, 1.0, shift, &mut draw);
        let b = run(model, ratio, shift, &mut draw);
        let e = two_runs(&a, &b, ALPHA).unwrap();
        let (low, high) = e.interval().unwrap();
        let differs = |floor| {
            let rule = Rule {
                floor,
                ..Rule::default()
            };
            usize::from(rule.judge_apart(&e).is_difference())
        };
        counts.missed += usize::from(!(low..=high).contains(&ratio));
        counts.fixed += differs(floor);
        counts.guarded += differs(guarded(floor, &a, &b));
    }
    println!(
        "| {} | {shift} | {ratio} | {floor} | {counts:?} |",
        model.name
    );
    counts
}

#[test]
fn the_interval_covers_where_slots_are_independent() {
    for (m, n) in [(10, 10), (10, 40), (20, 20), (80, 80)] {
        for (name, gauss, t3) in [("Gaussian", 0.02, 0.0), ("t3", 0.0, 0.04)] {
            let noise = |draw: &mut Draw| draw.normal(gauss) + draw.t3(t3);
            // Counting the distribution of large samples takes a while.
            let experiments = if m * n > 1000 { MANY / 10 } else { MANY };
            let missed = (0..experiments).filter(|&stream| {
                let mut draw = Draw::new(SEED, stream);
                let mut sample = |n: usize, time: f64| -> Vec<f64> {
                    (0..n).map(|_| time * noise(&mut draw).exp()).collect()
                };
                let (a, b) = (sample(m, 1.0), sample(n, 1.1));
                let (low, high) = two_runs(&a, &b, ALPHA).unwrap().interval().unwrap();
                !(low..=high).contains(&1.1)
            });
            let share = missed.count() as f64 / experiments as f64;
            println!("| {m} and {n} | {name} | {experiments} | {share:.4} |");
            // The level and what chance adds; and not far below it, as the steps of U are fine.
            let chance = 3.0 * (0.05 * 0.95 / experiments as f64).sqrt();
            assert!(
                (0.05 - share).abs() < chance + 0.005,
                "{m}, {n}, {name}: {share}"
            );
        }
    }
}

#[test]
fn the_interval_of_a_median_covers() {
    let missed = (0..MANY).filter(|&stream| {
        let mut draw = Draw::new(SEED, stream);
        let values: Vec<f64> = (0..ROUNDS).map(|_| draw.t3(0.04).exp()).collect();
        let (low, high) = typical(&values, ALPHA).unwrap().interval.unwrap();
        !(low..=high).contains(&1.0)
    });
    let missed = missed.count();
    assert!((40..=MOST_BY_CHANCE).contains(&missed), "{missed}");
}

/// A run that wanders widens the floor by itself.
#[test]
fn what_a_run_wanders_is_not_called_a_difference() {
    for model in MODELS {
        for floor in [0.0, 0.01, 0.02, 0.05] {
            let counts = comparisons(model, 1.0, 0.0, floor);
            assert!(counts.guarded <= counts.fixed && counts.guarded <= MOST_BY_CHANCE / 4);
        }
    }
    let hostile = comparisons(HOSTILE, 1.0, 0.0, 0.01);
    assert!(hostile.fixed > 10 * hostile.guarded, "{hostile:?}");
}

/// A shift of the whole machine between two runs is in no interval. Only a floor that is as
/// wide as such shifts are guards against it.
#[test]
fn a_shift_between_runs_is_covered_by_the_floor_alone() {
    for model in [QUIET, SHARED] {
        let [narrow, _, wide] =
            [0.01, 0.05, 0.10].map(|floor| comparisons(model, 1.0, 0.02, floor));
        assert!(narrow.missed > 2 * MOST_BY_CHANCE, "{narrow:?}");
        assert!(wide.guarded <= MOST_BY_CHANCE, "{wide:?}");
    }
}

#[test]
fn what_lies_beyond_the_floor_is_found() {
    for (model, floor, ratio) in [
        (QUIET, 0.01, 1.03),
        (SHARED, 0.02, 1.15),
        (HOSTILE, 0.05, 1.5),
    ] {
        let found = comparisons(model, ratio, 0.0, floor);
        assert!(found.guarded >= 1800, "{found:?}");
    }
}

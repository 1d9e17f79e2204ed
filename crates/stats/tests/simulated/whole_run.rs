//! What the 5 % of a run of several studies costs, simulated. The table in docs/method.md is
//! what this prints:
//!
//! ```text
//! cargo test --release -p flowgauge-stats --test simulated whole_run:: -- --nocapture --test-threads=1
//! ```

use stats::simulate::{Cuts, HOSTILE, Level, MODELS, Named, NoiseModel, QUIET, SHARED, WholeRun};

const SEED: u64 = 20_260_101;
const RUNS: usize = 2000;
/// Runs where the difference is large.
const FEWER: usize = 300;

/// A quick run of all built-in studies as it went on a shared virtual machine of two CPUs: the
/// ratios that each headline case measured.
fn quick() -> Vec<Vec<f64>> {
    vec![
        vec![0.970],
        vec![0.949],
        vec![0.584, 0.0032, 0.0022, 0.0026],
        vec![0.207, 0.0206, 0.0020, 0.0011],
        vec![12.1, 0.664, 0.917],
        vec![0.927, 0.140, 0.118],
        vec![0.997, 3.15, 3.11],
        vec![0.976],
    ]
}

/// The same studies of identical variants.
fn identical() -> Vec<Vec<f64>> {
    quick().iter().map(|of| vec![1.0; of.len()]).collect()
}

fn run(
    model: NoiseModel,
    answers: Vec<Vec<f64>>,
    rounds: usize,
    level: Level,
    runs: usize,
) -> Named {
    let what = if answers[0][0] == 1.0 {
        "identical"
    } else {
        "as measured"
    };
    let count = answers.len();
    let whole = WholeRun {
        model,
        answers,
        rounds,
        level,
        cuts: Cuts::None,
    };
    let named = whole.repeat(runs, SEED).unwrap();
    let each = |sum: usize| sum as f64 / runs as f64;
    println!(
        "| {:<7} | {what:<11} | {level:?} | {rounds:>2} | {:>5.2} of {count} | {:>5.1} % | {:>5.1} |",
        model.name,
        each(named.answers),
        100.0 * each(named.runs),
        each(named.rounds) / count as f64,
    );
    named
}

#[test]
fn a_whole_run_of_identical_variants_rarely_names_a_difference() {
    for model in MODELS {
        let together = run(model, identical(), 20, Level::Together, RUNS);
        assert!(together.runs <= RUNS / 20, "{together:?}");
    }
    // Each at 5 %, a fifth of the runs holds a false headline.
    let each = run(SHARED, identical(), 20, Level::Each, RUNS);
    assert!(each.runs > RUNS / 10, "{each:?}");
}

#[test]
fn a_quick_run_still_decides_nine_tenths_of_its_headlines() {
    for model in [QUIET, SHARED, HOSTILE] {
        for rounds in [12, 20] {
            let [each, together] = [Level::Each, Level::Together]
                .map(|level| run(model, quick(), rounds, level, FEWER).answers);
            assert!(
                10 * together >= 9 * each,
                "{}: {together} {each}",
                model.name
            );
        }
    }
}

/// Old rounds were judged again by a run that was taken up again, and one in ten of identical
/// pairs then had a verdict.
#[test]
fn a_whole_run_that_is_cut_or_taken_up_again_keeps_its_level() {
    for model in [SHARED, HOSTILE] {
        for (cuts, rounds) in [(Cuts::Once, 20), (Cuts::Often, 20), (Cuts::Watched, 40)] {
            let whole = WholeRun {
                model,
                answers: identical(),
                rounds,
                level: Level::Together,
                cuts,
            };
            let runs = if cuts == Cuts::Watched {
                RUNS / 4
            } else {
                RUNS
            };
            let named = whole.repeat(runs, SEED).unwrap();
            println!(
                "| {:<7} | {cuts:?} | {:>5.2} % |",
                model.name,
                100.0 * named.runs as f64 / runs as f64
            );
            assert!(named.runs <= runs / 20, "{named:?}");
        }
    }
}

//! How much a finding overstates that few rounds decided, simulated. The figures of the table in
//! docs/method.md are what this prints:
//!
//! ```text
//! cargo test -p flowgauge-stats --test simulated early:: -- --nocapture
//! ```

use std::collections::BTreeMap;

use stats::simulate::{Draw, Experiment, MODELS};
use stats::{Verdict, noise, overstates};

/// Findings of more rounds are not marked.
const FEW: usize = 20;

const SEED: u64 = 20_260_101;
const RUNS: u64 = 2000;
/// Estimates of fewer runs are no row of the table.
const FEWEST: usize = 60;
/// What is shown as more than this much of the truth is overstated.
const MUCH: f64 = 1.5;

/// What findings of one look show, as parts of the truth.
#[derive(Default)]
struct Shown(Vec<f64>);

impl Shown {
    fn quantile(&self, p: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[(p * (sorted.len() - 1) as f64).round() as usize]
    }

    fn much(&self) -> f64 {
        let much = self.0.iter().filter(|&&part| part > MUCH).count();
        much as f64 / self.0.len() as f64
    }
}

/// What runs of a truth show, by the round that decided and whether it is said to be in doubt.
fn shown(experiment: &Experiment) -> BTreeMap<(usize, bool), Shown> {
    let mut shown: BTreeMap<(usize, bool), Shown> = BTreeMap::new();
    for index in 0..RUNS {
        let (estimate, verdict) = experiment.run(SEED, index).unwrap();
        let Verdict::Slower { .. } = verdict else {
            continue;
        };
        let (reference, subject) = experiment.measure(&mut Draw::new(SEED, index));
        let pairs = reference.iter().zip(&subject).take(estimate.rounds);
        let ratios: Vec<f64> = pairs.map(|(r, s)| s / r).collect();
        let in_doubt = overstates(&estimate, noise(&ratios).spread.unwrap()).is_some();
        let part = estimate.ratio.ln() / experiment.ratio.ln();
        let place = shown.entry((estimate.rounds, in_doubt)).or_default();
        place.0.push(part);
    }
    shown
}

/// In hostile noise a found 2 % was printed as 3 to 14 %, and nothing said so.
#[test]
fn what_few_rounds_overstate_is_said_to_be_in_doubt() {
    let (mut overstated, mut of_them_in_doubt) = (0.0, 0.0);
    for model in MODELS {
        for truth in [1.02, 1.05, 1.10] {
            for ((rounds, in_doubt), shown) in shown(&Experiment::new(model, truth)) {
                let runs = shown.0.len();
                if rounds <= FEW {
                    let much = shown.much() * runs as f64;
                    overstated += much;
                    of_them_in_doubt += if in_doubt { much } else { 0.0 };
                }
                if runs >= FEWEST {
                    println!(
                        "| {:<7} | {:>2.0} % | {rounds:>2} | {:<3} | {runs:>4} | {:.2} | {:.2} \
                         | {:.2} | {:>4.1} % |",
                        model.name,
                        (truth - 1.0) * 100.0,
                        if in_doubt { "yes" } else { "no" },
                        shown.quantile(0.1),
                        shown.quantile(0.5),
                        shown.quantile(0.9),
                        shown.much() * 100.0
                    );
                    // What is not said to be in doubt is typically right.
                    let typical = shown.quantile(0.5);
                    assert!(in_doubt || rounds > FEW || typical < MUCH, "{typical}");
                }
            }
        }
    }
    println!("{of_them_in_doubt:.0} of {overstated:.0} that overstate by half are in doubt");
    assert!(of_them_in_doubt > 0.8 * overstated);
}

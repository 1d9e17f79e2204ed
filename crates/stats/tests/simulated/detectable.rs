//! `detectable` promises that 95 of 100 comparisons find the difference.

use stats::simulate::Draw;
use stats::{LOOK_ALPHA, detectable, estimate, noise};

const EXPERIMENTS: u64 = 2000;

/// How many of 2,000 comparisons of Gaussian slots find `difference`.
fn found(slot_sd: f64, difference: f64, rounds: usize) -> usize {
    let finds = |&stream: &u64| {
        let mut draw = Draw::new(5, stream);
        let mut times = |time: f64| -> Vec<f64> {
            (0..rounds)
                .map(|_| time * draw.normal(slot_sd).exp())
                .collect()
        };
        let (reference, subject) = (times(1.0), times(1.0 + difference));
        let e = estimate(&reference, &subject, LOOK_ALPHA).unwrap();
        e.low.is_some_and(|low| low > 1.0)
    };
    (0..EXPERIMENTS).filter(finds).count()
}

#[test]
fn gaussian_differences_of_the_promised_size_are_found() {
    let slot_sd = 0.02;
    for rounds in [10, 20, 40, 80] {
        let difference = detectable(slot_sd * 2_f64.sqrt(), rounds, LOOK_ALPHA);
        let share = found(slot_sd, difference, rounds) as f64 / EXPERIMENTS as f64;
        assert!((0.92..=0.97).contains(&share), "{rounds} rounds: {share}");
    }
}

#[test]
fn noise_measures_what_detectable_wants() {
    let mut draw = Draw::new(6, 0);
    let slots: Vec<f64> = (0..2000).map(|_| draw.normal(0.02).exp()).collect();
    let n = noise(&slots);
    assert!((n.spread.unwrap() - 0.02).abs() < 0.002, "{n:?}");
    assert!(
        (n.pair.unwrap() - 0.02 * 2_f64.sqrt()).abs() < 0.002,
        "{n:?}"
    );
}

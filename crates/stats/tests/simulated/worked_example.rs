//! The ten rounds of the worked example in docs/method.md, number by number.

use stats::{LOOK_ALPHA, Rule, Summary, Verdict, tail, wilcoxon_k};

/// Milliseconds; round 3 was slow for both, in round 9 the reference was disturbed.
const REFERENCE: [f64; 10] = [20.4, 20.1, 22.8, 20.9, 20.2, 20.6, 21.5, 20.3, 27.9, 20.7];
const SUBJECT: [f64; 10] = [19.7, 19.6, 22.1, 20.0, 19.9, 19.9, 20.5, 19.7, 20.3, 19.9];

/// d in percent, and in ascending order the Walsh averages that matter.
const D: [f64; 10] = [
    -3.49, -2.52, -3.12, -4.40, -1.50, -3.46, -4.76, -3.00, -31.80, -3.94,
];
const FIVE_SMALLEST: [f64; 5] = [-31.80, -18.28, -18.10, -17.87, -17.65];
const MIDDLE: f64 = -3.53;
const FIVE_LARGEST: [f64; 5] = [-2.48, -2.31, -2.25, -2.01, -1.50];

fn percent(x: f64) -> f64 {
    (x * 10_000.0).round() / 100.0
}

fn thousandths(x: f64) -> f64 {
    (x * 1000.0).round() / 1000.0
}

#[test]
fn the_steps_are_as_told() {
    let d: Vec<f64> = REFERENCE
        .iter()
        .zip(SUBJECT)
        .map(|(r, s)| (s / r).ln())
        .collect();
    assert_eq!(d.iter().map(|&x| percent(x)).collect::<Vec<_>>(), D);
    let pairs = (0..10).flat_map(|i| (i..10).map(move |j| (i, j)));
    let mut walsh: Vec<f64> = pairs.map(|(i, j)| (d[i] + d[j]) / 2.0).collect();
    walsh.sort_by(f64::total_cmp);
    let walsh: Vec<f64> = walsh.into_iter().map(percent).collect();
    assert_eq!(walsh.len(), 55);
    assert_eq!(walsh[..5], FIVE_SMALLEST);
    assert_eq!(walsh[27], MIDDLE);
    assert_eq!(walsh[50..], FIVE_LARGEST);
    assert_eq!(wilcoxon_k(10, LOOK_ALPHA), 5);
}

#[test]
fn the_finding_is_as_told() {
    let (e, verdict) = Rule::default().judge_values(&REFERENCE, &SUBJECT).unwrap();
    assert_eq!((e.rounds, thousandths(e.ratio)), (10, 0.965));
    assert_eq!(e.low.map(thousandths), Some(0.838));
    assert_eq!(e.high.map(thousandths), Some(0.976));
    let Verdict::Faster { at_least } = verdict else {
        panic!("{verdict:?}")
    };
    assert_eq!(thousandths(at_least), 0.025);
}

#[test]
fn the_other_lines_are_as_told() {
    let (r, s) = (
        Summary::of(&REFERENCE).unwrap(),
        Summary::of(&SUBJECT).unwrap(),
    );
    assert_eq!(
        (thousandths(r.typical), thousandths(s.typical)),
        (20.65, 19.9)
    );
    assert_eq!((r.undisturbed, s.undisturbed), (20.1, 19.6));
    assert_eq!((thousandths(r.mean), thousandths(s.mean)), (21.54, 20.16));
    assert_eq!(thousandths(s.mean / r.mean), 0.936);
    let t = tail(&REFERENCE, &SUBJECT);
    assert_eq!((t.reference.slow, t.subject.slow), (2, 1));
    assert_eq!(t.reference.slow_beyond.map(thousandths), Some(22.65));
    assert_eq!(t.subject.slow_beyond.map(thousandths), Some(20.9));
    assert_eq!(t.reference.p95, None);
}

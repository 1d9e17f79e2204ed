//! What must hold for all values.

use proptest::prelude::*;
use stats::{
    Estimate, Rule, Summary, Verdict, estimate, noise, rounds_for_interval, tail, two_runs,
};

/// Rounds of two columns: times from a nanosecond to a quarter of an hour.
fn rounds() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    let time = || -20.0..7.0_f64;
    prop::collection::vec(
        (time().prop_map(f64::exp), time().prop_map(f64::exp)),
        1..50,
    )
    .prop_map(|pairs| pairs.into_iter().unzip())
}

fn alpha() -> impl Strategy<Value = f64> {
    0.001..0.5_f64
}

fn close(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-9
}

fn all_close(a: &Estimate, b: &Estimate) -> bool {
    let ends = |e: &Estimate| e.interval().unwrap_or((1.0, 1.0));
    a.low.is_some() == b.low.is_some()
        && close(a.ratio, b.ratio)
        && close(ends(a).0, ends(b).0)
        && close(ends(a).1, ends(b).1)
}

fn round_trip<T>(value: &T) -> T
where
    T: serde::Serialize + serde::de::DeserializeOwned,
{
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

proptest! {
    #[test]
    fn the_p_value_is_the_smallest_level_that_names_a_difference((r, s) in rounds(), a in alpha()) {
        let p = stats::p_value(&r, &s).unwrap();
        let e = estimate(&r, &s, a).unwrap();
        let names = e.interval().is_some_and(|(low, high)| low > 1.0 || high < 1.0);
        // One part in 10^9 of room where the level lies right at the p-value.
        prop_assert!(names == (p <= a) || (p / a - 1.0).abs() < 1e-9, "{p} {a} {e:?}");
    }

    #[test]
    fn swapping_the_sides_inverts((r, s) in rounds(), a in alpha()) {
        let there = estimate(&r, &s, a).unwrap();
        let back = estimate(&s, &r, a).unwrap();
        prop_assert!(all_close(&there, &back.turned()), "{there:?} {back:?}");
    }

    #[test]
    fn the_unit_does_not_matter((r, s) in rounds(), a in alpha(), unit in 1e-6..1e6_f64) {
        let scaled = |v: &[f64]| v.iter().map(|x| x * unit).collect::<Vec<_>>();
        let e = estimate(&r, &s, a).unwrap();
        let f = estimate(&scaled(&r), &scaled(&s), a).unwrap();
        prop_assert!(all_close(&e, &f), "{e:?} {f:?}");
    }

    #[test]
    fn the_order_of_the_rounds_does_not_matter((r, s) in rounds(), a in alpha(), by in 0..50_usize) {
        let (mut r2, mut s2) = (r.clone(), s.clone());
        let by = by % r.len();
        r2.rotate_left(by);
        s2.rotate_left(by);
        r2.reverse();
        s2.reverse();
        prop_assert_eq!(estimate(&r, &s, a), estimate(&r2, &s2, a));
    }

    #[test]
    fn the_interval_holds_the_estimate((r, s) in rounds(), a in 0.001..0.999_f64) {
        let e = estimate(&r, &s, a).unwrap();
        prop_assert_eq!(e.low.is_some(), e.rounds >= rounds_for_interval(a).unwrap());
        prop_assert_eq!(e.low.is_some(), e.high.is_some());
        if let Some((low, high)) = e.interval() {
            prop_assert!(0.0 < low && low <= e.ratio && e.ratio <= high, "{e:?}");
        }
    }

    #[test]
    fn less_certainty_is_narrower((r, s) in rounds(), a in alpha(), b in alpha()) {
        let narrow = estimate(&r, &s, a.max(b)).unwrap();
        let wide = estimate(&r, &s, a.min(b)).unwrap();
        if let (Some(n), Some(w)) = (narrow.interval(), wide.interval()) {
            prop_assert!(w.0 <= n.0 && n.1 <= w.1, "{n:?} {w:?}");
        }
    }

    #[test]
    fn a_word_is_true_of_the_whole_interval((r, s) in rounds(), floor in 0.0..2.0_f64) {
        let rule = Rule { floor, ..Rule::default() };
        let (e, verdict) = rule.judge_values(&r, &s).unwrap();
        let (low, high) = e.interval().unwrap_or((0.0, f64::INFINITY));
        let same = low >= 1.0 / (1.0 + floor) && high <= 1.0 + floor;
        let holds = match verdict {
            Verdict::Same { within } => same && within == floor,
            Verdict::Faster { at_least } => !same && high < 1.0 && close(high, 1.0 / (1.0 + at_least)),
            Verdict::Slower { at_least } => !same && low > 1.0 && close(low, 1.0 + at_least),
            Verdict::CannotTell { more_rounds } => {
                !same && low <= 1.0 && high >= 1.0 && more_rounds.is_none_or(|n| n > 0)
            }
        };
        prop_assert!(holds, "{e:?} {verdict:?}");
    }

    #[test]
    fn two_runs_may_be_swapped_reordered_and_rescaled((r, s) in rounds(), a in alpha(), cut in 1..50_usize, unit in 1e-6..1e6_f64) {
        let s = &s[..cut.min(s.len())];
        let there = two_runs(&r, s, a).unwrap();
        let back = two_runs(s, &r, a).unwrap();
        prop_assert!(all_close(&there, &back.turned()), "{there:?} {back:?}");
        let scaled = |v: &[f64]| v.iter().rev().map(|x| x * unit).collect::<Vec<_>>();
        let again = two_runs(&scaled(&r), &scaled(s), a).unwrap();
        prop_assert!(all_close(&there, &again), "{there:?} {again:?}");
        if let Some((low, high)) = there.interval() {
            prop_assert!(0.0 < low && low <= there.ratio && there.ratio <= high, "{there:?}");
        }
    }

    #[test]
    fn results_survive_json((r, s) in rounds()) {
        let (e, verdict) = Rule::default().judge_values(&r, &s).unwrap();
        prop_assert_eq!(round_trip(&e), e);
        prop_assert_eq!(round_trip(&verdict), verdict);
        prop_assert_eq!(round_trip(&tail(&r, &s)), tail(&r, &s));
        prop_assert_eq!(round_trip(&noise(&r)), noise(&r));
        let summary = Summary::of(&r).unwrap();
        prop_assert_eq!(round_trip(&summary), summary);
    }
}

#[test]
fn verdicts_are_tagged_with_their_word() {
    let json = |v| serde_json::to_string(&v).unwrap();
    assert_eq!(
        json(Verdict::Same { within: 0.01 }),
        r#"{"word":"same","within":0.01}"#
    );
    assert_eq!(
        json(Verdict::CannotTell { more_rounds: None }),
        r#"{"word":"cannot_tell","more_rounds":null}"#
    );
}

#[test]
fn unusable_columns_are_refused_with_advice() {
    let message = |r: &[f64], s: &[f64], a| estimate(r, s, a).unwrap_err().to_string();
    assert!(message(&[], &[], 0.05).contains("at least one round"));
    assert!(message(&[1.0], &[1.0, 2.0], 0.05).contains("drop the rounds"));
    assert!(message(&[1.0, 1.0], &[1.0, f64::INFINITY], 0.05).starts_with("round 2: the subject"));
    assert!(message(&[-1.0], &[1.0], 0.05).starts_with("round 1: the reference"));
    assert!(message(&[1.0], &[1.0], 1.0).contains("above 0 and below 1"));
    assert!(message(&[1.0; 1001], &[1.0; 1001], 0.05).contains("at most 1000"));
}

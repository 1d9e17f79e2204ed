//! What a comparison is on average, where that is not what it typically is: throughput follows the mean
//! (docs/method.md, "On average"). The ratio of means has an interval of its own ([`stats::average()`]), and is *apart*
//! where that shares no value with the typical one. It is said from a difference of 2 % on ([`stats::is_seen`]), with
//! what is seen of slow launches.

use serde::{Deserialize, Serialize};
use stats::{AVERAGE_ALPHA, Estimate, TailSide, average, is_apart, is_seen};

use super::paired::{rounds, values};
use super::phrases::joined;
use crate::data::number::{factor, factor_interval, longer, ratio_interval};
use crate::data::words::plural;
use crate::data::{Metric, RawSlot, median};

/// How two variants compare on average.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Average {
    /// Ratio of means, subject over reference, with its interval.
    pub estimate: Estimate,
    /// Whether the interval shares no value with that of the typical ratio.
    pub is_apart: bool,
    /// The ratio, its interval and what makes it differ from the typical one, in words; `None` where the two are near.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
}

#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub(super) label: &'a str,
    pub(super) slots: &'a [&'a RawSlot],
    pub(super) times: &'a [f64],
    pub(super) tail: TailSide,
    pub(super) each: &'static str,
}

impl Average {
    pub(super) fn of(
        [reference, subject]: [Side<'_>; 2],
        metric: Metric,
        typical: &Estimate,
    ) -> Option<Self> {
        let (of_reference, of_subject) = means(reference, subject, metric);
        let estimate = average(&of_reference, &of_subject, AVERAGE_ALPHA).ok()?;
        let is_apart = is_apart(typical, &estimate);
        let is_said = is_apart || is_seen(typical, &estimate);
        Some(Self {
            words: is_said.then(|| words(&estimate, [reference, subject])),
            estimate,
            is_apart,
        })
    }
}

fn means(reference: Side<'_>, subject: Side<'_>, metric: Metric) -> (Vec<f64>, Vec<f64>) {
    let mean = |slot: &RawSlot| {
        let reps = &slot.outcome.answer.done()?.reps;
        let sum: f64 = reps.iter().map(|rep| metric.of(rep)).sum();
        Some(sum / reps.len() as f64).filter(|mean| *mean > 0.0)
    };
    let [of_reference, of_subject] = [reference, subject].map(|side| side.slots.iter().copied());
    values(rounds(of_reference, of_subject), mean)
}

/// `new on average 1.19x slower [1.08x … 1.35x] than old: 1 launch in 5 of new takes 2.00x as long`.
fn words(estimate: &Estimate, sides: [Side<'_>; 2]) -> String {
    let slow = joined(sides.into_iter().filter_map(slow), "; ");
    let because = slow.map_or(String::new(), |slow| format!(": {slow}"));
    let [reference, subject] = sides.map(|side| plural(side.label));
    format!(
        "{subject} on average {} than {reference}{because}",
        ratio(estimate)
    )
}

fn ratio(estimate: &Estimate) -> String {
    let (times, ends) = (estimate.ratio, estimate.interval());
    let word = if times < 1.0 { "faster" } else { "slower" };
    let by = factor(times.max(1.0 / times));
    let ends = match ends {
        Some((low, high)) if high < 1.0 => factor_interval(1.0 / times, 1.0 / high, 1.0 / low),
        Some((low, high)) if low > 1.0 => factor_interval(times, low, high),
        Some((low, high)) => format!("as seen ({})", ratio_interval(low, high)),
        None => "as seen".to_owned(),
    };
    format!("{by} {word} {ends}")
}

fn slow(side: Side<'_>) -> Option<String> {
    let beyond = side.tail.slow_beyond?;
    let slow = median(side.times.iter().copied().filter(|&time| time > beyond))?;
    let typical = median(side.times.iter().copied())?;
    let (of, each) = (side.tail.values, side.each);
    let share = match side.tail.slow {
        few @ 0..=2 => format!("{few} of {of} {}", plural_of(each)),
        many => format!("1 {each} in {:.0}", of as f64 / many as f64),
    };
    let takes = if side.tail.slow == 1 || side.tail.slow > 2 {
        "takes"
    } else {
        "take"
    };
    let (label, by) = (plural(side.label), longer(slow / typical));
    Some(format!("{share} of {label} {takes} {by}"))
}

fn plural_of(each: &str) -> String {
    match each.ends_with("ch") {
        true => format!("{each}es"),
        false => format!("{each}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::testing::{begins, done_in, ends, has, slot};
    use crate::testing::{MS, PROOF, rep};
    use flow::Answer;
    use stats::{LOOK_ALPHA, tail};

    /// Slots of five repetitions of 10 ms each, one in `slow_each` of which takes 20 ms.
    fn slots(variant: usize, rounds: usize, slow_each: usize) -> Vec<RawSlot> {
        let of_round = |round: usize| {
            let time = |place: usize| match (5 * round + place) % slow_each.max(1) {
                0 if slow_each > 0 => 20 * MS,
                _ => 10 * MS + ((round * 7 + place * 3 + variant * 5) % 10) as u64,
            };
            let reps = (0..5).map(|place| rep(time(place), PROOF));
            slot(round, variant, 10e6, Answer::Done(done_in(reps.collect())))
        };
        (0..rounds).map(of_round).collect()
    }

    fn found(rounds: usize, slow_each: usize) -> Average {
        let [a, b] = [slots(0, rounds, 0), slots(1, rounds, slow_each)];
        let [a, b]: [Vec<&RawSlot>; 2] = [a.iter().collect(), b.iter().collect()];
        let times = |slots: &[&RawSlot]| -> Vec<f64> {
            let reps = slots.iter().filter_map(|slot| slot.outcome.answer.done());
            let reps = reps.flat_map(|record| &record.reps);
            reps.map(|rep| Metric::Total.of(rep)).collect()
        };
        let (of_a, of_b) = (times(&a), times(&b));
        let tails = tail(&of_a, &of_b);
        let side = |label, slots, times, tail| Side {
            label,
            slots,
            times,
            tail,
            each: "launch",
        };
        let typical = Estimate {
            rounds,
            ratio: 1.0,
            low: Some(0.999),
            high: Some(1.001),
            alpha: LOOK_ALPHA,
        };
        let sides = [
            side("old", &a, &of_a, tails.reference),
            side("new", &b, &of_b, tails.subject),
        ];
        Average::of(sides, Metric::Total, &typical).unwrap()
    }

    /// "Same within 1 %" was all that was said of what took 20 % more on average.
    /// "takes 9.4 % as long" was said of one that takes 9.4 % longer.
    #[test]
    fn a_slow_repetition_takes_longer_or_times_as_long() {
        assert_eq!(longer(1.094), "9.4 % longer");
        assert_eq!(longer(1.34), "1.34x as long");
    }

    #[test]
    fn slow_launches_are_said_with_what_they_make_of_the_mean() {
        let some = found(30, 6);
        assert!(some.is_apart, "{some:?}");
        let words = some.words.unwrap();
        begins(&words, "new on average 1.1");
        ends(
            &words,
            "x] than old: 1 launch in 6 of new takes 2.00x as long",
        );
    }

    #[test]
    fn few_launches_are_counted_and_the_mean_is_not_settled() {
        let few = found(8, 35);
        assert!(!few.is_apart);
        let words = few.words.unwrap();
        has(&words, " as seen");
        ends(&words, ": 2 of 40 launches of new take 2.00x as long");
    }

    #[test]
    fn a_mean_that_is_what_is_typical_is_a_number_and_no_words() {
        let none = found(10, 0);
        assert_eq!((none.is_apart, none.words), (false, None));
        assert!((none.estimate.ratio - 1.0).abs() < 1e-6);
    }
}

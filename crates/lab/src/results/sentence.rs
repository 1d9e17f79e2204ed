//! A finding in one sentence.

use stats::{Estimate, Verdict};

use crate::Metric;
use crate::number::{factor, factor_interval, plain, ratio_interval};
use crate::words::{percent, plural};

/// More rounds than this are not worth naming exactly.
const MANY_ROUNDS: usize = 1000;

/// The whole answer: who, how much, how sure.
pub(crate) fn sentence(
    subject: &str,
    reference: &str,
    metric: Metric,
    finding: Option<(Estimate, Verdict)>,
) -> String {
    let (subject, reference) = (spoken(subject, metric), spoken(reference, metric));
    let Some((estimate, verdict)) = finding else {
        return format!(
            "{subject} and {reference} were not compared: no round has a good slot of both"
        );
    };
    let answer = match verdict {
        Verdict::CannotTell { more_rounds } => {
            let goal = match estimate.interval() {
                Some(_) => "",
                None => " until there is an interval",
            };
            let more = more_rounds.map(|rounds| more(rounds, goal));
            let more = more.unwrap_or_default();
            let (by, seen) = (by(metric), seen(&estimate));
            return format!("cannot tell {subject} and {reference} apart{by}: {seen}{more}");
        }
        decided => answer(&subject, &reference, &estimate, decided),
    };
    match metric {
        Metric::Total => answer,
        Metric::Steady => format!("{answer}, in the steady phase"),
        Metric::Create => format!("{answer}, to create"),
        Metric::Switch => format!("{answer}, to switch"),
        Metric::Request => format!("{answer}, by time per request"),
        Metric::P99 => format!("{answer}, by p99 latency"),
    }
}

/// The name of a variant; where flows hand over in several ways, the way is in brackets.
fn spoken(label: &str, metric: Metric) -> String {
    match label.split_once(", ") {
        Some((model, way)) if metric == Metric::Switch => format!("{} ({way})", plural(model)),
        _ => plural(label),
    }
}

/// By what two variants cannot be told apart.
fn by(metric: Metric) -> &'static str {
    match metric {
        Metric::Total => "",
        Metric::Steady => " in the steady phase",
        Metric::Create => " by the time to create them",
        Metric::Switch => " by the time of a switch",
        Metric::Request => " by time per request",
        Metric::P99 => " by p99 latency",
    }
}

fn answer(subject: &str, reference: &str, estimate: &Estimate, verdict: Verdict) -> String {
    let (low, high) = estimate
        .interval()
        .unwrap_or((estimate.ratio, estimate.ratio));
    match verdict {
        Verdict::Faster { .. } => {
            let by = 1.0 / estimate.ratio;
            let interval = factor_interval(by, 1.0 / high, 1.0 / low);
            format!(
                "{subject} {} faster than {reference} {interval}",
                factor(by)
            )
        }
        Verdict::Slower { .. } => {
            let by = estimate.ratio;
            let interval = factor_interval(by, low, high);
            format!(
                "{subject} {} slower than {reference} {interval}",
                factor(by)
            )
        }
        Verdict::Same { within } => format!(
            "{subject} and {reference} take the same time within {} {}",
            percent(within),
            ratio_interval(low, high)
        ),
        Verdict::CannotTell { .. } => format!("cannot tell {subject} and {reference} apart"),
    }
}

fn seen(estimate: &Estimate) -> String {
    match estimate.interval() {
        Some((low, high)) => ratio_interval(low, high),
        None if estimate.rounds == 1 => "1 round is too few".to_owned(),
        None => format!("{} rounds are too few", estimate.rounds),
    }
}

/// How many rounds are missing, and until when if that is not the verdict.
fn more(rounds: usize, goal: &str) -> String {
    if rounds > MANY_ROUNDS {
        return format!(" (more than {} more rounds)", plain(MANY_ROUNDS as f64));
    }
    let s = if rounds == 1 { "" } else { "s" };
    format!(" (about {rounds} more round{s}{goal})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::Rule;

    fn say(ratio: f64, low: f64, high: f64) -> String {
        let estimate = Estimate {
            rounds: 20,
            ratio,
            low: Some(low),
            high: Some(high),
            alpha: 0.016,
        };
        let verdict = Rule::default().judge(&estimate);
        sentence(
            "thread",
            "process",
            Metric::Total,
            Some((estimate, verdict)),
        )
    }

    #[test]
    fn every_verdict_has_its_sentence() {
        assert_eq!(
            say(1.0 / 1.31, 1.0 / 1.349, 1.0 / 1.271),
            "threads 1.31x faster than processes [1.27 ... 1.35]"
        );
        assert_eq!(
            say(1.31, 1.271, 1.349),
            "threads 1.31x slower than processes [1.27 ... 1.35]"
        );
        assert_eq!(
            say(1.0 / 1.0143, 1.0 / 1.0189, 1.0 / 1.0105),
            "threads 1.4 % faster than processes [1.0 ... 1.9 %]"
        );
        assert_eq!(
            say(1.0 / 33.8, 1.0 / 34.6, 1.0 / 32.9).split(" [").next(),
            Some("threads 34x faster than processes")
        );
        assert_eq!(
            say(1.0, 0.9961, 1.0039),
            "threads and processes take the same time within 1 % [0.996 ... 1.004]"
        );
        assert!(
            say(1.01, 0.971, 1.049)
                .starts_with("cannot tell threads and processes apart: [0.971 ... 1.049] (about ")
        );
    }

    #[test]
    fn ways_to_hand_over_do_not_break_a_sentence() {
        assert_eq!(
            sentence(
                "thread, futex",
                "process, sched_yield",
                Metric::Switch,
                None
            ),
            "threads (futex) and processes (sched_yield) were not compared: no round has a good \
             slot of both"
        );
    }

    #[test]
    fn without_an_interval_it_says_what_is_missing() {
        let estimate = Estimate {
            rounds: 3,
            ratio: 2.0,
            low: None,
            high: None,
            alpha: 0.016,
        };
        let verdict = Rule::default().judge(&estimate);
        assert_eq!(
            sentence("4x2", "thread", Metric::Create, Some((estimate, verdict))),
            "cannot tell 4x2 and threads apart by the time to create them: 3 rounds are too few (about \
             4 more rounds until there is an interval)"
        );
        assert_eq!(
            sentence("thread", "process", Metric::Total, None),
            "threads and processes were not compared: no round has a good slot of both"
        );
    }
}

use stats::{Estimate, Verdict};

use crate::data::Metric;
use crate::data::number::{many, plain};
use crate::data::words::{percent, plural};
use crate::findings::compared::{Compared, at_most_apart, compared, too_few};
use crate::findings::phrases::because;

const MANY_ROUNDS: usize = 1000;

/// Who, how much, how sure. `planned`: rounds of the run.
pub(crate) fn sentence(
    subject: &str,
    reference: &str,
    metric: Metric,
    finding: Option<(Estimate, Verdict)>,
    planned: usize,
) -> String {
    let (subject, reference) = (spoken(subject, metric), spoken(reference, metric));
    let Some((estimate, verdict)) = finding else {
        return format!(
            "not known: {subject} against {reference}: no round has a good slot of both"
        );
    };
    let answer = answer(&subject, &reference, &estimate, verdict);
    let more = match verdict {
        Verdict::CannotTell {
            more_rounds: Some(rounds),
        } => match estimate.interval() {
            Some(_) => more(rounds, "settle it"),
            None if estimate.rounds + rounds > planned => {
                not_planned(planned, estimate.rounds + rounds)
            }
            None => more(rounds, "give an interval"),
        },
        _ => String::new(),
    };
    format!("{answer}{}{more}", by(metric))
}

fn spoken(label: &str, metric: Metric) -> String {
    match label.split_once(", ") {
        Some((model, way)) if metric == Metric::Switch => format!("{} ({way})", plural(model)),
        _ => plural(label),
    }
}

fn by(metric: Metric) -> &'static str {
    match metric {
        Metric::Total => "",
        Metric::Steady => ", in the steady phase",
        Metric::Create => ", to create",
        Metric::Switch => ", to switch",
        Metric::Unit => ", by time per unit",
        Metric::Request => ", by time per request",
        Metric::P99 => ", by p99 latency",
        Metric::Simulated => ", in simulated time",
    }
}

pub(super) fn answer(
    subject: &str,
    reference: &str,
    estimate: &Estimate,
    verdict: Verdict,
) -> String {
    let Compared { word, interval } = compared(Some(estimate), &verdict);
    let said = match verdict {
        Verdict::Faster { .. } | Verdict::Slower { .. } => {
            format!("{subject} {word} than {reference} {interval}")
        }
        Verdict::Same { within } => {
            let same = format!(
                "{subject} and {reference} take the same time within {}",
                percent(within)
            );
            because(&same, &interval)
        }
        Verdict::CannotTell { .. } => match estimate.interval() {
            Some(ends) if at_most_apart(ends).is_some() => {
                format!("{subject} and {reference} {word} ({interval})")
            }
            Some(_) => format!("{word}: {subject} {interval} than {reference}"),
            None => {
                let few = too_few(estimate.rounds);
                format!("{word}: {subject} against {reference}: {few}")
            }
        },
    };
    said.trim_end().to_owned()
}

fn more(rounds: usize, goal: &str) -> String {
    if rounds > MANY_ROUNDS {
        return format!(
            "; settling it takes more than {} more rounds",
            plain(MANY_ROUNDS as f64)
        );
    }
    let s = if rounds == 1 { "" } else { "s" };
    format!("; about {rounds} more round{s} should {goal}")
}

fn not_planned(planned: usize, needed: usize) -> String {
    let planned = many(planned as u64, "round");
    format!("; an interval takes {needed}, and this run makes {planned} at most (--rounds)")
}

#[cfg(test)]
mod tests {
    use stats::Rule;

    use super::*;
    use crate::findings::testing::begins;
    use crate::testing::estimate;

    fn say(ratio: f64, low: f64, high: f64) -> String {
        let estimate = estimate(ratio, low, high);
        let verdict = Rule::default().judge(&estimate);
        sentence(
            "thread",
            "process",
            Metric::Total,
            Some((estimate, verdict)),
            80,
        )
    }

    /// Too few for an interval.
    fn of_rounds(rounds: usize) -> Option<(Estimate, Verdict)> {
        let estimate = Estimate {
            rounds,
            low: None,
            high: None,
            ..estimate(2.0, 2.0, 2.0)
        };
        Some((estimate, Rule::default().judge(&estimate)))
    }

    #[test]
    fn every_verdict_has_its_sentence() {
        assert_eq!(
            say(1.0 / 1.31, 1.0 / 1.349, 1.0 / 1.271),
            "threads 1.31x faster than processes [1.27x … 1.35x]"
        );
        assert_eq!(
            say(1.31, 1.271, 1.349),
            "threads 1.31x slower than processes [1.27x … 1.35x]"
        );
        assert_eq!(
            say(1.0 / 1.0143, 1.0 / 1.0189, 1.0 / 1.0105),
            "threads 1.4 % faster than processes [1.0 … 1.9 %]"
        );
        assert_eq!(
            say(1.0 / 33.8, 1.0 / 34.6, 1.0 / 32.9).split(" [").next(),
            Some("threads 34x faster than processes")
        );
        assert_eq!(
            say(1.0, 0.9961, 1.0039),
            "threads and processes take the same time within 1 % (0.4 % faster … 0.4 % slower)"
        );
        let undecided = say(1.01, 0.971, 1.049);
        begins(
            &undecided,
            "threads and processes at most 5 % apart (3.0 % faster … 4.9 % slower); about ",
        );
    }

    #[test]
    fn ways_to_hand_over_do_not_break_a_sentence() {
        assert_eq!(
            sentence(
                "thread, futex",
                "process, sched_yield",
                Metric::Switch,
                None,
                80
            ),
            "not known: threads (futex) against processes (sched_yield): no round has a good slot \
             of both"
        );
    }

    #[test]
    fn without_an_interval_it_says_what_is_missing() {
        assert_eq!(
            sentence("4x2", "thread", Metric::Create, of_rounds(3), 80),
            "not known: 4x2 against threads: 3 rounds are too few, to create; about 4 more rounds should give an interval"
        );
        assert_eq!(
            sentence("thread", "process", Metric::Total, None, 80),
            "not known: threads against processes: no round has a good slot of both"
        );
    }

    /// A run of two rounds said that eight more would settle it, and made two the next time too.
    #[test]
    fn a_run_that_makes_too_few_rounds_for_an_interval_promises_none() {
        assert_eq!(
            sentence("process", "thread", Metric::Create, of_rounds(2), 2),
            "not known: processes against threads: 2 rounds are too few, to create; an interval takes 7, and \
             this run makes 2 rounds at most (--rounds)"
        );
    }
}

//! What a load of a server counted beside its times, and the highest rate that meets a bound. A generator that takes
//! most of a CPU, or sends late, measures itself: both are said. A request that waited for a connection was held up by
//! the server, and is said apart.

use measure::memory::Reading;

use super::generator::{counted, cpu_share};
use super::growth::Growth;
use super::phrases::joined;
use super::quantity::Amount;
use super::{CaseResult, Requests};
use crate::data::Metric;
use crate::data::number::{bytes, many, plain, significant, time, time_interval};

/// Below, no rate is said to meet a bound.
const LEAST_ROUNDS: usize = 6;

/// Memory that grows by more than this factor from the fewest to the most requests is worth a word.
const MUCH: f64 = 1.1;

pub(super) fn rates_in_words(cases: &[CaseResult]) -> Vec<String> {
    let mut at_rates: Vec<(f64, &CaseResult)> = served(cases)
        .filter_map(|case| {
            let (rate, point) = (case.case.work.served()?.rate()?, case.case.sweep.as_ref()?);
            (rate == point.value).then_some((rate, case))
        })
        .filter(|(_, case)| case.case.metric == Metric::P99)
        .collect();
    at_rates.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let Some((_, first)) = at_rates.first() else {
        return Vec::new();
    };
    let variants = first.case.variants.iter().enumerate();
    let each = variants.map(|(at, variant)| {
        let each = by_rate(&at_rates, at).filter(|_| at_rates.len() > 1);
        let leak = leak_of(&at_rates, at).filter(|_| at_rates.len() > 1);
        let served = first.case.work_of(at).served();
        let bound = served.and_then(|served| served.slo_p99_s);
        let highest = bound.map(|bound| highest(&at_rates, at, bound));
        let said = joined(each.into_iter().chain(leak).chain(highest), "; ")?;
        Some(format!("{}: {said}", variant.label))
    });
    each.flatten().collect()
}

/// `at 50 requests/s p99 8.65 ms, 49.9 answered, 8.65 MiB; at 100 p99 9.30 ms, 99.8 answered, 8.70 MiB`.
fn by_rate(at_rates: &[(f64, &CaseResult)], at: usize) -> Option<String> {
    let each = at_rates.iter().filter_map(|(rate, case)| {
        let variant = case.variants.get(at)?;
        let p99 = format!("p99 {}", time(variant.value?.typical));
        let answered = variant.requests.as_ref();
        let answered = answered.map(|own| format!("{} answered", significant(own.per_s)));
        let memory = variant.memory.map(|memory| bytes(memory.total() as f64));
        let all = [Some(p99), answered, memory].into_iter().flatten();
        Some((plain(*rate), joined(all, ", ")?))
    });
    let each = each.enumerate().map(|(number, (rate, said))| match number {
        0 => format!("at {rate} requests/s {said}"),
        _ => format!("at {rate} {said}"),
    });
    joined(each, "; ")
}

fn leak_of(at_rates: &[(f64, &CaseResult)], at: usize) -> Option<String> {
    let slots = at_rates.iter().flat_map(|(_, case)| case.slots_of(at));
    let points = slots.filter_map(|slot| {
        let record = slot.outcome.answer.done()?;
        let Reading::Honest(memory) = &record.memory else {
            return None;
        };
        let answered = record.reps.last()?.latencies.as_ref()?.count();
        Some((answered as f64, memory.total() as f64))
    });
    leak(&points.collect::<Vec<_>>())
}

/// That memory grows in a line with the requests that a launch answered, by more than a tenth in all.
fn leak(points: &[(f64, f64)]) -> Option<String> {
    let growth = Growth::through(points).filter(Growth::is_in_a_line)?;
    let ends = || points.iter().map(|(answered, _)| *answered);
    let (few, many) = (ends().reduce(f64::min)?, ends().reduce(f64::max)?);
    let is_much = growth.line.at(many) > MUCH * growth.line.at(few);
    is_much.then(|| {
        format!(
            "memory grows by {} with each further request: look for a leak",
            bytes(growth.line.slope)
        )
    })
}

fn served(cases: &[CaseResult]) -> impl Iterator<Item = &CaseResult> {
    let cases = cases.iter();
    cases.filter(|case| case.case.work.served().is_some())
}

pub(super) fn load_in_words(cases: &[CaseResult]) -> Vec<String> {
    let each = served(cases).flat_map(|case| {
        let variants = case.case.variants.iter().enumerate();
        variants.filter_map(|(at, variant)| {
            let (name, label) = (&case.case.name, &variant.label);
            let said = of_load(case, at).or_else(|| failed(case, at))?;
            Some(format!("load of {name}, {label}: {said}"))
        })
    });
    each.collect()
}

pub(super) fn latencies_in_words(case: &CaseResult) -> Vec<String> {
    let Some(served) = case.case.work.served() else {
        return Vec::new();
    };
    let what = match case.case.metric {
        Metric::P99 if served.rate().is_none() => {
            "compared by p99 latency of clients that ask again as soon as they are answered"
        }
        Metric::P99 => {
            "compared by p99 latency, counted from the time at which a request was planned"
        }
        _ => "figures are 1 s over the requests answered in it, by all CPUs together: no latency",
    };
    let each = case.variants.iter().filter_map(|variant| {
        let label = &variant.label;
        let said = match &variant.requests {
            Some(requests) => latencies(case, label, requests),
            None => as_said(case, label)?,
        };
        Some(format!("{label}: {said}"))
    });
    [what.to_owned()].into_iter().chain(each).collect()
}

/// `p99 ... [...], median over the rounds; of all 300 requests together p50 1.00 ms, ...`.
fn latencies(case: &CaseResult, label: &str, requests: &Requests) -> String {
    let p99 = case.amount("p99", label).map_or(String::new(), |p99| {
        let interval = p99.interval().map_or(String::new(), |(low, high)| {
            format!(" {}", time_interval(low, high))
        });
        let p99 = time(p99.estimate);
        format!("p99 {p99}{interval}, median over the rounds; ")
    });
    let rate = case.amount("requests", label);
    let rate = rate.map_or(String::new(), |rate| ends(rate, significant));
    let [p50, p90, p999] =
        [requests.p50_ns, requests.p90_ns, requests.p999_ns].map(|ns| time(ns as f64));
    let memory = case
        .amount("memory", label)
        .map_or(String::new(), |memory| {
            format!("; memory {}", bytes(memory.estimate))
        });
    format!(
        "{p99}of all {} together p50 {p50}, p90 {p90}, p99.9 {p999}; {}{rate} answered a second{memory}",
        many(requests.count, "request"),
        significant(requests.per_s)
    )
}

/// `p50 1.00 ms [...], p99 ..., 200 [...] answered a second; medians over the rounds of what the load generator said`.
fn as_said(case: &CaseResult, label: &str) -> Option<String> {
    let said = |name: &str, shown: fn(f64) -> String| {
        let amount = case.amount(name, label)?;
        Some(format!("{}{}", shown(amount.estimate), ends(amount, shown)))
    };
    let times = ["p50", "p99"].map(|name| Some(format!("{name} {}", said(name, time)?)));
    let rate = format!("{} answered a second", said("requests", significant)?);
    let all: Vec<String> = times.into_iter().flatten().chain([rate]).collect();
    Some(format!(
        "{}; medians over the rounds of what the load generator said",
        all.join(", ")
    ))
}

/// ` [7.10 … 9.30]`; empty without an interval.
fn ends(amount: &Amount, shown: fn(f64) -> String) -> String {
    amount.interval().map_or(String::new(), |(low, high)| {
        format!(" [{} … {}]", shown(low), shown(high))
    })
}

fn of_load(case: &CaseResult, at: usize) -> Option<String> {
    let share = 100.0 * cpu_share(case, at)?;
    let sum = |name: &str| counted(case, at, name).iter().sum::<u64>();
    let named = [
        ("errors", "errors"),
        ("timeouts", "timeouts"),
        ("unsent", "not sent"),
    ];
    let known = named
        .into_iter()
        .filter(|(name, _)| !counted(case, at, name).is_empty());
    let known = known.map(|(name, word)| format!("{} {word}", plain(sum(name) as f64)));
    let known = joined(known, ", ").unwrap_or_default();
    let refused = match sum("refused") {
        0 => String::new(),
        refused => format!(
            ", {} refused and tried again (their requests waited, and count that)",
            many(refused, "connection")
        ),
    };
    let worst = |name: &str| {
        counted(case, at, name)
            .into_iter()
            .filter(|&ns| ns > 0)
            .max()
    };
    let late = worst("lateness_p99_ns").map_or(String::new(), |ns| {
        format!(", p99 of its lateness at worst {}", time(ns as f64))
    });
    let queued = worst("queued_p99_ns").map_or(String::new(), |ns| {
        format!(
            "; requests waited for a connection, since all were busy: p99 at worst {}",
            time(ns as f64)
        )
    });
    Some(format!(
        "{known}{refused}; the generator used {share:.0} % of one CPU{late}{queued}"
    ))
}

fn failed(case: &CaseResult, at: usize) -> Option<String> {
    let (_, reason) = case.variants.get(at)?.failures.first()?;
    Some(format!("all slots failed: {reason}"))
}

/// All lower rates meet the bound too, in every round.
fn highest(at_rates: &[(f64, &CaseResult)], at: usize, bound_s: f64) -> String {
    let met = at_rates
        .iter()
        .take_while(|(_, case)| meets(case, at, bound_s))
        .last();
    let bound = format!("p99 of at most {} ms in every round", plain(bound_s * 1e3));
    match met {
        Some((rate, _)) => {
            let is_last = at_rates.last().is_some_and(|(last, _)| last == rate);
            let more = match is_last {
                true => ", and the last that was tried: higher ones may have it too",
                false => "",
            };
            format!(
                "{} requests a second is the highest of these rates with a {bound}{more}",
                plain(*rate)
            )
        }
        None => {
            let rounds = at_rates.iter().map(|(_, case)| case.rounds);
            let most = rounds.max().unwrap_or(0);
            match most < LEAST_ROUNDS {
                true => format!(
                    "too few rounds to say which of these rates has a {bound}: {most}, and it takes {LEAST_ROUNDS}"
                ),
                false => format!("no rate of these had a {bound}"),
            }
        }
    }
}

fn meets(case: &CaseResult, at: usize, bound_s: f64) -> bool {
    let mut own = case.slots_of(at);
    let rounds = own.clone().count();
    rounds >= LEAST_ROUNDS && own.all(|slot| slot.value_ns.is_some_and(|ns| ns <= bound_s * 1e9))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::testing::begins;

    #[test]
    fn memory_that_grows_with_every_request_is_a_leak_and_buffers_are_none() {
        let slots = |bytes: fn(f64) -> f64| -> Vec<(f64, f64)> {
            let each = |few: f64| (0..6).map(move |slot| few + f64::from(slot));
            let all = [100.0, 200.0, 400.0, 800.0].into_iter().flat_map(each);
            all.map(|answered| (answered, bytes(answered))).collect()
        };
        let said = leak(&slots(|answered| 8e6 + 10_240.0 * answered)).unwrap();
        let begin = "memory grows by 10.0 KiB with each further request";
        begins(&said, begin);
        assert_eq!(leak(&slots(|answered| 8e6 + answered)), None);
        assert_eq!(leak(&slots(|_| 8e6)), None);
    }
}

//! Requests of a variant whose flows answer some: how many a second, and how long they took. The
//! rate is the median over the counted repetitions; of a load that was planned at a rate it is what
//! was answered until the last answer. Latencies are those of all requests of all repetitions
//! together, as a slow one may come once in a thousand. They are not the evidence of a finding:
//! those of one launch are no independent draws.

use flow::{Latencies, Rep};
use serde::{Deserialize, Serialize};

use crate::data::median;

/// Requests of a variant.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Requests {
    /// How many there were in all counted repetitions.
    pub count: u64,
    /// Requests a second of the steady phase, median.
    pub per_s: f64,
    /// The time in ns that half of them did not exceed; as the others, within 3.1 %.
    pub p50_ns: u64,
    /// 90 of 100.
    pub p90_ns: u64,
    /// 95 of 100.
    pub p95_ns: u64,
    /// 99 of 100.
    pub p99_ns: u64,
    /// 999 of 1,000.
    pub p999_ns: u64,
    /// The longest, in ns.
    pub most_ns: u64,
}

pub(super) fn requests<'a>(reps: impl Iterator<Item = &'a Rep>) -> Option<Requests> {
    let mut all = Latencies::default();
    let mut rates = Vec::new();
    for rep in reps {
        let latencies = rep.latencies.as_ref()?;
        all.merge(latencies);
        rates.push(per_s(rep)?);
    }
    Some(Requests {
        count: all.count(),
        per_s: median(rates)?,
        p50_ns: all.quantile_ns(0.5)?,
        p90_ns: all.quantile_ns(0.9)?,
        p95_ns: all.quantile_ns(0.95)?,
        p99_ns: all.quantile_ns(0.99)?,
        p999_ns: all.quantile_ns(0.999)?,
        most_ns: all.most_ns(),
    })
}

/// As the load generator says if it is a command; `None` without requests.
pub(super) fn per_s(rep: &Rep) -> Option<f64> {
    let own = rep.self_managed.as_deref();
    let counted = |name: &str| own.and_then(|own| own.counts.get(name)).copied();
    let (count, ns) = match (counted("answered"), counted("answering_ns")) {
        (Some(answered), Some(ns)) => (answered, ns),
        _ => match (&rep.latencies, counted("ns_per_request")) {
            (Some(latencies), _) => (latencies.count(), rep.steady_ns),
            // A command reports a rate, not a number.
            (None, each) => (1, each?),
        },
    };
    Some(count as f64 * 1e9 / ns.max(1) as f64)
}

/// The latency in ns that this share of the requests of a repetition did not exceed.
#[must_use]
pub fn latency_ns(rep: &Rep, share: f64) -> Option<f64> {
    if let Some(latencies) = &rep.latencies {
        return Some(latencies.quantile_ns(share)? as f64);
    }
    let name = match share {
        0.5 => "p50_ns",
        0.99 => "p99_ns",
        _ => return None,
    };
    let own = rep.self_managed.as_deref()?;
    Some(*own.counts.get(name)? as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{MS, PROOF, rep};

    fn with(ms: u64, latencies: &[u64]) -> Rep {
        let mut noted = Latencies::default();
        latencies.iter().for_each(|&ns| noted.add(ns));
        Rep {
            latencies: Some(Box::new(noted)),
            ..rep(ms * MS, PROOF)
        }
    }

    #[test]
    fn rates_are_medians_and_latencies_those_of_all_requests() {
        let reps = [(1, 10), (2, 20), (4, 1_000)].map(|(ms, ns)| with(ms, &[ns; 50]));
        let told = requests(reps.iter()).unwrap();
        let steady = reps[1].steady_ns as f64;
        assert_eq!(told.count, 150);
        assert!((told.per_s - 50e9 / steady).abs() < 1.0, "{told:?}");
        assert_eq!((told.p50_ns, told.most_ns), (20, 1_000));
        assert!(told.p90_ns.abs_diff(1_000) < 16, "{told:?}");
    }

    /// What wrk, hey or ab said of latencies was in the journal and nowhere else.
    #[test]
    fn what_a_command_said_of_its_requests_is_that_of_the_repetition() {
        let said = [("ns_per_request", 500_000), ("p99_ns", 7_000_000)];
        let own = flow::SelfManagedUsage {
            made: 1,
            most: 1,
            counts: said.map(|(name, ns)| (name.to_owned(), ns)).into(),
            ..flow::SelfManagedUsage::default()
        };
        let rep = Rep {
            self_managed: Some(Box::new(own)),
            ..rep(MS, PROOF)
        };
        assert_eq!(per_s(&rep), Some(2_000.0));
        assert_eq!(latency_ns(&rep, 0.99), Some(7e6));
        assert_eq!(
            (latency_ns(&rep, 0.5), latency_ns(&rep, 0.999)),
            (None, None)
        );
    }

    #[test]
    fn flows_that_answer_no_requests_have_none() {
        assert_eq!(requests([].iter()), None);
        assert_eq!(requests([rep(MS, PROOF)].iter()), None);
    }
}

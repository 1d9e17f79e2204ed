//! What a model of another machine counted, as reasons for what it timed. Of its three parts of
//! time ([`Part`]) the one that makes at least half of a difference is the cause. Each reason says
//! *simulated*.

use stats::Verdict;

use super::apart::apart;
use super::{MOST, Reason, Weight, ordered};
use crate::data::number::significant;
use crate::data::words::{listed, percent, plural};
use crate::findings::simulated::{Count, Part, SimulatedCase, TimePart};

const HANDFUL: f64 = 1_000.0;
const FEW: f64 = 20.0;
/// Smaller differences, as shares of the whole, are none.
const ALIKE: f64 = 0.0005;

pub(crate) fn cause(one: &SimulatedCase, verdict: Verdict) -> Option<String> {
    let whole: f64 = one.time.iter().map(TimePart::more).sum();
    let is_it = match verdict {
        Verdict::Faster { .. } => whole < 0.0,
        Verdict::Slower { .. } => whole > 0.0,
        Verdict::Same { .. } | Verdict::CannotTell { .. } => false,
    };
    let shares = one.time.iter().map(|part| (part, part.more() / whole));
    let shares = shares.filter(|(_, share)| is_it && *share >= MOST);
    let (part, share) = shares.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let share = match share > 1.0 {
        true => "more than the whole difference".to_owned(),
        false => format!("{} of the difference", percent(share)),
    };
    Some(format!(
        "simulated {} make {share} ({})",
        part.part.spoken(),
        ratios(one, part.part)
    ))
}

/// `L1D misses 0.99x, LLC misses 0.73x`.
fn ratios(one: &SimulatedCase, part: Part) -> String {
    let said = part.counts().iter().filter_map(|count| {
        let ratio = one.count(*count)?.ratio?.median;
        Some(format!("{} {ratio:.2}x", count.head()))
    });
    said.collect::<Vec<_>>().join(", ")
}

pub(crate) fn why(one: &SimulatedCase) -> Vec<String> {
    let counts = Count::ALL.into_iter().filter_map(|of| count(one, of));
    ordered(parts(one).into_iter().chain(counts).collect())
}

fn parts(one: &SimulatedCase) -> Option<Reason> {
    let said = one.time.iter().filter(|part| part.more().abs() >= ALIKE);
    let said: Vec<String> = said
        .map(|part| {
            let word = if part.more() < 0.0 { "less" } else { "more" };
            let (more, what) = (percent(part.more().abs()), part.part.spoken());
            format!("{more} {word} for {what}")
        })
        .collect();
    (!said.is_empty()).then(|| Reason {
        weight: Weight::Whole,
        text: format!(
            "of the simulated time of {}, {} take {}",
            plural(&one.reference),
            plural(&one.subject),
            listed(&said)
        ),
    })
}

fn count(one: &SimulatedCase, count: Count) -> Option<Reason> {
    let own = one.count(count)?;
    let (all, least, each) = match count.grows_with_work() {
        true => (one.units, HANDFUL, " for each unit"),
        false => (1.0, FEW, ""),
    };
    let both = [own.subject, own.reference];
    apart(both.map(|one| one * all), (least, "fewer"), |_, _| {
        let [s, r] = both.map(significant);
        format!("{s} {}{each} against {r}", count.spoken())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Topology;
    use crate::findings::simulated::testing::case;
    use crate::findings::testing::has;

    const FASTER: Verdict = Verdict::Faster { at_least: 0.05 };

    /// Threads that wait less: of the difference of 0.10, 0.08 is for caches.
    fn waiting_less() -> SimulatedCase {
        let counts = [
            (Count::Accesses, 1010.0, 1000.0),
            (Count::L1d, 99.0, 100.0),
            (Count::Llc, 73.0, 100.0),
            (Count::Dtlb, 41.0, 100.0),
        ];
        let part = |part, reference, subject| TimePart {
            part,
            reference,
            subject,
        };
        SimulatedCase {
            time: vec![
                part(Part::DataTlb, 0.05, 0.02),
                part(Part::Caches, 0.55, 0.47),
                part(Part::Accesses, 0.40, 0.41),
            ],
            ..case(4, Topology::Smt, &counts)
        }
    }

    #[test]
    fn simulated_misses_are_a_cause_with_the_word_simulated() {
        let found = waiting_less();
        assert_eq!(
            cause(&found, FASTER).as_deref(),
            Some(
                "simulated misses of caches make 80 % of the difference (L1D misses 0.99x, LLC \
                 misses 0.73x)"
            )
        );
        let reasons = why(&found);
        assert_eq!(
            reasons,
            [
                "of the simulated time of processes, threads take 3 % less for misses of the data \
                 TLB, 8 % less for misses of caches and 1 % more for accesses",
                "41.0 simulated misses of the data TLB for each unit against 100 (2.44x fewer)",
            ]
        );
        assert!(reasons.iter().all(|reason| reason.contains("simulated")));
    }

    #[test]
    fn what_is_open_or_goes_the_other_way_has_no_simulated_cause() {
        let found = waiting_less();
        for verdict in [
            Verdict::CannotTell { more_rounds: None },
            Verdict::Same { within: 0.01 },
            Verdict::Slower { at_least: 0.05 },
        ] {
            assert_eq!(cause(&found, verdict), None);
        }
    }

    #[test]
    fn what_others_counter_is_more_than_the_whole() {
        let mut found = waiting_less();
        found.time[2].subject = 0.46;
        let said = cause(&found, FASTER).unwrap();
        has(&said, "caches make more than the whole difference");
    }
}

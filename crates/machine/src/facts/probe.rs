use measure::Measured;

use super::{Fact, fact};
use crate::memory::binary;
use crate::probe::{Latency, PAGE, Probe, Reach, chase_bytes};

pub(super) fn facts(probe: &Probe) -> Vec<Fact> {
    let mut facts = Vec::new();
    match &probe.caches {
        Measured::Value(caches) => facts.extend(caches.iter().map(latency)),
        none => facts.push(fact("caches", none.as_ref().map(|_| ""), "")),
    }
    facts.push(latency(&probe.memory));
    match &probe.reach {
        Measured::Value(reach) => facts.extend(reach_facts(reach)),
        none => facts.push(fact("reach of the TLB", none.as_ref().map(|_| ""), "")),
    }
    facts
}

fn latency(latency: &Latency) -> Fact {
    let pages = latency.answer.value().map(|answer| answer.pages);
    let of = pages.map_or(String::new(), |pages| format!(" of {pages}"));
    let cached = latency.cached.map_or(String::new(), |cached| {
        let cached = binary(cached);
        format!(", of which the last cache may hold {cached}: the memory itself takes longer")
    });
    let over = format!("over {}{of}{cached}", binary(latency.bytes));
    let ns = latency.answer.as_ref();
    let ns = ns.map(|answer| format!("{:.1} ns", answer.ns));
    fact(latency.to_string(), ns, over)
}

fn reach_facts(reach: &Reach) -> Vec<Fact> {
    let most = reach.points.last().map_or(0, |point| point.pages);
    let mut facts = vec![match (reach.small_pages(), reach.miss_ns()) {
        (Some(pages), Some(ns)) => fact(
            "reach of the TLB",
            reach_words(pages, reach),
            format!(
                "beyond, a load from another page costs up to {ns:.1} ns more than in huge pages"
            ),
        ),
        _ if reach.untried().next().is_some() => fact(
            "reach of the TLB",
            format!("tried only up to {most} pages of 4 KiB: memory"),
            "so far huge pages gain nothing; beyond that is not known",
        ),
        _ => fact(
            "reach of the TLB",
            format!("huge pages gain nothing up to {most} pages of 4 KiB"),
            "as where the host of a virtual machine maps it by small pages",
        ),
    }];
    facts.extend(reach.points.iter().map(|point| {
        fact(
            format!("{} pages", point.pages),
            format!(
                "{:.1} ns in 4 KiB pages, {:.1} ns in 2 MiB pages",
                point.small_ns, point.huge_ns
            ),
            "",
        )
    }));
    facts.extend(reach.untried().map(untried));
    facts
}

fn untried(pages: u64) -> Fact {
    let takes = binary(chase_bytes(pages));
    let ns: Measured<&str> = Measured::not_available(
        format!("it takes {takes}, more than may be used"),
        "free some memory, or raise the limit of the control group or of addresses",
    );
    fact(format!("{pages} pages"), ns, "")
}

fn reach_words(pages: u64, reach: &Reach) -> String {
    let fewest = reach.points.first().map_or(0, |point| point.pages);
    match pages {
        0 => format!("less than {fewest} pages of 4 KiB, the fewest that were tried"),
        _ => format!("{pages} pages of 4 KiB ({})", binary(pages * PAGE)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::{Answer, PageKind, ReachPoint};

    fn reach(first_small_ns: f64) -> Reach {
        let points = [(16, first_small_ns), (32, 5.0)];
        let points = points.map(|(pages, small_ns)| ReachPoint {
            pages,
            small_ns,
            huge_ns: 1.0,
        });
        Reach {
            points: points.to_vec(),
        }
    }

    /// Nothing but that was found.
    fn only(reach: Reach) -> Probe {
        Probe {
            reach: Measured::Value(reach),
            caches: Measured::not_available("none", ""),
            memory: memory(Measured::not_available("none", "")),
        }
    }

    fn memory(answer: Measured<Answer>) -> Latency {
        Latency {
            level: None,
            bytes: 128 << 20,
            cached: None,
            answer,
        }
    }

    fn said(probe: &Probe) -> Vec<String> {
        let facts = facts(probe).into_iter();
        facts
            .map(|fact| format!("{}: {}; {}", fact.name, fact.value, fact.note))
            .collect()
    }

    #[test]
    fn each_level_has_its_time_and_on_which_pages() {
        let answer = |ns, pages| Measured::Value(Answer { ns, pages });
        let first = Latency {
            level: Some(1),
            bytes: 16 << 10,
            ..memory(answer(1.5, PageKind::Small))
        };
        let probe = Probe {
            reach: Measured::Value(reach(1.0)),
            caches: Measured::Value(vec![first]),
            memory: memory(answer(85.25, PageKind::Huge)),
        };
        let said = said(&probe);
        assert_eq!(
            said[0],
            "level 1 cache: 1.5 ns; over 16.0 KiB of 4 KiB pages"
        );
        assert_eq!(said[1], "memory: 85.2 ns; over 128.0 MiB of 2 MiB pages");
        assert!(said[2].contains("16 pages of 4 KiB (64.0 KiB)"), "{said:?}");
        assert!(said[2].contains("up to 4.0 ns more"), "{said:?}");
        assert_eq!(
            said[3],
            "16 pages: 1.0 ns in 4 KiB pages, 1.0 ns in 2 MiB pages; "
        );
    }

    /// It said that huge pages gain nothing, as under a host that maps by small pages.
    #[test]
    fn a_trial_that_memory_stopped_claims_nothing_and_says_what_was_not_tried() {
        let points = [16, 32].map(|pages| ReachPoint {
            pages,
            small_ns: 1.0,
            huge_ns: 1.0,
        });
        let points = points.to_vec();
        let said = said(&only(Reach { points }));
        let reach = "reach of the TLB: tried only up to 32 pages of 4 KiB: memory; ";
        assert!(said[2].starts_with(reach), "{said:?}");
        assert!(!said[2].contains("virtual machine"), "{said:?}");
        let next = "64 pages: not available: it takes 512.0 KiB, more than may be used";
        assert!(said[5].starts_with(next), "{said:?}");
        let last = said.last().unwrap();
        assert!(last.starts_with("65536 pages: not available"), "{last}");
    }

    #[test]
    fn a_chase_that_is_not_far_beyond_the_last_cache_says_so() {
        let answer = Measured::Value(Answer {
            ns: 60.0,
            pages: PageKind::Huge,
        });
        let near = Latency {
            cached: Some(96 << 20),
            ..memory(answer)
        };
        let said = latency(&near).note;
        assert!(said.contains("the last cache may hold 96.0 MiB"), "{said}");
    }

    #[test]
    fn what_could_not_be_tried_is_there_with_its_reason() {
        let probe = Probe {
            reach: Measured::not_available("no huge pages", ""),
            caches: Measured::not_available("no caches are listed", ""),
            memory: memory(Measured::not_available("it takes 128.0 MiB", "free some")),
        };
        let said = said(&probe);
        assert_eq!(
            said,
            [
                "caches: not available: no caches are listed; ",
                "memory: not available: it takes 128.0 MiB (free some); over 128.0 MiB",
                "reach of the TLB: not available: no huge pages; "
            ]
        );
    }

    #[test]
    fn a_reach_below_what_was_tried_is_not_called_0_pages() {
        let said = said(&only(reach(9.0))).concat();
        assert!(said.contains("less than 16 pages of 4 KiB"), "{said}");
        assert!(!said.contains(": 0 pages"), "{said}");
    }
}

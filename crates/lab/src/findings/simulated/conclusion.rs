//! What a model counted of one work along one way, in a sentence on the largest number of flows and
//! the count whose ratio is the farthest from 1, and the cause in one clause. What threads miss
//! with one flow is not from sharing:
//! ```text
//!   share that is there without sharing = ln(ratio with one flow) / ln(ratio with all of them)
//! ```
//! From half ([`MOST`]) on, it is the cause. Otherwise the rest comes with added flows: on one core
//! with what its hardware threads share; on several with pages that several use.

use super::{ALIKE, Count, SimulatedCase, SimulatedCount};
use crate::data::Topology;
use crate::data::number::{factor, many, percent};
use crate::data::words::plural;
use crate::findings::why::MOST;

/// What a group of cases shows of some counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conclusion {
    /// The sentence.
    pub said: String,
    /// Why; `None` where it is not known, or nothing differs.
    pub cause: Option<String>,
}

/// The conclusion of cases of one work along one way; `None` if the last has no count.
#[must_use]
pub fn conclusion(group: &[&SimulatedCase], counts: &[Count]) -> Option<Conclusion> {
    let last = group.last()?;
    let (one, ratio) = farthest(last, counts)?;
    let (subject, reference) = (plural(&last.subject), plural(&last.reference));
    let way = last
        .along
        .map_or(String::new(), |along| format!(" {}", along.spoken()));
    let head = one.count.head();
    let said = match ratio {
        alike if (alike - 1.0).abs() < ALIKE => {
            format!("{subject} and {reference} have equal {head} ({alike:.2}x)")
        }
        many if many >= 2.0 => {
            format!("{subject} have {} the {head} of {reference}", factor(many))
        }
        more if more > 1.0 => {
            let more = percent(more - 1.0);
            format!("{subject} have {more} more {head} than {reference}")
        }
        fewer => {
            let fewer = percent(1.0 - fewer);
            format!("{subject} have {fewer} fewer {head} than {reference}")
        }
    };
    let differs = (ratio - 1.0).abs() >= ALIKE;
    Some(Conclusion {
        said: format!(
            "Simulated, {}{way}: with {} {said}",
            last.workload,
            many(last.flows.into(), "flow")
        ),
        cause: differs.then(|| cause(group, one, ratio)).flatten(),
    })
}

/// Of counts above 0 on both sides; of several the first.
fn farthest<'a>(case: &'a SimulatedCase, counts: &[Count]) -> Option<(&'a SimulatedCount, f64)> {
    let own = counts.iter().rev().filter_map(|count| {
        let one = case.count(*count)?;
        let ratio = one.ratio?.median;
        (ratio > 0.0).then_some((one, ratio))
    });
    own.max_by(|a, b| a.1.ln().abs().total_cmp(&b.1.ln().abs()))
}

fn cause(group: &[&SimulatedCase], of: &SimulatedCount, ratio: f64) -> Option<String> {
    let (first, last) = (group.first()?, group.last()?);
    let alone = first.count(of.count)?.ratio?.median;
    if first.flows != 1 || last.flows == 1 || alone <= 0.0 {
        return None;
    }
    let share = (alone.ln() / ratio.ln()).clamp(0.0, 1.0);
    if share >= MOST {
        return Some(format!(
            "With one flow, which shares nothing, it is {alone:.2}x already: {} of the difference",
            percent(share)
        ));
    }
    let rest = percent(1.0 - share);
    Some(match last.along {
        Some(Topology::Smt) => {
            let longer = of.longer_turns;
            let longer = longer.map_or(String::new(), |ratio| {
                format!("; with longer turns {ratio:.2}x")
            });
            format!(
                "{rest} of the difference comes from sharing a core: with one flow it is {alone:.2}x{longer}"
            )
        }
        _ => format!(
            "{rest} of the difference comes from the other flows: with one flow it is {alone:.2}x{}",
            pages(last)
        ),
    })
}

/// `; several cores use 285 pages against 0, and write 252 against 0`.
fn pages(case: &SimulatedCase) -> String {
    let of = |count| {
        let one = case.count(count)?;
        Some((one.subject, one.reference))
    };
    let (Some(used), Some(written)) = (of(Count::PagesShared), of(Count::PagesWritten)) else {
        return String::new();
    };
    format!(
        "; several cores use {:.0} pages against {:.0}, and write {:.0} against {:.0}",
        used.0, used.1, written.0, written.1
    )
}

#[cfg(test)]
mod tests;

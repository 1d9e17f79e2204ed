//! Page-table entries that forks copied, 8 bytes for each page of private memory, bounded from
//! above by the bytes of page tables and by mapped pages (docs/why.md, "What forks copied"). It is
//! the cause only where create and tear-down make most of the difference, entries are many for each
//! fork, and the time for each is what one can cost: some tens of ns to copy, as much to give back.

use flow::{Pages, ParentMemory};

use super::{Clause, Evidence, MOST, Part, Reason, Side, Weight};
use crate::data::number::{bytes, plain, time};
use crate::data::words::plural;

const ENTRY: f64 = 8.0;
/// Fewer entries per fork (8 MB in 4 KB pages) are hidden by its other work.
const MANY: f64 = 2_048.0;
/// Of copying and giving back, in ns.
const PLAUSIBLE_NS: std::ops::RangeInclusive<f64> = 5.0..=1_000.0;
/// The share of the difference, how many more entries the slower side has, and the time for each, where they are its
/// cause.
fn proven(evidence: &Evidence<'_>) -> Option<(f64, f64, f64)> {
    let (making_ns, share) = evidence.making()?;
    let (slow, fast) = evidence.slow_and_fast()?;
    let forks = f64::from(slow.processes());
    let more = entries(slow, evidence.page)? - entries(fast, evidence.page)?;
    let each_ns = making_ns / more;
    let proven =
        share >= MOST && forks > 0.0 && more >= MANY * forks && PLAUSIBLE_NS.contains(&each_ns);
    proven.then_some((share.min(1.0), more, each_ns))
}

pub(super) fn rule(evidence: &Evidence<'_>) -> Option<Reason> {
    let (share, more, each_ns) = proven(evidence)?;
    let (slow, fast) = evidence.slow_and_fast()?;
    Some(Reason {
        weight: Weight::Cause(share),
        text: said(slow, fast, more, each_ns),
    })
}

pub(super) fn clause(evidence: &Evidence<'_>) -> Option<Clause> {
    let (share, more, _) = proven(evidence)?;
    let (slow, _) = evidence.slow_and_fast()?;
    let (more, slow) = (plain(more.round()), plural(slow.label));
    Some(Clause {
        share,
        part: Part::Making,
        text: format!("fork copies {more} more page-table entries for {slow}"),
    })
}

fn said(slow: Side<'_>, fast: Side<'_>, more: f64, each_ns: f64) -> String {
    format!(
        "fork copied {} page-table entries more for {} ({}): {} of create and tear-down each",
        plain(more.round()),
        plural(slow.label),
        shown_by(slow, fast),
        time(each_ns)
    )
}

fn shown_by(slow: Side<'_>, fast: Side<'_>) -> String {
    if let Some(parent_memory) = huge(fast) {
        let size = bytes(parent_memory.bytes as f64);
        return format!("of {}, {size} lie in huge pages", plural(fast.label));
    }
    let tables = |side: Side<'_>| side.profile.memory.map_or(0.0, |m| m.page_tables as f64);
    let processes = |side: Side<'_>| match side.profile.memory.map_or(0, |m| m.processes) {
        1 => "1 process".to_owned(),
        many => format!("{many} processes"),
    };
    format!(
        "{} of page tables in {} against {} in {}",
        bytes(tables(slow)),
        processes(slow),
        bytes(tables(fast)),
        processes(fast)
    )
}

/// An upper bound, of small pages.
fn entries(side: Side<'_>, page: f64) -> Option<f64> {
    let memory = side.profile.memory?;
    let bound = (memory.page_tables as f64 / ENTRY).min(memory.rss as f64 / page);
    let of_huge = huge(side).map_or(0.0, |parent_memory| parent_memory.bytes as f64 / page);
    Some((bound - of_huge * f64::from(side.processes())).max(0.0))
}

fn huge(side: Side<'_>) -> Option<ParentMemory> {
    let parent_memory = side.profile.variant.parent_memory?;
    (parent_memory.pages == Pages::Huge).then_some(parent_memory)
}

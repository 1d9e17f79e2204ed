//! The source's table of limits, its machines as columns beside ours.
//!
//! A row is a model of ours. What the source has for it (processes, kernel threads,
//! user-level threads) stands in the columns of its machines; models that it does not have
//! have none.

use lab::{Limit, OriginCount, OriginLimit, StudyResult};

use crate::number::{NONE, count};

/// The two tables in one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LimitsThen {
    pub(crate) year: u32,
    /// The source's machines.
    pub(crate) machines: Vec<String>,
    pub(crate) rows: Vec<Row>,
    /// What the source calls the flows, and what stopped them there.
    pub(crate) note: String,
}

/// A model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) label: String,
    /// How many there can be here.
    pub(crate) here: String,
    /// How many there could be on each of the source's machines.
    pub(crate) there: Vec<String>,
}

impl LimitsThen {
    /// The table of a study whose source has one, and which has limits of its own.
    pub(crate) fn of(study: &StudyResult) -> Option<Self> {
        let origin = study.study.origin.as_ref()?;
        let first = origin.limits.first()?;
        let machines: Vec<String> = first.counts.iter().map(|count| count.on.clone()).collect();
        let rows: Vec<Row> = study
            .limits
            .iter()
            .map(|limit| row(limit, &origin.limits, &machines))
            .collect();
        (!rows.is_empty()).then(|| Self {
            year: origin.year,
            machines,
            rows,
            note: note(origin.year, &origin.limits),
        })
    }
}

fn row(ours: &Limit, theirs: &[OriginLimit], machines: &[String]) -> Row {
    let same = theirs.iter().find(|kind| kind.models.contains(&ours.model));
    let there = machines.iter().map(|machine| {
        let mut counts = same.into_iter().flat_map(|kind| &kind.counts);
        let known = counts.find(|count| count.on == *machine);
        known.map_or_else(|| "-".to_owned(), flows)
    });
    let none = || NONE.to_owned();
    Row {
        label: ours.label.clone(),
        here: ours
            .room
            .as_ref()
            .map_or_else(none, |room| count(room.count)),
        there: there.collect(),
    }
}

/// `8,000`, `90,000+`.
fn flows(known: &OriginCount) -> String {
    let more = if known.or_more { "+" } else { "" };
    format!("{}{more}", count(known.flows))
}

/// `in 2006: processes stopped by ulimit or kernel, …`.
fn note(year: u32, limits: &[OriginLimit]) -> String {
    let kinds: Vec<String> = limits
        .iter()
        .map(|kind| format!("{} by {}", kind.flows, kind.stopped_by))
        .collect();
    format!(
        "here: predicted from what can be read now; in {year}: approximate limits of stock systems, {}",
        kinds.join(", ")
    )
}

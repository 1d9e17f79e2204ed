//! The source's table, made true: its rows with our times, and its figures beside them.
//!
//! The source gives for each worker and the parent when it was done, and what memory it
//! had. Ours are the times from the release to the end of each flow's work and of the
//! parent's. As there, the total is the sum of the rows: it counts waiting several times
//! over, and is only here so that the two totals can be laid side by side. The verdict
//! rests on whole repetitions and stands elsewhere.
//!
//! A source whose rows are of cases of their own has another table (`workers`).
//!
//! Outside of the source's setup its rows mean something else, so there is no table then: it
//! takes the two models under the names that the source gives them, as many workers as it
//! had, and a round with a good slot of each.
//!
//! A row is one figure of each variant without an interval, and so is their difference: it
//! is given in words only where the case has found that the two differ.
//!
//! Memory cannot be split among workers that share pages, so ours is one figure for all
//! of them with the parent. The source's is brought to that: flows of one process each
//! show the whole process, so the largest row counts; processes are added up.

use lab::{CaseResult, OriginRow, StudyResult, VariantSummary};
use stats::Verdict;

use crate::number::{count, percent};
use crate::words::{finding_of, many};

/// One value for each of the two variants.
pub(crate) type Pair = [Option<f64>; 2];

/// The two tables in one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ThenAndNow<'a> {
    pub(crate) year: u32,
    pub(crate) labels: [&'a str; 2],
    /// Rounds in which both have a good slot.
    pub(crate) rounds: usize,
    /// Whether the case found the two to differ.
    pub(crate) differ: bool,
    pub(crate) rows: Vec<Row<'a>>,
    pub(crate) total: Row<'a>,
    /// Bytes of all flows and the parent.
    pub(crate) memory_now: Pair,
    pub(crate) memory_then: Pair,
}

/// A row: who, and when they were done, in ns.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row<'a> {
    pub(crate) who: &'a str,
    pub(crate) now: Pair,
    pub(crate) then: Pair,
}

impl<'a> ThenAndNow<'a> {
    /// The table of a study whose source has one, with the times of its headline case.
    pub(crate) fn of(study: &'a StudyResult) -> Option<Self> {
        let origin = study.study.origin.as_ref()?;
        if origin.rows.iter().any(|row| row.case.is_some()) {
            return None;
        }
        let case = study
            .cases
            .iter()
            .find(|case| case.case.name == study.study.headline)
            .filter(|case| case.case.sweep.is_none())?;
        let labels = labels(&origin.rows, case)?;
        let rounds = rounds(case, labels);
        if rounds == 0
            || !labels
                .iter()
                .all(|label| as_there(&origin.rows, case, label))
        {
            return None;
        }
        let rows: Vec<_> = origin
            .rows
            .iter()
            .map(|row| Row::of(row, labels, case))
            .collect();
        let total = Row {
            who: "total",
            now: both(|side| rows.iter().map(|row| row.now[side]).sum()),
            then: both(|side| rows.iter().map(|row| row.then[side]).sum()),
        };
        Some(Self {
            year: origin.year,
            labels,
            rounds,
            differ: differ(case, labels),
            rows,
            total,
            memory_now: both(|side| Some(summary(case, labels[side])?.memory?.total() as f64)),
            memory_then: both(|side| memory_then(&origin.rows, case, labels[side])),
        })
    }
}

impl ThenAndNow<'_> {
    /// What the figures of a row rest on.
    pub(crate) fn note(&self) -> String {
        let medians = format!("medians of {}", many(self.rounds as u64, "round"));
        let told = if self.differ {
            ""
        } else {
            ", and the difference is too close to call here"
        };
        format!("no interval for a row of its own: one figure each, {medians}{told}")
    }
}

impl<'a> Row<'a> {
    fn of(row: &'a OriginRow, labels: [&str; 2], case: &CaseResult) -> Self {
        Self {
            who: &row.who,
            now: both(|side| end_of(&row.who, summary(case, labels[side])?)),
            then: both(|side| row.seconds.get(labels[side]).map(|s| s * 1e9)),
        }
    }
}

fn both(value: impl Fn(usize) -> Option<f64>) -> Pair {
    [value(0), value(1)]
}

/// The first two variants of the case that the source has figures for.
fn labels<'a>(rows: &[OriginRow], case: &'a CaseResult) -> Option<[&'a str; 2]> {
    let known = |label: &&str| rows.iter().any(|row| row.seconds.contains_key(*label));
    let mut labels = case
        .variants
        .iter()
        .map(|variant| variant.label.as_str())
        .filter(known);
    Some([labels.next()?, labels.next()?])
}

/// Whether a variant is launched as the source's was.
fn as_there(rows: &[OriginRow], case: &CaseResult, label: &str) -> bool {
    let workers = rows.iter().filter(|row| row.who != "parent").count();
    let mut variants = case.case.variants.iter();
    variants.any(|labelled| {
        labelled.label == label
            && labelled.variant.model.to_string() == label
            && labelled.variant.flows as usize == workers
    })
}

fn rounds(case: &CaseResult, labels: [&str; 2]) -> usize {
    let good = |label: &str, round: usize| {
        let variant = case
            .variants
            .iter()
            .position(|variant| variant.label == label);
        let mut slots = case.slots.iter();
        slots.any(|slot| {
            slot.round == round && Some(slot.variant) == variant && slot.value_ns.is_some()
        })
    };
    let last = case.slots.iter().map(|slot| slot.round + 1).max();
    (0..last.unwrap_or(0))
        .filter(|round| labels.iter().all(|label| good(label, *round)))
        .count()
}

fn differ(case: &CaseResult, labels: [&str; 2]) -> bool {
    labels.iter().any(|label| {
        finding_of(case, label).is_some_and(|finding| {
            labels.contains(&finding.reference.as_str())
                && matches!(
                    finding.verdict,
                    Verdict::Faster { .. } | Verdict::Slower { .. }
                )
        })
    })
}

fn summary<'a>(case: &'a CaseResult, label: &str) -> Option<&'a VariantSummary> {
    case.variants.iter().find(|variant| variant.label == label)
}

/// When `parent` or `worker N` was done.
fn end_of(who: &str, variant: &VariantSummary) -> Option<f64> {
    if who == "parent" {
        return variant.parent_end_ns;
    }
    let number: usize = who.strip_prefix("worker ")?.parse().ok()?;
    let flow = variant.flows.get(number.checked_sub(1)?)?;
    Some(flow.end_ns as f64)
}

fn memory_then(rows: &[OriginRow], case: &CaseResult, label: &str) -> Option<f64> {
    let bytes = rows.iter().filter_map(|row| row.bytes.get(label).copied());
    let mut variants = case.case.variants.iter();
    let launched = variants.find(|variant| variant.label == label)?;
    let total = if launched.variant.model.isolates() {
        bytes.sum()
    } else {
        bytes.fold(0.0, f64::max)
    };
    (total > 0.0).then_some(total)
}

/// Bytes in the unit of the source, which counts a KB as 1,000 and leaves off what is below.
pub(crate) fn kilobytes(bytes: f64) -> String {
    format!("{} KB", count((bytes / 1000.0) as u64))
}

/// `42.0 s / 40.2 s, thread 4.1 % faster`.
pub(super) fn figures(
    labels: [&str; 2],
    pair: Pair,
    unit: fn(f64) -> String,
    less: &str,
) -> Option<String> {
    let words = in_words(labels, pair, less)?;
    Some(format!("{} / {}, {words}", unit(pair[0]?), unit(pair[1]?)))
}

/// `thread 4.1 % faster`, or whatever `less` says of the smaller one.
pub(crate) fn in_words(labels: [&str; 2], pair: Pair, less: &str) -> Option<String> {
    let [a, b] = [pair[0]?, pair[1]?];
    let (label, fraction) = if b <= a {
        (labels[1], (a - b) / a)
    } else {
        (labels[0], (b - a) / b)
    };
    fraction
        .is_finite()
        .then(|| format!("{label} {} {less}", percent(fraction)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_of_the_slower_one() {
        let labels = ["process", "thread"];
        let pair = [Some(41.960_930_11), Some(40.249_929_9)];
        assert_eq!(
            in_words(labels, pair, "faster").as_deref(),
            Some("thread 4.1 % faster")
        );
        let pair = [Some(1.0), Some(2.0)];
        assert_eq!(
            in_words(labels, pair, "less").as_deref(),
            Some("process 50 % less")
        );
        assert_eq!(in_words(labels, [None, Some(1.0)], "less"), None);
    }

    #[test]
    fn figures_of_the_source_have_its_own_unit() {
        assert_eq!(kilobytes(1_323_008.0), "1,323 KB");
        assert_eq!(kilobytes(450_560.0), "450 KB");
    }
}

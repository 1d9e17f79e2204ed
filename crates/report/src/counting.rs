//! Counted events of a case as a table in words, the same in the terminal and on the page.

use lab::results::counted::{EventMedians, Events};
use lab::{CaseResult, LabelledVariant, StudyResult};
use measure::counters::{Event, Scope};

use crate::number::{amount, count, percent, significant, time};
use crate::words::many;

/// A case's table: headings, and rows of as many cells. Columns in which nothing would stand
/// are left out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Counting {
    pub(crate) title: String,
    pub(crate) heads: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<String>>,
    /// What must be known of it.
    pub(crate) notes: Vec<String>,
}

const HEADS: [&str; 7] = [
    "event",
    "variant",
    "count",
    "per CPU second",
    "per unit",
    RAN,
    "per 1,000 instructions",
];
/// A share of less than this is not all of the time.
const ALL: f64 = 0.9995;
/// The heading of the share that is never left out.
pub(crate) const RAN: &str = "counters ran";

/// What was counted in a case; `None` where nothing was to be, or could be.
pub(crate) fn counting(case: &CaseResult) -> Option<Counting> {
    let counted = counted(case);
    let asked = counted.first()?.1.events.iter();
    let mut rows: Vec<Vec<String>> = asked
        .flat_map(|summary| rows_of(summary.event, &counted))
        .collect();
    if rows.is_empty() {
        return None;
    }
    once_each_event(&mut rows);
    let kept: Vec<usize> = (0..HEADS.len())
        .filter(|&at| rows.iter().any(|row| !row[at].is_empty()))
        .collect();
    let only_kept = |row: &Vec<String>| kept.iter().map(|&at| row[at].clone()).collect();
    Some(Counting {
        title: "Counted while flows worked, in the last repetition of each slot (medians)"
            .to_owned(),
        heads: kept.iter().map(|&at| HEADS[at]).collect(),
        rows: rows.iter().map(only_kept).collect(),
        notes: notes(&counted),
    })
}

/// Variants of whose flows events were to be counted.
fn counted(case: &CaseResult) -> Vec<(&LabelledVariant, &Events)> {
    let variants = case.case.variants.iter().zip(&case.variants);
    variants
        .filter_map(|(launched, summary)| Some((launched, summary.counted.as_ref()?)))
        .collect()
}

/// An event of each variant, and below instructions how many a cycle did.
fn rows_of(event: Event, counted: &[(&LabelledVariant, &Events)]) -> Vec<Vec<String>> {
    let rows = counted.iter().filter_map(|(variant, events)| {
        let medians = events.of(event)?.value()?;
        Some(row(event, &variant.label, medians))
    });
    let ratios = counted.iter().filter_map(|(variant, events)| {
        let ratio = events
            .instructions_per_cycle
            .filter(|_| event == Event::Instructions)?;
        let name = "instructions per cycle".to_owned();
        let mut row = vec![name, variant.label.clone(), significant(ratio)];
        row.resize(HEADS.len(), String::new());
        Some(row)
    });
    rows.chain(ratios).collect()
}

fn row(event: Event, label: &str, medians: &EventMedians) -> Vec<String> {
    let is_clock = event == Event::TaskClock;
    let amount_of = |value: f64| match is_clock {
        true => time(value),
        false => amount(value),
    };
    let per_second = match is_clock {
        true => String::new(),
        false => amount(medians.per_cpu_second),
    };
    let ran = (medians.ran < ALL).then(|| percent(medians.ran));
    let of_instructions = medians.per_1000_instructions.filter(|_| event.is_miss());
    vec![
        event.to_string(),
        label.to_owned(),
        amount_of(medians.scaled),
        per_second,
        medians.per_unit.map(amount_of).unwrap_or_default(),
        ran.unwrap_or_default(),
        of_instructions.map(significant).unwrap_or_default(),
    ]
}

/// An event stands in its first row alone.
fn once_each_event(rows: &mut [Vec<String>]) {
    let mut before = String::new();
    for row in rows {
        match row[0] == before {
            true => row[0].clear(),
            false => before.clone_from(&row[0]),
        }
    }
}

fn notes(counted: &[(&LabelledVariant, &Events)]) -> Vec<String> {
    let carried = counted.iter().filter_map(|(variant, events)| {
        let flows = u64::from(variant.variant.flows);
        let carriers = events.flows as u64;
        (carriers > 0 && carriers < flows).then(|| {
            format!(
                "the {} of {} share the counters of the {} below them",
                many(flows, "flow"),
                variant.label,
                threads(carriers)
            )
        })
    });
    let mut notes: Vec<String> = carried.collect();
    notes.extend(partial(counted));
    notes.extend(user_only(counted));
    notes.extend(cost(counted));
    notes
}

fn threads(number: u64) -> String {
    match number {
        1 => "one thread of the kernel".to_owned(),
        many => format!("{} threads of the kernel", count(many)),
    }
}

fn medians<'a>(
    counted: &'a [(&LabelledVariant, &'a Events)],
) -> impl Iterator<Item = (Event, &'a EventMedians)> {
    let all = counted.iter().flat_map(|(_, events)| &events.events);
    all.filter_map(|summary| Some((summary.event, summary.count.value()?)))
}

fn partial(counted: &[(&LabelledVariant, &Events)]) -> Option<String> {
    let shared = medians(counted).any(|(_, medians)| medians.ran < ALL);
    shared.then(|| {
        format!(
            "more events than the processor counts at once: they took turns, counts are scaled up \
             from the part of the time under '{RAN}'; to avoid it, --events fewer of them"
        )
    })
}

fn user_only(counted: &[(&LabelledVariant, &Events)]) -> Option<String> {
    let mut events: Vec<String> = Vec::new();
    for (event, medians) in medians(counted) {
        let name = event.to_string();
        if medians.scope == Scope::UserOnly && !events.contains(&name) {
            events.push(name);
        }
    }
    (!events.is_empty()).then(|| {
        let what = events.join(", ");
        format!("counted in user code only, as the kernel permits no more: {what}")
    })
}

/// What counting has cost.
fn cost(counted: &[(&LabelledVariant, &Events)]) -> Option<String> {
    let around = counted.iter().map(|(_, events)| events.around_ns);
    let around = time(around.fold(0.0, f64::max));
    let slower = counted.iter().filter_map(|(variant, events)| {
        let slower = events.slower?;
        let word = if slower < 1.0 { "shorter" } else { "longer" };
        let by = percent((slower - 1.0).abs());
        Some(format!("{} {by} {word}", variant.label))
    });
    let slower: Vec<String> = slower.collect();
    let steady = match slower.is_empty() {
        true => {
            "slots have no other repetition to compare with, so its times hold the cost".to_owned()
        }
        false => format!(
            "its steady phase against the others of its slot: {}",
            slower.join(", ")
        ),
    };
    Some(format!(
        "cost of counting: up to {around} around the work of a slot, in no phase; {steady}"
    ))
}

impl Counting {
    /// Rows in which each has its event, for tables that are read row by row.
    pub(crate) fn filled(&self) -> Vec<Vec<String>> {
        let mut event = String::new();
        let filled = self.rows.iter().map(|row| {
            let mut row = row.clone();
            match row[0].is_empty() {
                true => row[0].clone_from(&event),
                false => event.clone_from(&row[0]),
            }
            row
        });
        filled.collect()
    }
}

/// What could not be counted in a study, each reason once.
pub(crate) fn missing(study: &StudyResult) -> Vec<String> {
    let lines = lab::results::counted::missing(study).into_iter();
    lines.map(|line| format!("events {line}")).collect()
}

/// Whether any event was counted in a case.
pub(crate) fn is_counted(case: &CaseResult) -> bool {
    counting(case).is_some()
}

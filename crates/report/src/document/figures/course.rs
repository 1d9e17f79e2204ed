use flow::Samples;
use flow::sampler::{Sample, Totals};
use lab::CaseResult;
use lab::findings::{RawSlot, sampled};

use super::{Figure, Legend, brief};
use crate::charts::Chart;
use crate::charts::axis::{BYTES, PERCENT, Unit};
use crate::charts::course::Course;
use crate::document::table::Table;
use crate::number::{bytes, percent, time};

const ROWS: usize = 300;

struct Quantity {
    id: &'static str,
    title: &'static str,
    unit: &'static Unit,
    text: fn(f64) -> String,
    of: fn(&Samples) -> Vec<(f64, f64)>,
}

const QUANTITIES: &[Quantity] = &[
    Quantity {
        id: "cpu",
        title: "CPU over time (100 % is one CPU)",
        unit: &PERCENT,
        text: |value| percent(value / 100.0),
        of: |samples| {
            let shares = sampled::course(samples).into_iter();
            shares.map(|(at, share)| (s(at), share * 100.0)).collect()
        },
    },
    Quantity {
        id: "memory",
        title: "Memory over time (PSS, page tables and kernel stacks)",
        unit: &BYTES,
        text: bytes,
        of: |samples| bytes_of(samples, |sample| sample.memory),
    },
    Quantity {
        id: "rss",
        title: "RSS over time, shared pages counted in each process",
        unit: &BYTES,
        text: bytes,
        of: |samples| bytes_of(samples, |sample| Some(sample.rss)),
    },
    Quantity {
        id: "written",
        title: "Bytes written to storage, so far",
        unit: &BYTES,
        text: bytes,
        of: |samples| {
            let mut all = bytes_of(samples, |sample| sample.written);
            let of_end = |end: Totals| Some((s(end.at_ns), end.written? as f64));
            all.extend(samples.end.and_then(of_end));
            all
        },
    },
    Quantity {
        id: "disk",
        title: "Disk space of the folder over time",
        unit: &BYTES,
        text: bytes,
        of: |samples| bytes_of(samples, |sample| sample.disk),
    },
];

fn s(ns: u64) -> f64 {
    ns as f64 / 1e9
}

fn bytes_of(samples: &Samples, of: fn(&Sample) -> Option<u64>) -> Vec<(f64, f64)> {
    let read = samples.samples.iter();
    let read = read.filter_map(|sample| Some((s(sample.at_ns), of(sample)? as f64)));
    read.collect()
}

pub(crate) fn course(id: &str, case: &CaseResult) -> Vec<Figure> {
    let variants = 0..case.variants.len();
    let typical: Vec<Option<&Samples>> = variants.map(|at| typical(case, at)).collect();
    let figures = QUANTITIES.iter();
    figures
        .filter_map(|quantity| figure(id, case, quantity, &typical))
        .collect()
}

fn typical(case: &CaseResult, variant: usize) -> Option<&Samples> {
    let own = case.slots.iter().filter(|slot| slot.variant == variant);
    let mut found: Vec<(f64, &Samples)> = own
        .filter_map(|slot: &RawSlot| Some((slot.value_ns?, sampled::of(&slot.outcome)?)))
        .filter(|(_, samples)| !samples.samples.is_empty())
        .collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found
        .get(found.len().saturating_sub(1) / 2)
        .map(|(_, samples)| *samples)
}

fn figure(
    id: &str,
    case: &CaseResult,
    quantity: &Quantity,
    typical: &[Option<&Samples>],
) -> Option<Figure> {
    let lines = typical.iter().enumerate().filter_map(|(variant, samples)| {
        Some(Course {
            variant,
            points: (quantity.of)((*samples)?),
        })
    });
    let lines: Vec<Course> = lines.collect();
    let mut values = lines.iter().flat_map(|line| &line.points);
    if !values.any(|(_, value)| *value > 0.0) {
        return None;
    }
    let most = brief(&most(case, quantity, &lines));
    let title = format!("{}: at most {most}", quantity.title);
    let desc = "One sampled slot of each variant, the middle one by its value.".to_owned();
    let data = data(case, quantity, &lines);
    let chart = Chart::Course(lines, quantity.unit);
    let figure = Figure::new(format!("{id}-{}", quantity.id), title, desc, chart);
    Some(figure.legend(Legend::of(case)).data(data))
}

fn most(case: &CaseResult, quantity: &Quantity, lines: &[Course]) -> Vec<String> {
    let of = |line: &Course| {
        let values = line.points.iter().map(|(_, value)| *value);
        let most = values.reduce(f64::max)?;
        let label = &case.variants[line.variant].label;
        Some(format!("{label} {}", (quantity.text)(most)))
    };
    lines.iter().filter_map(of).collect()
}

fn data(case: &CaseResult, quantity: &Quantity, lines: &[Course]) -> Table {
    let rows = lines.iter().flat_map(|line| {
        let label = &case.variants[line.variant].label;
        let points = line.points.iter();
        points.map(move |&(at, value)| vec![label.clone(), time(at * 1e9), (quantity.text)(value)])
    });
    let rows: Vec<_> = rows.take(ROWS + 1).collect();
    let caption = match rows.len() > ROWS {
        true => "There are more: see samples.csv (flowgauge report DIR --tables makes it).",
        false => "",
    };
    let rows = rows[..rows.len().min(ROWS)].to_vec();
    Table::texts(caption, &["variant", "time in the slot", "value"], rows)
}

use super::{Figure, Figures, Legend, brief};
use crate::charts::Chart;
use crate::charts::axis::{BYTES, TIME};
use crate::charts::bars::{Bar, Parts};
use crate::number::{bytes, time};
use lab::{CaseResult, VariantSummary};

const MEMORY: [&str; 4] = ["PSS", "page tables", "kernel stacks", "slab"];

pub(crate) fn phases(id: &str, case: &CaseResult) -> Figures {
    let bars = stacked(case, |variant| {
        let phases = variant.phases?;
        Some(vec![phases.create_ns, phases.steady_ns, phases.teardown_ns])
    });
    let parts = Parts {
        names: &["create", "steady", "tear-down"],
        unit: &TIME,
        write: time,
    };
    stack(id, "Time of a repetition by phase (medians)", bars, parts)
}

pub(crate) fn memory(id: &str, case: &CaseResult) -> Figures {
    let bars = stacked(case, |variant| {
        let memory = variant.memory.as_ref()?;
        let parts = [
            memory.pss,
            memory.page_tables,
            memory.kernel_stacks,
            memory.slab.unwrap_or(0),
        ];
        Some(parts.map(|part| part as f64).to_vec())
    });
    let names = if bars.iter().any(|bar| bar.parts[3] > 0.0) {
        &MEMORY[..]
    } else {
        &MEMORY[..3]
    };
    let parts = Parts {
        names,
        unit: &BYTES,
        write: bytes,
    };
    stack(id, "Memory of the parent and all flows", bars, parts)
}

fn stacked(case: &CaseResult, parts: impl Fn(&VariantSummary) -> Option<Vec<f64>>) -> Vec<Bar> {
    let bar = |variant: &VariantSummary| {
        Some(Bar {
            label: variant.label.clone(),
            parts: parts(variant)?,
        })
    };
    case.variants.iter().filter_map(bar).collect()
}

pub(crate) fn stack(id: &str, title: &str, all: Vec<Bar>, parts: Parts<'static>) -> Figures {
    if all.is_empty() {
        return Figures::default();
    }
    let row = |bar: &Bar| {
        let values = bar
            .parts
            .iter()
            .zip(parts.names)
            .map(|(part, _)| (parts.write)(*part));
        [bar.label.clone()].into_iter().chain(values).collect()
    };
    let rows: Vec<Vec<String>> = all.iter().map(row).collect();
    let total = |bar: &Bar| (parts.write)(bar.parts.iter().sum());
    let totals = all
        .iter()
        .map(|bar| format!("{} {}", bar.label, total(bar)));
    let totals: Vec<String> = totals.collect();
    let said: Vec<_> = rows.iter().map(|row| row.join(", ")).collect();
    let desc = format!(
        "Of each variant {}: {}",
        parts.names.join(", "),
        said.join("; ")
    );
    let figure = Figure {
        id: id.to_owned(),
        title: format!("{title}: {}", brief(&totals)),
        desc,
        legend: Legend::Parts(parts.names),
        data: None,
        chart: Chart::Bars(all, parts),
    };
    figure.into()
}

use super::{Figure, Legend, brief};
use crate::charts::Chart;
use crate::charts::axis::{BYTES, TIME};
use crate::charts::bars::{Bar, Parts};
use crate::number::{bytes, time};
use lab::{CaseResult, VariantSummary};

const MEMORY: [&str; 4] = ["PSS", "page tables", "kernel stacks", "slab"];

pub(crate) fn phases(id: &str, case: &CaseResult) -> Option<Figure> {
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

pub(crate) fn memory(id: &str, case: &CaseResult) -> Option<Figure> {
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

pub(crate) fn stack(id: &str, title: &str, all: Vec<Bar>, parts: Parts<'static>) -> Option<Figure> {
    if all.is_empty() {
        return None;
    }
    let said = |bar: &Bar| {
        let values = bar.parts.iter().take(parts.names.len());
        let values = values.map(|part| (parts.write)(*part));
        let row: Vec<String> = [bar.label.clone()].into_iter().chain(values).collect();
        row.join(", ")
    };
    let said: Vec<String> = all.iter().map(said).collect();
    let total = |bar: &Bar| format!("{} {}", bar.label, (parts.write)(bar.parts.iter().sum()));
    let totals: Vec<String> = all.iter().map(total).collect();
    let title = format!("{title}: {}", brief(&totals));
    let (names, said) = (parts.names.join(", "), said.join("; "));
    let desc = format!("Of each variant {names}: {said}");
    let figure = Figure::new(id, title, desc, Chart::Bars(all, parts));
    Some(figure.legend(Legend::Parts(parts.names)))
}

use flow::record::footprint::{Footprint, Touched};
use lab::Throughput;

use crate::document::table::{Cell, missing, text, whole};
use crate::number::count;

type Part = (Option<Touched>, Option<Touched>);

/// Small (0) or huge (1) pages; `<= 64` is an upper bound.
pub(crate) fn pages(variant: &Throughput, part: impl Fn(&Footprint) -> Part, size: usize) -> Cell {
    let Some(footprint) = &variant.footprint else {
        return Cell::default();
    };
    let of = |touched: Touched| [touched.small, touched.huge][size];
    match footprint.value().map(part) {
        Some((Some(touched), _)) => whole(Some(of(touched))),
        Some((None, Some(most))) => text(format!("<= {}", count(of(most)))),
        Some((None, None)) | None => missing(""),
    }
}

/// Of the flow and the core with most pages, and those shared by flows and by cores.
pub(crate) const PARTS: [fn(&Footprint) -> Part; 4] = [
    |pages| (of_a_flow(pages), None),
    |pages| (of_a_core(pages), None),
    |pages| (pages.by_flows.value().copied(), pages.by_flows_at_most),
    |pages| (pages.by_cores.value().copied(), pages.by_cores_at_most),
];

fn of_a_flow(pages: &Footprint) -> Option<Touched> {
    let flows = pages.flows.iter().copied();
    flows.max_by_key(|touched| touched.small)
}

fn of_a_core(pages: &Footprint) -> Option<Touched> {
    let cores = pages.cores.value()?.iter().map(|core| core.touched);
    cores.max_by_key(|touched| touched.small)
}

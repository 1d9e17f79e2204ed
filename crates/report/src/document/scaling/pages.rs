use flow::record::footprint::{Footprint, Touched};
use lab::Throughput;
use measure::Measured;

use crate::document::table::{Value, text, whole};
use crate::number::count;

/// Small (0) or huge (1) pages; `<= 64` is an upper bound.
pub(crate) fn pages(variant: &Throughput, part: impl Fn(&Footprint) -> Part, size: usize) -> Value {
    let Some(footprint) = &variant.footprint else {
        return Value::Nothing;
    };
    let of = |touched: Touched| [touched.small, touched.huge][size];
    match footprint.value().map(part) {
        Some(Part::Known(touched)) => whole(Some(of(touched))),
        Some(Part::AtMost(touched)) => text(format!("{AT_MOST}{}", count(of(touched)))),
        Some(Part::Unknown) | None => Value::NotAvailable(String::new()),
    }
}

const AT_MOST: &str = "<= ";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Known(Touched),
    AtMost(Touched),
    Unknown,
}

impl Part {
    fn of(measured: &Measured<Touched>, at_most: Option<Touched>) -> Self {
        match (measured, at_most) {
            (Measured::Value(touched), _) => Self::Known(*touched),
            (Measured::NotAvailable { .. }, Some(most)) => Self::AtMost(most),
            (Measured::NotAvailable { .. }, None) => Self::Unknown,
        }
    }
}

/// Of the flow and the core with most pages, and those shared by flows and by cores.
pub(crate) const PARTS: [fn(&Footprint) -> Part; 4] = [
    |pages| Part::of(&of_a_flow(pages), None),
    |pages| Part::of(&of_a_core(pages), None),
    |pages| Part::of(&pages.by_flows, pages.by_flows_at_most),
    |pages| Part::of(&pages.by_cores, pages.by_cores_at_most),
];

fn of_a_flow(footprint: &Footprint) -> Measured<Touched> {
    let most = footprint.flows.iter().max_by_key(|touched| touched.small);
    most.copied()
        .map_or_else(|| Measured::not_available("no flow", ""), Measured::Value)
}

fn of_a_core(footprint: &Footprint) -> Measured<Touched> {
    footprint.cores.as_ref().and_then(|cores| {
        let most = cores.iter().max_by_key(|core| core.touched.small);
        most.map_or_else(
            || Measured::not_available("no core", ""),
            |core| Measured::Value(core.touched),
        )
    })
}

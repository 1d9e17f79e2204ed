//! Probes behind lowered limits, in the words that all reports share.

use flow::Probed;
use lab::Probe;
use lab::capacity::limit;

use crate::number::{NONE, count, time};
use crate::words::Tone;

/// The heading of the table.
pub(crate) const TITLE: &str = "Predictions put to the test behind lowered limits";

/// What the table's columns are.
pub(crate) const HEADS: [&str; 7] = [
    "model",
    "predicted",
    "reached",
    "stopped by",
    "lowered",
    "refused with",
    "took",
];

/// A row: the fields of [`HEADS`], and how sure its reader may be.
pub(crate) fn row(probe: &Probe) -> ([String; 7], Tone) {
    let none = || NONE.to_owned();
    let (predicted, reached, lowered, refused) = match &probe.probed {
        Probed::NotAvailable { .. } => (none(), none(), none(), none()),
        Probed::Met {
            predicted,
            reached,
            refused_with,
        } => (
            count(predicted.count),
            count(*reached),
            limit(predicted),
            refused_with.clone().unwrap_or_else(none),
        ),
    };
    let fields = [
        probe.model.to_string(),
        predicted,
        reached,
        lowered,
        probe.fence.describe().to_owned(),
        refused,
        time(probe.took_ns as f64),
    ];
    let tone = match probe.confirms() {
        Some(true) => Tone::Plain,
        Some(false) | None => Tone::Doubt,
    };
    (fields, tone)
}

/// Fences that could not be had, and why.
pub(crate) fn notes(probe: &Probe) -> Vec<String> {
    let last = match &probe.probed {
        Probed::NotAvailable { reason } => Some((probe.fence, reason)),
        Probed::Met { .. } => None,
    };
    let refused = probe.refused.iter().map(|(fence, reason)| (*fence, reason));
    let said = refused.chain(last).map(|(fence, reason)| {
        let (model, fence) = (probe.model, fence.describe());
        format!("{model}: lowering {fence} is not available: {reason}")
    });
    said.collect()
}

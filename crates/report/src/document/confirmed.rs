//! Whether gaps close where their causes are taken away.

use lab::findings::Tried;
use lab::{CaseResult, Finding};

use super::Section;
use super::table::Table;
use crate::number::time;
use crate::words::{Tone, many};

pub(super) fn confirmed(section: &mut Section, case: &CaseResult) {
    for finding in &case.findings {
        let Some(found) = &finding.confirmed else {
            continue;
        };
        section.texts(Tone::Plain, found.lines());
        if let Some(one) = found.tries.first() {
            section.quiet([head(finding, one)]);
            let heads = ["with", "which takes away", "gap", "gap left", "closes"];
            let rows = found.tries.iter().map(row).collect();
            section.table(Table::texts("Causes that were tried", &heads, rows));
        }
    }
}

fn head(finding: &Finding, one: &Tried) -> String {
    format!(
        "Tried in {} of {} and {}, each as it is and with what stands below; a cause is confirmed where at least half \
         of the gap closes",
        many(one.rounds as u64, "round"),
        finding.subject,
        finding.reference
    )
}

fn row(one: &Tried) -> Vec<String> {
    let signed = |ns: f64| format!("{}{}", if ns < 0.0 { "-" } else { "" }, time(ns.abs()));
    let sign = one.gap_ns.signum();
    vec![
        one.knob.clone(),
        one.without.clone(),
        signed(sign * one.gap_ns),
        signed(sign * one.left_ns),
        one.share_words(),
    ]
}

//! Requests a second and their latencies, one row a variant.

use lab::CaseResult;
use maud::{Markup, html};

use super::table::table;
use crate::requests::{HEADS, NOTE, any, cells};

/// The table of these cases under their own headings, if their flows answer requests.
pub(super) fn requests(cases: &[(&str, &CaseResult)]) -> Markup {
    let all: Vec<_> = cases.iter().map(|(_, case)| *case).collect();
    if !any(&all) {
        return html! {};
    }
    let rows = cases.iter().flat_map(|(heading, case)| {
        case.variants.iter().map(move |variant| {
            let label = [format!("{heading}{}", variant.label)].into_iter();
            label.chain(cells(variant)).collect()
        })
    });
    let heads = std::iter::once("variant").chain(HEADS.map(|(head, _)| head));
    html! {
        (table(&heads.collect::<Vec<_>>(), &rows.collect::<Vec<_>>()))
        p.quiet { (NOTE) }
    }
}

//! Requests a second and their latencies, one row a variant.

use lab::CaseResult;

use super::page::Page;
use crate::requests::{HEADS, NOTE, any, cells};
use crate::table::{Cell, Column, Table};
use crate::words::{Tone, point_value};

/// The table of these cases, if their flows answer requests. A parameter has the first column.
pub(super) fn requests(page: &mut Page<'_>, parameter: Option<&str>, cases: &[&CaseResult]) {
    if !any(cases) {
        return;
    }
    let rows = cases.iter().flat_map(|case| {
        let variants = case.variants.iter().enumerate();
        variants.map(move |(at, variant)| {
            let point = match at {
                0 => point_value(&case.case),
                _ => String::new(),
            };
            let first = parameter.map(|_| Cell::plain(&point));
            let own = [Cell::plain(&variant.label)].into_iter();
            let figures = cells(variant).map(|text| Cell::plain(&text));
            first.into_iter().chain(own).chain(figures).collect()
        })
    });
    let own = HEADS.map(|(head, drop)| {
        let column = Column::right(head);
        drop.map_or(column.clone(), |order| column.drop(order))
    });
    let columns = parameter.map(Column::right).into_iter();
    let columns = columns.chain([Column::left("variant")]).chain(own);
    let table = Table {
        flex: usize::from(parameter.is_some()),
        columns: columns.collect(),
        rows: rows.collect(),
    };
    page.table(2, &table);
    page.text(2, Tone::Quiet, NOTE);
}

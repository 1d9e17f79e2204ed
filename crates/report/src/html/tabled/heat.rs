use maud::{Markup, html};

use crate::charts::heat::{Cell, Grid, level};
use crate::html::table::caption_id;

/// More scroll on a telephone, and say so.
const FEW: usize = 4;

pub(crate) fn heat(id: &str, grid: &Grid) -> Markup {
    let columns = grid.columns.len();
    html! {
        div.scroll tabindex=[(columns > FEW).then_some("0")] {
            table.heat.few[columns <= FEW] aria-labelledby=(caption_id(id)) style=(format!("--n:{columns}")) {
                thead {
                    tr {
                        th scope="col" { (grid.corner[0]) ", by " (grid.corner[1]) }
                        @for column in &grid.columns { th scope="col" { (column) } }
                    }
                }
                @for (name, cells) in grid.rows.iter().zip(&grid.cells) {
                    tr { th scope="row" { (name) } @for one in cells { (cell(one.as_ref())) } }
                }
            }
        }
    }
}

fn cell(cell: Option<&Cell>) -> Markup {
    html! {
        @match cell {
            None => td.hn { "not compared" },
            Some(cell) => td class=(level(cell)) {
                (cell.word)
                @if !cell.ends.is_empty() { small { (cell.ends) } }
            },
        }
    }
}

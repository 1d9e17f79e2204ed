//! Tables that scroll within themselves where the window is narrow.

use maud::{Markup, html};

/// A table; the first cell of a row is its heading.
pub(crate) fn table(heads: &[&str], rows: &[Vec<String>]) -> Markup {
    html! {
        div.scroll tabindex="0" {
            table {
                thead { tr { @for head in heads { th scope="col" { (head) } } } }
                tbody {
                    @for row in rows {
                        tr {
                            @for (place, cell) in row.iter().enumerate() {
                                @if place == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

//! Tables that scroll within themselves where the window is narrow.

use maud::{Markup, html};

/// A table; the first cell of a row is its heading. (Headings need no `scope`: by the rules of
/// HTML, one in the first row is of its column, and one in another row of its row.)
pub(crate) fn table(heads: &[&str], rows: &[Vec<String>]) -> Markup {
    html! {
        div.scroll tabindex="0" {
            table {
                thead { tr { @for head in heads { th { (head) } } } }
                tbody {
                    @for row in rows {
                        tr {
                            @for (place, cell) in row.iter().enumerate() {
                                @if place == 0 { th { (cell) } } @else { td { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

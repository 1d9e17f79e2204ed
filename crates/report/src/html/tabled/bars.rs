//! What a whole is made of: a row a variant, its parts as a bar and as numbers.

use maud::{Markup, html};

use super::percent;
use crate::charts::bars::{Bar, Parts};
use crate::html::table::caption_id;

pub(crate) fn bars(id: &str, bars: &[Bar], parts: Parts<'_>) -> Markup {
    let total = |bar: &Bar| bar.parts.iter().sum::<f64>();
    let most = bars.iter().map(total).fold(f64::MIN_POSITIVE, f64::max);
    let several = parts.names.len() > 1;
    html! {
        table.bars aria-labelledby=(caption_id(id)) style=(format!("--n:{}", parts.names.len() + usize::from(several))) {
            thead {
                tr {
                    th scope="col" { "variant" }
                    td {}
                    @for (place, name) in parts.names.iter().enumerate() {
                        th scope="col" { i class=(format!("key s{place}")) {} (name) }
                    }
                    @if several { th scope="col" { "all" } }
                }
            }
            @for bar in bars {
                tr {
                    th scope="row" { (bar.label) }
                    td { (drawn(bar, most)) }
                    @for part in &bar.parts[..parts.names.len()] { td { ((parts.write)(*part)) } }
                    @if several { td { ((parts.write)(total(bar))) } }
                }
            }
        }
    }
}

fn drawn(bar: &Bar, most: f64) -> Markup {
    html! {
        @for (place, part) in bar.parts.iter().enumerate() {
            @if *part > 0.0 {
                i class=(format!("s{place}")) style=(format!("width:{}", percent(*part, most))) {}
            }
        }
    }
}

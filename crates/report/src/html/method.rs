//! How a row is judged, in a few sentences: the page may be all that a reader has.

use maud::{Markup, html};

pub(crate) fn method() -> Markup {
    html! {
        details.study {
            summary { h2 { "How a row is judged" } }
            div #method {}
            p { "Each slot is a fresh launch. A round has one slot of every variant, in random order, so a slow spell of the machine favours no side." }
            p { "A round gives one ratio: the time of one variant over that of the other. The estimate is the middle of the ratios of all pairs of rounds (Hodges and Lehmann)." }
            p { "If both sides are equal, each round favours either as a coin falls. That alone gives the exact interval (Wilcoxon), with no model of the noise." }
            p { "The run looks at a row after 7, 10, 14 and more rounds and stops when a look decides. All looks of all rows share 5 %, so each look needs more than one in twenty." }
            p { "A difference: the interval leaves out no difference, and more than what matters. The same: it lies within what matters. Open: it does neither, and more rounds may help." }
            p.quiet { "With proofs and sources: docs/method.md of flowgauge." }
        }
    }
}

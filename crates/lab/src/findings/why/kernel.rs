//! Who switches from one flow to the next: the kernel, where each turn shows among context
//! switches, or the process itself, where none does. Where one side has hundreds of times as many,
//! its turns go through the kernel.

use super::{Clause, Evidence, Part, Side};
use crate::data::Metric;
use crate::data::number::plain;
use crate::data::words::plural;
use crate::findings::Seen;

const FAR: f64 = 100.0;

pub(super) fn clause(evidence: &Evidence<'_>) -> Option<Clause> {
    let (slow, fast) = evidence.slow_and_fast()?;
    let switches = |side: Side<'_>| evidence.counts(side).switches();
    let (many, few) = (switches(slow)?, switches(fast)?);
    let is_told = evidence.metric == Metric::Switch && many >= FAR * few.max(1.0);
    is_told.then(|| {
        let [slow, fast] = [slow, fast].map(|side| plural(side.label));
        let (many, few) = (plain(many), plain(few));
        Clause {
            share: 1.0,
            part: Part::Elsewhere(Seen::Switches),
            text: format!(
                "the kernel makes each switch of {slow} ({many}), and hardly any of {fast} ({few})"
            ),
        }
    })
}

//! What faster parts of the work would bring.

use lab::CaseResult;
use lab::findings::Predicted;

use super::Section;
use super::table::Table;
use crate::number::{NONE, time};
use crate::words::{Tone, many};

pub(super) fn predicted(section: &mut Section, case: &CaseResult) {
    let Some(found) = &case.predicted else {
        return;
    };
    section.texts(Tone::Plain, found.lines());
    let Some(one) = found.parts.first() else {
        return;
    };
    section.quiet([format!(
        "Predicted in {}: with a part that is faster in effect, as all else stands still for the time that it \
         would save, and these pauses taken off",
        many(one.rounds as u64, "round")
    )]);
    let heads = ["variant", "part", "time in it", "faster by", "the whole"];
    let rows = found.parts.iter().map(row).collect();
    section.table(Table::texts("What faster parts would bring", &heads, rows));
}

fn row(one: &Predicted) -> Vec<String> {
    let gain = one.gain.map(|gain| format!("{:.1} %", 100.0 * gain));
    vec![
        one.variant.clone(),
        one.part.clone(),
        one.in_part_ns.map_or(NONE.to_owned(), time),
        format!("{} %", one.percent),
        gain.map_or(NONE.to_owned(), |gain| {
            format!("{gain} {}", one.interval_words())
        }),
    ]
}

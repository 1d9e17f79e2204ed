//! Page faults, and the parent's: after a fork it pays one for each page that it writes.

use super::apart::{apart, are_apart};
use super::{Evidence, Reason};
use crate::data::number::plain;
use crate::data::words::plural;

const HANDFUL: f64 = 20.0;

pub(super) fn counted(evidence: &Evidence<'_>) -> Option<String> {
    let [s, r] = evidence.both(|side| evidence.counts(side).faults())?;
    are_apart([s, r], HANDFUL).then(|| against(s, r))
}

fn against(subject: f64, reference: f64) -> String {
    format!("{} against {}", page_faults(subject), plain(reference))
}

fn page_faults(count: f64) -> String {
    let count = plain(count);
    let word = if count == "1" { "fault" } else { "faults" };
    format!("{count} page {word}")
}

pub(super) fn rule(evidence: &Evidence<'_>) -> Option<Reason> {
    let [s, r] = evidence.both(|side| evidence.counts(side).faults())?;
    let reason = apart([s, r], (HANDFUL, "fewer"), against)?;
    let more = match s > r {
        true => evidence.subject,
        false => evidence.reference,
    };
    let parents = parents(more.label, evidence.counts(more).parent_faults);
    Some(Reason {
        text: reason.text + &parents,
        ..reason
    })
}

fn parents(label: &str, faults: f64) -> String {
    let be = match plain(faults).as_str() {
        "0" => return String::new(),
        "1" => "is",
        _ => "are",
    };
    let (label, faults) = (plural(label), plain(faults));
    format!(" ({faults} of {label} {be} the parent's)")
}

//! Page faults, and the parent's: after a fork it pays one for each page that it writes.

use super::apart::apart;
use super::{Evidence, Reason};
use crate::data::number::plain;
use crate::data::words::plural;

const HANDFUL: f64 = 20.0;

pub(super) fn counted(evidence: &Evidence<'_>) -> Option<String> {
    let sides = [evidence.subject, evidence.reference];
    let [s, r] = sides.map(|side| evidence.counts(side).faults());
    let (s, r) = (s?, r?);
    apart(s, r, HANDFUL, "fewer")?;
    Some(format!("{} against {}", page_faults(s), plain(r)))
}

fn page_faults(count: f64) -> String {
    let count = plain(count);
    let word = if count == "1" { "fault" } else { "faults" };
    format!("{count} page {word}")
}

pub(super) fn rule(evidence: &Evidence<'_>) -> Option<Reason> {
    let (subject, reference) = (evidence.subject, evidence.reference);
    let (s, r) = (evidence.counts(subject), evidence.counts(reference));
    let (all_s, all_r) = (s.faults()?, r.faults()?);
    let apart = apart(all_s, all_r, HANDFUL, "fewer")?;
    let (more, counts) = match all_s > all_r {
        true => (subject, s),
        false => (reference, r),
    };
    Some(Reason {
        weight: apart.weight,
        text: format!(
            "{} against {}{}{}",
            page_faults(all_s),
            plain(all_r),
            apart.words,
            parents(more.label, counts.parent_faults)
        ),
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

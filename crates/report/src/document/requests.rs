//! Requests a second and their latencies, one row a variant.

use lab::CaseResult;

use super::Section;
use super::variants::{REQUESTS, table};
use crate::words::Tone;

const NOTE: &str = "Requests: median a second of the steady phase. Latencies: of all \
    requests of all counted repetitions, within 3.1 %.";

pub(super) fn requests(section: &mut Section, parameter: Option<&str>, cases: &[&CaseResult]) {
    let mut variants = cases.iter().flat_map(|case| &case.variants);
    if variants.any(|variant| variant.requests.is_some()) {
        section.table(table("Requests and latencies", REQUESTS, parameter, cases));
        section.text(Tone::Quiet, NOTE);
    }
}

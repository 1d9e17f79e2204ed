use super::reasons;
use crate::findings::StudyResult;

/// What could be counted nowhere in a study, each reason once with all events it stops.
#[must_use]
pub fn missing(study: &StudyResult) -> Vec<String> {
    let variants = study.cases.iter().flat_map(|case| &case.variants);
    let events = variants
        .filter_map(|variant| variant.counted.as_ref())
        .flat_map(|counted| &counted.events);
    reasons(events.map(|summary| (summary.event, &summary.count)))
}

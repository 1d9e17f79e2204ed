use super::answer::{About, Answer, Question};
use crate::data::gathered::grouped;
use crate::data::words::{capital, plural};
use crate::findings::phrases::joined;
use crate::findings::{StudyResult, at_most};

pub(super) fn limits(study: &StudyResult) -> Answer {
    let label = study.study.deciding.first().map(|one| one.label.clone());
    let known = study.parts.limits.iter().filter_map(|limit| {
        let room = limit.room.as_ref()?;
        let by = room.bites.split(" (").next().unwrap_or_default();
        Some(((at_most(room), by), plural(&limit.label)))
    });
    let mut said = grouped(known)
        .into_iter()
        .map(|((most, by), labels)| format!("{most} {} ({by})", labels.join(" or ")));
    let first = said.next();
    let words = first.map_or("no limit can be read".to_owned(), |first| {
        format!("at most {first}")
    });
    let label = label.unwrap_or_else(|| capital(&study.study.name));
    let mut row = Answer {
        question: Question::Limits,
        words,
        ..Answer::called(label)
    };
    let also = joined(said, ", ").map(|rest| format!("also: {rest}"));
    row.add(About::Besides, also);
    row
}

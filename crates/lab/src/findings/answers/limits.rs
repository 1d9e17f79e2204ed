use super::answer::{About, Answer, Question};
use crate::data::words::{capital, plural};
use crate::findings::{StudyResult, at_most};

pub(super) fn limits(study: &StudyResult) -> Answer {
    let label = study.study.deciding.first().map(|one| one.label.clone());
    let known = study
        .parts
        .limits
        .iter()
        .filter_map(|limit| Some((limit, limit.room.as_ref()?)));
    let mut groups: Vec<(String, String, Vec<String>)> = Vec::new();
    for (limit, room) in known {
        let own = at_most(room);
        let by = room.bites.split(" (").next().unwrap_or_default().to_owned();
        let name = plural(&limit.label);
        match groups
            .iter_mut()
            .find(|(most, known, _)| *most == own && *known == by)
        {
            Some((_, _, labels)) => labels.push(name),
            None => groups.push((own, by, vec![name])),
        }
    }
    let said = groups
        .iter()
        .map(|(most, by, labels)| (most, by, labels.join(" or ")));
    let mut said = said.map(|(most, by, labels)| format!("{most} {labels} ({by})"));
    let first = said.next();
    let rest: Vec<String> = said.collect();
    let words = first.map_or("no limit can be read".to_owned(), |first| {
        format!("at most {first}")
    });
    let label = label.unwrap_or_else(|| capital(&study.study.name));
    let mut row = Answer {
        question: Question::Limits,
        words,
        ..Answer::called(label)
    };
    if !rest.is_empty() {
        let also = format!("also: {}", rest.join(", "));
        row.below.push(About::Besides.says(also));
    }
    row
}

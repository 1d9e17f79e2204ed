use super::parameters::is_swept_over;
use super::{Flags, text_of};
use crate::data::{Case, Study, parameters_of, with_parameters};
use crate::plan::study::command::{Command, Flag, Given, Sets};

pub(super) fn chosen(study: &Study, flags: Flags<'_>) -> Result<Vec<Case>, String> {
    let written = &flags.command.cases;
    let all = study.cases.iter();
    let own = |case: &&Case| written.is_empty() || written.iter().any(|name| case.is_called(name));
    let mut cases: Vec<Case> = all.clone().filter(own).cloned().collect();
    for (flag, given) in flags.all() {
        let Sets::Work(key) = &flag.sets else {
            continue;
        };
        let over = |case: &&Case| is_swept_over(case, key);
        if given.values.len() > 1 && !cases.iter().any(|case| over(&case)) {
            let single = single_points(&cases, flags);
            cases.retain(|case| case.sweep.is_some() && !single.contains(&sweep_of(case)));
            cases.extend(all.clone().filter(over).cloned());
        }
    }
    for (flag, given) in flags.all() {
        match &flag.sets {
            Sets::Only(key) => retain(&mut cases, flag, given, |case, word| {
                parameters_of(&case.work).get(key).map(text_of).as_deref() == Some(word)
            })?,
            Sets::Cases => retain(&mut cases, flag, given, |case, word| {
                is_called(&case.name, word)
            })?,
            _ => {}
        }
    }
    Ok(cases)
}

fn sweep_of(case: &Case) -> String {
    let point = case.sweep.as_ref();
    point.map_or_else(String::new, |point| point.parameter.clone())
}

fn single_points(cases: &[Case], flags: Flags<'_>) -> Vec<String> {
    let swept = cases.iter().map(sweep_of).filter(|key| !key.is_empty());
    let is_single = |key: &String| {
        let mut own = flags.setting(&Sets::Work(key.clone()));
        own.any(|(_, given)| given.values.len() == 1)
    };
    swept.filter(is_single).collect()
}

fn retain(
    cases: &mut Vec<Case>,
    flag: &Flag,
    given: &Given,
    is_about: impl Fn(&Case, &str) -> bool,
) -> Result<(), String> {
    let words: Vec<String> = given.values.iter().map(text_of).collect();
    for word in &words {
        if !cases.iter().any(|case| is_about(case, word)) {
            let mut names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
            names.dedup();
            return Err(format!(
                "--{} {word}: there is no such work in this preset{}: use {}",
                flag.name,
                names::meant(word, &names),
                names.join(", ")
            ));
        }
    }
    cases.retain(|case| words.iter().any(|word| is_about(case, word)));
    Ok(())
}

/// Its name, or a part of it up to a hyphen or slash.
pub(super) fn is_called(name: &str, word: &str) -> bool {
    let rest = name.strip_prefix(word);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '/']))
}

pub(super) fn named(mut cases: Vec<Case>, command: &Command) -> Result<Vec<Case>, String> {
    for case in &mut cases {
        let mut changes = command.changes.iter().rev();
        if let Some((_, change)) = changes.find(|(name, _)| case.is_called(name)) {
            if let Some(name) = change.name.as_ref().filter(|_| case.sweep.is_none()) {
                case.name = with_parameters(name, &case.work, text_of);
            }
            if let Some(title) = &change.title {
                case.title = case.filled(title);
            }
            case.reps = change.reps.or(case.reps);
            case.max_rounds = change.max_rounds.or(case.max_rounds);
        }
        case.work.check().map_err(|error| error.0)?;
    }
    Ok(cases)
}

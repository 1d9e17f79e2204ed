use std::borrow::Cow;
use std::io;
use std::sync::OnceLock;

use super::{StudyError, parse};
use crate::data::{Preset, Study};

// `BUILTIN`, `OF_COMMANDS`, `DECISIONS` and `LITERATURE`: name and text of each study of these folders, in their order.
include!(concat!(env!("OUT_DIR"), "/builtin.rs"));

/// The names of the built-in studies.
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().map(|(name, _)| *name)
}

/// The built-in study of that name; the error names the one that looks most like it.
pub fn builtin(name: &str, preset: Preset) -> Result<Study, StudyError> {
    read(BUILTIN, name, preset)
}

/// The study of that name that no run has: the command of that name lays it out.
pub fn of_command(name: &str) -> Result<Study, StudyError> {
    read(OF_COMMANDS, name, Preset::Full)
}

fn read(list: List, name: &str, preset: Preset) -> Result<Study, StudyError> {
    let others =
        |known| format!("built in are {known}; a file is named by its path, such as ./mine.toml");
    let found = found(list, "studies", name, preset);
    found.unwrap_or_else(|| Err(unknown("study", name, BUILTIN, others)))
}

/// The names of the decisions, in their order.
pub fn decision_names() -> impl Iterator<Item = &'static str> {
    DECISIONS.iter().map(|(name, _)| *name)
}

/// The decision of that name; the error names the one that looks most like it.
pub fn decision(name: &str) -> Result<Study, StudyError> {
    let others = |known| format!("use {known}");
    let found = found(DECISIONS, "decisions", name, Preset::Quick);
    found.unwrap_or_else(|| Err(unknown("decision", name, DECISIONS, others)))
}

type List = &'static [(&'static str, &'static str)];

fn found(
    list: List,
    folder: &str,
    name: &str,
    preset: Preset,
) -> Option<Result<Study, StudyError>> {
    let (_, text) = list.iter().find(|(known, _)| *known == name)?;
    Some(parse(text, &format!("{folder}/{name}/study.toml"), preset))
}

fn unknown(
    what: &'static str,
    name: &str,
    list: List,
    others: impl FnOnce(String) -> String,
) -> StudyError {
    let known: Vec<&str> = list.iter().map(|(known, _)| *known).collect();
    let advice = match names::nearest(name, &known) {
        Some(nearest) => format!("did you mean '{nearest}'?"),
        None => others(known.join(", ")),
    };
    StudyError::Unknown {
        what,
        name: name.to_owned(),
        advice,
    }
}

/// The text of a study file; where there is none at a path `literature/NAME.toml`, the one that is built in.
pub fn text_of(path: &str) -> io::Result<Cow<'static, str>> {
    let inside = path.strip_prefix("literature/");
    let inside = inside.and_then(|name| name.strip_suffix(".toml"));
    let inside = inside.and_then(|name| LITERATURE.iter().find(|(known, _)| *known == name));
    match (tidy::input::read_to_string(path), inside) {
        (Err(error), Some((_, text))) if error.kind() == io::ErrorKind::NotFound => {
            Ok(Cow::Borrowed(text))
        }
        (read, _) => read.map(Cow::Owned),
    }
}

pub(crate) fn known(name: &str, preset: Preset) -> Option<&'static Study> {
    static READ: [[OnceLock<Option<Study>>; 2]; BUILTIN.len()] =
        [const { [const { OnceLock::new() }; 2] }; BUILTIN.len()];
    let place = BUILTIN.iter().position(|(known, _)| *known == name)?;
    let read = &READ[place][usize::from(preset == Preset::Full)];
    read.get_or_init(|| builtin(name, preset).ok()).as_ref()
}

/// The built-in name that looks most like `name`, if one looks like it at all.
#[must_use]
pub fn nearest(name: &str) -> Option<&'static str> {
    names::nearest(name, builtin_names())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Says;

    #[test]
    fn every_built_in_study_reads_in_both_presets_under_its_own_name() {
        for name in builtin_names() {
            for preset in [Preset::Quick, Preset::Full] {
                assert_eq!(builtin(name, preset).unwrap().name, name);
            }
        }
    }

    /// A study of a run that lost its order would be in none.
    #[test]
    fn only_studies_of_commands_have_no_order() {
        let names = OF_COMMANDS.iter().map(|(name, _)| *name);
        assert_eq!(names.collect::<Vec<_>>(), ["hybrid"]);
    }

    /// Tests run in the folder of the crate, where there is a link of that name.
    #[test]
    fn a_file_goes_before_the_built_in_study_of_the_literature() {
        let there = text_of("literature/fork.toml").unwrap();
        assert!(matches!(there, Cow::Owned(_)));
        for (name, text) in LITERATURE {
            let study = parse(text, name, Preset::Quick).unwrap();
            assert_eq!(study.name, *name);
        }
        assert!(LITERATURE.len() > 10);
        assert!(text_of("literature/none.toml").is_err());
    }

    #[test]
    fn every_decision_asks_a_question_in_ten_lines_and_names_its_default() {
        for name in decision_names() {
            let study = decision(name).unwrap();
            assert_eq!(study.name, name);
            let Some(asked) = &study.decision else {
                panic!("{name}: no question")
            };
            assert!(asked.question.ends_with('?'), "{name}: {}", asked.question);
            assert!((3..=10).contains(&asked.theory.len()), "{name}");
            let wide = asked.theory.iter().find(|line| line.chars().count() > 100);
            assert_eq!(wide, None, "{name}");
            assert!(!asked.threads.is_empty(), "{name}");
        }
        assert!(decision_names().count() >= 6);
        let spawn = decision("spawn").unwrap();
        let cases = spawn.cases.iter();
        let held = cases.filter_map(|case| case.variants[0].variant.parent_memory);
        let bytes: Vec<u64> = held.map(|held| held.bytes).collect();
        let sizes = [1 << 20, 64 << 20, 1 << 30];
        assert_eq!(bytes, sizes, "a sweep over parent memory");
        let quotas = decision("quota").unwrap().cases;
        let words = quotas.iter().map(|case| case.variants[0].variant.quota);
        let words: Vec<String> = words.flatten().map(|quota| quota.to_string()).collect();
        assert_eq!(words, ["0.5", "1", "2"], "a sweep over an axis");
        let error = decision("quotas").unwrap_err().to_string();
        assert_eq!(error, "unknown decision 'quotas': did you mean 'quota'?");
    }

    /// The map of two flows held every operation twice.
    #[test]
    fn no_map_of_a_built_in_study_has_a_row_twice() {
        let in_map = |case: &&crate::data::Case| {
            let models = case.variants.iter().map(|labelled| labelled.variant.model);
            models.eq(flow::Model::NAMED)
        };
        let mut rows = 0;
        for (name, cpus) in builtin_names().flat_map(|name| [(name, 2), (name, 4), (name, 16)]) {
            let study = builtin(name, Preset::Full).unwrap().for_cpus(cpus);
            let mut cases = study.cases.iter().filter(in_map);
            while let Some(case) = cases.next() {
                rows += 1;
                let same = |other: &&crate::data::Case| {
                    other.work == case.work && other.variants == case.variants
                };
                let again = cases.clone().find(same);
                let again = again.map(|other| &other.name);
                assert_eq!(again, None, "{name} on {cpus} CPUs: as {}", case.name);
            }
        }
        assert!(rows > 100, "{rows}");
    }

    #[test]
    fn a_slip_of_the_keys_is_recognised() {
        let error = builtin("prims", Preset::Quick).unwrap_err().to_string();
        assert_eq!(error, "unknown study 'prims': did you mean 'primes'?");
        let error = builtin("zzz", Preset::Quick).unwrap_err().to_string();
        error.says("built in are primes");
    }

    #[test]
    fn a_queue_has_something_to_even_out() {
        for preset in [Preset::Quick, Preset::Full] {
            let study = builtin("primes", preset).unwrap();
            let mut cases = study.cases.iter();
            let case = cases.find(|case| case.name == "queue").unwrap();
            let workload::Work::Primes(primes) = &case.work else {
                panic!("not primes")
            };
            // Dealt out one by one to six: only numbers of two residues can be prime.
            let hard = |flow: u64| !matches!((primes.start + flow) % 6, 0 | 2 | 3 | 4);
            let flows = u64::from(case.variants[0].variant.flows);
            assert_eq!((flows, primes.block), (6, 1));
            assert_eq!((0..flows).filter(|flow| hard(*flow)).count(), 2);
        }
    }

    #[test]
    fn the_original_is_repeated_at_its_size_by_full_and_in_seconds_by_quick() {
        let block = |preset| match &builtin("primes", preset).unwrap().cases[0].work {
            workload::Work::Primes(primes) => (primes.start, primes.block, primes.blocks),
            other => panic!("{other:?}"),
        };
        assert_eq!(block(Preset::Full), (10_000_001, 10_000_000, 5));
        assert_eq!(block(Preset::Quick), (300_001, 300_000, 5));
    }
}

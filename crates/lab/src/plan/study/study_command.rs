use std::sync::LazyLock;

use serde::Deserialize;

use super::builtin::{BUILTIN, text_of};
use super::command::Command;
use super::source::Source;
use super::{StudyError, builtin, parse};
use crate::data::{Preset, Study};

/// A study that is a command of its own.
#[derive(Debug, Clone, Deserialize)]
pub struct StudyCommand {
    /// The word after `flowgauge`: the name of a built-in study, or the path of a study file.
    pub name: String,
    /// The command.
    pub command: Command,
    #[serde(skip)]
    text: Option<String>,
}

impl StudyCommand {
    /// The command of a study file, with its own flags or those of every run alone.
    pub fn of_file(path: &str) -> Result<Self, StudyError> {
        let text = text_of(path).map_err(|error| StudyError::Unreadable {
            file: path.to_owned(),
            reason: error.to_string(),
        })?;
        let study = parse(&text, path, Preset::Full)?;
        let source = Source {
            text: &text,
            file: path,
        };
        let OnlyCommand { command } = source.read()?;
        let without_flags = || Command {
            about: study.title.clone(),
            examples: vec![[format!("flowgauge {path}"), "every case".to_owned()]],
            preset: Preset::Quick,
            ..Command::default()
        };
        Ok(Self {
            name: path.to_owned(),
            command: command.unwrap_or_else(without_flags),
            text: Some(text.into_owned()),
        })
    }

    /// The study behind the command, in this preset.
    pub fn study(&self, preset: Preset) -> Result<Study, StudyError> {
        match &self.text {
            Some(text) => parse(text, &self.name, preset),
            None => builtin(&self.name, preset),
        }
    }
}

#[derive(Deserialize)]
struct OnlyCommand {
    command: Option<Command>,
}

/// The built-in studies that are commands, in their order.
#[must_use]
pub fn commands() -> &'static [StudyCommand] {
    static COMMANDS: LazyLock<Vec<StudyCommand>> = LazyLock::new(|| {
        let texts = BUILTIN.iter().map(|(_, text)| *text);
        texts.filter_map(|text| toml::from_str(text).ok()).collect()
    });
    &COMMANDS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Says;

    #[test]
    fn every_command_of_a_built_in_study_is_read() {
        let studies = BUILTIN.iter();
        let written = studies.filter(|(_, text)| text.contains("\n[command]\n"));
        assert_eq!(written.count(), commands().len());
        for StudyCommand { name, command, .. } in commands() {
            assert!(!command.examples.is_empty(), "{name}");
            for flag in &command.flags {
                let default = flag.default.iter().flat_map(|text| text.split(','));
                for one in default.filter(|_| flag.is_list()) {
                    assert!(flag.read(one).is_ok(), "{name} --{}", flag.name);
                }
            }
        }
    }

    #[test]
    fn a_study_file_is_a_command_with_the_flags_that_it_gives() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.toml");
        let path = path.to_str().unwrap();
        let (_, text) = BUILTIN.iter().find(|(name, _)| *name == "primes").unwrap();
        std::fs::write(path, text).unwrap();
        let own = StudyCommand::of_file(path).unwrap();
        let built_in = commands().iter().find(|own| own.name == "primes").unwrap();
        assert_eq!(own.command, built_in.command);
        let study = own.study(Preset::Quick).unwrap();
        assert_eq!(study, builtin("primes", Preset::Quick).unwrap());
        let error = StudyCommand::of_file("none.toml").unwrap_err().to_string();
        error.begins("cannot read none.toml");
    }
}

use std::collections::BTreeMap;

use flow::Model;
use serde_json::Value;

use crate::data::Study;
use crate::plan::study::command::{Command, Flag, Given, OfRun, Sets, text_of};

/// What was given, by the names of the flags.
pub type GivenFlags = BTreeMap<String, Given>;

/// The flags of a command and what was given for them.
#[derive(Debug, Clone, Copy)]
pub struct Flags<'a> {
    /// The command.
    pub command: &'a Command,
    /// What was given.
    pub given: &'a GivenFlags,
}

impl<'a> Flags<'a> {
    pub(super) fn all(self) -> impl Iterator<Item = (&'a Flag, &'a Given)> {
        let flags = self.command.flags.iter();
        flags.filter_map(move |flag| Some((flag, self.given.get(&flag.name)?)))
    }

    pub(super) fn setting(
        self,
        sets: &Sets,
    ) -> impl Iterator<Item = (&'a Flag, &'a Given)> + use<'a> {
        let sets = sets.clone();
        self.all().filter(move |(flag, _)| flag.sets == sets)
    }

    /// What was given for the flag that sets this of the run.
    #[must_use]
    pub fn of_run(self, of: OfRun) -> Option<&'a Given> {
        self.setting(&Sets::Run(of)).next().map(|(_, given)| given)
    }

    /// The models that were named, or else those that the file names.
    #[must_use]
    pub fn models(self) -> Vec<Model> {
        let given = self.setting(&Sets::Models);
        let words = given.flat_map(|(_, given)| given.values.iter().filter_map(Value::as_str));
        words.filter_map(|word| word.parse().ok()).collect()
    }

    pub(crate) fn are_in_range(self) -> bool {
        self.all().any(|(_, given)| given.in_range)
    }

    pub(crate) fn check_output(self, study: &Study) -> Result<(), String> {
        let output = self.setting(&Sets::Run(OfRun::Output)).next();
        match output.filter(|_| study.cases.len() > 1) {
            Some((flag, _)) => Err(format!(
                "{0} keeps the results of one size, and a sweep has {1}: name one value, or leave \
                 out {0}",
                flag.written(),
                study.cases.len()
            )),
            None => Ok(()),
        }
    }
}

pub(super) fn flow_count(flag: &Flag, value: &Value) -> Result<u32, String> {
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| {
        format!(
            "{} {}: too large: the maximum is {}",
            flag.written(),
            text_of(value),
            u32::MAX
        )
    })
}

//! The command line of a study, as its file writes it, for `flowgauge NAME` or `flowgauge
//! FILE.toml`. Each `[[command.flag]]` says its name, what may be given (`value`), and what in the
//! cases it `sets`. [`Flag::read`] reads what was typed; [`super::asked`] makes the cases.

use std::collections::BTreeMap;
use std::str::FromStr;

use serde::Deserialize;
use serde_json::Value;

use crate::data::Preset;
use crate::data::axis::Axis;
use crate::data::number::read_bytes;
use crate::plan::written::{Counts, Steps, whole};

/// `[command]`: what `flowgauge NAME` is, shows and runs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// One line in the list of commands.
    pub about: String,
    /// What `--help` says besides.
    #[serde(default)]
    pub long: String,
    /// Lines of the command, and what each does.
    pub examples: Vec<[String; 2]>,
    /// Seconds for the study where no budget is given.
    pub budget_s: Option<f64>,
    /// Seconds for a slot where no deadline is given.
    pub deadline_s: Option<f64>,
    /// The preset, where none is asked for.
    #[serde(default = "full")]
    pub preset: Preset,
    /// The cases that it runs, by the names they are written under; all where there are none.
    #[serde(default)]
    pub cases: Vec<String>,
    /// What is different about a case where the command runs it.
    #[serde(default, rename = "case")]
    pub changes: BTreeMap<String, Change>,
    /// The parameter of the work that is the number of flows, unless it is given itself.
    pub flows_are: Option<String>,
    /// Flows are made up to what limits leave, and predictions tested behind lowered ones.
    #[serde(default)]
    pub probes: bool,
    /// Its options.
    #[serde(default, rename = "flag")]
    pub flags: Vec<Flag>,
}

fn full() -> Preset {
    Preset::Full
}

/// `[command.case.NAME]`: a case as the command runs it, `{PARAMETER}` in texts filled in.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Change {
    /// Its name in results.
    pub name: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// Repetitions in a slot.
    pub reps: Option<u32>,
    /// Rounds at the most.
    pub max_rounds: Option<usize>,
    /// Parameters of its work.
    pub work: BTreeMap<String, Value>,
}

/// `[[command.flag]]`: an option.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flag {
    /// Its name, without the two hyphens.
    pub name: String,
    /// Its letter, if it has one.
    pub short: Option<char>,
    /// What it does, in a sentence without a full stop.
    pub help: String,
    /// What may be given.
    #[serde(default)]
    pub value: Kind,
    /// What stands for the value in the help; `N` for a count where it is not given.
    pub value_name: Option<String>,
    /// The value where none is given.
    pub default: Option<String>,
    /// The words that may be given.
    #[serde(default)]
    pub choices: Vec<String>,
    /// What it sets: see [`Sets`].
    pub sets: Sets,
    /// The models it is about: `processes`, `threads` (all others), `kernel`, `user-level`.
    pub of: Option<Class>,
    /// Given without another such flag, only the models that it is about are run.
    #[serde(default)]
    pub alone: bool,
    /// The smallest number.
    #[serde(default)]
    pub least: u64,
    /// What a number is rounded up to a multiple of.
    pub multiple: Option<u64>,
    /// What a range stands for.
    #[serde(default)]
    pub steps: Steps,
    /// A range also has the largest number of flows that each model has room for.
    #[serde(default)]
    pub ends: bool,
    /// The other flag that it needs.
    pub needs: Option<String>,
}

/// What may be given for a flag.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Nothing: it is there or not.
    #[default]
    Switch,
    /// A whole number.
    Count,
    /// Whole numbers, and ranges of them.
    Counts,
    /// A number of bytes.
    Bytes,
    /// Several numbers of bytes.
    Sizes,
    /// One word, of the choices where there are any.
    Word,
    /// Several words, of the choices where there are any.
    Words,
    /// Models.
    Models,
    /// Where flows may run.
    Placement,
    /// A file.
    File,
    /// A folder that is there.
    Folder,
}

/// What a flag sets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Sets {
    /// `work.KEY`: a parameter of the work; several values make a sweep over it.
    Work(String),
    /// `most.KEY`: an upper bound on the values of that parameter.
    Most(String),
    /// `each.KEY`: a parameter of the work; several values make a variant of each.
    Each(String),
    /// `only.KEY`: which cases are run, by that parameter of their work.
    Only(String),
    /// `cases`: which cases are run, by their names.
    Cases,
    /// `models`: which models are compared.
    Models,
    /// `flows`: how many flows there are.
    #[default]
    Flows,
    /// `placement`, `schedule`, `channel`, ...: an axis of every variant, by its key.
    Axis(String),
    /// `spread.along`, `spread.flows`, `spread.grid`: how the study is spread over the machine.
    Spread(OfSpread),
    /// `run.output`, `run.force`, `run.verbose`, `run.probe-to`, `run.fence`: what else it does.
    Run(OfRun),
}

/// What flags set of [`crate::Spread`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfSpread {
    /// The ways.
    Along,
    /// The numbers of flows.
    Flows,
    /// Mixes too.
    Grid,
}

/// What flags have the command do besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfRun {
    /// Keep the results of the work in a file.
    Output,
    /// Overwrite that file.
    Force,
    /// Have workers say what they do, in a launch that is not counted.
    Verbose,
    /// Up to how many flows are created.
    ProbeTo,
    /// The limit that is lowered to confirm predictions.
    Fence,
}

impl TryFrom<String> for Sets {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Ok(match text.split_once('.') {
            Some(("work", key)) => Self::Work(key.to_owned()),
            Some(("most", key)) => Self::Most(key.to_owned()),
            Some(("each", key)) => Self::Each(key.to_owned()),
            Some(("only", key)) => Self::Only(key.to_owned()),
            Some(("spread", "along")) => Self::Spread(OfSpread::Along),
            Some(("spread", "flows")) => Self::Spread(OfSpread::Flows),
            Some(("spread", "grid")) => Self::Spread(OfSpread::Grid),
            Some(("run", "output")) => Self::Run(OfRun::Output),
            Some(("run", "force")) => Self::Run(OfRun::Force),
            Some(("run", "verbose")) => Self::Run(OfRun::Verbose),
            Some(("run", "probe-to")) => Self::Run(OfRun::ProbeTo),
            Some(("run", "fence")) => Self::Run(OfRun::Fence),
            None if text == "cases" => Self::Cases,
            None if text == "models" => Self::Models,
            None if text == "flows" => Self::Flows,
            None => match Axis::of(&text) {
                Some(axis) => Self::Axis(axis.key.to_owned()),
                None => return Err(not_settable(&text)),
            },
            _ => return Err(not_settable(&text)),
        })
    }
}

fn not_settable(text: &str) -> String {
    let axes: Vec<&str> = Axis::written().map(|axis| axis.key).collect();
    format!(
        "a flag cannot set '{text}': use work.KEY, most.KEY, each.KEY, only.KEY, cases, models, flows, \
         {}, spread.along, spread.flows, spread.grid, run.output, run.force, run.verbose, run.probe-to \
         or run.fence",
        axes.join(", ")
    )
}

/// Models that a flag is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Each flow is a process.
    Processes,
    /// No flow is a process of its own.
    Threads,
    /// The kernel sees each flow.
    Kernel,
    /// The kernel sees their carriers alone.
    UserLevel,
}

impl Class {
    /// Whether a model is one of them.
    #[must_use]
    pub fn has(self, model: flow::Model) -> bool {
        let is_process = model.own_flows().is_none() && model.shape(1).processes == 1;
        match self {
            Self::Processes => is_process,
            Self::Threads => !is_process,
            Self::Kernel => !model.is_user_level(),
            Self::UserLevel => model.is_user_level(),
        }
    }
}

/// What was given for a flag.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Given {
    /// The values, in order.
    pub values: Vec<Value>,
    /// As it is shown to people.
    pub shown: String,
    /// Whether numbers stand in a range, and were not named one by one.
    pub in_range: bool,
    /// Whether it is the default.
    pub is_default: bool,
}

impl Flag {
    /// How it is written: `-p`, or `--loops` where it has no letter.
    #[must_use]
    pub fn written(&self) -> String {
        match self.short {
            Some(letter) => format!("-{letter}"),
            None => format!("--{}", self.name),
        }
    }

    pub(crate) fn is_about(&self, model: flow::Model) -> bool {
        self.of.is_none_or(|class| class.has(model))
    }

    pub(crate) fn names_once(&self, values: &[Value]) -> Result<(), String> {
        match names::repeated(values) {
            Some(twice) => Err(format!(
                "--{} names {} twice: once is enough",
                self.name,
                text_of(twice)
            )),
            None => Ok(()),
        }
    }

    /// Whether several values may be given, separated by commas, each read by itself.
    #[must_use]
    pub fn is_list(&self) -> bool {
        matches!(self.value, Kind::Sizes | Kind::Words | Kind::Models)
    }

    /// Reads what was typed for it (one value of a list); the error says what may be given.
    pub fn read(&self, text: &str) -> Result<Given, String> {
        let counts = match self.value {
            Kind::Counts => Some(Counts::read(text)?),
            _ => None,
        };
        let values = match &counts {
            Some(counts) => counts
                .values(self.steps)
                .into_iter()
                .map(Value::from)
                .collect(),
            None => vec![self.one_value(text)?],
        };
        let mut numbers = values.iter().filter_map(Value::as_u64);
        if numbers.any(|number| number < self.least) {
            return Err(format!("use at least {}", self.least));
        }
        Ok(Given {
            values,
            in_range: counts.as_ref().is_some_and(Counts::has_range),
            shown: counts.map_or_else(|| text.to_owned(), |counts| counts.to_string()),
            is_default: false,
        })
    }

    fn one_value(&self, text: &str) -> Result<Value, String> {
        Ok(match self.value {
            Kind::Switch => true.into(),
            Kind::Count | Kind::Counts => whole(text)?.into(),
            Kind::Bytes | Kind::Sizes => read_bytes(text)?.into(),
            Kind::Models => spelt::<flow::Model>(text)?.into(),
            Kind::Placement => spelt::<flow::Placement>(text)?.into(),
            Kind::Word | Kind::Words if text.is_empty() => {
                return Err("a name of no letters is none".to_owned());
            }
            Kind::Word | Kind::Words | Kind::File => text.into(),
            Kind::Folder => folder(text)?.into(),
        })
    }
}

fn spelt<T: FromStr<Err: ToString> + ToString>(text: &str) -> Result<String, String> {
    let known = text.parse::<T>().map_err(|error| error.to_string())?;
    Ok(known.to_string())
}

/// Absolute, so that a run can be resumed from anywhere.
fn folder(text: &str) -> Result<String, String> {
    let found = std::fs::canonicalize(text).map_err(|_| "name a folder that is there")?;
    match found.is_dir() {
        true => Ok(found.to_string_lossy().into_owned()),
        false => Err("it is no folder: name one".to_owned()),
    }
}

pub(super) fn text_of(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Says;

    #[test]
    fn what_a_flag_cannot_set_is_refused_with_what_it_can() {
        let error = Sets::try_from("pages".to_owned()).unwrap_err();
        error.says("work.KEY");
    }

    #[test]
    fn numbers_below_the_least_are_refused() {
        let flag = Flag {
            value: Kind::Counts,
            least: 2,
            ..Flag::default()
        };
        assert_eq!(flag.read("1"), Err("use at least 2".to_owned()));
        assert_eq!(flag.read("2..5").unwrap().values.len(), 2);
    }
}

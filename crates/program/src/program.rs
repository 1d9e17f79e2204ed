//! What is launched, and how it is judged: the parameters as studies and journals write them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use flow::Variant;
use regex::bytes::Regex;
use serde::{Deserialize, Serialize};

use crate::command::{Shell, resolve, words};
use crate::environment_variants::Knobs;
use crate::fill::{Fill, has};
use crate::layout::Layout;
use crate::version::{succeeds, version};

/// Seconds between asking a program to end and killing it, where nothing else is said.
pub const GRACE_S: f64 = 2.0;
const MOST_COPIES: u32 = 4_000;

/// A command of the user's; [`Program::new`] makes one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// The command line, with placeholders ([`crate::fill`], `{value}`, `{flowgauge}`).
    pub command: String,
    /// Programs that must be here, or commands (with a space) that must succeed, each with the command that gets it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub needs: BTreeMap<String, String>,
    /// Files that come with it, by their names in `{built}`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// Run once in `{built}` before all launches of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// How many flows the variants are for, where a sweep or the study says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flows: Option<u64>,
    /// A number that a sweep gives it, `{value}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<u64>,
    /// A command that says which version runs: a number of its output stands for `{version}` in labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// How many copies are launched at once, each with its own `{i}`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub copies: Copies,
    /// Who reads the command line.
    #[serde(default, skip_serializing_if = "is_default")]
    pub shell: Shell,
    /// Environment variables beside those of the run, with placeholders.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The folder in which it runs; that of the run by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// The file that it reads; nothing by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin: Option<PathBuf>,
    /// Where its output goes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub output: Output,
    /// Run before the first launch of a slot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setup: Option<String>,
    /// Run before each launch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prepare: Option<String>,
    /// Run after each launch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conclude: Option<String>,
    /// Run after the last launch of a slot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cleanup: Option<String>,
    /// Run after each launch; a launch after which it fails is no data point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// What the output must be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check_output: Option<CheckOutput>,
    /// It measures itself, and writes a report ([`crate::report`]).
    #[serde(default, skip_serializing_if = "is_default")]
    pub reports: bool,
    /// All variants must write the same.
    #[serde(default, skip_serializing_if = "is_default")]
    pub same_output: bool,
    /// A status other than 0 is no failure.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ignore_failure: bool,
    /// Only these are none; empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored_codes: Vec<i32>,
    /// Processes that it leaves behind are ended, and are no failure.
    #[serde(default, skip_serializing_if = "is_default")]
    pub leaves_processes: bool,
    /// Seconds that one launch may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_s: Option<f64>,
    /// Seconds between asking it to end and killing it.
    #[serde(default = "grace", skip_serializing_if = "is_grace")]
    pub grace_s: f64,
    /// Units of work in one launch, for a rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<u64>,
    /// Launches before those that count, in each slot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warmups: Option<u32>,
    /// What is changed from outside.
    #[serde(default, skip_serializing_if = "is_default")]
    pub knobs: Knobs,
    /// What each launch draws of its layout.
    #[serde(default, skip_serializing_if = "is_default")]
    pub layout: Layout,
}

/// How many copies are launched at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "copies: use a number, or \"processes\"")]
pub enum Copies {
    /// This number, whatever the variant.
    Number(u32),
    /// What the variant says.
    Of(OfVariant),
}

/// A number that a variant has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OfVariant {
    /// Its processes: each is one launch of the command, with `{threads}` threads.
    Processes,
}

impl Default for Copies {
    fn default() -> Self {
        Self::Number(1)
    }
}

impl Copies {
    /// How many that are for a variant.
    #[must_use]
    pub fn number(self, fill: &Fill) -> u32 {
        match self {
            Self::Number(number) => number,
            Self::Of(OfVariant::Processes) => fill.processes,
        }
    }
}

/// Where the output of a program goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Output {
    /// `/dev/null`.
    #[default]
    Null,
    /// A pipe that is read.
    Pipe,
}

/// What an output must be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckOutput {
    /// What this file holds.
    File(PathBuf),
    /// Something in it must match.
    Regex(String),
}

fn grace() -> f64 {
    GRACE_S
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    clippy::float_cmp,
    reason = "serde passes what it skips by reference; the value is the constant or was given"
)]
fn is_grace(seconds: &f64) -> bool {
    *seconds == GRACE_S
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Whether a need is here: a program, or a command that then succeeds.
#[must_use]
pub fn is_here(need: &str) -> bool {
    match need.contains(' ') {
        false => resolve(need).is_ok(),
        true => succeeds(need),
    }
}

fn is_plain(name: &str) -> bool {
    !name.contains(['/', '\0']) && !["", ".", ".."].contains(&name)
}

impl Program {
    /// A command with everything else as usual.
    #[must_use]
    pub fn new(command: String) -> Self {
        Self {
            command,
            grace_s: GRACE_S,
            ..Self::default()
        }
    }

    /// Whether that exit code is no failure.
    #[must_use]
    pub fn ignores(&self, code: i32) -> bool {
        self.ignore_failure && (self.ignored_codes.is_empty() || self.ignored_codes.contains(&code))
    }

    /// Whether its output is read, and not thrown away.
    #[must_use]
    pub fn is_read(&self) -> bool {
        self.output == Output::Pipe
            || self.same_output
            || self.reports
            || self.check_output.is_some()
    }

    /// All command lines of it.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        let others = [
            &self.build,
            &self.setup,
            &self.prepare,
            &self.conclude,
            &self.cleanup,
            &self.check,
        ];
        let others = others.into_iter().flatten().map(String::as_str);
        [self.command.as_str()].into_iter().chain(others)
    }

    /// Whether a line of it, or a variable of its environment, has that placeholder.
    #[must_use]
    pub fn asks_for(&self, name: &str) -> bool {
        let values = self.env.values().map(String::as_str);
        self.lines().chain(values).any(|text| has(text, name))
    }

    /// Checks the parameters; the message says what to use.
    pub fn check(&self) -> Result<(), String> {
        for line in self.lines() {
            words(line, &self.shell)?;
        }
        if let Copies::Number(copies) = self.copies
            && !(1..=MOST_COPIES).contains(&copies)
        {
            return Err(format!("copies {copies}: use 1 to {MOST_COPIES}"));
        }
        for (name, seconds) in [("grace", Some(self.grace_s)), ("timeout", self.timeout_s)] {
            if seconds.is_some_and(|seconds| !(0.0..=86_400.0).contains(&seconds)) {
                return Err(format!("{name}: use 0 s to a day"));
            }
        }
        self.check_builds()?;
        self.check_files()
    }

    fn check_builds(&self) -> Result<(), String> {
        let builds = &self.layout.builds;
        match (has(&self.command, "build"), builds.is_empty()) {
            (true, true) => Err(format!(
                "{{build}} is one of several files, and none is given (--builds a,b,c): {}",
                self.command
            )),
            (false, false) => Err(format!(
                "several builds are given, and the command has no {{build}}: {}",
                self.command
            )),
            _ => builds.iter().try_for_each(|one| resolve(one).map(drop)),
        }
    }

    fn check_files(&self) -> Result<(), String> {
        if let Some(name) = self.files.keys().find(|name| !is_plain(name)) {
            return Err(format!(
                "files: '{name}' is no name of a file: use one without '/'"
            ));
        }
        if let Some(CheckOutput::Regex(regex)) = &self.check_output {
            Regex::new(regex)
                .map_err(|error| format!("the regular expression of the output: {error}"))?;
        }
        let expected = match &self.check_output {
            Some(CheckOutput::File(file)) => Some(file),
            _ => None,
        };
        let folder = self.folder.clone().unwrap_or_default();
        let files = [self.stdin.as_ref(), expected, self.knobs.preload.as_ref()];
        for file in files.into_iter().flatten() {
            std::fs::File::open(folder.join(file))
                .map_err(|error| format!("{}: {error}", file.display()))?;
        }
        Ok(())
    }

    /// What it needs that is not on this machine, and the command that gets it.
    #[must_use]
    pub fn missing(&self) -> Option<String> {
        let mut needs = self.needs.iter();
        let (name, get) = needs.find(|(name, _)| !is_here(name))?;
        Some(match name.contains(' ') {
            true => format!("not available: `{name}` fails here (to get it: {get})"),
            false => format!("not available: there is no {name} here (to get it: {get})"),
        })
    }

    /// The version that runs, as its command says it; `None` where it has no such command.
    #[must_use]
    pub fn version(&self) -> Option<String> {
        let said = version(self.version.as_deref()?);
        Some(said.unwrap_or_else(|_| "version not known".to_owned()))
    }

    /// Whether launches need a folder of their slot, and so one of the run.
    #[must_use]
    pub fn needs_folder(&self) -> bool {
        self.asks_for("dir") || self.asks_for("built")
    }

    /// Why it cannot run as that variant, if it cannot.
    #[must_use]
    pub fn unsuited(&self, variant: &Variant) -> Option<String> {
        let line = Fill::of(variant).apply(&self.command);
        let words = match words(&line, &self.shell) {
            Ok(words) => words,
            Err(why) => return Some(why),
        };
        let first = words.first()?;
        let made_later = ["dir", "port", "built", "build", "flowgauge"]
            .iter()
            .any(|name| has(first, name));
        if made_later || self.setup.is_some() || self.prepare.is_some() {
            return None;
        }
        let within = match &self.folder {
            Some(folder) if first.contains('/') => folder.join(first).display().to_string(),
            _ => first.clone(),
        };
        resolve(&within).err()
    }
}

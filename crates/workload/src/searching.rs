//! `search`: a tree of files is searched for a pattern. Such programs (searchers, indexers,
//! compilers, backups) share only what is in the kernel: the table of open files and, where files
//! are mapped, the address space. How flows are made and fed decides (G. Greer, "Pthreads: The 'P'
//! Stands for Performance", 2012): the crate [`search`] makes them, of the variant's *model* and
//! number; the [`Design`] says how work gets to them. Results go to `/dev/null`.
//!
//! Proof: the number of matching lines, and an unordered checksum with the number of files.

mod runner;
mod tree;

use std::path::PathBuf;

use flow::placement::Cpus;
use flow::{Answer, Failure, Model, Proof, SlotProcess, Variant};
use search::{Class, Filter, How, Paths, Pattern, Query};
use serde::{Deserialize, Deserializer, Serialize};

use crate::work::{refused, require};
use crate::{Work, WorkError, Workload};
use runner::Searcher;
pub use tree::Trees;

/// Classes of work in timers, in the order of display.
pub const CLASSES: [&str; Class::ALL.len()] = Class::NAMES;

/// Writing 1, 2 or 3 empties the page cache.
const DROP_CACHES: &str = "/proc/sys/vm/drop_caches";

/// Parameters of `search`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Searching {
    /// Regular expression.
    pub pattern: String,
    /// The pattern is a literal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub literal: bool,
    /// Ignore the case of letters.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ignore_case: bool,
    /// Match whole words only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub word: bool,
    /// Folders and files to search, from the root; if empty, a tree of this machine.
    #[serde(default, deserialize_with = "one_or_many")]
    pub tree: Vec<PathBuf>,
    /// Upper bound on files; whole folders are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_files: Option<u64>,
    /// Upper bound on bytes of files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_bytes: Option<u64>,
    /// Also search names that begin with a dot.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// Also search what ignore files name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_ignore: bool,
    /// Search binary files as text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub text: bool,
    /// Globs, as on the command line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub globs: Vec<String>,
    /// How work gets to flows.
    #[serde(default)]
    pub design: Design,
    /// How files are read.
    #[serde(default)]
    pub io: Reading,
    /// The page cache is emptied before each repetition.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cold: bool,
}

/// How work gets to flows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Design {
    /// One flow does everything; no other is made.
    Sequential,
    /// Flows share out the folders among themselves.
    #[default]
    Pool,
    /// A flow for each file; the variant's number of flows may be alive at one time.
    PerFile,
    /// A flow for each folder, likewise.
    PerFolder,
}

/// How files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// Into a buffer that is used again.
    #[default]
    Read,
    /// By mapping them.
    Mmap,
    /// In batches through io_uring.
    Uring,
}

impl From<Reading> for search::Io {
    fn from(reading: Reading) -> Self {
        match reading {
            Reading::Read => Self::Read,
            Reading::Mmap => Self::Mmap,
            Reading::Uring => Self::Uring,
        }
    }
}

fn one_or_many<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<PathBuf>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a path, or a list of paths")]
    enum Written {
        One(PathBuf),
        Many(Vec<PathBuf>),
    }
    Ok(match Written::deserialize(from)? {
        Written::One(path) => vec![path],
        Written::Many(paths) => paths,
    })
}

impl Searching {
    /// The pattern and where to search; the error shows where the pattern is wrong.
    pub fn query(&self) -> Result<Query, WorkError> {
        let how = How {
            literal: self.literal,
            ignore_case: self.ignore_case,
            word: self.word,
            text: self.text,
        };
        let pattern = Pattern::new(&self.pattern, how);
        let pattern = pattern.or_else(|error| refused(error.to_string()))?;
        Ok(Query {
            roots: self.tree.clone(),
            filter: Filter {
                hidden: self.hidden,
                no_ignore: self.no_ignore,
                globs: self.globs.clone(),
                text: self.text,
            },
            paths: Paths::Always,
            ..Query::new(pattern)
        })
    }

    /// The searcher's model of that name in this design; the error lists those that are.
    pub fn model(&self, variant: &Variant) -> Result<search::Model, WorkError> {
        let searcher = self.of_design(variant)?;
        match search::Io::from(self.io).refused_with(searcher) {
            Some(reason) => refused(format!(
                "io \"{}\" is not for {}: {reason}; use read",
                self.io.name(),
                self.design.name()
            )),
            None => Ok(searcher),
        }
    }

    fn of_design(&self, variant: &Variant) -> Result<search::Model, WorkError> {
        let model = variant.model;
        match (self.design, model) {
            (Design::Sequential, _) if variant.flows == 1 => Ok(search::Model::Sequential),
            (Design::Pool, Model::Thread) => Ok(search::Model::ThreadPool),
            (Design::Pool, Model::Process) => Ok(search::Model::ProcessPool),
            (Design::Pool, Model::ThreadPrivateFiles) => Ok(search::Model::ThreadPrivateFiles),
            (Design::Pool, Model::Fiber { carriers: 1, .. }) => Ok(search::Model::Fiber),
            (Design::PerFile, Model::Thread) => Ok(search::Model::ThreadPerFile),
            (Design::PerFile, Model::Process) => Ok(search::Model::ProcessPerFile),
            (Design::PerFolder, Model::Thread) => Ok(search::Model::ThreadPerDirectory),
            (Design::Sequential, _) => refused(format!(
                "a sequential search has one flow, not {}: leave flows at 1",
                variant.flows
            )),
            (design, _) => refused(format!(
                "no search has {model} flows in the design {}: a pool can have thread, process, \
                 thread-private-files or fiber, per-file thread or process, per-folder thread",
                design.name()
            )),
        }
    }
}

/// All searches must find the same, unless the tree changed.
pub(crate) fn changed(expected: Proof, got: Proof) -> Failure {
    let lines = match got.count {
        1 => "1 matching line".to_owned(),
        lines => format!("{} matching lines", grouped(lines)),
    };
    let before = match got.count == expected.count {
        true => " as before, but in other files or with other text".to_owned(),
        false => format!(", not {}", grouped(expected.count)),
    };
    let what = format!("the tree changed while it was studied: {lines}{before}; start again");
    Failure::InputChanged { what }
}

pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

impl Design {
    /// Name in studies.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sequential => "sequential",
            Self::Pool => "pool",
            Self::PerFile => "per-file",
            Self::PerFolder => "per-folder",
        }
    }
}

impl Reading {
    /// Name in studies.
    #[must_use]
    pub fn name(self) -> &'static str {
        search::Io::from(self).name()
    }
}

impl Workload for Searching {
    fn units(&self) -> u64 {
        1
    }

    fn check(&self) -> Result<(), WorkError> {
        let is_some = self.most_files != Some(0) && self.most_bytes != Some(0);
        require(
            is_some,
            || "a search of no files tells nothing: most_files and most_bytes are at least 1",
        )?;
        self.query().map(drop)
    }

    fn run(&self, slot: &SlotProcess<Work>) -> Answer {
        match Searcher::new(self, &slot.spec().variant) {
            Ok(mut searcher) => slot.run_self_managed(&mut searcher),
            Err(error) => Answer::from_error(&error),
        }
    }

    fn differs(&self, expected: Proof, got: Proof) -> Failure {
        changed(expected, got)
    }

    fn unsuited(&self, variant: &Variant) -> Option<String> {
        self.model(variant).err().map(|error| error.0)
    }

    fn makes_own_flows(&self) -> bool {
        true
    }

    fn not_recorded(&self) -> Option<&'static str> {
        let few = matches!(self.design, Design::Sequential | Design::Pool);
        (!few).then_some(
            "it makes a flow for each file or folder; a model knows flows that last, such as those of \
             a pool",
        )
    }

    fn has_timers(&self) -> bool {
        true
    }

    fn warms_up(&self) -> bool {
        !self.cold
    }

    fn search(&self) -> Option<&Searching> {
        Some(self)
    }

    fn find_input(&mut self, trees: &mut Trees) -> Result<(), WorkError> {
        self.tree = trees.find(self)?;
        Ok(())
    }

    fn check_here(&self, _cpus: &Cpus) -> Result<(), WorkError> {
        if !self.cold {
            return Ok(());
        }
        let opened = std::fs::File::options().write(true).open(DROP_CACHES);
        opened.map(drop).or_else(|error| {
            refused(format!(
                "a cold search is not possible here: the page cache cannot be emptied, which root \
                 of the machine itself can do by writing to {DROP_CACHES}; run it there as root, or \
                 without --cold: {error}"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, read, variant};

    #[test]
    fn a_tree_is_one_path_or_many() {
        let one: Searching = read(r#"{"pattern": "x", "tree": "/usr"}"#);
        let many = read(r#"{"pattern": "x", "tree": ["/usr"]}"#);
        assert_eq!(one, many);
        let none: Searching = read(r#"{"pattern": "x"}"#);
        assert!(none.tree.is_empty());
        let text = serde_json::to_string(&none).unwrap();
        assert_eq!(read::<Searching>(&text), none);
    }

    #[test]
    fn a_tree_that_changed_is_told_by_its_lines() {
        let said = |expected, got| {
            let proof = |count, checksum| Proof { count, checksum };
            changed(proof(expected, 1), proof(got, 2)).to_string()
        };
        assert_eq!(
            said(4_896, 4_897),
            "the tree changed while it was studied: 4,897 matching lines, not 4,896; start again"
        );
        assert!(said(1_000_000, 1).contains(": 1 matching line, not 1,000,000;"));
        assert!(said(12, 12).contains(": 12 matching lines as before, but in other files"));
    }

    #[test]
    fn each_design_has_its_flows_and_others_are_refused_with_those_there_are() {
        let of = |design, model, flows| {
            let work = Searching {
                design,
                ..read(r#"{"pattern": "x"}"#)
            };
            work.model(&variant(model, flows))
        };
        for (design, model, flows, searcher) in [
            (Design::Sequential, "thread", 1, search::Model::Sequential),
            (Design::Pool, "thread", 2, search::Model::ThreadPool),
            (Design::Pool, "process", 2, search::Model::ProcessPool),
            (Design::PerFile, "thread", 64, search::Model::ThreadPerFile),
            (Design::PerFile, "process", 4, search::Model::ProcessPerFile),
            (
                Design::PerFolder,
                "thread",
                4,
                search::Model::ThreadPerDirectory,
            ),
        ] {
            assert_eq!(of(design, model, flows), Ok(searcher));
        }
        let batched = Searching {
            design: Design::PerFile,
            ..read(r#"{"pattern": "x", "io": "uring"}"#)
        };
        for (refused, words) in [
            (batched.model(&variant("thread", 4)), "one file; use read"),
            (of(Design::Sequential, "thread", 2), "has one flow, not 2"),
            (of(Design::PerFile, "task", 2), "per-file thread or process"),
            (of(Design::Pool, "4x2", 8), "no search has 4x2 flows"),
        ] {
            let error = refused.unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn a_pattern_that_makes_no_sense_is_refused_with_the_place() {
        testing::refused(
            &read::<Searching>(r#"{"pattern": "a"}"#),
            &[
                (|search| search.pattern = "a(".to_owned(), "a("),
                (|search| search.most_files = Some(0), "search of no files"),
            ],
        );
    }
}

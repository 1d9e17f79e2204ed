//! `search`: a tree of files is searched for a pattern.
//!
//! # What it stands for
//!
//! Programs that go through many small things: searchers, indexers, compilers, backups. Their
//! flows share no data. What they share is in the kernel: the table of open files, and where
//! files are mapped the address space. So how flows are made and how work is handed to them
//! decides, which is what G. Greer's "Pthreads: The 'P' Stands for Performance" (2012) found.
//!
//! The crate [`search`] does the work, and makes the flows: the *model* of a variant says what
//! they are made of, its number of flows how many, and the [`Design`] how work gets to them.
//!
//! # Proof
//!
//! Lines that match are counted, and a checksum is taken that does not depend on their order,
//! into which the number of files goes as well. A variant that searched one file less, or
//! found one line more, has done other work.
//!
//! # What it deliberately does not do
//!
//! Results go to `/dev/null`: they are formatted and written, and nobody reads them.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use flow::{Answer, Cell, Model, Own, OwnFlows, OwnRep, Proof, Variant};
use measure::usage::Usage;
use search::{Class, Filter, How, Paths, Pattern, Plan, Query, Report};
use serde::{Deserialize, Deserializer, Serialize};

use crate::{Work, WorkError};

/// The file whose first digit empties the page cache when it is written.
pub const DROP_CACHES: &str = "/proc/sys/vm/drop_caches";

/// Parameters of `search`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Searching {
    /// What is looked for: a regular expression.
    pub pattern: String,
    /// The pattern is a literal.
    #[serde(default, skip_serializing_if = "is_false")]
    pub literal: bool,
    /// Upper and lower case are the same.
    #[serde(default, skip_serializing_if = "is_false")]
    pub ignore_case: bool,
    /// Whole words only.
    #[serde(default, skip_serializing_if = "is_false")]
    pub word: bool,
    /// Folders and files to search, from the root; none: a tree that this machine has.
    #[serde(default, deserialize_with = "one_or_many")]
    pub tree: Vec<PathBuf>,
    /// So many files of the tree at the most: whole folders are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_files: Option<u64>,
    /// So many bytes of files at the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_bytes: Option<u64>,
    /// Names that begin with a dot too.
    #[serde(default, skip_serializing_if = "is_false")]
    pub hidden: bool,
    /// What ignore files name too.
    #[serde(default, skip_serializing_if = "is_false")]
    pub no_ignore: bool,
    /// Binary files as if they were text.
    #[serde(default, skip_serializing_if = "is_false")]
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
    #[serde(default, skip_serializing_if = "is_false")]
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
    /// A flow is made for each file; the number of flows is how many there may be at one time.
    PerFile,
    /// A flow is made for each folder, likewise.
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

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes what it skips by reference"
)]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// A path, or a list of them.
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
    /// What is searched for, and where.
    ///
    /// # Errors
    /// The pattern makes no sense: the message shows where it goes wrong.
    pub fn query(&self) -> Result<Query, WorkError> {
        let how = How {
            literal: self.literal,
            ignore_case: self.ignore_case,
            word: self.word,
        };
        let pattern = Pattern::new(&self.pattern, how);
        let pattern = pattern.map_err(|error| WorkError(error.to_string()))?;
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

    /// The searcher's word for flows of that model in this design.
    ///
    /// # Errors
    /// There are none such; the message says which there are.
    pub fn model(&self, variant: &Variant) -> Result<search::Model, WorkError> {
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
            (Design::Sequential, _) => Err(WorkError(format!(
                "a sequential search has one flow, not {}: leave flows at 1",
                variant.flows
            ))),
            (design, _) => Err(WorkError(format!(
                "no search has {model} flows in the design {}: a pool can have thread, process, \
                 thread-private-files or fiber, per-file thread or process, per-folder thread",
                design.name()
            ))),
        }
    }

    pub(crate) fn check(&self) -> Result<(), WorkError> {
        if self.most_files == Some(0) || self.most_bytes == Some(0) {
            return Err(WorkError(
                "a search of no files tells nothing: most_files and most_bytes are at least 1"
                    .to_owned(),
            ));
        }
        self.query().map(drop)
    }

    pub(crate) fn run(&self, cell: &Cell<Work>) -> Answer {
        match Searcher::new(self, &cell.spec().variant) {
            Ok(mut searcher) => cell.run_own(&mut searcher),
            Err(error) => Answer::from_error(&error),
        }
    }
}

impl Design {
    /// As it is written in a study.
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
    /// As it is written in a study.
    #[must_use]
    pub fn name(self) -> &'static str {
        search::Io::from(self).name()
    }
}

/// A slot of searches.
struct Searcher {
    query: Query,
    plan: Plan,
    cold: bool,
}

impl Searcher {
    fn new(work: &Searching, variant: &Variant) -> io::Result<Self> {
        let model = work.model(variant).map_err(io::Error::other)?;
        let plan = Plan {
            io: work.io.into(),
            proof: true,
            ..Plan::of(model, variant.flows)
        };
        Ok(Self {
            query: work.query().map_err(io::Error::other)?,
            plan,
            cold: work.cold,
        })
    }
}

impl OwnFlows for Searcher {
    fn prepare(&mut self) -> io::Result<()> {
        match self.cold {
            true => empty_page_cache(),
            false => Ok(()),
        }
    }

    fn repeat(&mut self, timers: bool) -> io::Result<OwnRep> {
        let mut out = File::options().write(true).open("/dev/null")?;
        let plan = Plan {
            profile: timers,
            ..self.plan.clone()
        };
        let report = search::run(&self.query, &plan, &mut out, &mut |_problem| {});
        Ok(told(&report.map_err(io::Error::other)?))
    }
}

/// Empties the page cache, and the caches of names and inodes with it.
///
/// # Errors
/// Only root of the machine itself may.
pub fn empty_page_cache() -> io::Result<()> {
    // What has not been written back yet stays in the cache.
    nix::unistd::sync();
    std::fs::write(DROP_CACHES, "3").map_err(|error| {
        io::Error::other(format!(
            "cannot empty the page cache ({DROP_CACHES}): {error}"
        ))
    })
}

fn told(report: &Report) -> OwnRep {
    let Report {
        counts,
        flows,
        times,
        usage,
        ..
    } = report;
    let named = [
        ("files", counts.files),
        ("folders", counts.folders),
        ("matched_files", counts.matched_files),
        ("lines", counts.lines),
        ("bytes", counts.bytes),
        ("errors", counts.errors),
    ];
    let profile = report.profile.iter().flat_map(|profile| {
        let classes = Class::ALL.into_iter();
        classes.map(|class| (class.name().to_owned(), profile.of(class)))
    });
    OwnRep {
        create: Duration::from_nanos(times.create_ns),
        steady: Duration::from_nanos(times.steady_ns),
        tear_down: Duration::from_nanos(times.tear_down_ns),
        usage: Usage {
            cpu_ns: usage.cpu_ns,
            minor_faults: usage.minor_faults,
            major_faults: usage.major_faults,
            voluntary_switches: usage.voluntary_switches,
            involuntary_switches: usage.involuntary_switches,
        },
        units: counts.files,
        proof: Proof {
            count: counts.lines,
            checksum: counts.checksum.wrapping_add(spread(counts.files)),
        },
        own: Own {
            user_ns: usage.user_ns,
            system_ns: usage.system_ns,
            made: flows.made,
            most: flows.most,
            held_at: flows.held_at,
            disk_blocks: usage.disk_blocks,
            peak_rss: 0,
            counts: named.map(|(name, count)| (name.to_owned(), count)).into(),
            classes_ns: profile.collect(),
        },
    }
}

/// A number spread over all bits, so that one file less is no small difference.
fn spread(files: u64) -> u64 {
    files.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flow::{Channel, Placement, Schedule};

    fn variant(model: &str, flows: u32) -> Variant {
        Variant {
            model: model.parse().unwrap(),
            flows,
            placement: Placement::Free,
            schedule: Schedule::Static,
            channel: Channel::Fifo,
            ballast: None,
        }
    }

    fn read(text: &str) -> Searching {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_tree_is_one_path_or_many() {
        let one = read(r#"{"pattern": "x", "tree": "/usr"}"#);
        let many = read(r#"{"pattern": "x", "tree": ["/usr"]}"#);
        assert_eq!(one, many);
        let none = read(r#"{"pattern": "x"}"#);
        assert!(none.tree.is_empty());
        let text = serde_json::to_string(&none).unwrap();
        assert_eq!(read(&text), none);
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
        let error = of(Design::Sequential, "thread", 2).unwrap_err().to_string();
        assert!(error.contains("has one flow, not 2"), "{error}");
        let error = of(Design::PerFile, "task", 2).unwrap_err().to_string();
        assert!(error.contains("per-file thread or process"), "{error}");
        assert!(of(Design::Pool, "4x2", 8).is_err());
    }

    #[test]
    fn a_pattern_that_makes_no_sense_is_refused_with_the_place() {
        let error = read(r#"{"pattern": "a("}"#)
            .check()
            .unwrap_err()
            .to_string();
        assert!(error.contains("a("), "{error}");
        assert!(
            read(r#"{"pattern": "a", "most_files": 0}"#)
                .check()
                .is_err()
        );
    }

    #[test]
    fn every_variant_proves_the_same_and_another_tree_something_else() {
        let tree = tempfile::tempdir().unwrap();
        for number in 0..40 {
            let folder = tree.path().join(format!("d{}", number % 5));
            std::fs::create_dir_all(&folder).unwrap();
            let text = "one\ntwo needle\n".repeat(number % 3);
            std::fs::write(folder.join(format!("{number}.txt")), text).unwrap();
        }
        let prove = |design, reading, model| {
            let work = Searching {
                design,
                io: reading,
                tree: vec![tree.path().to_owned()],
                ..read(r#"{"pattern": "needle"}"#)
            };
            let flows = if design == Design::Sequential { 1 } else { 3 };
            let mut searcher = Searcher::new(&work, &variant(model, flows)).unwrap();
            searcher.prepare().unwrap();
            searcher.repeat(false).unwrap()
        };
        let first = prove(Design::Sequential, Reading::Read, "thread");
        // 13 files with one such line, 13 with two.
        assert_eq!((first.proof.count, first.own.counts["files"]), (39, 40));
        assert_eq!(first.own.counts["matched_files"], 26);
        for (design, reading, model) in [
            (Design::Pool, Reading::Read, "thread"),
            (Design::Pool, Reading::Mmap, "thread-private-files"),
            (Design::PerFile, Reading::Read, "thread"),
            (Design::PerFolder, Reading::Read, "thread"),
        ] {
            assert_eq!(prove(design, reading, model).proof, first.proof);
        }
        std::fs::write(tree.path().join("more.txt"), "nothing\n").unwrap();
        let more = prove(Design::Pool, Reading::Read, "thread");
        assert_eq!(more.proof.count, first.proof.count);
        assert_ne!(more.proof, first.proof);
    }

    #[test]
    fn timers_tell_the_classes_and_no_timers_tell_none() {
        let tree = tempfile::tempdir().unwrap();
        std::fs::write(tree.path().join("a.txt"), "needle\n").unwrap();
        let work = Searching {
            design: Design::Sequential,
            tree: vec![tree.path().to_owned()],
            ..read(r#"{"pattern": "needle"}"#)
        };
        let mut searcher = Searcher::new(&work, &variant("thread", 1)).unwrap();
        assert!(searcher.repeat(false).unwrap().own.classes_ns.is_empty());
        let timed = searcher.repeat(true).unwrap().own.classes_ns;
        assert_eq!(timed.len(), Class::ALL.len());
        assert!(timed["walk"] > 0 && timed["read"] > 0, "{timed:?}");
    }
}

//! A slot of searches: one after the other, in the slot process.

use std::fs::File;
use std::io;
use std::time::Duration;

use flow::{Failure, Proof, SelfManaged, SelfManagedRep, SelfManagedUsage, Variant};
use search::{Class, Kind, Plan, Problem, Query, Report};

use super::{DROP_CACHES, Searching, changed};

pub(super) struct Searcher {
    query: Query,
    plan: Plan,
    cold: bool,
}

impl Searcher {
    pub(super) fn new(work: &Searching, variant: &Variant) -> io::Result<Self> {
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

impl SelfManaged for Searcher {
    fn prepare(&mut self) -> io::Result<()> {
        match self.cold {
            true => empty_page_cache(),
            false => Ok(()),
        }
    }

    fn repeat(&mut self, timers: bool) -> io::Result<SelfManagedRep> {
        let mut out = File::options().write(true).open("/dev/null")?;
        let plan = Plan {
            profile: timers,
            ..self.plan.clone()
        };
        let mut lost = None;
        let mut hear = |problem: &Problem| {
            if problem.kind == Kind::Error && problem.path.is_none() {
                lost.get_or_insert_with(|| problem.to_string());
            }
        };
        let report = search::run(&self.query, &plan, &mut out, &mut hear);
        let report = report.map_err(io::Error::other)?;
        match lost {
            Some(lost) => Err(io::Error::other(lost)),
            None => repetition_of(&report),
        }
    }

    fn differs(&self, expected: Proof, got: Proof) -> Failure {
        changed(expected, got)
    }
}

/// Names and inodes too. Only root of the machine itself may.
fn empty_page_cache() -> io::Result<()> {
    // Pages not yet written back would stay.
    nix::unistd::sync();
    std::fs::write(DROP_CACHES, "3").map_err(|error| {
        io::Error::other(format!(
            "cannot empty the page cache ({DROP_CACHES}): {error}"
        ))
    })
}

fn repetition_of(report: &Report) -> io::Result<SelfManagedRep> {
    match &report.otherwise {
        Some(otherwise) => Err(io::Error::other(otherwise.clone())),
        None => Ok(measured(report)),
    }
}

fn measured(report: &Report) -> SelfManagedRep {
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
    SelfManagedRep {
        create: Duration::from_nanos(times.create_ns),
        steady: Duration::from_nanos(times.steady_ns),
        tear_down: Duration::from_nanos(times.tear_down_ns),
        usage: usage.flows,
        units: counts.files,
        proof: Proof {
            count: counts.lines,
            checksum: counts.checksum.wrapping_add(spread(counts.files)),
        },
        own: SelfManagedUsage {
            user_ns: usage.user_ns,
            system_ns: usage.system_ns,
            made: flows.made,
            most: flows.most,
            held_at: flows.held_at,
            disk_blocks: usage.disk_blocks,
            counts: named.map(|(name, count)| (name.to_owned(), count)).into(),
            classes_ns: profile.collect(),
            ..SelfManagedUsage::default()
        },
        ..SelfManagedRep::default()
    }
}

/// Spreads a number over all bits: one file less changes all of them.
fn spread(files: u64) -> u64 {
    files.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32)
}

#[cfg(test)]
mod tests {
    use super::super::{Design, Reading};
    use super::*;
    use crate::testing::{read, variant};

    /// A search of a tree, which has a file.
    fn work(tree: &tempfile::TempDir) -> Searching {
        std::fs::write(tree.path().join("a.txt"), "needle\n").unwrap();
        Searching {
            tree: vec![tree.path().to_owned()],
            ..read(r#"{"pattern": "needle"}"#)
        }
    }

    #[test]
    fn a_search_that_was_done_in_another_way_is_no_data_point() {
        let tree = tempfile::tempdir().unwrap();
        let query = work(&tree).query().unwrap();
        let plan = Plan::of(search::Model::ThreadPool, 2);
        let mut report = search::run(&query, &plan, &mut Vec::new(), &mut |_| {}).unwrap();
        assert!(repetition_of(&report).is_ok());
        report.otherwise = Some("one of two threads".to_owned());
        let error = repetition_of(&report).map(|_| ()).unwrap_err().to_string();
        assert_eq!(error, "one of two threads");
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
        let work = Searching {
            design: Design::Sequential,
            ..work(&tree)
        };
        let mut searcher = Searcher::new(&work, &variant("thread", 1)).unwrap();
        assert!(searcher.repeat(false).unwrap().own.classes_ns.is_empty());
        let timed = searcher.repeat(true).unwrap().own.classes_ns;
        assert_eq!(timed.len(), Class::ALL.len());
        assert!(timed["walk"] > 0 && timed["read"] > 0, "{timed:?}");
    }
}

//! Trees that cannot be searched whole, change meanwhile, or whose results nobody wants.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use search::{FileId, Io, Model, Plan, Problem};

use super::common::{Tree, Writes, one_by, run};

#[test]
fn a_root_that_does_not_exist_is_said_and_others_are_searched() {
    let tree = Tree::of(&[("a", "needle\n")]);
    let mut query = tree.query("needle");
    query.roots = vec![tree.join("nowhere"), tree.join("a")];
    for model in Model::ALL {
        let found = tree.run(&query, &Plan::of(model, 2));
        assert_eq!(found.problems, ["nowhere: No such file or directory"]);
        assert_eq!(found.lines, ["a:needle"]);
        assert_eq!(found.report.counts.errors, 1);
    }
}

#[test]
fn a_file_that_cannot_be_read_is_said_once_by_every_model() {
    let tree = Tree::of(&[("a", "needle\n")]);
    let mut query = tree.query("needle");
    // Nothing is mapped at the begin of this process's memory.
    query.roots = vec![PathBuf::from("/proc/self/mem"), tree.join("a")];
    for model in Model::ALL {
        let found = tree.run(&query, &Plan::of(model, 2));
        assert_eq!(
            found.problems,
            ["/proc/self/mem: Input/output error"],
            "{model}"
        );
        assert_eq!((found.lines.len(), found.report.counts.errors), (1, 1));
    }
}

/// Takes this number of bytes, then fails with this error.
fn full(mut room: usize, error: io::ErrorKind) -> impl Write + Send {
    Writes(move |bytes: &[u8]| {
        let taken = bytes.len().min(room);
        room -= taken;
        match taken {
            0 => Err(error.into()),
            taken => Ok(taken),
        }
    })
}

fn many() -> Tree {
    let tree = Tree::new();
    for folder in 0..20 {
        for file in 0..20 {
            tree.write(
                format!("{folder}/{file}"),
                "a needle in a line\n".repeat(500),
            );
        }
    }
    tree
}

#[test]
fn output_that_is_closed_early_ends_the_search_without_an_error() {
    let tree = many();
    for model in Model::ALL {
        let mut out = full(100_000, io::ErrorKind::BrokenPipe);
        let mut say = |problem: &Problem| panic!("{model}: {problem}");
        let plan = Plan::of(model, 2);
        let report = run(&tree.query("needle"), &plan, &mut out, &mut say).unwrap();
        assert!(report.output_closed, "{model}");
        assert!(report.counts.files < 400, "{model}: {:?}", report.counts);
    }
}

#[test]
fn a_full_disk_is_said_once() {
    let tree = many();
    for model in Model::ALL {
        let (mut out, mut said) = (full(100_000, io::ErrorKind::StorageFull), Vec::new());
        let plan = Plan::of(model, 2);
        let mut say = |problem: &Problem| said.push(problem.to_string());
        let report = run(&tree.query("needle"), &plan, &mut out, &mut say).unwrap();
        assert_eq!(
            (said.len(), report.counts.errors),
            (1, 1),
            "{model}: {said:?}"
        );
        assert!(said[0].contains("cannot write results"));
    }
}

#[test]
fn the_file_that_results_go_to_is_not_searched() {
    let tree = many();
    let out = tree.join("5/out");
    for model in Model::ALL {
        let mut file = File::create(&out).unwrap();
        let plan = Plan {
            skip: FileId::of(&file),
            ..Plan::of(model, 2)
        };
        let report = run(&tree.query("needle"), &plan, &mut file, &mut |_| {}).unwrap();
        assert_eq!(report.counts.files, 400);
        assert_eq!(fs::read_to_string(&out).unwrap().lines().count(), 200_000);
    }
}

#[test]
fn a_search_that_is_stopped_in_a_large_folder_stops_there() {
    let tree = Tree::new();
    for file in 0..3_000 {
        tree.write(format!("{file}"), "a needle in a line\n".repeat(100));
    }
    for model in Model::ALL {
        let mut out = full(10_000, io::ErrorKind::BrokenPipe);
        let plan = Plan::of(model, 2);
        let report = run(&tree.query("needle"), &plan, &mut out, &mut |_| {}).unwrap();
        assert!(report.output_closed, "{model}");
        assert!(report.counts.files < 3_000, "{model}: {:?}", report.counts);
        assert!(report.flows.made < 2_000, "{model}: {:?}", report.flows);
    }
}

/// Changes a tree in every way while it is searched by every plan: nothing but an end is
/// certain, and that no line is invented.
#[test]
fn trees_that_change_while_they_are_searched() {
    let tree = many();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut turn = 0_usize;
            while !over.load(Ordering::Relaxed) {
                let (folder, file) = (turn % 20, turn * 7 % 20);
                let path = tree.join(format!("{folder}/{file}"));
                turn += 1;
                let _ = match turn % 6 {
                    0 => fs::remove_file(&path),
                    1 => fs::write(&path, "a needle in a line\n".repeat(9_000)),
                    2 => File::options()
                        .write(true)
                        .open(&path)
                        .and_then(|file| file.set_len(3)),
                    3 => fs::remove_dir_all(tree.join(format!("{folder}"))),
                    4 => fs::create_dir_all(tree.join(format!("{folder}"))),
                    _ => fs::remove_file(&path)
                        .and_then(|()| std::os::unix::fs::symlink("..", &path)),
                };
            }
        });
        for model in [
            Model::Sequential,
            Model::ThreadPool,
            Model::ThreadPerDirectory,
            Model::Fiber,
        ] {
            for io in Io::ALL {
                for _ in 0..5 {
                    let plan = Plan {
                        io,
                        ..Plan::of(model, 3)
                    };
                    let mut out = Vec::new();
                    if search::run(&tree.query("needle"), &plan, &mut out, &mut |_| {}).is_err() {
                        continue;
                    }
                    let text = String::from_utf8(out).unwrap();
                    let whole = |line: &str| line.contains(":a needle");
                    assert!(text.lines().all(whole), "{plan:?}");
                }
            }
        }
        over.store(true, Ordering::Relaxed);
    });
}

/// A mapped file that loses its pages in the middle of being searched.
#[test]
fn a_mapped_file_that_becomes_shorter_is_an_error_and_no_crash() {
    let tree = Tree::of(&[("a", &"hay\n".repeat(1_000_000)), ("b", "needle\n")]);
    let plan = one_by(Io::Mmap);
    // The first results leave long before the file's end: then it is cut.
    let cut = File::options().write(true).open(tree.join("a")).unwrap();
    let mut out = Writes(|bytes: &[u8]| cut.set_len(100).map(|()| bytes.len()));
    let mut query = tree.query("hay");
    query.roots = vec![tree.join("a"), tree.join("b")];
    let mut said = Vec::new();
    let mut say = |problem: &Problem| said.push(problem.to_string());
    let report = search::run(&query, &plan, &mut out, &mut say).unwrap();
    assert_eq!(report.counts.errors, 1, "{said:?}");
    assert!(said[0].contains("shorter"), "{said:?}");
    assert_eq!(report.counts.files, 2);
}

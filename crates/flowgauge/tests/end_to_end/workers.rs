//! `flowgauge workers`: what it measures, what it refuses, and that its files never stay.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use nix::sys::signal::Signal;

use super::common::{Home, RESULT_FILES, Run, results, within};

/// The rows of a table of results, each by the names of its columns.
fn table(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let names = reader.headers().unwrap().clone();
    let row = |row: csv::StringRecord| {
        let cells = names.iter().zip(&row);
        cells.map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
    };
    reader
        .records()
        .map(|record| row(record.unwrap()))
        .collect()
}

/// No folder of a slot is left in the results.
fn assert_no_files(home: &Home, folder: &str) {
    let left = home.listing(folder);
    assert!(
        !left.iter().any(|name| name.ends_with(".files")),
        "{left:?}"
    );
}

#[test]
fn all_kinds_prove_the_same_work_under_both_models() {
    let home = Home::new();
    let line =
        "workers --loops 1 --rounds 2 --processes 2..3 --threads 2..4 --out out --format csv";
    let run = home.run(&line.split(' ').collect::<Vec<_>>()).answered();
    let rows = table(&run.stdout);
    assert!(rows.iter().all(|row| row["outcome"] == "done"));
    let mut proofs: BTreeMap<&str, BTreeSet<(&str, &str)>> = BTreeMap::new();
    for row in &rows {
        let proof = (row["proof_count"].as_str(), row["proof_checksum"].as_str());
        proofs.entry(&row["case"]).or_default().insert(proof);
    }
    // Three kinds, each in the table and at 2, 3 and 4 workers, and workers that rest at these.
    assert_eq!(proofs.len(), 3 * 4 + 3);
    assert!(
        proofs.values().all(|proofs| proofs.len() == 1),
        "{proofs:?}"
    );
    let at_four = rows.iter().filter(|row| row["case"] == "io-workers/4");
    assert!(at_four.clone().count() > 0);
    assert!(at_four.into_iter().all(|row| row["model"] == "thread"));
    assert_no_files(&home, "out");
    // Samples are a table of single studies.
    assert_eq!(home.listing("out"), RESULT_FILES);
    home.assert_nothing_left();
}

#[test]
fn the_results_hold_the_table_and_the_laws() {
    let home = Home::new();
    let line = "workers --kind cpu,io --loops 60 --rounds 3 --processes 2..4 --threads 2..4 --tables --out out";
    let run = home.run(&line.split(' ').collect::<Vec<_>>()).answered();
    for word in [
        "Then and now",
        "process, all",
        "cpu with 2 to 4 processes: ",
    ] {
        assert!(run.stdout.contains(word), "no '{word}' in {}", run.stdout);
    }
    let workers = table(&fs::read_to_string(home.path("out/workers.csv")).unwrap());
    assert_eq!(workers.len(), 2 * 2 * 3);
    let io = |whose: &str| {
        workers
            .iter()
            .find(|row| row["case"] == "io" && row["whose"] == whose)
    };
    let (one, all) = (io("worker").unwrap(), io("all").unwrap());
    // Two blocks of 4,096 bytes each.
    assert_eq!(
        (one["files_bytes"].as_str(), all["files_bytes"].as_str()),
        ("8192", "16384")
    );
    let share: f64 = all["cpu_share"].parse().unwrap();
    assert!((0.0..1.1).contains(&share), "{share}");
    let laws = table(&fs::read_to_string(home.path("out/laws.csv")).unwrap());
    assert_eq!(laws.len(), 4);
    assert!(
        laws.iter()
            .all(|law| law["counts"] == "3" && law["slots"] == "9")
    );
    let study = &results(&home.path("out")).studies[0];
    assert_eq!(study.parts.laws.len(), 4);
    assert!(
        study
            .cases
            .iter()
            .all(|case| case.variants.iter().all(|v| v.workers.is_some()))
    );
    let page = fs::read_to_string(home.path("out/report.html")).unwrap();
    assert!(page.contains("class=\"fit\""));
}

#[test]
fn one_count_of_both_is_a_table_without_sweeps() {
    let home = Home::new();
    let line = "workers --kind cpu --loops 1 --rounds 1 --processes 3 --threads 3 --cpu free --tables --out out";
    home.run(&line.split(' ').collect::<Vec<_>>()).answered();
    let study = &results(&home.path("out")).studies[0].study;
    assert_eq!(study.cases.len(), 1);
    assert!(study.cases[0].variants.iter().all(|v| v.variant.flows == 3));
    let placements = study.cases[0]
        .variants
        .iter()
        .map(|v| v.variant.placement.to_string());
    assert_eq!(placements.collect::<Vec<_>>(), ["free", "free"]);
    assert!(!home.path("out/laws.csv").exists());
    let samples = table(&fs::read_to_string(home.path("out/samples.csv")).unwrap());
    assert!(samples.iter().any(|row| row["sample"] == "end"));
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let refused: [(&str, &[&str]); 12] = [
        ("--cpu 4000", &["CPU 4000 is not available", "choose among"]),
        ("--cpu first", &["'first' is no placement"]),
        ("--processes 5..2", &["--processes", "smaller number first"]),
        ("--processes 0 --threads 2", &["--processes", "at least 1"]),
        ("--threads 0", &["--threads", "at least 1"]),
        ("--kind cpu,disk", &["--kind", "disk", "cpu, mem, io"]),
        ("--kind io,io", &["--kind names io twice"]),
        ("--loops 0", &["--loops", "at least 1"]),
        ("--loops many", &["--loops", "no whole number"]),
        (
            "--folder nowhere",
            &["--folder", "nowhere", "name a folder that is there"],
        ),
        ("--sync never", &["--sync", "dsync, fsync"]),
        (
            "--kind io --block 12",
            &["blocks of 12 bytes", "multiple of 8"],
        ),
    ];
    for (flags, words) in refused {
        let home = Home::new();
        let line = format!("workers {flags} --out out");
        let run = home.run(&line.split(' ').collect::<Vec<_>>());
        run.refused(2, words);
        assert_eq!(home.listing("."), Vec::<String>::new(), "{flags}");
    }
}

#[test]
fn a_folder_that_takes_no_files_is_refused_before_the_run() {
    let home = Home::new();
    let run = home.run(&[
        "workers", "--kind", "io", "--folder", "/proc", "--out", "out",
    ]);
    run.refused(2, &["cannot make files for io in /proc", "--folder DIR"]);
    home.write("file", "mine");
    let run = home.run(&[
        "workers", "--kind", "io", "--folder", "file", "--out", "out",
    ]);
    run.refused(2, &["--folder", "'file'", "it is no folder"]);
    assert_eq!(home.listing("."), ["file"]);
}

#[test]
fn files_in_memory_are_warned_of() {
    let Ok(memory) = tempfile::tempdir_in("/dev/shm") else {
        return skipped::skipped("no folder can be made in /dev/shm");
    };
    let home = Home::new();
    let folder = memory.path().to_str().unwrap();
    let line = format!(
        "workers --kind io --loops 1 --rounds 1 --processes 2 --threads 2 --folder {folder} --out out"
    );
    let run = home.run(&line.split(' ').collect::<Vec<_>>()).answered();
    let words = run.words();
    assert!(words.contains("which is in memory (tmpfs)"), "{words}");
    assert!(words.contains("--folder DIR"), "{words}");
    assert_eq!(fs::read_dir(folder).unwrap().count(), 0);
}

/// Runs with `small` in the current folder mounted as a file system of its own; `None` where
/// this user may not mount, which is no success where everything is to be tested.
fn with_mounted(home: &Home, options: &str, flags: &str) -> Option<Run> {
    fs::create_dir(home.path("small")).unwrap();
    let script = format!(
        "mount -t tmpfs -o {options} none small || exit 77\n\
         {} workers --kind io --rounds 4 --processes 2 --threads 2 --folder small --out out {flags}\n\
         code=$?; echo left: $(ls -A small) >&2; exit $code",
        env!("CARGO_BIN_EXE_flowgauge")
    );
    let mut unshare = home.program(
        "unshare",
        &["--map-root-user", "--mount", "sh", "-c", &script],
    );
    let run = unshare.output().ok().map(Run::from);
    let mounted = run.filter(|run| run.code != Some(77) && run.stderr.contains("left:"));
    if mounted.is_none() {
        let why = "no file system can be mounted here: user namespaces are needed, and unshare";
        assert!(std::env::var_os("CI").is_none(), "{why}");
        skipped::skipped(why);
    }
    mounted
}

#[test]
fn a_disk_without_room_is_refused_before_the_run() {
    let home = Home::new();
    if let Some(run) = with_mounted(&home, "size=64k", "--loops 9000") {
        run.refused(2, &["has room for 64.0 KiB", "2.34 MiB at once", "--loops"]);
        assert!(run.stderr.trim_end().ends_with("left:"), "{}", run.stderr);
        assert!(!home.path("out").exists());
    }
}

#[test]
fn a_disk_that_fills_up_is_an_error_and_leaves_no_files() {
    let home = Home::new();
    // Room for the folder of a slot with its mark, and for no file in it.
    if let Some(run) = with_mounted(&home, "nr_inodes=3", "--loops 30") {
        run.refused(
            2,
            &[
                "could not do its work: No space left on device",
                "--folder DIR",
            ],
        );
        assert!(run.stderr.trim_end().ends_with("left:"), "{}", run.stderr);
        home.assert_nothing_left();
    }
}

#[test]
fn a_disk_that_is_read_only_is_refused_before_the_run() {
    let home = Home::new();
    if let Some(run) = with_mounted(&home, "ro", "--loops 30") {
        run.refused(2, &["cannot make files for io", "Read-only file system"]);
        assert!(!home.path("out").exists());
    }
}

#[test]
fn an_interrupted_worker_leaves_no_file() {
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let home = Home::new();
        let line = "workers --kind io --loops 3000000 --processes 2 --threads 2 --out out";
        let mut run = home.start(&line.split(' ').collect::<Vec<_>>());
        within(20, "files of workers", || {
            let folder = home
                .listing("out")
                .into_iter()
                .find(|n| n.ends_with(".files"))?;
            let files = home.listing(&format!("out/{folder}"));
            ["inOut_1.dat", "inOut_2.dat"]
                .iter()
                .all(|file| files.iter().any(|name| name == file))
                .then_some(())
        });
        run.send(signal);
        assert_eq!(run.end().code(), Some(128 + signal as i32));
        assert_no_files(&home, "out");
        home.assert_nothing_left();
    }
}

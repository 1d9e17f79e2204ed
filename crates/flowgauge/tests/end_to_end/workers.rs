//! `flowgauge workers`: what it measures, what it refuses, and that its files never stay.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use nix::sys::signal::Signal;

use super::common::{Home, RESULT_FILES, Run, says, table, until};

#[test]
fn all_kinds_prove_the_same_work_under_both_models() {
    let home = Home::new();
    let line =
        "workers --loops 1 --rounds 2 --processes 2..3 --threads 2..4 --out out --format csv";
    let run = home.run(line).answered();
    let rows = table(run.stdout.as_bytes());
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
    home.assert_no_files();
    // Samples are a table of single studies.
    assert_eq!(home.listing("out"), RESULT_FILES);
    home.assert_nothing_left();
}

#[test]
fn the_results_hold_the_table_and_the_laws() {
    let home = Home::new();
    let line = "workers --kind cpu,io --loops 60 --rounds 3 --processes 2..4 --threads 2..4 --tables --out out";
    let run = home.run(line).answered();
    let sentence = "cpu with 2 to 4 processes: ";
    says(&run.stdout, &["Then and now", "process, all", sentence]);
    let workers = home.table("workers.csv");
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
    let laws = home.table("laws.csv");
    assert_eq!(laws.len(), 4);
    assert!(
        laws.iter()
            .all(|law| law["counts"] == "3" && law["slots"] == "9")
    );
    let study = &home.results().studies[0];
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
    home.run(line).answered();
    let study = &home.results().studies[0].study;
    assert_eq!(study.cases.len(), 1);
    assert!(study.cases[0].variants.iter().all(|v| v.variant.flows == 3));
    let placements = study.cases[0]
        .variants
        .iter()
        .map(|v| v.variant.placement.to_string());
    assert_eq!(placements.collect::<Vec<_>>(), ["free", "free"]);
    assert!(!home.path("out/laws.csv").exists());
    let samples = home.table("samples.csv");
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
        let run = home.run(&line);
        run.refused(2, words);
        assert_eq!(home.listing("."), Vec::<String>::new(), "{flags}");
    }
}

#[test]
fn a_folder_that_takes_no_files_is_refused_before_the_run() {
    let home = Home::new();
    let run = home.run("workers --kind io --folder /proc --out out");
    run.refused(2, &["cannot make files for io in /proc", "--folder DIR"]);
    home.write("file", "mine");
    let run = home.run("workers --kind io --folder file --out out");
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
    let run = home.run(&line).answered();
    says(&run.stdout, &["which is in memory (tmpfs)", "--folder DIR"]);
    assert_eq!(fs::read_dir(folder).unwrap().count(), 0);
}

/// Runs with `small` in the current folder mounted as a file system of its own.
fn with_mounted(home: &Home, options: &str, flags: &str) -> Option<Run> {
    fs::create_dir(home.path("small")).unwrap();
    home.shell_that_mounts(&format!(
        "mount -t tmpfs -o {options} none small || exit 77\n\
         flowgauge workers --kind io --rounds 4 --processes 2 --threads 2 --folder small --out out {flags}\n\
         code=$?; echo left: $(ls -A small) >&2; exit $code"
    ))
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
        let full = "could not do its work: No space left on device";
        run.refused(2, &[full, "--folder DIR"]);
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
        let mut run = home.start(line);
        let wanted = ["inOut_1.dat", "inOut_2.dat"].map(str::to_owned);
        until(20, "files of workers", || {
            let files = home.files_of_slot();
            wanted.iter().all(|file| files.contains(file))
        });
        run.send(signal);
        assert_eq!(run.end().code(), Some(128 + signal as i32));
        home.assert_no_files();
        home.assert_nothing_left();
    }
}

//! `--sample`: what is recorded beside slots, and that nothing stays of the recorder.

use std::collections::BTreeMap;
use std::fs;
use std::thread::sleep;
use std::time::Duration;

use flow::Answer;
use lab::Outcome;
use measure::Measured;
use nix::sys::signal::Signal;

use super::common::{Home, Process, Row, Run, says, within};

fn sampled(home: &Home, arguments: &str) -> Run {
    let line = format!("{arguments} --out out");
    let run = home.run(&line).answered();
    home.assert_nothing_left();
    run
}

fn number(row: &Row, column: &str) -> u64 {
    let text = &row[column];
    text.parse().unwrap_or_else(|_| panic!("{column}: {row:?}"))
}

#[test]
fn counters_of_a_slot_only_grow_and_agree_with_its_own() {
    let home = Home::new();
    let run = sampled(&home, "primes -p 2 -t 2 -b 400000 --rounds 2 --sample 10ms");
    let place = "of one CPU, on CPUs that flows may use";
    says(&run.stdout, &["sampled thread every 10.0 ms", place]);
    let mut by_slot: BTreeMap<(String, String), Vec<Row>> = BTreeMap::new();
    for row in home.table("samples.csv") {
        let slot = (row["round"].clone(), row["variant"].clone());
        by_slot.entry(slot).or_default().push(row);
    }
    assert_eq!(by_slot.len(), 4);
    for rows in by_slot.values() {
        for column in ["at_ns", "cpu_ns", "written_bytes"] {
            let values: Vec<u64> = rows.iter().map(|row| number(row, column)).collect();
            assert!(values.is_sorted(), "{column}: {values:?}");
        }
        let (end, samples) = rows.split_last().unwrap();
        assert_eq!(end["sample"], "end");
        assert!(!samples.is_empty());
        for (at, sample) in samples.iter().enumerate() {
            assert_eq!(number(sample, "sample"), at as u64 + 1);
            assert_eq!(number(sample, "interval_ns"), 10_000_000);
            assert!((1..=3).contains(&number(sample, "tasks")), "{sample:?}");
            assert!(number(sample, "at_ns") >= 10_000_000 * (at as u64 + 1));
        }
        let has_memory = |sample| number(sample, "rss_bytes") > 1 << 20;
        assert!(samples.iter().any(has_memory));
    }
    for slot in &home.case().slots {
        let record = slot.outcome.answer.done().unwrap();
        let reps = record.warmups.iter().chain(&record.reps);
        let flows = reps.flat_map(|rep| &rep.flows);
        let worked_ns: u64 = flows.map(|flow| flow.steady.cpu_ns).sum();
        let seen_ns = end_cpu_ns(&slot.outcome);
        // What is credited to a parent comes in two counters of ticks of 10 ms each.
        assert!(seen_ns + 20_000_000 >= worked_ns, "{seen_ns} {worked_ns}");
    }
}

fn end_cpu_ns(outcome: &Outcome) -> u64 {
    let samples = outcome.samples.as_ref().unwrap().value().unwrap();
    samples.end.unwrap().cpu_ns
}

#[test]
fn bytes_written_and_the_space_of_a_folder_are_recorded() {
    let home = Home::new();
    fs::create_dir(home.path("mine")).unwrap();
    fs::write(home.path("mine/file"), vec![1u8; 300_000]).unwrap();
    let flags = "--rounds 1 --sample 5ms --sample-folder mine";
    sampled(&home, &format!("primes -p 2 -b 400000 {flags}"));
    let is_counted = |row| number(row, "disk_bytes") >= 300_000 / 512 * 512;
    assert!(home.table("samples.csv").iter().all(is_counted));
    let page = fs::read_to_string(home.path("out/report.html")).unwrap();
    let space = "Disk space of the folder over time";
    says(&page, &["CPU over time", "RSS over time", space]);
}

#[test]
fn intervals_that_cannot_be_kept_and_folders_that_are_not_there_are_refused() {
    let home = Home::new();
    let refused = |line: &str, words: &[&str]| {
        let run = home.run(line);
        run.refused(2, words);
    };
    refused("primes --sample 0.1ms", &["--sample", "from 1 ms to a day"]);
    refused(
        "primes --sample 1s --sample-folder none",
        &["--sample-folder none: there is no such folder"],
    );
    refused("primes --sample-folder .", &["--sample <INTERVAL>"]);
    home.assert_nothing_left();
    assert!(home.listing(".").is_empty());
}

/// The sampler is beside every slot from before its beginning, so that a random moment
/// often finds it beginning or ending.
#[test]
fn no_sampler_stays_at_whatever_moment_a_run_ends() {
    for signal in [Signal::SIGKILL, Signal::SIGINT, Signal::SIGTERM] {
        for wait_ms in [3, 11, 29, 53] {
            let home = Home::new();
            let line = "primes -p 2 -t 2 -b 20000 --rounds 1000 --sample 2ms --out out";
            let mut run = home.start(line);
            home.wait_for(Process::sampler);
            sleep(Duration::from_millis(wait_ms));
            run.send(signal);
            let status = run.end();
            home.assert_nothing_left();
            let expected = (signal != Signal::SIGKILL).then_some(128 + signal as i32);
            assert_eq!(status.code(), expected, "{}", run.stderr());
        }
    }
}

/// Ctrl-C reaches the whole group of the terminal, of which the sampler is none.
#[test]
fn a_signal_from_the_terminal_ends_it_through_the_main_process() {
    let home = Home::new();
    let line = "primes -p 2 -b 1G --sample 5ms --out out";
    let mut run = home.start(line);
    home.wait_for(Process::worker);
    run.send_to_group(Signal::SIGINT);
    assert_eq!(run.end().code(), Some(130), "{}", run.stderr());
    home.assert_nothing_left();
}

#[test]
fn a_slot_outlives_its_sampler_and_the_loss_is_said() {
    let home = Home::new();
    let line = "primes -p 2 -b 600000 --rounds 1000 --sample 5ms --out out";
    let mut run = home.start(line);
    let lost = |home: &Home| {
        home.case().slots.iter().any(|slot| {
            let is_good = matches!(slot.outcome.answer, Answer::Done(_));
            let samples = &slot.outcome.samples;
            is_good && matches!(samples, Some(Measured::NotAvailable { .. }))
        })
    };
    home.wait_for_slots(1);
    within(120, "a good slot whose sampler was killed", || {
        if let Some(sampler) = Process::sampler(&home.processes()) {
            sampler.send(Signal::SIGKILL);
        }
        let before = home.slots().len();
        home.wait_for_slots(before + 1);
        lost(&home).then_some(())
    });
    run.send(Signal::SIGINT);
    assert_eq!(run.end().code(), Some(130), "{}", run.stderr());
    home.assert_nothing_left();
    assert!(run.stdout().contains("sampled: "), "{}", run.stdout());
}

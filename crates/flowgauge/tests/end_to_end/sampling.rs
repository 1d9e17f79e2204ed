//! `--sample`: what is recorded beside slots, and that nothing stays of the recorder.

use std::collections::BTreeMap;
use std::fs;
use std::thread::sleep;
use std::time::Duration;

use flow::Answer;
use lab::Outcome;
use measure::Measured;
use nix::sys::signal::Signal;

use super::common::{Home, Process, Run, results, slots, within};

fn sampled(home: &Home, arguments: &str) -> Run {
    let line = format!("{arguments} --out out");
    let run = home.run(&line.split(' ').collect::<Vec<_>>()).answered();
    home.assert_nothing_left();
    run
}

/// The rows of `samples.csv`, by the names of its columns.
fn rows(home: &Home) -> Vec<BTreeMap<String, String>> {
    let mut table = csv::Reader::from_path(home.path("out/samples.csv")).unwrap();
    table.deserialize().map(Result::unwrap).collect()
}

fn number(row: &BTreeMap<String, String>, column: &str) -> u64 {
    let text = &row[column];
    text.parse().unwrap_or_else(|_| panic!("{column}: {row:?}"))
}

#[test]
fn counters_of_a_slot_only_grow_and_agree_with_its_own() {
    let home = Home::new();
    let run = sampled(&home, "primes -p 2 -t 2 -b 400000 --rounds 2 --sample 10ms");
    let text = run.words();
    assert!(text.contains("sampled thread every 10.0 ms"), "{text}");
    assert!(
        text.contains("of one CPU, on CPUs that flows may use"),
        "{text}"
    );
    let mut by_slot: BTreeMap<(String, String), Vec<BTreeMap<String, String>>> = BTreeMap::new();
    for row in rows(&home) {
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
        assert!(
            samples
                .iter()
                .any(|sample| number(sample, "rss_bytes") > 1 << 20)
        );
    }
    for slot in &results(&home.path("out")).studies[0].cases[0].slots {
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
    let rows = rows(&home);
    assert!(
        rows.iter()
            .all(|row| number(row, "disk_bytes") >= 300_000 / 512 * 512)
    );
    let page = fs::read_to_string(home.path("out/report.html")).unwrap();
    for title in [
        "CPU over time",
        "RSS over time",
        "Disk space of the folder over time",
    ] {
        assert!(page.contains(title), "{title}");
    }
}

#[test]
fn without_a_sampler_there_is_no_table_of_samples() {
    let home = Home::new();
    let run = sampled(&home, "primes -p 1 -t 1 -b 1000 --rounds 1");
    assert!(!run.stdout.contains("sampled"));
    assert!(!home.listing("out").contains(&"samples.csv".to_owned()));
}

#[test]
fn a_report_made_again_holds_the_samples() {
    let home = Home::new();
    sampled(&home, "primes -t 2 -b 200000 --rounds 1 --sample 5ms");
    let made = fs::read(home.path("out/samples.csv")).unwrap();
    fs::remove_file(home.path("out/samples.csv")).unwrap();
    let again = home.run(&["report", "out"]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert_eq!(fs::read(home.path("out/samples.csv")).unwrap(), made);
}

#[test]
fn intervals_that_cannot_be_kept_and_folders_that_are_not_there_are_refused() {
    let home = Home::new();
    let refused = |line: &str, words: &[&str]| {
        let run = home.run(&line.split(' ').collect::<Vec<_>>());
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
            let mut run = home.start(&line.split(' ').collect::<Vec<_>>());
            within(20, "a sampler", || {
                Process::sampler(&home.processes()).map(|_| ())
            });
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
    let mut run = home.start(&line.split(' ').collect::<Vec<_>>());
    within(20, "a worker", || {
        Process::worker(&home.processes()).map(|_| ())
    });
    run.send_to_group(Signal::SIGINT);
    assert_eq!(run.end().code(), Some(130), "{}", run.stderr());
    home.assert_nothing_left();
}

#[test]
fn a_slot_outlives_its_sampler_and_the_loss_is_said() {
    let home = Home::new();
    let line = "primes -p 2 -b 600000 --rounds 1000 --sample 5ms --out out";
    let mut run = home.start(&line.split(' ').collect::<Vec<_>>());
    let lost = |home: &Home| {
        let results = results(&home.path("out"));
        let mut slots = results.studies[0].cases[0].slots.iter();
        slots.any(|slot| {
            let is_good = matches!(slot.outcome.answer, Answer::Done(_));
            let samples = &slot.outcome.samples;
            is_good && matches!(samples, Some(Measured::NotAvailable { .. }))
        })
    };
    within(20, "the first slot", || {
        (!slots(&home.path("out")).is_empty()).then_some(())
    });
    within(120, "a good slot whose sampler was killed", || {
        if let Some(sampler) = Process::sampler(&home.processes()) {
            sampler.send(Signal::SIGKILL);
        }
        let before = slots(&home.path("out")).len();
        within(20, "the slot ends", || {
            (slots(&home.path("out")).len() > before).then_some(())
        });
        lost(&home).then_some(())
    });
    run.send(Signal::SIGINT);
    assert_eq!(run.end().code(), Some(130), "{}", run.stderr());
    home.assert_nothing_left();
    assert!(run.stdout().contains("sampled: "), "{}", run.stdout());
}

#[test]
fn calibrate_measures_what_a_sampler_costs() {
    let home = Home::new();
    let line = "calibrate --rounds 2 --sample 10ms --budget 10m";
    let run = sampled(&home, line);
    let results = results(&home.path("out"));
    let cases = &results.studies[0].cases;
    let sampled = cases
        .iter()
        .filter(|case| case.case.name.starts_with("sampled"));
    for case in sampled {
        for slot in &case.slots {
            assert_eq!(slot.outcome.samples.is_some(), slot.variant == 1);
        }
        let said = format!("{}: ", case.case.title);
        let text = run.words();
        assert!(text.contains(&said), "{said}: {text}");
    }
    assert!(cases.iter().any(|case| case.case.name == "sampled"));
    assert!(run.words().contains("of one CPU itself"), "{}", run.stdout);
}

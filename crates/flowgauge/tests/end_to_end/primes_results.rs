//! The file of results is complete and right, however the work is done.

use std::path::Path;

use super::common::{Home, labels};

const MODELS: [&str; 5] = [
    "process",
    "thread",
    "process-shared-files",
    "thread-private-files",
    "2x2",
];

/// `(worker, index, prime)`.
type Row = (u64, u64, u64);

/// Every `every`-th prime of each block, by dividing by everything.
fn by_dividing(start: u64, block: u64, blocks: u64, every: usize) -> Vec<Row> {
    let is_prime = |n: u64| {
        n > 1
            && (2..)
                .take_while(|d| d * d <= n)
                .all(|d| !n.is_multiple_of(d))
    };
    let of_block = |unit: u64| {
        let first = start + unit * block;
        let primes = (first..first + block).filter(move |&n| is_prime(n));
        let numbered = (1_u64..).zip(primes).skip(every - 1).step_by(every);
        numbered.map(move |(index, prime)| (unit + 1, index, prime))
    };
    (0..blocks).flat_map(of_block).collect()
}

/// The rows of a file, sorted.
fn rows(file: &Path) -> Vec<Row> {
    let mut reader = csv::Reader::from_path(file).unwrap();
    assert_eq!(
        reader.headers().unwrap(),
        vec!["worker", "index", "prime"],
        "{}",
        file.display()
    );
    let mut rows: Vec<Row> = reader.deserialize().map(Result::unwrap).collect();
    rows.sort_unstable();
    rows
}

/// The rows that the command writes with `flags`.
fn found(home: &Home, flags: &str) -> Vec<Row> {
    let line = format!("primes -o found.csv --force --rounds 1 --out out {flags}");
    home.run(&line).answered();
    std::fs::remove_dir_all(home.path("out")).unwrap();
    rows(&home.path("found.csv"))
}

#[test]
fn every_model_channel_and_schedule_gives_every_result() {
    let home = Home::new();
    let expected = by_dividing(1, 9_000, 5, 1);
    for model in MODELS {
        for channel in ["fifo", "pipe", "shm"] {
            for schedule in ["static", "queue"] {
                let flags = format!(
                    "-s 1 -b 9000 --blocks 5 -p 4 --every 1 --model {model} \
                     --channel {channel} --schedule {schedule}"
                );
                assert!(found(&home, &flags) == expected, "{flags}");
            }
        }
    }
    home.assert_nothing_left();
}

#[test]
fn each_thousandth_prime_is_a_result_by_default() {
    let home = Home::new();
    let expected = by_dividing(100, 30_000, 3, 1000);
    assert_eq!(expected.len(), 7);
    for model in MODELS {
        let flags = format!("-s 100 -b 30000 --blocks 3 -p 2 --model {model}");
        assert_eq!(found(&home, &flags), expected, "{flags}");
    }
}

#[test]
fn every_method_finds_the_same() {
    let home = Home::new();
    for (start, block, every) in [(0, 1_000, 1), (2, 1, 1), (10_000_001, 20_000, 7)] {
        let expected = by_dividing(start, block, 2, every);
        for method in ["trial", "miller-rabin", "sieve"] {
            let flags = format!(
                "-s {start} -b {block} --blocks 2 -p 2 -t 2 --every {every} --method {method}"
            );
            assert_eq!(found(&home, &flags), expected, "{flags}");
        }
    }
}

#[test]
fn the_last_numbers_that_can_be_searched_are_searched() {
    let home = Home::new();
    let last = |count: u64| u64::MAX - count;
    let line = format!("-s {} -b 600 --blocks 1 -p 1 --every 1 --method", last(600));
    let found: Vec<Row> = found(&home, &format!("{line} miller-rabin"));
    // The largest primes below 2^64 are 2^64 less 59, 83, 95, 179, 189, 257, 279, 323,
    // 353 and 363.
    let expected = [59, 83, 95, 179, 189, 257, 279, 323, 353, 363].map(|less| last(less - 1));
    let largest: Vec<u64> = found.iter().rev().take(10).map(|row| row.2).collect();
    assert_eq!(largest, expected);
}

#[test]
fn there_are_664579_primes_up_to_ten_million() {
    let home = Home::new();
    let flags = "primes -s 1 -b 2500000 --blocks 4 -p 2 -t 2 --method sieve --rounds 2 --out out";
    home.run(flags).answered();
    let case = home.case();
    assert_eq!(case.slots.len(), 4);
    for slot in &case.slots {
        let record = slot.outcome.answer.done().unwrap();
        assert_eq!(record.proof.count, 664_579);
        for rep in &record.reps {
            assert_eq!(rep.proof().count, 664_579);
        }
    }
}

#[test]
fn a_count_alone_runs_only_its_model() {
    let home = Home::new();
    for (flags, models) in [
        ("-p 2", vec!["process"]),
        ("-t 3", vec!["thread"]),
        ("-p 2 -t 2", vec!["process", "thread"]),
        ("", vec!["process", "thread"]),
    ] {
        let line = format!("primes -b 1000 --rounds 1 --out out {flags}");
        home.run(&line).answered();
        let case = home.case();
        assert_eq!(labels(&case), models, "{flags}");
        assert_eq!(case.slots.len(), models.len());
        std::fs::remove_dir_all(home.path("out")).unwrap();
    }
}

//! What the primes study says while it runs.

use std::collections::BTreeSet;

use super::common::{Home, says};

const LINE: &str = "primes -s 1001 -b 500 -v --rounds 1 --out out";

/// What the workers said: who, and what.
fn said(flags: &str) -> Vec<(String, String)> {
    let home = Home::new();
    let line = format!("{LINE} {flags}");
    let run = home.run(&line).answered();
    home.assert_nothing_left();
    let of_worker = |line: &str| {
        let at = line
            .find(" starting on range ")
            .or(line.find(" finished range "))?;
        Some((line[..at].to_owned(), line[at + 1..].to_owned()))
    };
    run.stderr.lines().filter_map(of_worker).collect()
}

/// The blocks that were started on and finished, and how many did it under what name.
fn check(flags: &str, blocks: u64, workers: usize, name: &str) {
    let said = said(flags);
    let what: BTreeSet<&str> = said.iter().map(|(_, what)| what.as_str()).collect();
    let expected: BTreeSet<String> = (0..blocks)
        .map(|unit| (1001 + unit * 500, 1500 + unit * 500))
        .flat_map(|(a, b)| {
            ["starting on", "finished"].map(|verb| format!("{verb} range {a} - {b}"))
        })
        .collect();
    let expected: BTreeSet<&str> = expected.iter().map(String::as_str).collect();
    assert_eq!(what, expected, "{flags}");
    assert_eq!(said.len() as u64, 2 * blocks, "{flags}");
    let who: BTreeSet<&str> = said.iter().map(|(who, _)| who.as_str()).collect();
    assert_eq!(who.len(), workers, "{flags}: {who:?}");
    for who in who {
        let number = who.strip_prefix(name).unwrap_or_else(|| panic!("{who}"));
        assert!(number.trim().parse::<u32>().is_ok(), "{who}");
    }
}

#[test]
fn each_process_says_its_number_and_ranges() {
    check("-p 3", 3, 3, "process ");
}

#[test]
fn each_thread_says_its_number_and_ranges() {
    check("-t 2 --blocks 6", 6, 2, "thread ");
}

/// The source's parent said so too, and to which file.
#[test]
fn the_parent_says_when_it_writes_and_has_finished_and_for_which_file() {
    for (flags, what) in [("", "the results"), (" -o a.csv", "the results for a.csv")] {
        parent_says(flags, what);
    }
}

fn parent_says(flags: &str, what: &str) {
    let home = Home::new();
    let line = format!("{LINE} -p 2{flags}");
    let run = home.run(&line).answered();
    let of_parent = |line: &&str| line.starts_with("parent ");
    let said: Vec<&str> = run.stderr.lines().filter(of_parent).collect();
    let [first, last] = said[..] else {
        panic!("{said:?}")
    };
    let pid = first.strip_suffix(&format!(" writing {what}"));
    let finished = pid.map(|pid| format!("{pid} finished writing {what}"));
    assert_eq!(finished.as_deref(), Some(last), "{said:?}");
}

#[test]
fn a_thread_of_a_process_says_both_numbers() {
    let said = said("--model 2x2");
    assert_eq!(said.len(), 8);
    for (who, _) in said {
        let words: Vec<&str> = who.split(' ').collect();
        let ["process", pid, "thread", tid] = words[..] else {
            panic!("{who}")
        };
        assert!(pid.parse::<u32>().is_ok() && tid.parse::<u32>().is_ok());
    }
}

#[test]
fn the_options_are_printed_with_the_seed() {
    let home = Home::new();
    let line = "primes -p 2 -t 3 -b 700 -s 1234 --every 3 --channel shm --schedule queue \
                --seed 4711 --rounds 1 -o found.csv --out out";
    let run = home.run(line).answered();
    let columns = ["every                3", "channel              shm"];
    let others = [
        "2 processes, 3 threads",
        "1234",
        "700",
        "queue",
        "found.csv",
        "4711",
    ];
    says(&run.stderr, &columns);
    says(&run.stderr, &others);
}

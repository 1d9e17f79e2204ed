//! Standard output in the format that was asked for, and nothing else on it.

use serde_json::Value;

use super::common::{Home, RESULT_FILES};

fn documents(text: &str) -> Vec<Value> {
    let documents = serde_json::Deserializer::from_str(text).into_iter();
    documents.map(Result::unwrap).collect()
}

#[test]
fn json_is_one_document() {
    let home = Home::new();
    let lines = [
        "primes -p 2 -t 2 -b 1000 --rounds 2 -v --format json --out a",
        "report a --format json",
        "machine --format json",
    ];
    for line in lines {
        let run = home.run(&line.split(' ').collect::<Vec<_>>()).answered();
        assert_eq!(documents(&run.stdout).len(), 1, "{line}");
    }
}

#[test]
fn csv_has_rows_of_equal_length() {
    let home = Home::new();
    let lines = [
        "primes -p 2 -t 2 -b 1000 --rounds 2 --format csv --out a",
        "report a --format csv",
        "machine --format csv",
    ];
    for line in lines {
        let run = home.run(&line.split(' ').collect::<Vec<_>>()).answered();
        let mut reader = csv::Reader::from_reader(run.stdout.as_bytes());
        assert!(reader.records().all(|row| row.is_ok()), "{line}");
    }
}

#[test]
fn the_machine_is_told_with_its_cpus() {
    let home = Home::new();
    let run = home.run(&["machine", "--format", "json"]).answered();
    assert!(run.stdout.contains("pid_max"), "{}", run.stdout);
    let text = home.run(&["machine"]).answered().stdout;
    assert!(text.lines().count() > 10, "{text}");
    home.assert_nothing_left();
    assert_eq!(home.listing("."), Vec::<String>::new());
}

#[test]
fn a_run_leaves_a_results_folder_with_everything_in_it() {
    let home = Home::new();
    let line = "primes -p 2 -t 2 -b 1000 --rounds 2 --out a";
    home.run(&line.split(' ').collect::<Vec<_>>()).answered();
    assert_eq!(home.listing("."), ["a"]);
    assert_eq!(home.listing("a"), RESULT_FILES);
    home.assert_nothing_left();
}

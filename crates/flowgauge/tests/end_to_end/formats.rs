//! Standard output in the format that was asked for, and nothing else on it.

use serde_json::Value;

use super::common::{Home, RESULT_FILES, says, table};

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
        let run = home.run(line).answered();
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
        let run = home.run(line).answered();
        assert!(!table(run.stdout.as_bytes()).is_empty(), "{line}");
    }
}

#[test]
fn the_machine_is_told_with_its_cpus() {
    let home = Home::new();
    let run = home.run("machine --format json").answered();
    says(&run.stdout, &["pid_max"]);
    let text = home.run("machine").answered().stdout;
    assert!(text.lines().count() > 10, "{text}");
    home.assert_nothing_left();
    assert_eq!(home.listing("."), Vec::<String>::new());
}

#[test]
fn what_memory_costs_is_told_of_each_level_or_why_not() {
    let home = Home::new();
    let run = home.run("machine --probe --format json").answered();
    let told: Value = serde_json::from_str(&run.stdout).unwrap();
    let probe = &told["machine"]["probe"];
    let caches = probe["caches"]["value"].as_array().into_iter().flatten();
    let levels = caches.chain([&probe["memory"]]);
    for level in levels {
        assert!(level["bytes"].as_u64() > Some(0), "{level}");
        let answer = &level["answer"];
        let ns = answer["value"]["ns"].as_f64();
        let why = answer["not_available"]["reason"].as_str();
        assert!(ns > Some(0.0) || why.is_some(), "{level}");
    }
    let points = probe["reach"]["value"]["points"].as_array();
    let why = probe["reach"]["not_available"]["reason"].as_str();
    let times = ["small_ns", "huge_ns"];
    let timed = |point: &Value| times.iter().all(|ns| point[ns].as_f64() > Some(0.0));
    let is_told = points.map_or(why.is_some(), |points| points.iter().all(timed));
    assert!(is_told, "{probe}");
    home.assert_nothing_left();
}

#[test]
fn a_run_leaves_a_results_folder_with_everything_in_it() {
    let home = Home::new();
    let line = "primes -p 2 -t 2 -b 1000 --rounds 2 --out a";
    home.run(line).answered();
    assert_eq!(home.listing("."), ["a"]);
    assert_eq!(home.listing("a"), RESULT_FILES);
    home.run("report a --tables").answered();
    let mut all = [&RESULT_FILES[..], &["published.csv", "slots.jsonl"]].concat();
    all.sort_unstable();
    assert_eq!(home.listing("a"), all);
    // What is there is made again, so that it never is that of fewer rounds.
    home.write("a/published.csv", "old");
    home.run("report a").answered();
    let made = std::fs::read_to_string(home.path("a/published.csv")).unwrap();
    assert!(made.starts_with("study,"), "{made}");
    home.assert_nothing_left();
}

//! Input that cannot be run: exit code 2, a message with the value and the way out, and
//! nothing left behind.

use super::common::{Home, Run, primes};

/// The command refuses `line` and says each of `words`; nothing is left.
#[track_caller]
fn refused(line: &str, words: &[&str]) {
    let home = Home::new();
    refused_in(&home, line, words);
    assert_eq!(home.listing("."), Vec::<String>::new(), "{line}");
}

#[track_caller]
fn refused_in(home: &Home, line: &str, words: &[&str]) {
    let run = home.run(line);
    run.refused(2, words);
    assert_eq!(run.stdout, "", "{line}");
    home.assert_nothing_left();
}

#[test]
fn zero_is_refused_where_something_must_be() {
    refused("primes -b 0", &["block is 0", "use at least 1"]);
    refused("primes -p 0", &["--processes", "at least 1"]);
    refused("primes -t 0", &["--threads", "at least 1"]);
    refused("primes --blocks 0", &["blocks is 0", "use at least 1"]);
    refused("primes --every 0", &["every is 0", "use at least 1"]);
    refused("primes --model 0x4", &["'0x4'", "4x2"]);
    refused("primes --budget 0", &["--budget", "'0'", "60s"]);
    refused("primes --deadline 0", &["--deadline", "'0'"]);
    refused("primes --rounds 0", &["--rounds", "use 1 to 1000"]);
    refused("run --rounds 0", &["--rounds", "use 1 to 1000"]);
    refused("primes --rounds 1e9", &["--rounds", "use 1 to 1000"]);
    refused("limits -p 3", &["-p", "is an option of", "primes"]);
    refused("run primes,workers,primes", &["primes is named twice"]);
}

/// A minus made them "unexpected arguments", and nothing said what may stand there.
#[test]
fn negative_values_are_refused_as_values() {
    for (line, words) in [
        ("primes --budget -1s", ["--budget", "'-1s'"]),
        ("primes --deadline -1", ["--deadline", "'-1'"]),
        ("primes --sample -5ms", ["--sample", "'-5ms'"]),
        ("primes --ballast -4K", ["--ballast", "'-4K'"]),
        ("primes --seed -7", ["--seed", "'-7'"]),
        ("primes --rounds -7", ["--rounds", "-7"]),
        ("primes --floor -1%", ["--floor", "'-1%'"]),
        ("primes --block -5", ["--block", "'-5'"]),
        ("workers --block -4K", ["--block", "'-4K'"]),
    ] {
        refused(line, &words);
    }
    refused("primes --watch=-1", &["--watch", "'-1'"]);
}

#[test]
fn numbers_beyond_what_can_be_searched_are_refused() {
    let largest = "18446744073709551615";
    refused(
        "primes -s 18446744073709551616",
        &["'18446744073709551616'", largest],
    );
    refused(
        "primes -s 18446744073709551600 -b 10 -p 2",
        &["18446744073709551600", largest, "smaller start"],
    );
    refused("primes -b 1e19 -p 2", &["10000000000000000000", largest]);
    refused("primes -b 1e1..1e20", &["'1e20'"]);
    refused(
        "primes -b 10..1000 -o found.csv",
        &["-o keeps the results of one size", "a sweep has 3"],
    );
    refused("primes -b ten", &["'ten'", "1e3"]);
    refused("primes --floor 200%", &["'200%'", "1%"]);
    refused("primes -b 1e3...1e5", &["three dots", "as 1e3..1e5"]);
    refused("primes -b 5..5", &["'5..5'", "1e3..1e7"]);
}

#[test]
fn more_flows_than_the_machine_holds_are_refused_before_any_is_made() {
    for line in [
        "primes -p 100000000 -b 100",
        "primes -t 100000000 -b 100",
        "primes --model 20000x5000 -b 100",
    ] {
        refused(line, &["100,000,000 flows", "at most ", "the limit is "]);
    }
    let home = Home::new();
    home.write("many.toml", primes(100, &[("process", 100_000_000)]));
    let words = ["100,000,000 flows of model process", "at most "];
    refused_in(&home, "run many.toml", &words);
    assert_eq!(home.listing("."), ["many.toml"]);
}

#[test]
fn unknown_words_are_answered_with_the_known_ones() {
    refused("run prims", &["'prims'", "did you mean 'primes'"]);
    refused("primes --placement core", &["did you mean 'cores'"]);
    refused("primes --events cycle", &["did you mean 'cycles'"]);
    refused("primes --model threads", &["did you mean 'thread'"]);
    refused("wiki --server prefrk", &["did you mean 'prefork'"]);
    refused("run zzz", &["'zzz'", "primes"]);
    refused("run none.toml", &["none.toml", "No such file"]);
    refused("primes --model fibre", &["'fibre'", "process", "4x2"]);
    refused("primes --method magic", &["'magic'", "miller-rabin"]);
    refused("primes --channel post", &["'post'", "fifo", "shm"]);
    refused("primes --schedule never", &["'never'", "queue"]);
    refused("primes --placement moon", &["'moon'", "cores"]);
    refused("primes --model thread,thread", &["thread twice"]);
    refused("report nowhere", &["nowhere is no results folder"]);
}

#[test]
fn cpus_that_are_not_there_are_refused() {
    let words = ["CPU 4000 is not available", "choose among"];
    refused("primes -b 100 --placement 4000", &words);
    refused("primes -b 100 --placement 4000 -v", &words);
    refused("primes -b 100 --placement 4000 --out deep/down", &words);
}

#[test]
fn a_malformed_study_is_named_with_its_line() {
    let home = Home::new();
    let good = primes(100, &[("process", 2)]);
    for (from, to, line, word) in [
        ("title = \"Mine\"", "title = ", 3, ""),
        ("block = 100", "blok = 100", 12, "blok"),
        ("\"process\"", "\"proces\"", 17, "'proces'"),
        ("flows = 2", "flows = 0", 16, "at least 1"),
        ("headline = \"only\"", "headline = \"ony\"", 5, "'ony'"),
        ("schema = 1", "schema = 9", 1, "9"),
    ] {
        assert!(good.contains(from), "{from}");
        home.write("bad.toml", good.replacen(from, to, 1));
        let place = format!("bad.toml:{line}: ");
        refused_in(&home, "run bad.toml", &[&place, word]);
        assert_eq!(home.listing("."), ["bad.toml"]);
    }
    home.write("bad.toml", good.replacen("block = 100", "block = 0", 1));
    refused_in(&home, "run bad.toml", &["block is 0", "use at least 1"]);
    assert_eq!(home.listing("."), ["bad.toml"]);
}

#[test]
fn a_folder_for_temporary_files_must_take_them() {
    let empty = tempfile::tempdir().unwrap();
    let missing = empty.path().join("at/all").display().to_string();
    for folder in [missing.as_str(), "/proc", "/dev/null/below"] {
        for flags in ["", " -o found.csv"] {
            let home = Home::new();
            let mut command = home.command(&format!("primes -b 100{flags}"));
            Run::of(command.env("TMPDIR", folder)).refused(2, &[folder, "set TMPDIR"]);
            assert_eq!(home.listing("."), Vec::<String>::new());
        }
    }
}

#[test]
fn too_few_descriptors_are_said_with_the_way_out() {
    let home = Home::new();
    let run = home.shell("ulimit -n 40; exec flowgauge primes -t 100 -b 10 --out out");
    run.refused(2, &["Too many open files", "ulimit -n"]);
    home.assert_nothing_left();
}

#[test]
fn a_file_of_a_results_folder_is_answered_with_its_folder() {
    let home = Home::new();
    std::fs::create_dir(home.path("mine")).unwrap();
    home.write("mine/journal.jsonl", "");
    home.write("mine/findings.json", "{");
    home.write("notes", "");
    let file = "mine/findings.json is a file in a results folder: name the folder, mine";
    refused_in(&home, "report mine/findings.json", &[file]);
    let file = "notes is no results folder: it is a file";
    refused_in(&home, "report notes", &[file]);
}

/// A name that turns the writing direction was printed as it is.
#[test]
fn what_is_wrong_with_arguments_is_said_in_characters_that_can_be_seen() {
    let home = Home::new();
    for argument in ["--no\u{202e}such", "a\x1b[2Jb", "x\u{202e}.toml"] {
        let run = home.run(&["run", argument]);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        let acts = |c: char| c == '\u{202e}' || c == '\x1b';
        assert!(!run.stderr.contains(acts), "{:?}", run.stderr);
        assert!(run.stderr.contains("u{"), "{}", run.stderr);
    }
}

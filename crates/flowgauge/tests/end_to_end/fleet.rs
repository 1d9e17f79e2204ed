//! Many machines: journals merged in any order and any cut, and the answer over them.

use std::fs;
use std::path::Path;

use super::common::{Home, primes};

/// A home with results folders of `count` machines.
fn home_of(count: usize) -> Home {
    let home = Home::new();
    home.write(
        "mine.toml",
        &primes(1_000, &[("process", 2), ("thread", 2)]),
    );
    for machine in 0..count {
        let (out, seed) = (format!("m{machine}"), machine.to_string());
        let line = [
            "run",
            "mine.toml",
            "--rounds",
            "10",
            "--floor",
            "1%",
            "--out",
            &out,
            "--seed",
            &seed,
        ];
        home.run(&line).answered();
    }
    home
}

/// The files of a fleet's folder with their bytes.
fn bytes(home: &Home, folder: &str) -> Vec<(String, Vec<u8>)> {
    fn walk(root: &Path, at: &Path, all: &mut Vec<(String, Vec<u8>)>) {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => walk(root, &path, all),
                false => {
                    let name = path.strip_prefix(root).unwrap().display().to_string();
                    all.push((name, fs::read(&path).unwrap()));
                }
            }
        }
    }
    let root = home.path(folder);
    let mut all = Vec::new();
    walk(&root, &root, &mut all);
    all.sort();
    all
}

#[test]
fn journals_merged_twice_in_any_order_and_cut_give_the_same_bytes() {
    let home = home_of(3);
    let gather = |line: &str| home.run(&line.split(' ').collect::<Vec<_>>());
    let first = gather("fleet gather m0 m1 m2 --out all");
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    assert!(first.words().contains("3 machines"), "{}", first.stdout);
    let whole = bytes(&home, "all");
    let names: Vec<&str> = whole.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "fleet.csv",
            "fleet.html",
            "fleet.json",
            "nodes/m0/journal.jsonl",
            "nodes/m1/journal.jsonl",
            "nodes/m2/journal.jsonl"
        ]
    );
    let again = gather("fleet gather all");
    assert_eq!((again.code, again.stdout), (Some(0), first.stdout));
    assert_eq!(bytes(&home, "all"), whole);

    // Cuts of the same journals first, in another order, and the whole ones later and twice.
    let journal = fs::read(home.path("m1/journal.jsonl")).unwrap();
    fs::create_dir_all(home.path("cut/nodes/m1")).unwrap();
    fs::write(
        home.path("cut/nodes/m1/journal.jsonl"),
        &journal[..journal.len() / 2],
    )
    .unwrap();
    fs::write(home.path("cut/nodes/m1/failed.txt"), "the connection broke").unwrap();
    let cut = gather("fleet gather cut m2 --out other");
    assert_eq!(cut.code, Some(2), "{}", cut.stderr);
    assert!(
        cut.stderr.contains("m1: the connection broke"),
        "{}",
        cut.stderr
    );
    assert!(cut.stderr.contains("--only m1"), "{}", cut.stderr);
    assert_eq!(
        gather("fleet gather m2 m1 m0 cut --out other").code,
        Some(0)
    );
    assert_eq!(gather("fleet gather all m0 --out other").code, Some(0));
    assert_eq!(bytes(&home, "other"), whole);
    home.assert_nothing_left();
}

#[test]
fn every_format_has_every_machine() {
    let home = home_of(3);
    let gather = |more: &str| {
        let line = format!("fleet gather m0 m1 m2 --out all{more}");
        home.run(&line.split(' ').collect::<Vec<_>>())
    };
    let json: serde_json::Value = serde_json::from_str(&gather(" --format json").stdout).unwrap();
    assert_eq!(json["document"], "flowgauge fleet");
    assert_eq!(json["machines"][2]["name"], "m2");
    let one = &json["comparisons"][0];
    assert_eq!(one["each"].as_array().unwrap().len(), 3);
    assert_eq!(one["across"]["machines"], 3);
    let csv = gather(" --format csv").stdout;
    assert_eq!(
        csv::Reader::from_reader(csv.as_bytes()).records().count(),
        3
    );
    assert_eq!(gather(" --format jsonl").stdout.lines().count(), 3);
    let text = gather(" -v --plots plots");
    assert!(text.words().contains("one more machine"), "{}", text.stdout);
    let plots = home.listing("plots");
    assert!(plots.iter().any(|name| name.ends_with(".svg")), "{plots:?}");
    let page = fs::read_to_string(home.path("all/fleet.html")).unwrap();
    assert!(page.contains("m0") && page.contains("<svg"));
}

#[test]
fn what_is_no_fleet_is_refused() {
    let home = home_of(1);
    fs::create_dir_all(home.path("full/of")).unwrap();
    for (line, message) in [
        ("fleet gather m0", "--out DIR"),
        (
            "fleet gather nothing --out x",
            "nothing is no folder of a fleet",
        ),
        ("fleet gather m0 --out full", "holds other files"),
    ] {
        let run = home.run(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(run.code, Some(2), "{line}");
        assert!(run.stderr.contains(message), "{line}: {}", run.stderr);
    }
}

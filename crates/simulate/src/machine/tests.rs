use super::*;
use crate::{builtin, names};

#[test]
fn every_built_in_machine_is_right_and_says_where_its_figures_are_from() {
    for name in names() {
        let machine = builtin(name).unwrap().unwrap();
        assert_eq!(machine.name, name);
        assert!(machine.origins.len() >= 5, "{name}");
    }
    assert!(builtin("no-such-machine").unwrap().is_none());
}

#[test]
fn the_sources_machines_are_those_of_the_source() {
    let t1 = builtin("ultrasparc-t1").unwrap().unwrap();
    assert_eq!((t1.cores, t1.threads_per_core), (8, 4));
    assert_eq!((t1.l1d.sets(), t1.llc.sets()), (128, 4096));
    let nehalem = builtin("xeon-x5570").unwrap().unwrap();
    assert_eq!((nehalem.cores, nehalem.threads_per_core), (4, 2));
    assert_eq!(nehalem.hardware_threads(), 8);
    assert_eq!(nehalem.core_of(5), 2);
    assert_eq!(nehalem.tlb(2, 4 << 10).unwrap().entries, 512);
    assert_eq!(nehalem.tlb(1, 4 << 20).unwrap().entries, 32);
    assert!(nehalem.tlb(2, 4 << 20).is_none());
}

const GOOD: &str = include_str!("../../../../machines/xeon-x5570.toml");

fn read(text: &str) -> MachineError {
    Machine::read("mine", "mine.toml", text).unwrap_err()
}

/// What is said of the machine with one figure replaced.
fn refused(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    read(&GOOD.replacen(from, to, 1)).to_string()
}

#[track_caller]
fn says(said: &str, what: &str) {
    assert!(said.contains(what), "{said}");
}

/// The line of the first place of a text, from 1.
fn line_of(text: &str) -> usize {
    1 + GOOD[..GOOD.find(text).unwrap()].matches('\n').count()
}

#[test]
fn what_a_model_cannot_be_built_from_is_refused_with_its_line() {
    let cases = [
        (
            "size = \"32K\"",
            "size = \"33K\"",
            "l1d: 33K in 8 ways of lines of 64 bytes is 66 sets",
        ),
        ("size = \"32K\"", "size = \"33X\"", "l1d: size 33X"),
        (
            "size = \"32K\"",
            "size = \"64M\"",
            "a cache of 64M is above one of 256K: a lower level holds more",
        ),
        (
            "entries = 512",
            "entries = 8",
            "level 2 has 8 entries and level 1 above it 64",
        ),
        ("ways = 8", "ways = 0", "l1d: ways = 0: use 1 to 32"),
        (
            "line = 64",
            "line = 48",
            "l1d: line = 48: use a power of two",
        ),
        ("line = 64", "line = 128", "longer than those below"),
        ("cores = 4", "cores = 65", "cores = 65: use 1 to 64"),
        (
            "threads_per_core = 2",
            "threads_per_core = 0",
            "threads_per_core = 0",
        ),
        ("\"4K\", \"2M\"", "\"3K\", \"2M\"", "a page of 3K"),
        (
            "shared_by = 4",
            "shared_by = 5",
            "llc: shared_by = 5: use 1 to 4",
        ),
        ("entries = 64", "entries = 66", "entries in 4 ways"),
        ("base = 2.0", "base = 0.0", "an access takes some time"),
        ("memory = 170", "memory = -1", "memory = -1"),
        ("walk = 25", "walk = nan", "walk = NaN: use cycles"),
        ("cores = 4", "cores = -4", "`-4`, expected a whole number"),
        ("cores = 4", "cores = \"four\"", "expected a whole number"),
        ("ways = 8", "ways = 99999999999", "expected a whole number"),
        (
            "\"4K\", \"2M\", \"4M\"",
            "\"4K\", \"4K\", \"4M\"",
            "pages of 4K are named twice",
        ),
        (
            "size = \"8M\"",
            "size = \"2G\"",
            "33554432 lines on all cores: a model has room for 16777216",
        ),
    ];
    for (from, to, expected) in cases {
        let said = refused(from, to);
        says(&said, expected);
        let line = format!("mine.toml, line {}:", line_of(from));
        assert!(said.starts_with(&line), "{said}: {line}");
    }
}

#[test]
fn figures_without_an_origin_and_unknown_keys_are_refused() {
    let source = "source = \"Optimization Reference Manual, Nehalem, cache parameters\"\n\
                  assumed = \"its pseudo-LRU keeps one used bit for each way; no prefetching\"\n";
    says(
        &refused(source, ""),
        "l1d does not say where its figures are from",
    );
    let said = refused("ways = 8", "weighs = 8");
    says(&said, "weighs");
    says(&said, &format!("line {}", line_of("ways = 8")));
    says(&refused(source, "source = \" \"\n"), "l1d does not say");
    says(&refused("l2 = 6\n", ""), "time: l2 is missing");
    let said = refused("pages = [\"2M\", \"4M\"]", "pages = [\"2M\"]");
    says(&said, "no [[dtlb]] of level 1 holds pages of 4M");
}

/// What a model would not use is refused too.
#[test]
fn what_would_be_ignored_is_refused() {
    let (first, second) = GOOD.split_at(GOOD.find("[[dtlb]]\nlevel = 2").unwrap());
    let time = &GOOD[GOOD.find("[time]").unwrap()..];
    let said = read(&[first, time].concat());
    says(&said.what, "l2_tlb is given, and this machine has none");
    let twice = second.replacen("level = 2", "level = 1", 1);
    let said = read(&[first, &twice].concat());
    says(
        &said.what,
        "another [[dtlb]] of level 1 holds pages of 4K too",
    );
    assert_eq!(said.line, line_of("[[dtlb]]\nlevel = 2"));
}

#[test]
fn sizes_are_read_and_shown() {
    for (text, bytes) in [
        ("32K", 32 << 10),
        ("8M", 8 << 20),
        ("1G", 1 << 30),
        ("100", 100),
    ] {
        assert_eq!(read_bytes(text), Some(bytes));
        assert_eq!(show_bytes(bytes), text);
    }
    for text in ["", "K", "1T", "-1", "1.5M", "99999999999G"] {
        assert_eq!(read_bytes(text), None, "{text}");
    }
}

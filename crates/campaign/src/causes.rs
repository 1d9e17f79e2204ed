//! Causes that are planted one by one: is the right one named, a wrong one, or none? A plant is a pair whose difference
//! has one known cause: a command with something more of one kind, or a study of variants that differ in one thing.
//! Commands that no count tells are profiled. What the first screen says below the row is *right* where it names the
//! plant, as the cause, as what differs or as the first place; *wrong* where it claims another cause (one trial in a
//! hundred may); *open* where it names no difference; else *silent*.

use std::path::Path;

use anyhow::Result;
use lab::findings::answers::{About, Line};

use crate::home::Home;
use crate::table::Table;
use crate::trials::Trials;
use crate::{Campaign, cc};

const OUTCOMES: [&str; 4] = ["right", "wrong", "silent", "open"];

struct Plant {
    name: &'static str,
    pair: Pair,
    words: &'static [&'static str],
}

enum Pair {
    More(u32),
    Seen(u32),
    Study(&'static str),
}

const fn more(name: &'static str, amount: u32, words: &'static [&'static str]) -> Plant {
    let pair = Pair::More(amount);
    Plant { name, pair, words }
}

const fn seen(name: &'static str, amount: u32, words: &'static [&'static str]) -> Plant {
    let pair = Pair::Seen(amount);
    Plant { name, pair, words }
}

macro_rules! study {
    ($name:literal, $file:literal, $words:expr) => {
        Plant {
            name: $name,
            pair: Pair::Study(include_str!(concat!(
                "../../lab/tests/recorded/",
                $file,
                ".toml"
            ))),
            words: &$words,
        }
    };
}

const PLANTS: [Plant; 32] = [
    more("faults", 20_000, &["page faults", "in the kernel"]),
    more("memory", 60, &["memory", "page faults", "in the kernel"]),
    more("kernel", 200_000, &["in the kernel"]),
    more("switches", 3_000, &["context switches"]),
    more("waiting", 20_000, &["without a CPU"]),
    more("bytes", 3_000, &["bytes read", "in the kernel"]),
    more("computing", 6_000_000, &["user mode"]),
    seen("held lock", 1_000, &["futex", "in sleep"]),
    seen("wake-ups", 5_000, &["futex", "context switches"]),
    seen("shared line", 1, &["hot_line", "user mode"]),
    seen(
        "shootdowns",
        4_000,
        &["mmap", "page faults", "in the kernel"],
    ),
    seen(
        "allocation",
        100,
        &["memset", "page faults", "malloc", "munmap"],
    ),
    seen("fsync", 20, &["fsync", "disk"]),
    seen("spawns", 20, &["page faults", "child", "exec", "clone"]),
    seen("opens", 10_000, &["open", "in the kernel"]),
    seen("look-ups", 50_000, &["stat", "in the kernel"]),
    seen("polls", 20, &["poll", "without a CPU"]),
    seen("late pipe", 20_000, &["pipe", "in sleep", "without a CPU"]),
    seen(
        "late socket",
        20_000,
        &["socket", "in sleep", "without a CPU"],
    ),
    seen(
        "locked file",
        20_000,
        &["lock of a file", "in sleep", "without a CPU"],
    ),
    seen(
        "protection",
        10_000,
        &["mprotect", "page faults", "in the kernel"],
    ),
    seen("copying", 400, &["memmove", "memcpy", "user mode"]),
    seen(
        "threads",
        1_000,
        &["clone", "create", "page faults", "in the kernel", "futex"],
    ),
    seen("division", 3_000_000, &["divides", "user mode"]),
    study!("copies", "ladder", ["page-table entries"]),
    study!(
        "start-up",
        "per-item",
        ["creates 24", "starting and ending"]
    ),
    study!("imbalance", "uneven", ["last flow"]),
    study!("migrations", "moving", ["moves between CPUs"]),
    study!(
        "address spaces",
        "tables",
        ["address space", "page tables", "starting and ending"]
    ),
    study!("lock of the address space", "mmap", ["address space"]),
    study!("lock of the file table", "dup", ["file table"]),
    study!("twice the work", "planted", ["CPU time"]),
];

pub(crate) fn run(campaign: &mut Campaign) -> Result<Table> {
    let folder = tempfile::tempdir()?;
    let plants = cc::program(folder.path(), "plants", include_str!("plants.c"))?;
    let attempt = |campaign: &mut Campaign, plant: &Plant| plant.attempt(campaign, &plants);
    let of = ("causes", &OUTCOMES[..]);
    let trials = Trials::run(of, campaign, &PLANTS, |plant| plant.name, attempt)?;
    println!("{}", trials.in_words());
    Ok(table(&trials))
}

fn table(trials: &Trials) -> Table {
    let mut table = Table::default();
    for plant in &PLANTS {
        for outcome in ["wrong", "silent", "open"] {
            let (name, of) = (plant.name, (Some(plant.name), outcome));
            let allowed = |tried| if outcome == "wrong" { 0 } else { tried };
            trials.tell(&mut table, &format!("{name}: {outcome}"), of, allowed);
        }
    }
    table
}

impl Plant {
    fn attempt(&self, campaign: &mut Campaign, plants: &Path) -> Result<(&'static str, String)> {
        let home = Home::new()?;
        let budget = match self.pair {
            Pair::More(_) | Pair::Seen(_) => "20s",
            Pair::Study(_) => "60s",
        };
        let command = |amount: u32| format!("{} '{}' {amount}", plants.display(), self.name);
        let line: Vec<String> = match self.pair {
            Pair::More(amount) => vec!["exec".to_owned(), command(0), command(amount)],
            Pair::Seen(amount) => {
                let profile = "--profile=8".to_owned();
                vec!["exec".to_owned(), profile, command(0), command(amount)]
            }
            Pair::Study(text) => {
                home.write("study.toml", text)?;
                vec!["run".to_owned(), "study.toml".to_owned()]
            }
        };
        let line: Vec<&str> = line.iter().map(String::as_str).collect();
        let results = campaign.results(&home, &[&line[..], &["--budget", budget]].concat())?;
        let rows = results.answers().into_iter();
        let lines: Vec<Line> = rows.flat_map(|row| row.below).collect();
        let first = |is: fn(About) -> bool| {
            let found = lines.iter().find(|line| is(line.about));
            found.map_or(String::new(), |line| line.text.clone())
        };
        let cause = first(|about| matches!(about, About::Cause | About::NoCause));
        let place = first(|about| about == About::Where);
        Ok((self.outcome(&cause, &place), format!("{cause} | {place}")))
    }

    fn outcome(&self, said: &str, place: &str) -> &'static str {
        let claimed = said.strip_prefix("cause: ");
        // What differs besides a cause is no part of it.
        let claimed = claimed.and_then(|claimed| claimed.split(';').next());
        let is_right = |said: &str| self.words.iter().any(|word| said.contains(word));
        match claimed {
            _ if said.is_empty() => "open",
            _ if is_right(place) => "right",
            Some(claimed) if is_right(claimed) => "right",
            Some(_) => "wrong",
            None if is_right(said) => "right",
            None => "silent",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_right_wrong_or_silent() {
        let plant = &PLANTS[0];
        for (said, outcome) in [
            (
                "page faults differ 512x; their share of the gap was not measured",
                "right",
            ),
            (
                "cause: CPU time in the kernel, all of the 3.00 ms gap",
                "right",
            ),
            (
                "cause: starting and ending flows, 70 % [60 … 80 %] of the 3.00 ms gap",
                "wrong",
            ),
            (
                "memory differs 4.00x; their share of the gap was not measured",
                "silent",
            ),
            (
                "cause not found: --profile or --events all may show one",
                "silent",
            ),
            ("", "open"),
            (
                "cause: time without a CPU, all of the 3.00 ms gap; page faults differ 9x",
                "wrong",
            ),
        ] {
            assert_eq!(plant.outcome(said, ""), outcome, "{said}");
        }
        let place = "where: 20 ms more: page faults in main (20 ms against 0 ns)";
        assert_eq!(plant.outcome("cause not found", place), "right");
        assert_eq!(plant.outcome("", place), "open");
    }
}

//! Generated and mutated texts against the parsers, and arguments against the command, at random
//! and as a [grid](crate::grid). In this process a panic is caught and counted; more than
//! [`PATIENCE`] of CPU time is a hang. Inputs are real ones (built-in studies, a journal, pages of
//! the generator, requests) with bytes flipped, cut, doubled, replaced by words of the format, or
//! put together from two; and texts of such words alone.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use anyhow::Result;
use lab::{Expectation, Preset, Results};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use nix::time::{ClockId, clock_gettime};

use crate::Campaign;
use crate::grid::Grid;
use crate::home::{Home, end_of, program};
use crate::table::Table;

const PATIENCE: Duration = Duration::from_secs(5);
/// What takes longer than this hangs, however busy the machine is.
const STARVED: Duration = Duration::from_secs(60);
/// Inputs of each parser between two commands.
const AT_ONCE: usize = 400;

const WORDS: [&str; 48] = [
    "schema",
    "=",
    "[[case]]",
    "[case.work]",
    "\"",
    "'''",
    "-1",
    "0",
    "1e308",
    "nan",
    "inf",
    "18446744073709551616",
    "99999999999999999s",
    "4x2",
    "0x0",
    "fiber/0",
    "\u{202e}",
    "\0",
    "{{",
    "}}",
    "[[",
    "]]",
    "{|",
    "|}",
    "|-",
    "'''''",
    "<ref>",
    "</ref>",
    "<nowiki>",
    "==",
    "\n",
    "\r\n",
    ":",
    "*",
    "#",
    "GET /wiki/",
    " HTTP/1.1\r\n\r\n",
    "%zz",
    "Content-Length: 1",
    "{",
    "}",
    "null",
    "\"line\":\"slot\"",
    "flows",
    "work",
    "é",
    "漢",
    "\t",
];

type Parser<'a> = (&'a str, &'a [Vec<u8>], fn(&str));

pub(crate) fn run(campaign: &mut Campaign) -> Result<Table> {
    let mut table = Table::default();
    // What a panic says is in the table.
    std::panic::set_hook(Box::new(|_| {}));
    let home = Home::new()?;
    let journal = real_journal(&home)?;
    let studies: Vec<Vec<u8>> = studies();
    let pages: Vec<Vec<u8>> = workload::wiki::generated(20, 4 << 10, 1)
        .into_iter()
        .map(|page| page.text.into_bytes())
        .collect();
    let requests = [
        b"GET /wiki/a%20b HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(),
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc".to_vec(),
    ];
    let expectations = ["primes/thread <= process * 1.1", "switch/fiber@1000 <= 2ns"];
    let expectations = expectations.map(|text| text.as_bytes().to_vec());
    let path = home.path("journal.jsonl");
    let mut grid = Grid::new(campaign, &journal)?;
    let parsers: [Parser; 5] = [
        ("study", &studies, |text| {
            drop(lab::study::parse(text, "fuzzed.toml", Preset::Quick));
        }),
        ("wikitext", &pages, |text| {
            drop(workload::wiki::html_of(text));
        }),
        ("request", &requests, |text| {
            let _either = workload::server::is_http(text.as_bytes());
        }),
        ("expectation", &expectations, |text| {
            drop(text.parse::<Expectation>());
        }),
        ("model and placement", &expectations, |text| {
            drop(text.parse::<flow::Model>());
            drop(text.parse::<flow::Placement>());
        }),
    ];
    let journals = std::slice::from_ref(&journal);
    // However long the preparation took, each kind of input is tried.
    let mut is_first = true;
    while std::mem::take(&mut is_first) || campaign.goes_on() {
        for (name, seeds, parse) in std::iter::repeat_n(parsers, AT_ONCE).flatten() {
            feed(campaign, &mut table, name, seeds, parse);
        }
        for _ in 0..AT_ONCE / 40 {
            feed(campaign, &mut table, "journal", journals, |text| {
                if std::fs::write(&path, text).is_ok() {
                    drop(Results::from_journal(&path));
                }
            });
        }
        arguments(campaign, &mut table)?;
        (0..AT_ONCE).try_for_each(|_| grid.step(&mut table))?;
    }
    Ok(table)
}

fn studies() -> Vec<Vec<u8>> {
    let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../studies"));
    let folders = std::fs::read_dir(root).into_iter().flatten().flatten();
    let files = folders.map(|folder| folder.path().join("study.toml"));
    let mut files: Vec<_> = files.collect();
    files.sort();
    files
        .iter()
        .filter_map(|file| std::fs::read(file).ok())
        .collect()
}

pub(crate) fn real_journal(home: &Home) -> Result<Vec<u8>> {
    let line = [
        "primes", "-p", "2", "-t", "2", "-b", "1000", "--rounds", "2", "--out", "out",
    ];
    home.command(&program()?, &line).status()?;
    Ok(std::fs::read(home.path("out/journal.jsonl"))?)
}

fn feed(
    campaign: &mut Campaign,
    table: &mut Table,
    name: &str,
    seeds: &[Vec<u8>],
    parse: impl FnOnce(&str),
) {
    let bytes = mutated(campaign, seeds);
    let text = String::from_utf8_lossy(&bytes);
    let begun = cpu_time();
    let panicked = catch_unwind(AssertUnwindSafe(|| parse(&text))).is_err();
    let fell = match (panicked, cpu_time().saturating_sub(begun) > PATIENCE) {
        (true, _) => Some("it panicked"),
        (false, true) => Some("it took more than 5 s of CPU"),
        (false, false) => None,
    };
    let said = fell.map(|fell| {
        let head: String = text.chars().take(300).collect();
        format!("{fell} on {} bytes: {head:?}", text.len())
    });
    table.tried(name, said);
}

fn cpu_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

fn cpu_time_of_children() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN);
    usage.map_or(Duration::ZERO, |usage| {
        let seconds = [usage.user_time(), usage.system_time()];
        let micros = seconds.map(|time| time.num_microseconds().unsigned_abs());
        Duration::from_micros(micros.iter().sum())
    })
}

fn mutated(campaign: &mut Campaign, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = match campaign.below(8) {
        0 => Vec::new(),
        _ => campaign.choose(seeds).clone(),
    };
    for _ in 0..=campaign.below(6) {
        let (from, to) = (
            campaign.below(bytes.len() + 1),
            campaign.below(bytes.len() + 1),
        );
        let (from, to) = (from.min(to), from.max(to));
        match campaign.below(7) {
            0 => bytes.truncate(to),
            1 => drop(bytes.drain(from..to.min(from + 200))),
            2 if from < bytes.len() => bytes[from] ^= 1 << campaign.below(8),
            3 => {
                let part = bytes[from..to.min(from + 2_000)].to_vec();
                (0..campaign.below(4)).for_each(|_| drop(bytes.splice(from..from, part.clone())));
            }
            4 => {
                let other = campaign.choose(seeds);
                bytes.truncate(from);
                bytes.extend_from_slice(&other[other.len().min(to)..]);
            }
            5 => {
                let word = campaign.choose(&WORDS).repeat(1 + campaign.below(300));
                drop(bytes.splice(from..from, word.into_bytes()));
            }
            _ => {
                let words = (0..campaign.below(30)).map(|_| *campaign.choose(&WORDS));
                let words: String = words.collect();
                drop(bytes.splice(from..from, words.into_bytes()));
            }
        }
        bytes.truncate(200_000);
    }
    bytes
}

fn arguments(campaign: &mut Campaign, table: &mut Table) -> Result<()> {
    const COMMANDS: &str = "report compare run completions machine man x";
    const OPTIONS: &str = "--format json csv --out --plots --resume --expect --floor --help --version --rounds \
                           missing.toml";
    let [commands, options] = [COMMANDS, OPTIONS].map(|words| words.split(' ').collect::<Vec<_>>());
    let home = Home::new()?;
    let mut line = vec![*campaign.choose(&commands)];
    for _ in 0..1 + campaign.below(6) {
        line.push(match campaign.below(2) {
            0 => *campaign.choose(&options),
            _ => *campaign.choose(&WORDS),
        });
    }
    if line[0] == "run" {
        line.push("missing.toml");
    }
    let line: Vec<&str> = line
        .into_iter()
        .filter(|word| !word.contains('\0'))
        .collect();
    let before = cpu_time_of_children();
    let mut child = home.command(&program()?, &line).spawn()?;
    let status = end_of(&mut child, STARVED);
    let took = cpu_time_of_children().saturating_sub(before);
    let fell = match status.map(|status| status.code()) {
        None => Some("it took more than a minute".to_owned()),
        Some(_) if took > PATIENCE => Some("it took more than 5 s of CPU".to_owned()),
        Some(Some(0..=3)) => home.left().map(|left| format!("left: {left}")),
        Some(code) => Some(format!("it ended with {code:?}")),
    };
    table.tried("arguments", fell.map(|fell| format!("{fell}: {line:?}")));
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn whatever_is_written_in_a_study_is_read_or_refused(text in "\\PC{0,400}") {
            drop(lab::study::parse(&text, "any.toml", Preset::Quick));
        }

        #[test]
        fn whatever_is_written_on_a_page_becomes_html(text in "([\\[\\]{}|'=<>*#:;\\n]|[a-z ]{1,4}){0,200}") {
            drop(workload::wiki::html_of(&text));
        }

        #[test]
        fn whatever_comes_over_a_connection_is_read_or_refused(bytes: Vec<u8>) {
            let _either = workload::server::is_http(&bytes);
        }

        #[test]
        fn whatever_is_expected_is_read_or_refused(text in "\\PC{0,60}") {
            drop(text.parse::<Expectation>());
        }
    }
}

//! Counts traces that `--simulate MACHINE,keep=DIR` kept, for another machine, and how fast that is:
//!
//! ```text
//! cargo run --release -p flowgauge-simulate --example count_traces -- DIR/0000-thread-8 ultrasparc-t1 4M cores
//! ```
//!
//! A folder, a machine that is built in, the size of pages, and where flows go first (`cores`, `smt`).
//! The first quarter of what was recorded of a flow warms caches up, as in a slot. It prints each
//! count, scaled to all accesses; then, by CPU time, so that other work on the machine matters little:
//!
//! * `accesses_per_cpu_us`: millions of accesses a second, and over the goal of 60;
//! * `over_reading`: the CPU time of the model over that of reading the same traces and no more;
//! * `peak_kib`: the peak of memory, and over the goal of 200 MB.

#![allow(clippy::print_stdout, reason = "what it prints is what it is for")]

use std::fs::{self, File};
use std::io::{Error, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use simulate::trace::{Reader, Token, accesses_at_end};
use simulate::{Counts, Machine, Merged, Rule, Trace, builtin, merge, read_bytes};

/// Recorded accesses of a flow at the most, as they were asked for by `window`.
const WINDOW: u64 = 16 << 20;
/// How traces are merged where nothing else is asked for.
const RULE: Rule = Rule {
    order: 0,
    turn: 100,
    slice: 1_000,
    timeslice: 256 << 10,
};

/// Millions of accesses a second that are to be reached, and KiB of memory that are not.
const GOAL_PER_US: f64 = 60.0;
const GOAL_KIB: f64 = 200_000.0;

/// One of the counts.
type Of = fn(&Counts) -> u64;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [folder, machine, page, along] = words.as_slice() else {
        return Err("usage: count_traces DIR MACHINE PAGES cores|smt".into());
    };
    let machine = builtin(machine)?.ok_or("no such machine")?;
    let page = read_bytes(page).ok_or("no such size of pages")?;
    let folder = Path::new(folder);
    let (accesses, reading) = cpu_us(|| read(folder))?;
    let (merged, took) = cpu_us(|| counted(folder, &machine, page, along == "smt"))?;
    let counts: [(&str, Of); 7] = [
        ("accesses", |counts| counts.accesses),
        ("l1d", |counts| counts.l1d),
        ("l2", |counts| counts.l2),
        ("llc", |counts| counts.llc),
        ("dtlb", |counts| counts.dtlb),
        ("walks", |counts| counts.walks),
        ("taken", |counts| counts.taken),
    ];
    for (name, of) in counts {
        println!("{name},{}", merged.total(of));
    }
    println!("time_ns,{}", merged.time_ns);
    println!("pages,{}", merged.pages.touched);
    println!("pages_several,{}", merged.pages.by_several);
    println!("pages_written,{}", merged.pages.written_by_several);
    println!("lines_several,{}", merged.lines.by_several);
    println!("lines_written,{}", merged.lines.written_by_several);
    println!("counted_share,{}", merged.counted());
    let run: u64 = merged.flows.iter().map(|flow| flow.counts.accesses).sum();
    println!("counted_accesses,{run}");
    let rate = accesses as f64 / took;
    println!("accesses_per_cpu_us,{rate}");
    println!("over_goal,{}", rate / GOAL_PER_US);
    println!("over_reading,{}", took / reading);
    let peak: f64 = peak()?.parse()?;
    println!("peak_kib,{peak}");
    println!("peak_over_goal,{}", peak / GOAL_KIB);
    Ok(())
}

/// What is done, and the CPU time that it takes, in microseconds.
fn cpu_us<T>(what: impl FnOnce() -> Result<T, Error>) -> Result<(T, f64), Error> {
    let now = || -> Result<f64, Error> {
        let text = fs::read_to_string("/proc/self/schedstat")?;
        let ns = text.split_whitespace().next().unwrap_or_default();
        Ok(ns.parse::<f64>().map_err(Error::other)? / 1e3)
    };
    let began = now()?;
    let done = what()?;
    Ok((done, now()? - began))
}

/// Reads every token: how many accesses were recorded.
fn read(folder: &Path) -> Result<u64, Error> {
    let mut accesses = 0;
    for path in files(folder)? {
        let mut reader = Reader::new(File::open(path)?).map_err(Error::other)?;
        while let Some(token) = reader.token().map_err(Error::other)? {
            if let Token::Access(access) = token {
                accesses += access.times;
            }
        }
    }
    Ok(accesses)
}

/// The traces of a folder.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|path| {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        name.iter().all(u8::is_ascii_digit)
    });
    files.sort();
    Ok(files)
}

fn counted(folder: &Path, machine: &Machine, page: u64, smt: bool) -> Result<Merged, Error> {
    let files = files(folder)?;
    let traces = files.iter().map(|path| trace(path));
    let traces: Vec<Trace<File>> = traces.collect::<Result<_, _>>()?;
    let (cores, threads) = (
        u64::from(machine.cores),
        u64::from(machine.threads_per_core),
    );
    let room = cores * threads;
    let place = |flow: u64| {
        let flow = flow % room;
        let on = match smt {
            true => flow,
            false => flow % cores * threads + flow / cores,
        };
        u32::try_from(on).ok()
    };
    merge(machine, page, RULE, traces, place, &|| false).map_err(Error::other)
}

/// A trace with its warm-up: a quarter of what was recorded.
fn trace(path: &Path) -> Result<Trace<File>, Error> {
    let mut tokens = File::open(path)?;
    tokens.seek(SeekFrom::Start(tokens.metadata()?.len().saturating_sub(16)))?;
    let mut tail = Vec::new();
    tokens.read_to_end(&mut tail)?;
    tokens.rewind()?;
    let recorded = accesses_at_end(&tail).unwrap_or(0).min(WINDOW);
    let warm = recorded / 4;
    Ok(Trace {
        tokens,
        warm,
        most: u64::MAX,
    })
}

/// The peak of this process's memory, in KiB.
fn peak() -> Result<String, Error> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    Ok(line
        .unwrap_or_default()
        .trim()
        .trim_end_matches(" kB")
        .to_owned())
}

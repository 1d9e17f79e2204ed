//! Makes the folder of a fleet from one journal, to see how long a large fleet takes to gather:
//!
//! ```text
//! flowgauge run primes workers switch search scaling sharing creating allocators --rounds 10 --out one
//! cargo run --release -p flowgauge-lab --example made_fleet -- one/journal.jsonl fleet 1000
//! /usr/bin/time -v flowgauge fleet gather fleet
//! ```
//!
//! The times of every machine are those of the journal, each variant's multiplied by a factor of the
//! machine; half of the machines have another kernel, on which the second variant is slower. The
//! figures mean nothing; how many there are does.
#![allow(clippy::print_stdout, reason = "an example says what it made")]

use std::error::Error;
use std::fs;
use std::path::Path;

use flow::Answer;
use lab::{Entry, Header};
use measure::Measured;
use serde::Serialize;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [journal, out, machines] = words.as_slice() else {
        return Err("usage: made_fleet JOURNAL FOLDER MACHINES".into());
    };
    let text = fs::read_to_string(journal)?;
    let (header, lines) = text.split_once('\n').ok_or("the journal is empty")?;
    let header: Header = serde_json::from_str(header)?;
    let entries = lines.lines().map(serde_json::from_str);
    let entries: Vec<Entry> = entries.collect::<Result<_, _>>()?;
    let machines: u32 = machines.parse()?;
    for machine in 0..machines {
        let folder = Path::new(out).join(format!("nodes/node{machine:04}"));
        fs::create_dir_all(&folder)?;
        let text = made(header.clone(), &entries, machine)?;
        fs::write(folder.join(lab::journal::FILE_NAME), text)?;
    }
    println!("{machines} machines of {} bytes each in {out}", text.len());
    Ok(())
}

/// The journal of a machine, as a run there would have written it.
fn made(mut header: Header, entries: &[Entry], machine: u32) -> serde_json::Result<Vec<u8>> {
    let old = machine.is_multiple_of(2);
    let own = 1.0 + 0.03 * f64::from(machine % 7) / 7.0;
    header.machine.host = Measured::Value(format!("node{machine:04}"));
    let release = if old { "6.1.0" } else { "6.18.0" };
    header.machine.kernel.release = Measured::Value(release.to_owned());
    let mut text = Vec::new();
    write(&header, &mut text)?;
    for entry in entries {
        let mut entry = entry.clone();
        if let Entry::Slot(slot) = &mut entry
            && slot.variant > 0
            && let Answer::Done(record) = &mut slot.outcome.answer
        {
            for rep in &mut record.reps {
                for ns in [&mut rep.create_ns, &mut rep.steady_ns, &mut rep.teardown_ns] {
                    *ns = (*ns as f64 * own * if old { 1.1 } else { 1.0 }) as u64;
                }
            }
        }
        write(&entry, &mut text)?;
    }
    Ok(text)
}

fn write(line: &impl Serialize, to: &mut Vec<u8>) -> serde_json::Result<()> {
    serde_json::to_writer(&mut *to, line)?;
    to.push(b'\n');
    Ok(())
}

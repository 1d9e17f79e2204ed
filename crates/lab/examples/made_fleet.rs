//! Makes the folder of a fleet from one journal, to see how long a large fleet takes to gather:
//!
//! ```text
//! flowgauge run primes workers switch search scaling sharing creating allocators --rounds 10 --out one
//! cargo run --release -p lab --example made_fleet -- one/journal.jsonl fleet 1000
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

use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [journal, out, machines] = words.as_slice() else {
        return Err("usage: made_fleet JOURNAL FOLDER MACHINES".into());
    };
    let text = fs::read_to_string(journal)?;
    let lines: Vec<Value> = text
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    let machines: u32 = machines.parse()?;
    for machine in 0..machines {
        let folder = Path::new(out).join(format!("nodes/node{machine:04}"));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("journal.jsonl"), made(&lines, machine)?)?;
    }
    println!("{machines} machines of {} bytes each in {out}", text.len());
    Ok(())
}

/// The journal of a machine.
fn made(lines: &[Value], machine: u32) -> Result<String, Box<dyn Error>> {
    let old = machine.is_multiple_of(2);
    let own = 1.0 + 0.03 * f64::from(machine % 7) / 7.0;
    let mut text = String::new();
    for line in lines {
        let mut line = line.clone();
        if let Some(header) = line.get_mut("machine") {
            header["host"] = json!({ "value": format!("node{machine:04}") });
            header["kernel"]["release"] = json!({ "value": if old { "6.1.0" } else { "6.18.0" } });
        }
        let subject = line.get("variant").and_then(Value::as_u64).unwrap_or(0) > 0;
        if let Some(outcome) = line.get_mut("outcome").filter(|_| subject) {
            times(outcome, if old { own * 1.1 } else { own });
        }
        text.push_str(&serde_json::to_string(&line)?);
        text.push('\n');
    }
    Ok(text)
}

/// Multiplies the phases of repetitions.
fn times(value: &mut Value, factor: f64) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| times(item, factor)),
        Value::Object(fields) => {
            for (name, field) in fields {
                match (name.as_str(), field.as_u64()) {
                    ("create_ns" | "steady_ns" | "teardown_ns", Some(ns)) => {
                        *field = json!((ns as f64 * factor) as u64);
                    }
                    _ => times(field, factor),
                }
            }
        }
        _ => {}
    }
}

//! The machine that `--simulate` names, and the emulator that it needs.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail, ensure};
use flow::{Emulator, Simulation};
use lab::Preset;
use machine::topology::Cache;
use simulate::{Machine, show_bytes};

use crate::args::Simulated;
use crate::preload;

/// Accesses of a hardware thread before the next one of its core has its turn.
const TURN: u64 = 100;
/// Accesses of a flow that are recorded at the most, in the quick preset and in the full one.
const WINDOW: [u64; 2] = [2 << 20, 16 << 20];
/// The name of this machine.
const HOST: &str = "host";

/// The emulator with the recorder.
pub(crate) fn emulator() -> Result<Emulator> {
    Emulator::find(preload::recorder()?).map_err(|message| anyhow!("--simulate: {message}"))
}

/// What is to be simulated, if it can be here.
pub(crate) fn simulation(asked: &Simulated, preset: Preset) -> Result<Simulation> {
    let machine = machine(&asked.machine)?;
    let page = asked.pages.unwrap_or(machine.pages[0]);
    let sizes = machine.pages.iter().map(|page| show_bytes(*page));
    let sizes = sizes.collect::<Vec<_>>().join(", ");
    ensure!(
        machine.pages.contains(&page),
        "--simulate: {} has no pages of {}: use {sizes}",
        machine.name,
        show_bytes(page)
    );
    emulator()?;
    Ok(Simulation {
        page,
        turn: asked.turn.unwrap_or(TURN),
        window: asked
            .window
            .unwrap_or(WINDOW[usize::from(preset == Preset::Full)]),
        machine,
    })
}

/// A machine by its name, or from a file.
fn machine(name: &str) -> Result<Machine> {
    if name == HOST {
        let text = host(&machine::Machine::read())?;
        return Ok(Machine::read(HOST, HOST, &text)?);
    }
    if let Some(machine) = simulate::builtin(name)? {
        return Ok(machine);
    }
    let path = Path::new(name);
    if path.extension().is_none_or(|extension| extension != "toml") {
        let known = simulate::names().collect::<Vec<_>>().join(", ");
        bail!(
            "--simulate: no machine '{name}': use {known}, {HOST}, or a file whose name ends in .toml"
        );
    }
    let text =
        std::fs::read_to_string(path).with_context(|| format!("--simulate: cannot read {name}"))?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    Ok(Machine::read(&stem, name, &text)?)
}

/// This machine as a description: what the kernel tells, and what it does not is assumed.
fn host(machine: &machine::Machine) -> Result<String> {
    let topology = &machine.topology;
    let caches = topology.caches.value();
    let caches = caches.context("--simulate host: this machine does not describe its caches")?;
    let level = |level: u32| {
        let data = |cache: &&Cache| cache.level == level && cache.kind != "Instruction";
        caches.iter().find(data)
    };
    let levels = [level(1), level(2), level(3)];
    let [Some(l1d), second, third] = levels else {
        bail!("--simulate host: this machine does not describe a first-level data cache");
    };
    let (l2, llc) = match (second, third) {
        (l2, Some(llc)) => (l2, llc),
        (Some(llc), None) => (None, llc),
        (None, None) => (None, l1d),
    };
    let threads = topology.threads_per_core() as u32;
    let cores = topology.core_count() as u32;
    let mhz = machine.processor.mhz.value().copied().unwrap_or(1000.0);
    let shared_by = (llc.cpus.len() as u32 / threads).clamp(1, cores);
    let mut text = format!(
        "about = \"this machine\"\ncores = {cores}\nthreads_per_core = {threads}\n\
         clock_mhz = {}\npages = [\"4K\", \"2M\"]\ntlb_entries_belong_to = \"hardware-thread\"\n\
         source = \"the kernel, in /sys/devices/system/cpu\"\n",
        mhz.round().max(1.0)
    );
    for (name, cache, more) in [
        ("l1d", Some(l1d), String::new()),
        ("l2", l2, String::new()),
        ("llc", Some(llc), format!("shared_by = {shared_by}\n")),
    ] {
        if let Some(cache) = cache {
            text.push_str(&table(name, cache, &more)?);
        }
    }
    let assumed = "what usual server cores of today have: the kernel does not tell";
    for (level, entries, ways) in [(1, 64, 4), (2, 2048, 8)] {
        writeln!(
            text,
            "[[dtlb]]\nlevel = {level}\npages = [\"4K\", \"2M\"]\nentries = {entries}\n\
             ways = {ways}\nassumed = \"{assumed}\""
        )?;
    }
    let l2 = if l2.is_some() { "l2 = 10\n" } else { "" };
    writeln!(
        text,
        "[time]\nbase = 1.0\n{l2}llc = 50\nmemory = 300\nl2_tlb = 7\nwalk = 30\nassumed = \"{assumed}\""
    )?;
    Ok(text)
}

/// A cache of this machine. Where its sets are no power of two, its ways are made to fit.
fn table(name: &str, cache: &Cache, more: &str) -> Result<String> {
    let unknown = || format!("--simulate host: the kernel does not tell the size of {name}");
    let (bytes, line) = (cache.bytes.with_context(unknown)?, cache.line.unwrap_or(64));
    let told = cache.ways.filter(|ways| *ways > 0);
    let fits = |ways: &u64| {
        let way = ways * line;
        bytes.is_multiple_of(way) && (bytes / way).is_power_of_two()
    };
    let ways = told.filter(fits).or_else(|| (8..=32).find(fits));
    let ways = ways.with_context(|| {
        format!("--simulate host: {name} of {bytes} bytes has no number of ways that gives a power of two of sets")
    })?;
    let assumed = match told == Some(ways) {
        true => "pseudo-LRU by used bits; no prefetching".to_owned(),
        false => format!("{ways} ways; pseudo-LRU by used bits; no prefetching"),
    };
    Ok(format!(
        "[{name}]\nsize = \"{}\"\nways = {ways}\nline = {line}\npolicy = \"pseudo-lru\"\n{more}\
         source = \"the kernel, in /sys/devices/system/cpu\"\nassumed = \"{assumed}\"\n",
        show_bytes(bytes)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::topology::Topology;
    use measure::Measured;

    fn cache(level: u32, bytes: u64, ways: Option<u64>) -> Cache {
        Cache {
            level,
            kind: if level == 1 { "Data" } else { "Unified" }.to_owned(),
            bytes: Some(bytes),
            line: Some(64),
            ways,
            cpus: (0..8).collect(),
        }
    }

    #[test]
    fn a_machine_is_described_by_what_its_kernel_tells() {
        let caches = vec![
            cache(1, 48 << 10, Some(12)),
            cache(2, 2 << 20, None),
            cache(3, 30 << 20, Some(20)),
        ];
        let here = machine::Machine {
            topology: Topology {
                caches: Measured::Value(caches),
                ..Topology::of_cores(4, 2)
            },
            ..machine::Machine::read()
        };
        let text = host(&here).unwrap();
        let machine = Machine::read(HOST, HOST, &text).unwrap();
        assert_eq!((machine.cores, machine.threads_per_core), (4, 2));
        assert_eq!(machine.l1d.ways, 12);
        assert_eq!(machine.llc.bytes, 30 << 20);
        assert!(machine.llc.sets().is_power_of_two());
        assert_eq!(machine.llc.shared_by, 4);
    }

    #[test]
    fn a_machine_that_nobody_knows_is_refused_with_those_there_are() {
        let said = machine("pentium").unwrap_err().to_string();
        assert!(said.contains("ultrasparc-t1, xeon-x5570"), "{said}");
        assert!(machine("no-such-file.toml").is_err());
    }
}

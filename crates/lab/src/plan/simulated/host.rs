//! This machine as a description of one to simulate; what the kernel does not tell is assumed.

use std::cmp::Reverse;
use std::fmt::Write;

use machine::topology::Cache;
use simulate::show_bytes;

pub(super) fn described(machine: &machine::Machine) -> Result<String, String> {
    let topology = &machine.topology;
    let caches = topology.caches.value();
    let caches = caches.ok_or("this machine does not describe its caches")?;
    let level = |level: u32| {
        let data = |cache: &&Cache| cache.level == level && cache.kind != "Instruction";
        caches.iter().find(data)
    };
    let levels = [level(1), level(2), level(3)];
    let [Some(l1d), second, third] = levels else {
        return Err("this machine does not describe a first-level data cache".to_owned());
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
        let _never_fails = writeln!(
            text,
            "[[dtlb]]\nlevel = {level}\npages = [\"4K\", \"2M\"]\nentries = {entries}\n\
             ways = {ways}\nassumed = \"{assumed}\""
        );
    }
    let l2 = if l2.is_some() { "l2 = 10\n" } else { "" };
    let _never_fails = writeln!(
        text,
        "[time]\nbase = 1.0\n{l2}llc = 50\nmemory = 300\nl2_tlb = 7\nwalk = 30\nassumed = \"{assumed}\""
    );
    Ok(text)
}

/// Ways, then the size, are adjusted until sets are a power of two: hashes take any number.
fn table(name: &str, cache: &Cache, more: &str) -> Result<String, String> {
    let unknown = || format!("the kernel does not tell the size of {name}");
    let (told, line) = (cache.bytes.ok_or_else(unknown)?, cache.line.unwrap_or(64));
    let size = |ways: u64| match told / (ways * line) {
        0 => 0,
        sets => ways * line * (1 << sets.ilog2()),
    };
    let own = cache.ways.filter(|ways| *ways > 0);
    let fits = own.filter(|&ways| size(ways) == told);
    let usual = own.unwrap_or(16);
    let nearest = |ways: &u64| (size(*ways), Reverse(ways.abs_diff(usual)));
    let ways = fits.or_else(|| (8..=32).max_by_key(nearest));
    let ways = ways.unwrap_or(8);
    let bytes = size(ways);
    let mut assumed = "pseudo-LRU by used bits; no prefetching".to_owned();
    if own != Some(ways) {
        assumed = format!("{ways} ways; {assumed}");
    }
    if bytes != told {
        assumed = format!("{} of {}; {assumed}", show_bytes(bytes), show_bytes(told));
    }
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

    /// A last level of 260 MiB has 65 times a power of two of lines: `--simulate host` was refused.
    #[test]
    fn a_cache_of_any_number_of_sets_is_taken_a_little_smaller() {
        let text = table("llc", &cache(3, 260 << 20, Some(20)), "").unwrap();
        assert!(text.contains("ways = 16\n"), "{text}");
        assert!(text.contains("256M of 260M; 16 ways"), "{text}");
        let text = table("l1d", &cache(1, 48 << 10, Some(12)), "").unwrap();
        assert!(text.contains("assumed = \"pseudo-LRU"), "{text}");
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
        let text = described(&here).unwrap();
        let machine = simulate::Machine::read("host", "host", &text).unwrap();
        assert_eq!((machine.cores, machine.threads_per_core), (4, 2));
        assert_eq!(machine.l1d.ways, 12);
        assert_eq!(machine.llc.bytes, 30 << 20);
        assert!(machine.llc.sets().is_power_of_two());
        assert_eq!(machine.llc.shared_by, 4);
    }
}

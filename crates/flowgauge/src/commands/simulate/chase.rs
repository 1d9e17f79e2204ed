//! `flowgauge simulate MACHINE --chase`: where the model's levels end, beside this machine's
//! measured ones. The chases are those of `flowgauge machine --probe`, on small and on large pages.
//! At a *knee* a step costs 1.5 times that of half the pages.

use anyhow::Result;
use lab::simulated::HOST;
use machine::Machine as Here;
use machine::probe::Probe;
use serde::Serialize;
use simulate::{Chase, Machine, show_bytes};

use crate::args::{Format, SimulateArgs};
use crate::ending::Ending;
use crate::output::{print, tell};

const STEPS: u64 = 200_000;
/// Such a multiple of the last cache is nearly uncached.
const BEYOND: u64 = 4;
const SMALL: u64 = 4096;
const FEWEST: u64 = 16;
const DOUBLED: u32 = 13;
const KNEE: f64 = 1.5;

#[derive(Debug, Serialize)]
struct Row {
    simulated_machine: String,
    over: String,
    bytes: u64,
    page: u64,
    simulated_ns: f64,
    measured_ns: Option<f64>,
    l1d_misses: f64,
    llc_misses: f64,
    dtlb_misses: f64,
    page_walks: f64,
}

pub(super) fn run(args: &SimulateArgs, machine: &Machine) -> Result<Ending> {
    let probe = (machine.name == HOST).then(|| {
        tell("Trying the memory: some seconds");
        Here::read().probed().probe
    });
    let probe = probe.flatten();
    let mut rows = levels(machine, probe.as_ref());
    for page in machine.pages.iter().filter(|page| **page <= LARGE) {
        rows.extend(reach(machine, *page, probe.as_ref()));
    }
    print(&match args.format {
        Format::Text => text(machine, &rows),
        Format::Json => serde_json::to_string_pretty(&rows)? + "\n",
        Format::Jsonl => {
            let lines = rows.iter().map(serde_json::to_string);
            lines.collect::<Result<Vec<_>, _>>()?.join("\n") + "\n"
        }
        Format::Csv => csv(&rows),
    })?;
    Ok(Ending::Answered)
}

const LARGE: u64 = 2 << 20;

fn levels(machine: &Machine, probe: Option<&Probe>) -> Vec<Row> {
    let pages = machine.pages.iter().filter(|page| **page <= LARGE);
    let page = pages.max().copied().unwrap_or(machine.pages[0]);
    let caches = [
        ("half of L1D", Some(machine.l1d)),
        ("half of L2", machine.l2),
        ("half of LLC", Some(machine.llc)),
    ];
    let halves = caches.map(|(name, cache)| Some((name, cache?.bytes / 2)));
    let beyond = ("memory", BEYOND * machine.llc.bytes);
    let all = halves.into_iter().flatten().chain([beyond]);
    let rows = all.map(|(name, bytes)| {
        let caches = probe.and_then(|probe| probe.caches.value());
        let caches = caches.into_iter().flatten();
        let memory = probe.map(|probe| &probe.memory);
        let measured = caches.chain(memory).find(|level| level.bytes == bytes);
        let ns = measured.and_then(|level| Some(level.answer.value()?.ns));
        row(machine, page, (name.to_owned(), Chase::over(bytes)), ns)
    });
    rows.collect()
}

fn reach(machine: &Machine, page: u64, probe: Option<&Probe>) -> Vec<Row> {
    let counts = (0..DOUBLED).map(|times| FEWEST << times);
    let rows = counts.map(|cells| {
        let points = probe.and_then(|probe| probe.reach.value());
        let mut points = points.into_iter().flat_map(|reach| &reach.points);
        let point = points.find(|point| point.pages == cells);
        let measured = point.and_then(|point| match page {
            SMALL => Some(point.small_ns),
            LARGE => Some(point.huge_ns),
            _ => None,
        });
        let apart = SMALL;
        let name = format!("{cells} x 4K, {} pages", show_bytes(page));
        row(machine, page, (name, Chase { cells, apart }), measured)
    });
    rows.collect()
}

fn row(
    machine: &Machine,
    page: u64,
    (over, chase): (String, Chase),
    measured_ns: Option<f64>,
) -> Row {
    let step = chase.through(machine, page, STEPS);
    Row {
        simulated_machine: machine.name.clone(),
        over,
        bytes: chase.cells * chase.apart,
        page,
        simulated_ns: step.ns,
        measured_ns,
        l1d_misses: step.l1d,
        llc_misses: step.llc,
        dtlb_misses: step.dtlb,
        page_walks: step.walks,
    }
}

fn knees(rows: &[&Row], ns: impl Fn(&Row) -> Option<f64>) -> Vec<u64> {
    let pairs = rows.windows(2).filter_map(|pair| {
        let is_knee = ns(pair[1])? >= KNEE * ns(pair[0])?;
        is_knee.then_some(pair[1].bytes / SMALL)
    });
    pairs.collect()
}

fn shown(ns: Option<f64>) -> String {
    ns.map_or("n/a".to_owned(), |ns| format!("{ns:.1} ns"))
}

fn text(machine: &Machine, rows: &[Row]) -> String {
    let mut text = format!(
        "simulated: {}: a chase over more and more memory, a step\n\n  {:<24}{:>12}{:>12}{:>8}{:>8}\
         {:>8}{:>8}\n",
        machine.name, "over", "simulated", "measured", "L1D", "LLC", "DTLB", "walks"
    );
    for row in rows {
        text.push_str(&format!(
            "  {:<24}{:>12}{:>12}{:>8.2}{:>8.2}{:>8.2}{:>8.2}\n",
            row.over,
            shown(Some(row.simulated_ns)),
            shown(row.measured_ns),
            row.l1d_misses,
            row.llc_misses,
            row.dtlb_misses,
            row.page_walks
        ));
    }
    for page in [SMALL, LARGE] {
        let own = |row: &&Row| row.page == page && row.over.contains(" x ");
        let own: Vec<&Row> = rows.iter().filter(own).collect();
        let places = |places: Vec<u64>| match places.is_empty() {
            true => "none".to_owned(),
            false => places
                .iter()
                .map(u64::to_string)
                .collect::<Vec<_>>()
                .join(", "),
        };
        let simulated = places(knees(&own, |row| Some(row.simulated_ns)));
        let measured = match own.iter().any(|row| row.measured_ns.is_some()) {
            true => places(knees(&own, |row| row.measured_ns)),
            false => "not measured: only `host` is here".to_owned(),
        };
        if !own.is_empty() {
            text.push_str(&format!(
                "\nKnees on {} pages (cells at which a step costs {KNEE}x that of half as many):\n  \
                 simulated  {simulated}\n  measured   {measured}\n",
                show_bytes(page)
            ));
        }
    }
    text
}

fn csv(rows: &[Row]) -> String {
    let mut text = "simulated_machine,over,bytes,page,simulated_ns,measured_ns,l1d_misses,\
                    llc_misses,dtlb_misses,page_walks\n"
        .to_owned();
    for row in rows {
        let measured = row.measured_ns.map_or(String::new(), |ns| ns.to_string());
        text.push_str(&format!(
            "{},\"{}\",{},{},{},{measured},{},{},{},{}\n",
            row.simulated_machine,
            row.over,
            row.bytes,
            row.page,
            row.simulated_ns,
            row.l1d_misses,
            row.llc_misses,
            row.dtlb_misses,
            row.page_walks
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_has_a_knee_where_a_level_ends() {
        let machine = simulate::builtin("xeon-x5570").unwrap().unwrap();
        let rows = reach(&machine, SMALL, None);
        let rows: Vec<&Row> = rows.iter().collect();
        let found = knees(&rows, |row| Some(row.simulated_ns));
        // 64 entries of the first TLB and 512 lines of the first cache; 512 entries of the second TLB.
        assert!(found.contains(&128) && found.contains(&1024), "{found:?}");
        assert!(knees(&rows, |row| row.measured_ns).is_empty());
    }
}

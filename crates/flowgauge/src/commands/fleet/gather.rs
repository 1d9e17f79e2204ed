//! `flowgauge fleet gather`: merges journals machine by machine, and answers over all.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use lab::Results;
use lab::fleet::{Fleet, Node, side_by_side};

use super::folder::{self, Kept, NODES, SCRIPT};
use super::limits::{Allowance, Room, shown};
use super::plan::{self, Plan};
use crate::answer;
use crate::args::{Format, GatherArgs, MergedArgs, ShownArgs};
use crate::ending::Ending;
use crate::output::{self, tell};
use crate::whole_file;

const SHARED: &str = "the nodes were shared with other jobs (--shared-nodes): their work is in these times, and a \
                      verdict may be theirs";

pub(crate) fn run(args: &GatherArgs) -> Result<Ending> {
    folder::places(&args.folders)?;
    let out = match (&args.out, args.folders.as_slice()) {
        (Some(out), _) => out.clone(),
        (None, [one]) if one.join(NODES).is_dir() => one.clone(),
        (None, _) => bail!("name the folder that the fleet goes into: --out DIR"),
    };
    let mut folders = args.folders.clone();
    if out.join(NODES).is_dir() {
        folders.push(out.clone());
    } else if out.exists() {
        let mut entries =
            std::fs::read_dir(&out).with_context(|| format!("--out {}", out.display()))?;
        ensure!(
            entries.next().is_none(),
            "--out {} holds other files: name a new folder, an empty one, or one of a fleet",
            out.display()
        );
    }
    gathered(&folders, &out, &args.merged, &args.shown)
}

pub(super) fn gathered(
    folders: &[PathBuf],
    out: &Path,
    merged: &MergedArgs,
    shown: &ShownArgs,
) -> Result<Ending> {
    let places = Vec::from_iter(folder::places(folders)?);
    let limit = merged.journal_limit;
    let room = Room::default();
    let machines = side_by_side(&places, |(name, places)| {
        let _room = room.take(folder::bytes(places, limit));
        machine(name, places, out, limit)
    });
    let (mut nodes, mut failed) = (Vec::new(), Vec::new());
    let all = machines.len();
    for ((name, _), machine) in places.into_iter().zip(machines) {
        // An unreadable file costs only its machine.
        let (node, why) = machine.unwrap_or_else(|error| (None, Some(output::whole(&error))));
        nodes.extend(node);
        failed.extend(why.map(|why| (name, why)));
    }
    tell_failed(&failed);
    if nodes.is_empty() {
        return Err(no_results(out));
    }
    let mut fleet = Fleet::of(nodes);
    let is_shared = |folder: &PathBuf| Plan::read(folder).is_ok_and(|plan| plan.is_shared);
    if folders.iter().any(is_shared) {
        fleet.warnings.insert(0, SHARED.to_owned());
    }
    write(&fleet, out)?;
    if let Some(folder) = &shown.plots {
        answer::write_plots(&report::fleet::plots(&fleet), folder)?;
    }
    output::print(&show(&fleet, shown))?;
    let of_run = || Plan::read(out).ok()?.quorum;
    let quorum = merged.quorum.or_else(of_run);
    Ok(ended(all - failed.len(), all, quorum))
}

/// With the last words of the tasks of a Slurm job, which may have ended before their journals.
fn no_results(out: &Path) -> anyhow::Error {
    const NAMED: usize = 3;
    let why = format!("no machine in {} has results", out.display());
    let entries = std::fs::read_dir(out).into_iter().flatten().flatten();
    let is_of_slurm = |name: &String| name.starts_with("slurm-") && name.ends_with(".out");
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let said: BTreeSet<String> = names.filter(is_of_slurm).collect();
    let last = |name: &String| {
        let text = Allowance::of(plan::MOST).read(&out.join(name));
        let text = text.unwrap_or_else(|error| output::whole(&error).into_bytes());
        let text = String::from_utf8_lossy(&text);
        let last = text.lines().rfind(|line| !line.trim().is_empty());
        format!("{name}: {}", last.map_or("it is empty", shown).trim())
    };
    let lines: Vec<String> = said.iter().take(NAMED).map(last).collect();
    match said.len() {
        0 if !out.join(SCRIPT).exists() => anyhow!(why),
        0 => anyhow!("{why}: no node has begun: squeue says whether the job still waits"),
        1..=NAMED => anyhow!("{why}\n{}", lines.join("\n")),
        all => anyhow!("{why}\n{}\nand {} more", lines.join("\n"), all - NAMED),
    }
}

fn ended(finished: usize, all: usize, quorum: Option<u32>) -> Ending {
    let enough = quorum.map_or(all, |quorum| quorum as usize);
    if finished >= enough {
        return Ending::Answered;
    }
    if quorum.is_some() {
        tell(&format!(
            "{finished} of {all} machines have finished, and --quorum asks for {enough}"
        ));
    }
    Ending::Error
}

fn machine(
    name: &str,
    places: &BTreeSet<PathBuf>,
    out: &Path,
    limit: u64,
) -> Result<(Option<Node>, Option<String>)> {
    let kept = folder::read(places, limit)?;
    let own = out.join(NODES).join(name);
    // Journals that are only in their own place may still grow.
    if places.len() > 1 || !places.iter().any(|place| is_same(place, &own)) {
        folder::write(&own, &kept)?;
    }
    Ok(match node(name, &kept, &own) {
        Ok(node) if node.state == "finished" => (Some(node), None),
        Ok(node) => {
            let why = kept.failed.unwrap_or_else(|| node.state.clone());
            (Some(node), Some(why))
        }
        Err(error) => {
            let why = kept.failed.filter(|_| !kept.journals.is_empty());
            let why = why.map_or(String::new(), |why| format!("{}; ", why.trim_end()));
            (None, Some(why + &output::whole(&error)))
        }
    })
}

fn is_same(a: &Path, b: &Path) -> bool {
    a == b
        || a.canonicalize()
            .ok()
            .is_some_and(|a| b.canonicalize().ok() == Some(a))
}

fn node(name: &str, kept: &Kept, folder: &Path) -> Result<Node> {
    if kept.journals.is_empty() {
        let why = kept.failed.as_deref().unwrap_or("it has no journal yet");
        bail!("{}", why.trim_end());
    }
    let journals = kept.journals.files();
    let runs = journals.map(|(file, text)| Results::verdicts_of_journal(text, &folder.join(file)));
    let runs: Vec<Results> = runs.collect::<Result<_, _>>()?;
    let warnings = runs.iter().flat_map(|run| &run.warnings);
    let damages = warnings.filter(|warning| warning.contains("damaged"));
    damages.for_each(|warning| tell(&format!("{name}: {warning}")));
    Node::of(name, &runs).context("its journal holds no run")
}

fn tell_failed(failed: &[(String, String)]) {
    for (name, why) in failed {
        tell(&format!("{name}: {}", why.trim_end()));
    }
    if !failed.is_empty() {
        let names: Vec<&str> = failed.iter().map(|(name, _)| name.as_str()).collect();
        let them = if names.len() == 1 { "it" } else { "them" };
        tell(&format!(
            "{} failed or did not end; run {them} again alone with --only {}",
            report::number::many(failed.len() as u64, "machine"),
            names.join(",")
        ));
    }
}

type File = (&'static str, fn(&Fleet) -> String);

fn write(fleet: &Fleet, out: &Path) -> Result<()> {
    // One at a time: with a thousand machines each is a large text.
    let files: [File; 3] = [
        ("fleet.html", report::fleet::page),
        ("fleet.csv", report::csv::fleet),
        ("fleet.json", report::json::fleet),
    ];
    let files = files.into_iter().map(|(name, text)| (name, text(fleet)));
    whole_file::make_folder(out)?;
    whole_file::write_all(out, files)?;
    tell(&format!("Fleet: {0} (open {0}/fleet.html)", out.display()));
    Ok(())
}

fn show(fleet: &Fleet, shown: &ShownArgs) -> String {
    match shown.format {
        Format::Text => {
            let style = report::terminal::Style {
                verbose: shown.verbose,
                ..output::style()
            };
            report::fleet::text(fleet, &style)
        }
        Format::Json => report::json::fleet(fleet),
        Format::Csv => report::csv::fleet(fleet),
        Format::Jsonl => report::csv::fleet_lines(fleet),
    }
}

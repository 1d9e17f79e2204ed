//! `flowgauge search`: lines of files that match.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, ensure};
use lab::number;
use search::{
    Class, FileId, Filter, How, Paths, Pattern, Plan, Problem, Profile, Query, Report, Show,
};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::search_study;
use crate::args::{SearchArgs, Sort};
use crate::ending::Ending;
use crate::output;

/// Searches.
pub(crate) fn run(args: &SearchArgs) -> Result<Ending> {
    if args.study.study {
        return search_study::run(args);
    }
    ensure!(
        args.how.is_usual(),
        "rounds, budget, seed, results folder and what else is for a study go with --study alone: \
         leave them out, or add it"
    );
    end_at_signals()?;
    let (query, plan) = (query(args)?, plan(args)?);
    // Written to as it is: the search hands its results out in large pieces.
    let mut out = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let mut say = |problem: &Problem| output::tell(&problem.to_string());
    let report = search::run(&query, &plan, &mut out, &mut say)?;
    tell(args, &report);
    Ok(ending(&report))
}

/// A signal ends the command at once, whatever it waits for; one that whoever started it had
/// it ignore (`nohup`) does not. Processes that it made are killed by the kernel with it.
fn end_at_signals() -> Result<()> {
    let at_once = Arc::new(AtomicBool::new(true));
    let ignored = ignored_signals();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if ignored & (1 << (signal - 1)) != 0 {
            continue;
        }
        signal_hook::flag::register_conditional_shutdown(
            signal,
            128 + signal,
            Arc::clone(&at_once),
        )
        .context("cannot listen for signals")?;
    }
    Ok(())
}

/// The signals that this process ignores, a bit for each.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

fn query(args: &SearchArgs) -> Result<Query> {
    let how = How {
        literal: args.fixed_strings,
        ignore_case: args.ignore_case,
        word: args.word_regexp,
    };
    let terminal = io::stdout().is_terminal();
    Ok(Query {
        pattern: Pattern::new(&args.pattern, how)?,
        roots: args.paths.clone(),
        filter: Filter {
            hidden: args.hidden,
            no_ignore: args.no_ignore,
            globs: args.glob.clone(),
            text: args.text,
        },
        show: match (args.count, args.files_with_matches) {
            (true, _) => Show::Count,
            (_, true) => Show::Files,
            _ => Show::Lines,
        },
        line_numbers: args.line_number || (terminal && !args.no_line_number),
        paths: match (args.with_filename, args.no_filename) {
            (true, _) => Paths::Always,
            (_, true) => Paths::Never,
            _ => Paths::Auto,
        },
        colour: output::colours(),
        sort: args.sort == Some(Sort::Path),
        watched: terminal,
    })
}

fn plan(args: &SearchArgs) -> Result<Plan> {
    let out = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let is_file = out.metadata().is_ok_and(|metadata| metadata.is_file());
    Ok(Plan {
        model: args.flows.model.0,
        workers: args.flows.jobs.0,
        io: args.flows.io,
        profile: args.flows.profile,
        proof: false,
        skip: if is_file { FileId::of(&out) } else { None },
    })
}

/// As grep: 0 something matched, 1 nothing did, 2 something went wrong.
fn ending(report: &Report) -> Ending {
    if report.counts.errors > 0 {
        Ending::Error
    } else if report.counts.lines > 0 || report.output_closed {
        Ending::Answered
    } else {
        Ending::Nothing
    }
}

fn tell(args: &SearchArgs, report: &Report) {
    if let Some(held_at) = report.flows.held_at
        && !report.chosen.model.is_pool()
    {
        let (model, held_at) = (report.chosen.model, number::count(held_at));
        let why = match report.chosen.why.split_once(": ") {
            Some((_, why)) => format!(" ({why})"),
            None => String::new(),
        };
        output::tell(&format!("{model}: held to {held_at} at one time{why}"));
    }
    if args.flows.explain {
        output::tell(&explained(report));
    }
    if let Some(profile) = &report.profile {
        output::tell(&profiled(profile));
    }
}

fn explained(report: &Report) -> String {
    let (chosen, counts, flows) = (&report.chosen, &report.counts, &report.flows);
    let (times, usage) = (&report.times, &report.usage);
    let count = number::count;
    let time = |ns: u64| number::time(ns as f64);
    let workers = match chosen.model {
        search::Model::Sequential => String::new(),
        model if model.is_pool() => format!(", {} workers", count(u64::from(chosen.workers))),
        _ => format!(", at most {} at one time", count(u64::from(chosen.workers))),
    };
    let mut lines = vec![format!("model: {}{workers}", chosen.model)];
    if !chosen.why.is_empty() {
        lines.push(format!("why: {}", chosen.why));
    }
    lines.push(format!(
        "searched: {} files in {} folders, {}; {} lines of {} files match; {} errors",
        count(counts.files),
        count(counts.folders),
        number::bytes(counts.bytes as f64),
        count(counts.lines),
        count(counts.matched_files),
        count(counts.errors)
    ));
    lines.push(format!(
        "flows: {} made, at most {} at one time",
        count(flows.made),
        count(flows.most)
    ));
    lines.push(format!(
        "time: {}, of which create {}, tear-down {}",
        time(times.total_ns),
        time(times.create_ns),
        time(times.tear_down_ns)
    ));
    lines.push(format!(
        "used: {} of CPU time, {} of it in user mode; {} page faults ({} from a disk); {} switches, \
         {} of them given up",
        time(usage.cpu_ns),
        time(usage.user_ns),
        count(usage.minor_faults + usage.major_faults),
        count(usage.major_faults),
        count(usage.voluntary_switches + usage.involuntary_switches),
        count(usage.voluntary_switches)
    ));
    lines.join("\n")
}

fn profiled(profile: &Profile) -> String {
    let classes: Vec<String> = Class::ALL
        .into_iter()
        .map(|class| {
            format!(
                "{} {}",
                class.name(),
                number::time(profile.of(class) as f64)
            )
        })
        .collect();
    format!("time of all flows together: {}", classes.join(", "))
}

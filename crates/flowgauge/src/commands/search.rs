use std::cell::LazyCell;
use std::fs::File;
use std::io::{self, IsTerminal};
use std::num::NonZeroU32;
use std::os::fd::AsFd;

use anyhow::{Context, Result, ensure};
use lab::number::{self, count, many};
use machine::Machine;
use measure::usage::ProcessUsage;
use nix::sys::signal::Signal;
use search::{
    Chosen, Class, Counts, Escape, FileId, Filter, How, Model, Paths, Pattern, Plan, Problem,
    Profile, Query, Report, Show,
};

use super::search_study;
use crate::args::{SearchArgs, Sort};
use crate::ending::Ending;
use crate::output;

/// `here` is read where a study is run; a plain search need not wait for it.
pub(crate) fn run(args: &SearchArgs, here: &LazyCell<Machine>) -> Result<Ending> {
    if args.study.study {
        return search_study::run(args, here);
    }
    ensure!(
        !args.study.cold,
        "--cold is for a study, which empties the page cache before each of its searches: leave \
         it out, or add --study"
    );
    ensure!(
        args.how.is_usual(),
        "rounds, budget, seed, results folder and what else is for a study go with --study alone: \
         leave them out, or add it"
    );
    ensure!(
        !args.how.verbose,
        "-v is for a study, which then prints all its tables: leave it out, or add --study (lines \
         that do not match, which ripgrep shows with -v, are not shown by flowgauge search)"
    );
    output::is_open()?;
    end_at_signals()?;
    let (query, plan) = (query(args)?, plan(args)?);
    let mut out = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let mut say = |problem: &Problem| output::tell(&problem.to_string());
    let report = search::run(&query, &plan, &mut out, &mut say)?;
    tell(args, &report);
    Ok(ending(&report))
}

/// Ends at once with its processes, unless the signal is ignored (`nohup`).
fn end_at_signals() -> Result<()> {
    let ignored = ignored_signals();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        if ignored & (1 << (signal as i32 - 1)) == 0 {
            search::end_at(signal).with_context(|| format!("cannot listen for {signal}"))?;
        }
    }
    Ok(())
}

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
        text: args.text,
    };
    let terminal = io::stdout().is_terminal();
    Ok(Query {
        pattern: Pattern::any(&args.patterns()?, how)?,
        roots: args.paths(),
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
        escape: match args.escape {
            Some(asked) => asked,
            None if terminal => Escape::Names,
            None => Escape::Nothing,
        },
        sort: args.sort == Some(Sort::Path),
        watched: terminal,
    })
}

fn plan(args: &SearchArgs) -> Result<Plan> {
    let jobs = args.flows.jobs.0.map_or(1, NonZeroU32::get);
    ensure!(
        jobs == 1 || args.flows.model.0 != Some(Model::Sequential),
        "model sequential is one flow, not {jobs}: leave -j out, or name another model, such as \
         thread-pool"
    );
    let out = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let is_file = out.metadata().is_ok_and(|metadata| metadata.is_file());
    Ok(Plan {
        model: args.flows.model.0,
        workers: args.flows.jobs.0,
        io: args.flows.io,
        profile: args.how.profile.is_some(),
        proof: false,
        skip: if is_file { FileId::of(&out) } else { None },
    })
}

/// As grep: 0 something matched, 1 nothing did, 2 an error.
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
    if let Some(held) = held(report) {
        output::tell(&held);
    }
    if args.flows.explain {
        explained(report).iter().for_each(|line| output::tell(line));
    }
    if let Some(profile) = &report.profile {
        output::tell(&profiled(profile));
    }
}

/// `None` if the kernel did it: that was reported.
fn held(report: &Report) -> Option<String> {
    let (chosen, flows) = (&report.chosen, &report.flows);
    let held_at = flows.held_at?;
    if chosen.model.is_pool() || flows.refused {
        return None;
    }
    let why = chosen.why.split_once(": ");
    let why = why.map_or(String::new(), |(_, why)| format!(" ({why})"));
    let held_at = count(held_at);
    Some(format!(
        "{}: at most {held_at} at a time{why}",
        chosen.model
    ))
}

fn time(ns: u64) -> String {
    number::time(ns as f64)
}

fn explained(report: &Report) -> Vec<String> {
    let mut lines = vec![format!("model: {}", chosen(&report.chosen))];
    if !report.chosen.why.is_empty() {
        lines.push(format!("why: {}", report.chosen.why));
    }
    let (flows, times) = (&report.flows, &report.times);
    lines.push(format!("searched: {}", searched(&report.counts)));
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
    lines.push(format!("used: {}", used(&report.usage)));
    lines
}

fn chosen(chosen: &Chosen) -> String {
    let (model, workers) = (chosen.model, u64::from(chosen.workers));
    match model {
        Model::Sequential => model.to_string(),
        pool if pool.is_pool() => format!("{pool}, {}", many(workers, "worker")),
        _ => format!("{model}, at most {} at one time", count(workers)),
    }
}

fn searched(counts: &Counts) -> String {
    format!(
        "{} in {}, {}; {} of {} {}; {}",
        many(counts.files, "file"),
        many(counts.folders, "folder"),
        number::bytes(counts.bytes as f64),
        many(counts.lines, "line"),
        many(counts.matched_files, "file"),
        if counts.lines == 1 {
            "matches"
        } else {
            "match"
        },
        many(counts.errors, "error")
    )
}

/// The kernel usually splits by ticks, so a short search has all of its time in one of the two.
fn used(usage: &ProcessUsage) -> String {
    let flows = &usage.flows;
    let switches = flows.voluntary_switches + flows.involuntary_switches;
    format!(
        "{} of CPU time, some {} of it in user mode (most kernels tell by ticks of 4 ms or so); \
         {} ({} from a disk); {}, {} of them given up",
        time(flows.cpu_ns),
        time(usage.user_ns),
        many(flows.minor_faults + flows.major_faults, "page fault"),
        count(flows.major_faults),
        match switches {
            1 => "1 switch".to_owned(),
            _ => format!("{} switches", count(switches)),
        },
        count(flows.voluntary_switches)
    )
}

fn profiled(profile: &Profile) -> String {
    let classes: Vec<String> = Class::ALL
        .into_iter()
        .map(|class| format!("{} {}", class.name(), time(profile.of(class))))
        .collect();
    format!("time of all flows together: {}", classes.join(", "))
}

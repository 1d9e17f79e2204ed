//! What hyperfine's `--export-json`, `--export-csv` and `--export-markdown` write.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Result;
use flow::record::{Forgotten, SelfManagedUsage};
use flow::{Rep, SlotRecord};
use lab::{CaseResult, Results};
use measure::memory::Reading;
use serde::Serialize;
use stats::Summary;

use crate::args::{ExecArgs, ExportOrder, HyperfineArgs};
use crate::output;
use crate::target::{Over, Target};

type Format = fn(&[Command]) -> Result<String>;

/// Checked before the run. `-` (standard output) is no target.
#[derive(Debug)]
pub(super) struct Exports(Vec<(Format, Option<Target>)>);

const STDOUT: &str = "-";

#[derive(Debug, Serialize)]
struct Command {
    command: String,
    #[serde(skip)]
    label: String,
    mean: f64,
    stddev: Option<f64>,
    median: f64,
    /// `None`, as the one below, where the kernel forgot children that nobody waited for.
    user: Option<f64>,
    system: Option<f64>,
    min: f64,
    max: f64,
    times: Vec<f64>,
    /// Of the whole tree; only if known of every launch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    memory_usage_byte: Vec<u64>,
    exit_codes: Vec<Option<i32>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    parameters: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct Whole<'a> {
    results: &'a [Command],
}

impl Exports {
    pub(super) fn prepare(args: &HyperfineArgs) -> Result<Self> {
        let asked: [(Format, &Option<PathBuf>); 3] = [
            (json, &args.export_json),
            (csv, &args.export_csv),
            (markdown, &args.export_markdown),
        ];
        let files = asked
            .into_iter()
            .filter_map(|(write, path)| Some((write, path.clone()?)));
        let prepared = files.map(|(format, path)| {
            let is_file = path != Path::new(STDOUT);
            let target = is_file.then(|| Target::prepare(&path, Over::Files));
            Ok((format, target.transpose()?))
        });
        Ok(Self(prepared.collect::<Result<_>>()?))
    }

    pub(super) fn write(self, journal: &Path, args: &ExecArgs) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let results = Results::from_journal(journal)?;
        let mut commands = commands(&results);
        fill_in(&mut commands, args)?;
        if args.hyperfine.sort == ExportOrder::MeanTime {
            commands.sort_by(|a, b| a.mean.total_cmp(&b.mean));
        }
        for (text, target) in self.0 {
            let text = text(&commands)?;
            match target {
                None => output::print(&text)?,
                Some(mut target) => target.write(&mut text.as_bytes())?,
            }
        }
        Ok(())
    }
}

fn fill_in(commands: &mut [Command], args: &ExecArgs) -> Result<()> {
    if args.hyperfine.parameter_list.is_empty() && args.hyperfine.parameter_scan.is_empty() {
        return Ok(());
    }
    for named in super::command::commands(args)? {
        let of = |one: &&mut Command| one.label == named.label;
        for one in commands.iter_mut().filter(of) {
            one.parameters.clone_from(&named.parameters);
        }
    }
    Ok(())
}

fn commands(results: &Results) -> Vec<Command> {
    let cases = results.studies.iter().flat_map(|study| &study.cases);
    let all = cases.flat_map(|case| (0..case.variants.len()).filter_map(|at| command(case, at)));
    all.collect()
}

fn command(case: &CaseResult, at: usize) -> Option<Command> {
    let slots = case.slots.iter().filter(|slot| slot.variant == at);
    let records: Vec<&SlotRecord> = slots
        .filter_map(|slot| slot.outcome.answer.done())
        .collect();
    let reps: Vec<&Rep> = records.iter().flat_map(|record| &record.reps).collect();
    let times: Vec<f64> = reps.iter().map(|rep| rep.total_ns() as f64 / 1e9).collect();
    let own = || reps.iter().filter_map(|rep| rep.self_managed.as_deref());
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let seconds = |ns: u64| ns as f64 / 1e9;
    let summary = Summary::of(&times).ok()?;
    let average = mean(&times);
    let squares: f64 = times.iter().map(|time| (time - average).powi(2)).sum();
    let is_whole = own().all(|own| own.forgotten != Some(Forgotten::All));
    let used = |ns: fn(&SelfManagedUsage) -> u64| {
        let all: Vec<f64> = own().map(|own| seconds(ns(own))).collect();
        is_whole.then(|| mean(&all))
    };
    let code = |counts: &std::collections::BTreeMap<String, u64>| {
        counts
            .get("exit_code")
            .and_then(|&code| i32::try_from(code).ok())
    };
    Some(Command {
        command: line(case, at),
        label: case.case.variants[at].label.clone(),
        parameters: BTreeMap::new(),
        mean: average,
        stddev: (times.len() > 1).then(|| (squares / (times.len() - 1) as f64).sqrt()),
        median: summary.typical,
        user: used(|own| own.user_ns),
        system: used(|own| own.system_ns),
        min: summary.undisturbed,
        max: times.iter().copied().fold(f64::MIN, f64::max),
        memory_usage_byte: peaks(&records).unwrap_or_default(),
        exit_codes: own().map(|own| code(&own.counts)).collect(),
        times,
    })
}

/// Sampled once a slot; `None` if one is unknown. At least the maximum RSS of the launcher.
fn peaks(records: &[&SlotRecord]) -> Option<Vec<u64>> {
    let each = records.iter().map(|record| match &record.memory {
        Reading::Honest(memory) => Some(vec![memory.total(); record.reps.len()]),
        Reading::RssOnly { .. } => None,
    });
    let each: Option<Vec<Vec<u64>>> = each.collect();
    Some(each?.concat())
}

fn line(case: &CaseResult, at: usize) -> String {
    let labelled = &case.case.variants[at];
    let work = case.case.work_of(at);
    let line = work.program().map(|program| {
        let line = program::Fill::of(&labelled.variant).apply(&program.command);
        let begin = labelled.label.trim_end_matches('…');
        (line.starts_with(begin), line)
    });
    match line {
        Some((true, line)) => line,
        _ => labelled.label.clone(),
    }
}

fn json(commands: &[Command]) -> Result<String> {
    let text = serde_json::to_string_pretty(&Whole { results: commands })?;
    Ok(report::text::escaped(&text).into_owned() + "\n")
}

fn relative(one: &Command, fastest: &Command) -> String {
    let ratio = one.mean / fastest.mean;
    let part = |of: &Command| of.stddev.map(|stddev| stddev / of.mean);
    match (part(one), part(fastest)) {
        (Some(own), Some(least)) if one.label != fastest.label => {
            format!("{ratio:.2} ± {:.2}", ratio * own.hypot(least))
        }
        _ => format!("{ratio:.2}"),
    }
}

fn csv(commands: &[Command]) -> Result<String> {
    let names: BTreeSet<&String> = commands
        .iter()
        .flat_map(|one| one.parameters.keys())
        .collect();
    let mut text = "command,mean,stddev,median,user,system,min,max".to_owned();
    names
        .iter()
        .for_each(|name| text += &format!(",{}", field(&format!("parameter_{name}"))));
    text += "\n";
    for one in commands {
        let numbers = [
            Some(one.mean),
            Some(one.stddev.unwrap_or(0.0)),
            Some(one.median),
            one.user,
            one.system,
            Some(one.min),
            Some(one.max),
        ];
        let name = field(&one.command);
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let mut numbers: Vec<String> = numbers.into_iter().map(number).collect();
        let filled = names.iter().map(|name| one.parameters.get(*name));
        numbers.extend(filled.map(|value| value.map_or_else(String::new, |value| field(value))));
        text += &format!("{name},{}\n", numbers.join(","));
    }
    Ok(text)
}

/// A text that looks like a formula gets a sign before it: spreadsheets would run it.
fn field(text: &str) -> String {
    if text.parse::<f64>().is_ok() {
        return text.to_owned();
    }
    let text = report::csv::harmless(text);
    match text.contains([',', '"']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

fn markdown(commands: &[Command]) -> Result<String> {
    let fastest = commands.iter().min_by(|a, b| a.mean.total_cmp(&b.mean));
    let Some(fastest) = fastest else {
        return Ok(String::new());
    };
    let mut text =
        "| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |\n|:---|---:|---:|---:|---:|\n"
            .to_owned();
    for one in commands {
        let ms = |seconds: f64| format!("{:.1}", 1e3 * seconds);
        let spread = one
            .stddev
            .map_or(String::new(), |stddev| format!(" ± {}", ms(stddev)));
        text += &format!(
            "| `{}` | {}{spread} | {} | {} | {} |\n",
            report::text::visible(&one.command).replace('|', "\\|"),
            ms(one.mean),
            ms(one.min),
            ms(one.max),
            relative(one, fastest)
        );
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A command that begins with `@` went into a spreadsheet as a formula.
    #[test]
    fn a_command_in_an_exported_table_is_no_formula() {
        for (text, cell) in [
            ("@SUM(A1)", "'@SUM(A1)"),
            ("=1,2", "\"'=1,2\""),
            ("-2.5", "-2.5"),
            ("ls \"a\"\u{202e}", "\"ls \"\"a\"\"\""),
        ] {
            assert_eq!(field(text), cell);
        }
    }
}

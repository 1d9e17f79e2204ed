//! Rounds of slots with a profiler beside them, after a case is over: no timed slot pays for one. They are a fixed
//! number, so what they show is tested once.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;

use flow::profile::{Place, Profile, ProfileSpec, place};
use flow::{Rep, SlotRecord};
use measure::Measured;
use program::Program;
use workload::Work;

use crate::data::{Chosen, Metric, Profiling, Settings, median};
use crate::findings::ledger::CaseLog;

/// Between two samples: some 997 a second, varied from slot to slot, so as not to keep step with the work.
const PERIOD_NS: f64 = 1e9 / 997.0;
const PERIOD_SPREAD: f64 = 0.2;
/// A slot is profiled for this long at least, where it has short repetitions.
const LEAST_S: f64 = 0.5;
/// And for no longer than this, with all that a launch needs around what is timed.
const MOST_S: f64 = 2.0;
const MOST_REPS: u32 = 1_000;
/// Switches a second that each have a call chain; of more each Nth.
const MOST_CHAINS: f64 = 20_000.0;
/// The same of commands, where each has a stack.
const MOST_STACKS: f64 = 2_000.0;
/// Beyond this they are recorded in one turn of N.
const MOST_SWITCHES: f64 = 5_000.0;
/// N, at most.
const MOST_TURNS: u64 = 16;
/// How much denser call chains are in such a turn, at most: rings keep room for a late profiler.
const DENSER: u64 = 4;
const FAILURES: usize = 3;

/// The slot that comes next: its round and its place in it; `None` where no more is wanted.
pub(crate) fn next(log: &CaseLog, settings: &Settings) -> Option<(usize, usize)> {
    let Profiling { rounds } = settings.profile?;
    let variants = variants(log).len();
    let done = log.profiled.len();
    let wanted = variants > 1 && done < rounds * variants;
    let failed = log.profiled.iter().rev();
    let failed = failed.take_while(|slot| slot.value_ns.is_none()).count();
    (wanted && failed < FAILURES && !is_refused(log)).then(|| (done / variants, done % variants))
}

fn is_refused(log: &CaseLog) -> bool {
    let good = log.profiled.iter().filter(|slot| slot.value_ns.is_some());
    let mut profiles = good
        .filter_map(|slot| slot.outcome.profile.as_ref())
        .peekable();
    profiles.peek().is_some() && profiles.all(|one: &Measured<Profile>| one.value().is_none())
}

/// Variants that are profiled: the reference, and those that the case has not put aside; with data.
pub(crate) fn variants(log: &CaseLog) -> Vec<usize> {
    let mut variants = log.judge.taking();
    let reference = log.judge.reference();
    if !variants.contains(&reference) {
        variants.insert(0, reference);
    }
    variants.retain(|variant| log.has_data(*variant));
    variants
}

pub(crate) fn chosen(log: &CaseLog, variant: usize, timed: Chosen) -> Chosen {
    let times = reps(log, variant).map(|rep| rep.total_ns() as f64 / 1e9);
    let rep_s = median(times).filter(|&time| time > 0.0);
    let own = log.slots.iter().filter(|slot| slot.variant == variant);
    let launched_s = median(own.map(|slot| slot.outcome.launch_ns as f64 / 1e9));
    let each_s = launched_s.map(|all_s| all_s / f64::from(timed.reps + timed.warmups).max(1.0));
    let reps = fitting(rep_s, each_s).max(timed.reps);
    Chosen {
        reps,
        deadline_s: timed.deadline_s * f64::from(reps) / f64::from(timed.reps.max(1)),
        ..timed
    }
}

fn fitting(rep_s: Option<f64>, each_s: Option<f64>) -> u32 {
    let enough = rep_s.map_or(1.0, |rep_s| (LEAST_S / rep_s).ceil());
    let most = each_s.map_or(f64::INFINITY, |each_s| (MOST_S / each_s).ceil());
    (enough.min(most) as u32).clamp(1, MOST_REPS)
}

/// What the profiler of a slot is asked for; `drawn` is the slot's own number.
pub(crate) fn spec(
    log: &CaseLog,
    variant: usize,
    (metric, launched): (Metric, bool),
    drawn: u64,
) -> ProfileSpec {
    let spread = (drawn >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
    let period = PERIOD_NS * (1.0 + PERIOD_SPREAD * spread);
    let rate = switches(reps(log, variant));
    let turns = one_of(rate, MOST_SWITCHES).min(MOST_TURNS);
    let most = if launched { MOST_STACKS } else { MOST_CHAINS };
    ProfileSpec {
        period_ns: period.round() as u64,
        each: prime_from(one_of(rate, most).div_ceil(turns.min(DENSER))),
        turns,
        cpus: Vec::new(),
        launched,
        stacks: launched,
        phases: phases(metric),
        faster: None,
    }
}

pub(crate) fn stopping(faster: &flow::Faster, metric: Metric) -> ProfileSpec {
    ProfileSpec {
        period_ns: PERIOD_NS.round() as u64,
        each: 1,
        turns: 1,
        cpus: Vec::new(),
        launched: true,
        stacks: false,
        phases: phases(metric),
        faster: Some(faster.clone()),
    }
}

/// Has interpreters name their functions, in no timed slot; whether one is Python, whose names are in its stack alone.
pub(crate) fn name_functions(work: &mut Work) -> bool {
    let program = match work {
        Work::Program(program) => program.as_mut(),
        Work::Served(served) => &mut served.server,
        _ => return false,
    };
    for (word, variable, value) in NAMING {
        if says(program, word) && !program.env.contains_key(variable) {
            let own = std::env::var(variable).ok().filter(|own| !own.is_empty());
            let all = own.map_or(value.to_owned(), |own| format!("{own} {value}"));
            let variables = &mut program.knobs.env;
            variables.entry(variable.to_owned()).or_insert(all);
        }
    }
    says(program, PYTHON)
}

fn says(program: &Program, word: &str) -> bool {
    let first_line = |name: &str| {
        let folder = program.folder.clone().unwrap_or_default();
        let mut start = Vec::new();
        let file = File::open(folder.join(name)).ok()?;
        file.take(128).read_to_end(&mut start).ok()?;
        let line = start.split(|&byte| byte == b'\n').next()?;
        let is_script = line.starts_with(b"#!");
        is_script.then(|| String::from_utf8_lossy(line).into_owned())
    };
    let mut words = program.command.split_ascii_whitespace();
    program.command.contains(word)
        || words.any(|name| first_line(name).is_some_and(|line| line.contains(word)))
}

const PYTHON: &str = "python";
const NAMING: [(&str, &str, &str); 2] = [
    (PYTHON, "PYTHONPERFSUPPORT", "1"),
    ("node", "NODE_OPTIONS", "--perf-basic-prof"),
];

fn phases(metric: Metric) -> [bool; 3] {
    match metric {
        Metric::Total => [true; 3],
        Metric::Create => [true, false, false],
        _ => [false, true, false],
    }
}

pub(crate) fn busiest(log: &CaseLog, variant: usize, most: usize) -> Vec<String> {
    let mut times: BTreeMap<String, u64> = BTreeMap::new();
    let own = log.profiled.iter().filter(|slot| slot.variant == variant);
    let profiles = own.filter_map(|slot| slot.outcome.profile.as_ref()?.value());
    for profile in profiles {
        for (at, node) in profile.nodes.iter().enumerate() {
            if let Place::Runs(what) = place(&profile.path(at)) {
                *times.entry(what).or_insert(0) += node.own_ns;
            }
        }
    }
    let mut all: Vec<(u64, String)> = times.into_iter().map(|(name, ns)| (ns, name)).collect();
    all.sort_unstable_by(|a, b| b.cmp(a));
    all.into_iter().take(most).map(|(_, name)| name).collect()
}

fn one_of(rate: f64, most: f64) -> u64 {
    (rate / most).ceil().max(1.0) as u64
}

/// Where threads take turns on a CPU, each Nth switch is then not always that of the same thread.
fn prime_from(least: u64) -> u64 {
    let is_prime = |n: &u64| (2..*n).all(|divisor| !n.is_multiple_of(divisor));
    (least..).find(is_prime).unwrap_or(least)
}

/// In a second.
fn switches<'a>(reps: impl Iterator<Item = &'a Rep>) -> f64 {
    let rate = |rep: &Rep| {
        let usages = rep.flows.iter().flat_map(|flow| [flow.create, flow.steady]);
        let switches = usages.map(|one| one.voluntary_switches + one.involuntary_switches);
        switches.sum::<u64>() as f64 * 1e9 / rep.total_ns().max(1) as f64
    };
    median(reps.map(rate)).unwrap_or(0.0)
}

fn reps(log: &CaseLog, variant: usize) -> impl Iterator<Item = &Rep> {
    let slots = log.slots.iter().filter(move |slot| slot.variant == variant);
    let records = slots.filter_map(|slot| slot.outcome.answer.done());
    records.flat_map(|record: &SlotRecord| &record.reps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_threads_that_take_turns_on_a_cpu_are_both_sampled() {
        assert_eq!([1, 2, 4, 100, 116].map(prime_from), [1, 2, 5, 101, 127]);
    }

    #[test]
    fn interpreters_that_the_command_names_name_their_functions() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("tool");
        std::fs::write(&script, "#!/usr/bin/env python3\nprint()\n").unwrap();
        let script = script.display().to_string();
        let set = |command: &str| {
            let text = serde_json::json!({"kind": "program", "command": command});
            let mut work: Work = serde_json::from_value(text).unwrap();
            let has_stacks = name_functions(&mut work);
            assert_eq!(has_stacks, command.contains("python") || command == script);
            let knobs = work.program().unwrap().knobs.clone();
            knobs.env.into_keys().collect::<Vec<_>>()
        };
        for (command, wanted) in [
            ("sort -n a", &[][..]),
            ("sh -c 'python3 a.py'", &["PYTHONPERFSUPPORT"]),
            ("node a.js", &["NODE_OPTIONS"]),
            (&script, &["PYTHONPERFSUPPORT"]),
        ] {
            assert_eq!(set(command), wanted, "{command}");
        }
    }

    #[test]
    fn a_slot_has_half_a_second() {
        assert_eq!(fitting(Some(0.1), Some(0.11)), 5);
        assert_eq!(fitting(Some(3.0), Some(3.1)), 1);
        assert_eq!(fitting(None, None), 1);
        assert_eq!(fitting(Some(1e-9), None), MOST_REPS);
    }

    /// `true` took 1 ms and 8 ms more around it, and a slot 6 to 14 s.
    #[test]
    fn short_launches_do_not_make_a_profiled_slot_long() {
        assert_eq!(fitting(Some(0.001), Some(0.01)), 200);
    }
}

mod chase;

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use flow::launcher::UserProgram;
use flow::{Interrupt, LaunchError, Launcher};
use lab::findings::simulated::Count;
use lab::number::{count, many, significant};
use lab::{Preset, Simulated, Simulation};
use machine::Machine;
use nix::sys::signal::Signal;
use serde::Serialize;
use simulate::show_bytes;

use crate::args::{Along, Format, SimulateArgs};
use crate::ending::Ending;
use crate::output::{print, tell};
use crate::{preload, simulation};

/// Bytes; the default for each thread.
const WINDOW: u64 = 64 << 20;
const NO_TRACE: i32 = 97;

#[derive(Debug, Serialize)]
struct Answer<'a> {
    simulated: &'a str,
    page: u64,
    command: Vec<String>,
    flows: usize,
    counts: Vec<Counted>,
    counted_share: f64,
    relative_time_ns: f64,
    left_out_exec: bool,
    recording_s: Option<f64>,
    counting_s: f64,
    traces: &'a str,
}

#[derive(Debug, Serialize)]
struct Counted {
    name: &'static str,
    #[serde(skip)]
    head: &'static str,
    value: f64,
    per_access: Option<f64>,
    with_longer_turns: Option<f64>,
}

pub(crate) fn run(args: &SimulateArgs, here: &Machine) -> Result<Ending> {
    let mut asked = args.machine.clone();
    asked.window = asked.window.or(Some(WINDOW));
    let simulation = asked.simulation(Preset::Full, here);
    let simulation = simulation.map_err(|message| anyhow!(message))?;
    if args.chase {
        return chase::run(args, &simulation.machine);
    }
    let on = places(&simulation, args.along);
    if let Some(traces) = &args.traces {
        let began = std::time::Instant::now();
        let counted = simulation.of_program(traces, &on, None, &|| false);
        let counted =
            counted.with_context(|| format!("cannot count the traces in {}", traces.display()))?;
        let took = (None, began.elapsed());
        return answer(args, &simulation, &counted, took);
    }
    let emulator = simulation::emulator()?;
    let name = args.command.first().context("no command is given")?;
    let program = UserProgram {
        file: preload::find(name)?,
        words: args.command.clone(),
    };
    can_be_emulated(&program.file)?;
    let interrupt = Interrupt::install().context("cannot listen for signals")?;
    let mut launcher = Launcher::new(interrupt);
    let first = |trace: &mut dyn Read, stopped: &dyn Fn() -> bool| {
        simulation.of_one_flow(trace, &on, stopped).ok()
    };
    let all = |traces: &Path, known, stopped: &dyn Fn() -> bool| {
        simulation.of_program(traces, &on, known, stopped)
    };
    match launcher.record(&emulator, &program, &simulation.recording(), first, all) {
        Ok(recorded) => {
            told(name, recorded.status)?;
            let took = (Some(recorded.recording), recorded.counting);
            answer(args, &simulation, &recorded.counted, took)
        }
        Err(LaunchError::Interrupted(signal)) => Ok(Ending::Interrupted(signal)),
        Err(error) => Err(error).with_context(|| format!("cannot record {}", name.display())),
    }
}

fn places(simulation: &Simulation, along: Along) -> Vec<u32> {
    match along {
        Along::Cores => lab::simulated::anywhere(simulation),
        Along::Smt => (0..simulation.machine.hardware_threads()).collect(),
    }
}

fn can_be_emulated(program: &Path) -> Result<()> {
    let shown = program.display();
    let mut head = [0; 20];
    let mut file = File::open(program).with_context(|| format!("cannot read {shown}"))?;
    let read = file.read(&mut head)?;
    if head.starts_with(b"#!") {
        bail!(
            "{shown} is a script, and the emulator runs programs: name its interpreter, as in \
             `flowgauge simulate MACHINE -- /bin/sh {shown}`"
        );
    }
    let machine = u16::from_le_bytes([head[18], head[19]]);
    ensure!(
        read == head.len() && head.starts_with(b"\x7fELF\x02") && machine == X86_64,
        "{shown} is no program for x86-64 on Linux: only those can be recorded"
    );
    Ok(())
}

const X86_64: u16 = 62;

fn told(name: &OsStr, status: ExitStatus) -> Result<()> {
    match (status.code(), status.signal()) {
        (Some(0), _) => {}
        (Some(NO_TRACE), _) => bail!("the accesses of {} could not be recorded", name.display()),
        (Some(code), _) => tell(&format!("{} ended with exit code {code}", name.display())),
        (_, signal) => {
            let signal = Signal::try_from(signal.unwrap_or(0));
            let signal = signal.map_or("a signal", Signal::as_str);
            tell(&format!("{} was ended by {signal}", name.display()));
        }
    }
    Ok(())
}

fn answer(
    args: &SimulateArgs,
    simulation: &Simulation,
    counted: &Simulated,
    (recording, counting): (Option<Duration>, Duration),
) -> Result<Ending> {
    let accesses = Count::Accesses.of(counted);
    let has = |count| count != Count::L2 || simulation.machine.l2.is_some();
    let there = Count::ALL.into_iter().filter(|&count| has(count));
    let counts = there.map(|count| {
        let value = count.of(counted);
        let longer = counted.with_longer_turns.as_deref();
        Counted {
            name: count.name(),
            head: count.head(),
            value,
            per_access: (count.grows_with_work()).then(|| value / accesses.max(1.0)),
            with_longer_turns: longer.map(|merged| count.in_merged(merged)),
        }
    });
    let answer = Answer {
        simulated: &simulation.machine.name,
        page: simulation.page,
        command: args
            .command
            .iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect(),
        flows: counted.merged.flows.len(),
        counts: counts.collect(),
        counted_share: counted.merged.counted(),
        relative_time_ns: counted.merged.time_ns,
        left_out_exec: counted.left_out_exec,
        recording_s: recording.map(|time| time.as_secs_f64()),
        counting_s: counting.as_secs_f64(),
        traces: &counted.merged.traces,
    };
    let shown = match args.format {
        Format::Text => text(&answer),
        Format::Json => serde_json::to_string_pretty(&answer)? + "\n",
        Format::Jsonl => lines(&answer, |one| {
            serde_json::to_string(one).unwrap_or_default()
        }),
        Format::Csv => format!(
            "simulated_machine,page,count,value,per_access,with_longer_turns\n{}",
            lines(&answer, |one| {
                let shown =
                    |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
                format!(
                    "{},{},{},{},{},{}",
                    answer.simulated,
                    answer.page,
                    one.name,
                    one.value,
                    shown(one.per_access),
                    shown(one.with_longer_turns)
                )
            })
        ),
    };
    print(&shown)?;
    Ok(Ending::Answered)
}

fn lines(answer: &Answer<'_>, line: impl Fn(&Counted) -> String) -> String {
    answer.counts.iter().map(|one| line(one) + "\n").collect()
}

fn text(answer: &Answer<'_>) -> String {
    let mut text = format!(
        "simulated: {}, {} pages, {}\n\n  {:<26} {:>15} {:>16}\n",
        answer.simulated,
        show_bytes(answer.page),
        many(answer.flows as u64, "flow"),
        "",
        "count",
        "1,000 accesses"
    );
    for one in &answer.counts {
        let per = one
            .per_access
            .filter(|_| one.name != Count::Accesses.name());
        let per = per.map_or(String::new(), |per| significant(1000.0 * per));
        let value = count(one.value.round() as u64);
        text.push_str(&format!("  {:<26} {value:>15} {per:>16}\n", one.head));
    }
    text.push_str(&format!(
        "\nOf all accesses {} were run through the model.\n",
        lab::number::percent(answer.counted_share)
    ));
    if answer.left_out_exec {
        text.push_str("The program started others by exec; they are not in these counts.\n");
    }
    text.push_str(
        "Not simulated: instructions, the kernel's accesses, prefetching, bandwidth, and that \
         misses overlap.\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_and_programs_of_other_machines_are_refused_with_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let file = |bytes: &[u8]| {
            let path = folder.path().join("file");
            std::fs::write(&path, bytes).unwrap();
            can_be_emulated(&path).unwrap_err().to_string()
        };
        assert!(file(b"#!/bin/sh\necho a longer script\n").contains("-- /bin/sh"));
        assert!(file(b"\x7fELF\x02 of some other machine").contains("no program for x86-64"));
        assert!(file(b"short").contains("no program for x86-64"));
        let own = std::env::current_exe().unwrap();
        assert_eq!(can_be_emulated(&own).is_ok(), cfg!(target_arch = "x86_64"));
    }
}

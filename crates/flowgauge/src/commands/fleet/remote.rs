//! A machine of a fleet, from here: all is tied to one ssh connection, whose first word makes a
//! folder there and whose end removes it ([`SCRIPT`], `super::node`). Two shells and the program
//! guard the folder: two of the three may be killed at any time. ssh asks nobody anything
//! (`BatchMode`), gives up a host that does not answer, and notices a dead connection. Each step
//! has a deadline and a number of bytes ([`super::wire`]). Nothing is started before every machine
//! has the version and digest of the file here ([`super::start`]).

use std::env::consts::ARCH;
use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow, bail, ensure};
use flow::Interrupt;
use mpi::nodes::{quoted, ssh_needs};

use super::hosts::Host;
use super::limits::{Allowance, WORDS, shown};
use super::node::Task;
use super::plan::{Id, Plan};
use super::start::Arrival;
use super::wire::Wire;
use crate::args::FleetRunArgs;
use crate::output::tell;

/// Removes what dead ones left, makes a folder, says hello, takes the program if it is sent, and
/// runs it in a second shell: the first removes the folder when that is killed.
const SCRIPT: &str = r#"umask 077
t=${FOLDER:-${TMPDIR:-/tmp}}
for o in "$t"/flowgauge-fleet.*; do
  [ -O "$o" ] && [ -d "$o" ] && [ ! -L "$o" ] || continue
  if [ -s "$o/pid" ]; then a=$(cat "$o/pid"); else a=$(find "$o" -prune -mmin -5); fi
  l=
  for p in $a; do
    case $p in
      *[!0-9]*) l=1;;
      *) kill -0 "$p" 2>/dev/null && ! grep -qs "^State:.Z" "/proc/$p/status" && l=1;;
    esac
  done
  [ "$l" ] || rm -rf "$o"
done
d=$(mktemp -d "$t/flowgauge-fleet.XXXXXX") || exit 70
guard() {
  trap "rm -rf \"$d\"" EXIT
  trap "exit 129" HUP INT TERM PIPE
}
guard
echo $$ > "$d/pid" || exit 71
(
  guard
  sh -c "echo \$PPID" >> "$d/pid" || exit 71
  echo "hello $(uname -m) $(date +%s)"
  b=$PROGRAM
  if [ -z "$b" ]; then
    b=$d/flowgauge
    head -c "$SIZE" > "$b" || exit 72
    chmod 700 "$b"
  fi
  "$b" fleet node --folder "$d"
  exit $?
)
exit $?"#;

const CLOCKS: u64 = 60;

#[derive(Debug, Clone)]
pub(super) struct Way<'a> {
    pub(super) args: &'a FleetRunArgs,
    pub(super) ssh: PathBuf,
    /// `None`: it is there, at `--at`.
    pub(super) copied: Option<PathBuf>,
    pub(super) patience: Duration,
    pub(super) deadline: Duration,
}

pub(super) fn visit(
    host: &Host,
    plan: &Plan,
    way: &Way<'_>,
    (arrival, interrupt): (Arrival<'_>, &Interrupt),
    journal: &Path,
) -> Result<()> {
    let mut wire = None;
    let begun = arrival.place(interrupt).and_then(|_one_of_few| {
        let wire = wire.insert(Wire::open(ssh(host, way), interrupt)?);
        begin(wire, host, plan, way)
    });
    let others = arrival.arrive(begun.is_ok());
    let run = |wire: &mut Wire<'_>| {
        while !others.are_ready()? {
            wire.rest()?;
        }
        carry_out(wire, host, plan, way, journal)
    };
    let ran = match (begun, &mut wire) {
        (Ok(()), Some(wire)) => run(wire),
        (begun, _) => begun,
    };
    let Some((ended, said)) = wire.map(Wire::end) else {
        return ran;
    };
    match (ran, ended) {
        (Ok(()), Ok(ended)) if ended.success() => Ok(()),
        (Err(error), ended) => Err(explained(Some(error), ended.ok(), &said)),
        (Ok(()), Ok(ended)) => Err(explained(None, Some(ended), &said)),
        (Ok(()), Err(error)) => Err(explained(Some(error), None, &said)),
    }
}

fn begin(wire: &mut Wire<'_>, host: &Host, plan: &Plan, way: &Way<'_>) -> Result<()> {
    let mut words = Allowance::of(WORDS);
    wire.allow("say hello", way.patience);
    hello(wire, &mut words, host, way)?;
    let began = Instant::now();
    if let Some(program) = &way.copied {
        let file = File::open(program);
        let file = file.with_context(|| format!("cannot read {}", program.display()))?;
        let size = file.metadata()?.len();
        wire.send(file, size, ("take the program", way.patience))
            .context("the program cannot be sent")?;
    }
    // Buffered data takes as long as the rest did.
    wire.allow("start the program", way.patience + began.elapsed());
    let word = wire.line(&mut words)?.unwrap_or_default();
    let found = word.strip_prefix("ready ");
    let found =
        found.with_context(|| format!("the program there does not start: '{}'", shown(&word)))?;
    same(found, &plan.program)
}

fn same(found: &str, meant: &Id) -> Result<()> {
    let meant = meant.to_string();
    ensure!(
        found == meant,
        "another program is there: {}, and the fleet runs {meant}: copy this one there, or \
         leave out --at",
        shown(found)
    );
    Ok(())
}

fn hello(wire: &mut Wire<'_>, words: &mut Allowance, host: &Host, way: &Way<'_>) -> Result<()> {
    // Shells may greet first.
    while let Some(line) = wire.line(words)? {
        let mut words = line.split_whitespace();
        if words.next() != Some("hello") {
            continue;
        }
        let (arch, clock) = (
            words.next().unwrap_or_default(),
            words.next().unwrap_or_default(),
        );
        ensure!(
            way.copied.is_none() || arch == ARCH,
            "it is {}, and the program is for {ARCH}: name another one with --binary",
            shown(arch)
        );
        tell_clock(&host.name, clock.parse().ok());
        return Ok(());
    }
    bail!("nothing began there")
}

fn tell_clock(name: &str, there: Option<u64>) {
    let here = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let Some(there) = there.filter(|there| there.abs_diff(here) > CLOCKS) else {
        return;
    };
    let minutes = there.abs_diff(here).div_ceil(60);
    let side = if there > here { "ahead" } else { "behind" };
    tell(&format!(
        "note: the clock of {name} is {minutes} min {side}; no result depends on it"
    ));
}

fn ssh(host: &Host, way: &Way<'_>) -> Command {
    let size = way
        .copied
        .as_ref()
        .and_then(|path| path.metadata().ok())
        .map_or(0, |file| file.len());
    let set = [
        ("FOLDER", way.args.folder.clone().unwrap_or_default()),
        ("PROGRAM", way.args.at.clone().unwrap_or_default()),
        ("SIZE", size.to_string()),
    ];
    let set: String = set
        .iter()
        .map(|(name, value)| format!("{name}={}\n", quoted(value)))
        .collect();
    let mut command = mpi::nodes::ssh(&way.ssh, way.patience.as_secs());
    if let Some(config) = &way.args.ssh_config {
        command.arg("-F").arg(config);
    }
    command
        .arg("--")
        .arg(&host.destination)
        .arg(format!("exec sh -c {}", quoted(&format!("{set}{SCRIPT}"))));
    command
}

fn carry_out(
    wire: &mut Wire<'_>,
    host: &Host,
    plan: &Plan,
    way: &Way<'_>,
    journal: &Path,
) -> Result<()> {
    let task = Task {
        words: plan.words_of(&host.name),
        files: plan.files.clone(),
    };
    let mut text = serde_json::to_vec(&task)?;
    text.push(b'\n');
    let size = text.len() as u64;
    wire.send(text.as_slice(), size, ("take the plan", way.patience))
        .context("the plan cannot be sent")?;
    let failed = || format!("cannot write {}", journal.display());
    let mut file = File::create(journal).with_context(failed)?;
    let mut allowance = Allowance::of(way.args.merged.journal_limit);
    wire.allow("run (--machine-deadline)", way.deadline);
    let copied = wire.copy(&mut file, &mut allowance);
    if allowance.is_spent() {
        // An unfinished journal is none.
        file.set_len(0).with_context(failed)?;
        return copied.context("its journal is not kept (--journal-limit)");
    }
    copied
}

fn explained(error: Option<anyhow::Error>, ended: Option<ExitStatus>, said: &str) -> anyhow::Error {
    if let Some(needs) = ssh_needs(said) {
        return anyhow!("{needs}: {said}");
    }
    if said.contains("No space left on device") {
        return anyhow!(
            "its disk is full: free some, or name another folder with --folder: {said}"
        );
    }
    let failed = ended.filter(|ended| !ended.success());
    let code = failed.map_or_else(String::new, |ended| match ended.signal() {
        Some(signal) => format!(" (ssh was killed by signal {signal})"),
        None => format!(" (ssh ended with {ended})").replace("status: ", "code "),
    });
    let what = error.map_or_else(
        || "the run failed".to_owned(),
        |error| crate::output::whole(&error),
    );
    match said {
        "" => anyhow!("{what}{code}"),
        said => anyhow!("{what}{code}: {said}"),
    }
}

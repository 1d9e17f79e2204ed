//! A machine of a fleet, from here: one ssh connection from the first word to the last.
//!
//! # Theory
//!
//! What is on a machine must go when this process does, however it goes. So all is tied to one
//! connection: its first word makes a folder there, its end removes it ([`SCRIPT`], and
//! `super::node`). ssh asks nobody anything (`BatchMode`), gives up a host that does not answer, and
//! notices a connection that has died. Beyond that each step has a deadline of its own, after which
//! the connection is closed: a host that takes connections and says nothing costs half a minute.
//!
//! Nothing is started before every machine has said which program it has: the version and the
//! digest of the file must be those of the file here.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Barrier, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow, bail, ensure};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::hosts::Host;
use super::node::Task;
use super::plan::{Id, Plan};
use crate::output::tell;

/// The shell on a machine: it removes what dead ones left, makes a folder, says hello, takes the
/// program where it is sent, and runs it. No quotation mark of its own kind may stand in it.
const SCRIPT: &str = r#"umask 077
t=${FOLDER:-${TMPDIR:-/tmp}}
for o in "$t"/flowgauge-fleet.*; do
  [ -O "$o" ] && p=$(cat "$o/pid" 2>/dev/null) && ! kill -0 "$p" 2>/dev/null && rm -rf "$o"
done
d=$(mktemp -d "$t/flowgauge-fleet.XXXXXX") || exit 70
trap "rm -rf \"$d\"" EXIT
trap "exit 129" HUP INT TERM PIPE
echo $$ > "$d/pid" || exit 71
echo "hello $(uname -m) $(date +%s)"
b=$PROGRAM
if [ -z "$b" ]; then
  b=$d/flowgauge
  head -c "$SIZE" > "$b" || exit 72
  chmod 700 "$b"
fi
"$b" fleet node --folder "$d"
exit $?"#;

/// Time for the program to go over, and to say what it is.
const COPY: Duration = Duration::from_secs(600);
/// Time for a machine to end after it was asked to.
const PARTING: Duration = Duration::from_secs(40);
/// Clocks that differ by less are not spoken of.
const CLOCKS: u64 = 60;

/// How machines are reached.
#[derive(Debug, Clone)]
pub(super) struct Way {
    /// The ssh program.
    pub(super) ssh: PathBuf,
    /// The program to be copied; `None`: it is there, at `at`.
    pub(super) copied: Option<PathBuf>,
    /// Where the program is on the machines.
    pub(super) at: Option<String>,
    /// Where a machine makes its folder.
    pub(super) folder: Option<String>,
    /// Time for a machine to answer.
    pub(super) patience: Duration,
    /// The architecture of the program.
    pub(super) arch: String,
}

/// What others may do to a connection: close it, or look whether it is late.
#[derive(Debug, Default)]
pub(super) struct Watched {
    stdin: Option<ChildStdin>,
    child: Option<Child>,
    deadline: Option<Instant>,
    late: bool,
    /// Nothing more is to be begun.
    over: bool,
}

/// A connection that is watched.
pub(super) type Line = Mutex<Watched>;

fn locked(line: &Line) -> std::sync::MutexGuard<'_, Watched> {
    line.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An empty line: somebody is still here.
pub(super) fn remind(line: &Line) {
    // Who is just writing to it is here too.
    if let Ok(mut line) = line.try_lock()
        && let Some(stdin) = &mut line.stdin
    {
        let _gone_is_seen_elsewhere = stdin.write_all(b"\n");
    }
}

/// Kills a connection that is late.
pub(super) fn look(line: &Line) {
    if let Ok(mut line) = line.try_lock()
        && line
            .deadline
            .is_some_and(|deadline| Instant::now() > deadline)
    {
        line.late = true;
        line.deadline = None;
        if let Some(child) = &line.child {
            kill_all(child);
        }
    }
}

/// Kills ssh with what it has started: a group of its own.
fn kill_all(child: &Child) {
    if let Ok(group) = i32::try_from(child.id()) {
        let _gone_is_fine = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
}

/// Asks a machine to end: its input ends.
pub(super) fn hang_up(line: &Line) {
    let mut line = locked(line);
    line.stdin = None;
    line.over = true;
    let latest = Instant::now() + PARTING;
    line.deadline = Some(
        line.deadline
            .map_or(latest, |deadline| deadline.min(latest)),
    );
}

/// Runs the plan on a machine; its journal goes to `journal`.
pub(super) fn visit(
    host: &Host,
    plan: &Plan,
    way: &Way,
    (line, all_ready): (&Line, &Barrier),
    journal: &Path,
) -> Result<()> {
    let said = tempfile::tempfile().context("cannot make a temporary file");
    let begun = match &said {
        Ok(said) => begin(host, plan, way, line, said),
        Err(_) => Err(anyhow!("it was not begun")),
    };
    // Whoever waits for others is not late.
    locked(line).deadline = None;
    // Also of a machine that failed: the others wait for its word.
    all_ready.wait();
    let ran = begun.and_then(|output| carry_out(host, plan, line, output, journal));
    let status = end(line);
    let late = locked(line).late;
    let said = last_words(&mut said?);
    match (ran, status) {
        (Ok(()), Ok(Some(0))) => Ok(()),
        (ran, status) => Err(explained(ran.err(), status?, late, &said)),
    }
}

/// Connects, sends the program and compares it.
fn begin(
    host: &Host,
    plan: &Plan,
    way: &Way,
    line: &Line,
    said: &File,
) -> Result<BufReader<ChildStdout>> {
    let mut child = ssh(host, way)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(said.try_clone().context("cannot copy a descriptor")?)
        .process_group(0)
        .spawn()
        .with_context(|| format!("{} cannot be started", way.ssh.display()))?;
    let output = child.stdout.take().context("ssh has no output")?;
    let mut input = child.stdin.take().context("ssh has no input")?;
    {
        let mut line = locked(line);
        line.child = Some(child);
        line.deadline = Some(Instant::now() + way.patience);
    }
    let mut output = BufReader::new(output);
    hello(&mut output, host, way)?;
    locked(line).deadline = Some(Instant::now() + COPY);
    if let Some(program) = &way.copied {
        let file =
            File::open(program).with_context(|| format!("cannot read {}", program.display()))?;
        io::copy(&mut { file }, &mut input).context("the program cannot be sent")?;
    }
    {
        let mut line = locked(line);
        ensure!(!line.over, "it was not begun: this run was interrupted");
        line.stdin = Some(input);
    }
    let mut word = String::new();
    output.read_line(&mut word).context("it cannot be heard")?;
    let word = word.trim_end();
    let found = word.strip_prefix("ready ");
    let found = found.with_context(|| format!("the program there does not start: '{word}'"))?;
    same(found, &plan.program)?;
    Ok(output)
}

/// The program there is the one that is meant.
fn same(found: &str, meant: &Id) -> Result<()> {
    let meant = meant.to_string();
    ensure!(
        found == meant,
        "another program is there: {found}, and the fleet runs {meant}: copy this one there, or \
         leave out --at"
    );
    Ok(())
}

/// The first word of a machine: which processor, and what time it has.
fn hello(output: &mut BufReader<ChildStdout>, host: &Host, way: &Way) -> Result<()> {
    // Shells greet: what they print is passed over.
    for line in output.by_ref().lines().take(200) {
        let line = line.context("it cannot be heard")?;
        let mut words = line.split_whitespace();
        if words.next() != Some("hello") {
            continue;
        }
        let (arch, clock) = (
            words.next().unwrap_or_default(),
            words.next().unwrap_or_default(),
        );
        ensure!(
            way.copied.is_none() || arch == way.arch,
            "it is {arch}, and the program is for {}: name another one with --binary",
            way.arch
        );
        tell_clock(&host.name, clock.parse().ok());
        return Ok(());
    }
    bail!("it said nothing")
}

/// A clock that is wrong is no harm, and worth knowing.
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

/// ssh to a host, with the script.
fn ssh(host: &Host, way: &Way) -> Command {
    let size = way
        .copied
        .as_ref()
        .and_then(|path| path.metadata().ok())
        .map_or(0, |file| file.len());
    let set = [
        ("FOLDER", way.folder.clone().unwrap_or_default()),
        ("PROGRAM", way.at.clone().unwrap_or_default()),
        ("SIZE", size.to_string()),
    ];
    let set: String = set
        .iter()
        .map(|(name, value)| format!("{name}={}\n", quoted(value)))
        .collect();
    let connect = format!("ConnectTimeout={}", way.patience.as_secs().max(1));
    let mut command = Command::new(&way.ssh);
    command
        .args(["-T", "-o", "BatchMode=yes", "-o", &connect])
        .args([
            "-o",
            "ServerAliveInterval=15",
            "-o",
            "ServerAliveCountMax=3",
        ])
        .arg("--")
        .arg(&host.destination)
        .arg(format!("exec sh -c {}", quoted(&format!("{set}{SCRIPT}"))));
    command
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Sends the plan, and takes the journal until it ends.
fn carry_out(
    host: &Host,
    plan: &Plan,
    line: &Line,
    mut output: BufReader<ChildStdout>,
    journal: &Path,
) -> Result<()> {
    let task = Task {
        words: plan.words_of(&host.name),
        files: plan.files.clone(),
    };
    let mut text = serde_json::to_vec(&task)?;
    text.push(b'\n');
    let sent = match &mut locked(line).stdin {
        Some(stdin) => stdin.write_all(&text),
        None => bail!("it was not begun: this run was interrupted"),
    };
    sent.context("the plan cannot be sent")?;
    let failed = || format!("cannot write {}", journal.display());
    let mut file = File::create(journal).with_context(failed)?;
    io::copy(&mut output, &mut file).with_context(failed)?;
    Ok(())
}

/// Closes the connection and waits for its end.
fn end(line: &Line) -> Result<Option<i32>> {
    hang_up(line);
    loop {
        {
            let mut line = locked(line);
            let Some(child) = &mut line.child else {
                return Ok(None);
            };
            if let Some(status) = child.try_wait().context("ssh cannot be waited for")? {
                line.child = None;
                line.deadline = None;
                return Ok(Some(status.code().unwrap_or(-1)));
            }
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The last lines of standard error.
fn last_words(said: &mut File) -> String {
    let mut text = Vec::new();
    let read = said.rewind().and_then(|()| said.read_to_end(&mut text));
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let last = lines[lines.len().saturating_sub(4)..].join(" · ");
    match read {
        Ok(_) => last,
        Err(error) => format!("what it said cannot be read: {error}"),
    }
}

/// Why a machine failed, and what to do.
fn explained(
    error: Option<anyhow::Error>,
    status: Option<i32>,
    late: bool,
    said: &str,
) -> anyhow::Error {
    let asks = ["Permission denied (", "password", "passphrase"];
    if asks.iter().any(|word| said.contains(word)) {
        return anyhow!(
            "ssh asks for a password, and nobody is asked here: give it a key (ssh-copy-id): {said}"
        );
    }
    if said.contains("Host key verification failed") {
        return anyhow!("ssh does not know this host: connect to it once by hand: {said}");
    }
    if said.contains("No space left on device") {
        return anyhow!(
            "its disk is full: free some, or name another folder with --folder: {said}"
        );
    }
    if late {
        return anyhow!("it did not answer in time, and the connection was closed: {said}");
    }
    let code = status.map_or(String::new(), |code| {
        format!(" (ssh ended with exit code {code})")
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

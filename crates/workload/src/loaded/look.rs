//! A look into a library before a run: what it says of its body, or why it can never run. To load it is to run code of
//! it, so a process of this program does it, and is ended if it takes long. What the library prints is nobody's: the
//! answer stands behind a mark.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use serde::{Deserialize, Serialize};

const ARGUMENT: &str = "__body";
const MARK: &str = "__body:";
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Seen {
    pub(super) may_be_fiber: bool,
    args: Vec<String>,
    pub(super) parts: Vec<String>,
    pub(super) has_threads: bool,
}

impl Seen {
    pub(super) fn about(&self) -> body::About {
        body::About {
            may_be_fiber: self.may_be_fiber,
            args: self.args.clone(),
            parts: self.parts.clone(),
        }
    }
}

/// Whether this process was started for a look. To be asked in `main`.
#[must_use]
pub fn is_look() -> bool {
    std::env::args_os()
        .nth(1)
        .is_some_and(|one| one == ARGUMENT)
}

/// The whole life of such a process.
pub fn look_main() -> ! {
    let path = PathBuf::from(std::env::args_os().nth(2).unwrap_or_default());
    let seen = body::Loaded::look(&path).map_err(|error| error.to_string());
    let seen = seen.map(|about| Seen {
        may_be_fiber: about.may_be_fiber,
        args: about.args,
        parts: about.parts,
        has_threads: super::tasks().is_ok_and(|tasks| tasks > 1),
    });
    let seen = serde_json::to_string(&seen).unwrap_or_default();
    let told = writeln!(io::stdout(), "\n{MARK}{seen}");
    std::process::exit(i32::from(told.is_err()))
}

static KNOWN: Mutex<BTreeMap<PathBuf, Result<Seen, String>>> = Mutex::new(BTreeMap::new());

pub(super) fn look(library: &Path) -> Result<Seen, String> {
    let mut known = KNOWN.lock().map_err(|error| error.to_string())?;
    let seen = known.entry(library.to_owned());
    seen.or_insert_with(|| look_at(library)).clone()
}

fn look_at(library: &Path) -> Result<Seen, String> {
    let name = library.display();
    let cannot = |error| format!("cannot look into {name}: {error}");
    let mut command = Command::new(flow::library::slot_program()?);
    let command = command.arg0("flowgauge").arg(ARGUMENT).arg(library);
    let command = command.stdin(Stdio::null()).stderr(Stdio::null());
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(cannot)?;
    let is_over = wait(&mut child).map_err(cannot)?;
    let status = child.wait().map_err(cannot)?;
    let said = child.stdout.take().filter(|_| is_over);
    let said = said.map_or(Ok(Vec::new()), all_there_is).map_err(cannot)?;
    let said = String::from_utf8_lossy(&said);
    let answer = said.rsplit_once(MARK).map(|(_, answer)| answer.trim());
    match (
        is_over,
        answer.and_then(|answer| serde_json::from_str(answer).ok()),
    ) {
        (true, Some(seen)) => seen,
        (true, None) => Err(format!(
            "{name} ends the process that loads it ({}): what runs when it is loaded, such as a constructor, must \
             return",
            ended(status)
        )),
        (false, _) => Err(format!(
            "{name} was still being loaded after {} s: what runs when it is loaded must return",
            PATIENCE.as_secs()
        )),
    }
}

fn all_there_is(mut out: ChildStdout) -> io::Result<Vec<u8>> {
    fcntl(&out, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
    let mut said = Vec::new();
    match out.read_to_end(&mut said) {
        Err(error) if error.kind() != io::ErrorKind::WouldBlock => Err(error),
        _ => Ok(said),
    }
}

/// Whether it ended by itself; ended it is in any case.
fn wait(child: &mut Child) -> io::Result<bool> {
    let until = Instant::now() + PATIENCE;
    while child.try_wait()?.is_none() {
        if Instant::now() > until {
            child.kill()?;
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(true)
}

fn ended(status: std::process::ExitStatus) -> String {
    let signal = status
        .signal()
        .and_then(|one| nix::sys::signal::Signal::try_from(one).ok());
    signal.map_or_else(|| status.to_string(), |signal| signal.to_string())
}

//! A process on each node of a run over several: what the node is, and that nothing is left on it.
//!
//! ```text
//!   the node                                   flowgauge, by ssh or as a step of the job
//!   facts, one line                 ─────▶     the same program, MPI? which CPUs?
//!   …sleeps, holds a folder in memory…         slots: what ranks of a node share lies in that folder
//!   what is wrong there, one line   ◀────▶     the run's journal, one line, before all and after a slot that failed:
//!                                              does the node see it, and is it well?
//!                                   ◀─────     end of file: the run has ended, or this connection has
//!   how many processes had to be ended ──▶     counted
//! ```
//!
//! Ranks end with their launcher; one that does not is known by the folder's name in its command line. A folder whose
//! keeper was killed is removed by the next one on that node.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::exit;
use std::time::{Duration, Instant};

use flow::Interrupt;
use machine::Machine;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use program::tree;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tidy::SlotFolder;

use crate::launcher;
use crate::nodes::{boot, this_machine};

const ARGUMENT: &str = "__keeper";
/// In it lies the folder: memory of the node.
const BASE: &str = "/dev/shm";
const LOOK: Duration = Duration::from_millis(500);
const GRACE: Duration = Duration::from_secs(2);
/// What ranks of a node share takes more, but without this they cannot begin.
const LEAST: usize = 1 << 20;

/// What a node is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Facts {
    /// Of the file of this program.
    pub program: String,
    /// Name and version of the MPI there, or why that is not known.
    pub mpi: String,
    /// The same for two nodes that are one machine, made with namespaces.
    pub boot: u64,
    /// [`crate::nodes::this_machine`].
    pub id: u64,
    /// The rest.
    pub machine: Machine,
}

/// Whether ranks could begin on a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Health {
    /// What is wrong; empty: nothing.
    pub trouble: String,
}

/// What is left when a run has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parting {
    /// Processes that had to be ended.
    pub ended: u32,
}

/// A new folder, with the same path on all nodes. Errors: no random numbers.
pub fn scratch() -> io::Result<PathBuf> {
    Ok(Path::new(BASE).join(tidy::names::new(tidy::names::Kind::Folder)?))
}

/// The words that start a keeper, for `run`'s MPI.
#[must_use]
pub fn words<'a>(own: &'a str, scratch: &'a str, run: &'a str) -> [&'a str; 4] {
    [own, ARGUMENT, scratch, run]
}

/// The first digits of the SHA-256 of a program's file. Errors: it cannot be read.
pub fn program(path: &Path) -> io::Result<String> {
    let bytes = Sha256::digest(fs::read(path)?);
    Ok(bytes
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

/// Whether this process is a keeper.
#[must_use]
pub fn is_keeper() -> bool {
    std::env::args_os()
        .nth(1)
        .is_some_and(|argument| argument == ARGUMENT)
}

/// The whole life of a keeper.
pub fn keeper_main() -> ! {
    if let Err(why) = live() {
        let _closed_is_fine = writeln!(io::stderr(), "{why}");
        exit(1);
    }
    exit(0)
}

fn live() -> Result<(), String> {
    let mut arguments = std::env::args().skip(2);
    let (Some(scratch), Some(run)) = (arguments.next(), arguments.next()) else {
        return Err("a keeper is started by flowgauge hybrid".to_owned());
    };
    let interrupt = Interrupt::install().map_err(|error| error.to_string())?;
    interrupt.begin();
    let scratch = PathBuf::from(scratch);
    tidy::slot_folder::sweep(Path::new(BASE));
    let folder = SlotFolder::make(&scratch).map_err(|error| match scratch.exists() {
        true => "it is a node that another name has already".to_owned(),
        false => error.to_string(),
    })?;
    let told = has_room(&scratch).and_then(|()| say(&facts(Path::new(&run))?));
    if told.is_ok() {
        wait(&interrupt, &scratch);
    }
    let ended = end_all(&scratch);
    folder.remove();
    told?;
    let _gone_is_fine = say(&Parting { ended });
    Ok(())
}

fn facts(run: &Path) -> Result<Facts, String> {
    let mut hash = DefaultHasher::new();
    boot()
        .map_err(|error| format!("no boot_id: {error}"))?
        .hash(&mut hash);
    Ok(Facts {
        program: program(Path::new("/proc/self/exe")).map_err(|error| error.to_string())?,
        mpi: match launcher::version(run) {
            Ok((kind, version)) => format!("{} {version}", kind.name()),
            Err(why) => why,
        },
        boot: hash.finish(),
        id: this_machine()?,
        machine: Machine::read(),
    })
}

fn has_room(scratch: &Path) -> Result<(), String> {
    let path = scratch.join("room");
    let written = fs::write(&path, vec![1; LEAST]);
    written.map_err(|error| {
        format!("{BASE} takes no files of ranks: {error}: free some of it (df {BASE})")
    })?;
    fs::remove_file(&path).map_err(|error| error.to_string())
}

fn sees(journal: &str) -> Result<(), String> {
    match journal.is_empty() || Path::new(journal).is_file() {
        true => Ok(()),
        false => Err(format!(
            "it does not see {journal}: name a folder that all nodes share (--out)"
        )),
    }
}

fn say(what: &impl Serialize) -> Result<(), String> {
    let mut text = serde_json::to_string(what).map_err(|error| error.to_string())?;
    text.push('\n');
    let mut out = io::stdout();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| error.to_string())
}

/// Until the input ends, or a signal comes.
fn wait(interrupt: &Interrupt, scratch: &Path) {
    let input = io::stdin();
    while interrupt.signal().is_none() {
        let time = PollTimeout::try_from(LOOK).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(input.as_fd(), PollFlags::POLLIN)], time) {
            Ok(0) | Err(Errno::EINTR) => continue,
            Ok(_) => {}
            Err(_) => return,
        }
        let mut journal = String::new();
        let is_asked = matches!(input.read_line(&mut journal), Ok(1..));
        let trouble = || has_room(scratch).and_then(|()| sees(journal.trim_end()));
        let trouble = || trouble().err().unwrap_or_default();
        if !is_asked || say(&Health { trouble: trouble() }).is_err() {
            return;
        }
    }
}

fn end_all(scratch: &Path) -> u32 {
    let until = Instant::now() + GRACE;
    loop {
        let left = of_run(scratch);
        if left.is_empty() {
            return 0;
        }
        if Instant::now() > until {
            for pid in &left {
                let _gone_is_fine = kill(*pid, Signal::SIGKILL);
            }
            return u32::try_from(left.len()).unwrap_or(u32::MAX);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whose command line has the folder's name, but for what starts keepers.
fn of_run(scratch: &Path) -> Vec<Pid> {
    let name = scratch.as_os_str().as_encoded_bytes();
    let has = |line: &[u8], word: &[u8]| line.windows(word.len()).any(|part| part == word);
    let of_run = tree::pids().filter(|pid| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        has(&line, name) && !has(&line, ARGUMENT.as_bytes())
    });
    of_run.map(Pid::from_raw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn processes_of_a_run_are_known_by_its_folder_and_ended() {
        let scratch = scratch().unwrap();
        let path = scratch.display().to_string();
        assert_eq!(end_all(&scratch), 0);
        let start = |words: &[&str]| {
            let mut command = Command::new("sh");
            command
                .args(["-c", "read nothing; true"])
                .args(words)
                .stdin(Stdio::piped());
            let child = command.spawn().unwrap();
            // A program that is only being loaded has no words yet.
            let line = format!("/proc/{}/cmdline", child.id());
            while fs::read(&line).is_ok_and(|words| words.is_empty()) {
                std::thread::yield_now();
            }
            child
        };
        let (mut rank, mut ssh) = (start(&[&path]), start(&[&path, ARGUMENT]));
        assert_eq!(end_all(&scratch), 1);
        assert!(!rank.wait().unwrap().success());
        assert_eq!(ssh.try_wait().unwrap(), None);
        ssh.kill().unwrap();
        ssh.wait().unwrap();
    }
}

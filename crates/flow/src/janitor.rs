//! The janitor: a process that removes what a slot has on disk when nobody else is left to do it.
//!
//! | who is left               | who removes                                                  |
//! |---------------------------|--------------------------------------------------------------|
//! | the main process          | it does, after it has killed the slot's group                |
//! | the janitor               | it does, when the pipe from the main process ends            |
//! | nobody                    | the next run that looks there ([`tidy::slot_folder::sweep`]) |
//!
//! It is this same binary, in a process group that no Ctrl-C reaches, born with signals that ask to end blocked, asleep
//! in a read. Before anything of a slot is made it gets the names on one line; a line without names says that all is
//! removed. When the main process is gone, the read ends, and the slot's processes die by their parent-death signals.
//! The janitor removes what is provably ours ([`tidy`]) at the last names, ends the slot's control group
//! ([`crate::cgroup`]), and ends.
//!
//! The kernel continues a stopped janitor: its parent-death signal, asked for right after its fork, is `SIGCONT`. One
//! stopped even earlier is continued as a member of an orphaned group: with the main process dies the last tie to a
//! session, and stopped members get `SIGHUP`, which is blocked, and `SIGCONT` (POSIX, `_exit`, "consequences of process
//! termination"); so it has a group, not a session, of its own. Nothing continues it if that stop has not taken effect
//! when the main process dies, or if the process that adopts orphans is in the run's session.
//!
//! A child of the main process that was stopped between fork and exec has no parent-death signal yet, but holds the
//! writing end of the janitor's pipe. A second thread waits until the main process ends, and kills who still holds it,
//! never by number, which may have gone to a stranger.
//!
//! A flow (or load generator) stopped before its own request to die with its parent, and a name that a dying slot was
//! just making, may come later: so it looks a few times ([`crate::stranded`]).

use std::io::{self, BufRead, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use nix::poll::{PollTimeout, poll};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::{SigSet, SigmaskHow, Signal};
use nix::unistd::getppid;

use crate::carried;
use crate::ending::exit;
use crate::polled::readable;
use crate::stranded::{self, FileId, file, holds, kill_each, pidfd};

const ENDS: [Signal; 4] = [
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGTERM,
];

/// Looks for what a killed slot leaves: a dying process finishes its system call.
const LOOKS: u32 = 8;
const PAUSE: Duration = Duration::from_millis(50);
/// Further looks for what a dying slot may hold.
const PATIENCE: u32 = 100;

#[derive(Debug)]
pub(crate) struct Janitor {
    child: Child,
    told: Option<ChildStdin>,
}

impl Janitor {
    fn start() -> io::Result<Self> {
        let mut command = Command::new(crate::library::this_program());
        command
            .arg0("flowgauge")
            .arg(stranded::JANITOR)
            .arg(std::process::id().to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        // SAFETY: one async-signal-safe `prctl`; an `io::Error` of a number allocates nothing.
        unsafe { command.pre_exec(|| Ok(set_pdeathsig(Signal::SIGCONT)?)) };
        // A child inherits the mask, also through exec.
        let before = SigSet::from_iter(ENDS).thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
        let spawned = stranded::spawn(&mut command);
        before.thread_set_mask()?;
        let mut child = spawned?;
        let told = child.stdin.take();
        Ok(Self { child, told })
    }

    fn tell(&mut self, line: &[u8]) -> io::Result<()> {
        let told = self.told.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        told.write_all(line)
    }
}

impl Drop for Janitor {
    fn drop(&mut self) {
        drop(self.told.take());
        let _gone_is_fine = self.child.wait();
    }
}

/// For a slot with nothing on disk: the janitor ends what is stranded when this process is killed.
pub(crate) fn begin(janitor: &mut Option<Janitor>) {
    match carried::place() {
        Some(_) => tell(janitor, &[]),
        None if janitor.is_none() => *janitor = Janitor::start().ok(),
        None => {}
    }
}

pub(crate) fn end(janitor: &mut Option<Janitor>) {
    carried::remove();
    if janitor.is_some() {
        tell(janitor, &[]);
    }
    *janitor = None;
}

/// Without a janitor the next run may have to clean up. What the run has unpacked is always among the names.
pub(crate) fn tell(janitor: &mut Option<Janitor>, names: &[&PathBuf]) {
    let unpacked = carried::place();
    let names: Vec<&PathBuf> = names.iter().copied().chain(&unpacked).collect();
    let Ok(mut line) = serde_json::to_vec(&names) else {
        return;
    };
    line.push(b'\n');
    if janitor.as_mut().is_some_and(|one| one.tell(&line).is_ok()) {
        return;
    }
    *janitor = Janitor::start().ok().filter(|_| !names.is_empty());
    if let Some(one) = janitor {
        let _swept_by_the_next_run = one.tell(&line);
    }
}

/// Whether this process is a janitor. `main` asks only [`crate::is_slot_process`] before.
#[must_use]
pub fn is_janitor() -> bool {
    crate::tied::is_in_role(stranded::JANITOR)
}

/// The whole life of a janitor.
pub fn janitor_main() -> ! {
    std::thread::spawn(|| {
        if let (Some(main), Ok(pipe)) = (main_process(), own_pipe()) {
            ends(main);
            kill_each(|pid| holds(pid, pipe));
        }
    });
    let mut last: Vec<PathBuf> = Vec::new();
    for line in io::stdin().lock().lines() {
        // A line that was cut names nothing: names are sent before files are made.
        match line.ok().and_then(|line| serde_json::from_str(&line).ok()) {
            Some(names) => last = names,
            None => break,
        }
    }
    crate::cgroup::sweep();
    let was_killed = main_process() != Some(getppid().as_raw());
    if was_killed || !last.is_empty() {
        end_slot(&last);
    }
    exit(0)
}

fn end_slot(names: &[PathBuf]) {
    for look in 0..LOOKS + PATIENCE {
        let is_early = look < LOOKS;
        if is_early {
            stranded::end();
        }
        tidy::slot_folder::remove_left(names);
        // On a busy machine a slot dies slowly and holds its group and lock, as other runs do.
        let is_held = crate::cgroup::sweep();
        if !is_early && !is_held && !names.iter().any(|name| name.symlink_metadata().is_ok()) {
            return;
        }
        std::thread::sleep(PAUSE);
    }
}

fn main_process() -> Option<i32> {
    std::env::args().nth(2)?.parse().ok()
}

fn ends(main: i32) {
    let Some(process) = pidfd(main) else { return };
    let mut end = [readable(process.as_fd())];
    // With another parent, it ended before it could be watched, and its number may be a stranger's.
    while getppid().as_raw() == main && poll(&mut end, PollTimeout::NONE).is_err() {}
}

fn own_pipe() -> io::Result<FileId> {
    file("/proc/self/fd/0")
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::fs;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::MetadataExt;

    use nix::sys::signal::kill;

    /// The janitor looked for 0.4 s, and left the folder of a slot that died more slowly.
    #[test]
    fn the_folder_of_a_slot_that_dies_slowly_is_removed() {
        let base = tempfile::tempdir().unwrap();
        let name = tidy::names::new(tidy::names::Kind::Folder).unwrap();
        let path = base.path().join(name);
        let held = tidy::slot_folder::SlotFolder::make(&path).unwrap();
        let dies = std::thread::spawn(move || {
            std::thread::sleep(2 * LOOKS * PAUSE);
            drop(held);
        });
        end_slot(std::slice::from_ref(&path));
        dies.join().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn a_stopped_process_that_holds_the_pipe_is_killed_and_others_are_not() {
        let (reader, writer) = io::pipe().unwrap();
        let found = fs::metadata(format!("/proc/self/fd/{}", reader.as_raw_fd())).unwrap();
        let sleep = |stdout: Stdio| {
            let mut command = Command::new("sleep");
            command.arg("60").stdout(stdout).spawn().unwrap()
        };
        let (mut holder, mut other) = (sleep(writer.into()), sleep(Stdio::null()));
        let held = nix::unistd::Pid::from_raw(holder.id().cast_signed());
        kill(held, Signal::SIGSTOP).unwrap();
        let pipe = (found.dev(), found.ino());
        kill_each(|pid| holds(pid, pipe));
        assert!(!holder.wait().unwrap().success());
        assert_eq!(other.try_wait().unwrap(), None);
        other.kill().unwrap();
        other.wait().unwrap();
    }
}

//! Processes of this program that are stopped and that nobody will ever continue. A stopped process takes no signal but
//! `SIGKILL` and `SIGCONT`, and dies with its maker only if it has asked for that. Two kinds can be left by a killed
//! maker:
//!
//! * one in a role (`__cell`, `__load`, ...), named in its command line, that had not asked yet.
//! * one between its fork and its exec. While it forks, the maker bears a name with its own number ([`spawn`]): a child
//!   inherits the name, has another number, and loses the name at its exec.
//!
//! Both are ended if they are stopped, run the file of this program or its part for slots, and have a parent that runs
//! another one: by the janitor, and by the next run (a janitor can be of the second kind). No mechanism of the kernel
//! does it: a parent-death signal is not inherited; a child holds every descriptor of its maker until its exec; an
//! orphaned process group is continued only if its members have stopped by then. Never ended: what runs, or what a
//! person stopped, whose parent is a shell and which has no such name.

use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Child, Command};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use sys::{MAKER, MakerName};

pub(crate) fn spawn(command: &mut Command) -> io::Result<Child> {
    let _as_a_maker = MakerName::bear()?;
    command.spawn()
}

/// Ends what is stranded. Call before locking: a child stopped before exec holds its maker's locks.
pub fn end() {
    if let Ok(own) = file("/proc/self/exe") {
        kill_each(|pid| is_stranded(pid, own));
    }
}

/// Whether the numbers in `/proc` are of this PID namespace; else they are of other processes.
#[must_use]
pub fn proc_is_own() -> bool {
    let shown = fs::read_link("/proc/self").ok();
    shown.is_some_and(|shown| shown == Path::new(&std::process::id().to_string()))
}

/// The argument of the one role that nobody strands.
pub(crate) const JANITOR: &str = "__janitor";

pub(crate) fn kill_each(is_to_be: impl Fn(i32) -> bool) {
    for pid in others() {
        // A descriptor stays with its process: the number cannot pass to another in between.
        if let Some(process) = pidfd(pid)
            && is_to_be(pid)
        {
            let _gone_is_fine = pidfd_send_signal(&process, Signal::KILL);
        }
    }
}

pub(crate) fn pidfd(pid: i32) -> Option<OwnedFd> {
    pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()
}

pub(crate) type FileId = (u64, u64);

pub(crate) fn file(path: impl AsRef<Path>) -> io::Result<FileId> {
    let found = fs::metadata(path)?;
    Ok((found.dev(), found.ino()))
}

/// Processes but this one that have a file open and are stopped, as far as they may be looked at.
#[must_use]
pub fn stopped_holders(of: &File) -> Vec<i32> {
    let Ok(wanted) = of.metadata().map(|found| (found.dev(), found.ino())) else {
        return Vec::new();
    };
    others()
        .filter(|&pid| stopped(pid).is_some() && holds(pid, wanted))
        .collect()
}

pub(crate) fn holds(pid: i32, wanted: FileId) -> bool {
    let files = fs::read_dir(format!("/proc/{pid}/fd"));
    let mut files = files.into_iter().flatten().flatten();
    files.any(|entry| file(entry.path()).is_ok_and(|found| found == wanted))
}

/// Of this PID namespace; none where `/proc` is another namespace's.
fn others() -> impl Iterator<Item = i32> {
    let entries = proc_is_own().then(|| fs::read_dir("/proc"));
    let entries = entries.into_iter().flatten().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let own = std::process::id().cast_signed();
    pids.filter(move |pid| *pid != own)
}

fn is_stranded(pid: i32, own: FileId) -> bool {
    let runs = |pid: &str| {
        let program = format!("/proc/{pid}/exe");
        file(&program).is_ok_and(|program| program == own)
            || fs::read_link(program).is_ok_and(|path| crate::library::is_unpacked(&path))
    };
    let stopped = stopped(pid);
    stopped.is_some_and(|Stopped { name, parent }| {
        (is_in_a_role(pid) || is_unborn(pid, &name)) && runs(&pid.to_string()) && !runs(&parent)
    })
}

struct Stopped {
    name: String,
    parent: String,
}

fn stopped(pid: i32) -> Option<Stopped> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (before, after) = stat.rsplit_once(')')?;
    let mut after = after.split_whitespace();
    let is_stopped = after.next()? == "T";
    is_stopped.then_some(Stopped {
        name: before.split_once('(')?.1.to_owned(),
        parent: after.next()?.to_owned(),
    })
}

fn is_in_a_role(pid: i32) -> bool {
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let role = words.split(|&byte| byte == 0).nth(1);
    role.is_some_and(|role| role.starts_with(b"__") && role != JANITOR.as_bytes())
}

fn is_unborn(pid: i32, name: &str) -> bool {
    let Some(maker) = name.strip_prefix(MAKER) else {
        return false;
    };
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
    let own = numbers.and_then(|numbers| numbers.split_whitespace().last());
    own.is_some_and(|own| own != maker)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::time::{Duration, Instant};

    use nix::sys::signal::{self, raise};
    use nix::unistd::{ForkResult, fork};

    use super::*;
    use crate::ending::exit;

    /// A command whose child stops before its exec, as an orphan or not.
    fn stops(is_orphan: bool) -> Command {
        let mut command = Command::new("true");
        let stop = move || {
            if is_orphan {
                // SAFETY: this child has one thread, and the next one makes two system calls.
                if let ForkResult::Parent { .. } = unsafe { fork() }? {
                    exit(0);
                }
            }
            Ok(raise(signal::Signal::SIGSTOP)?)
        };
        // SAFETY: the closure makes system calls alone.
        unsafe { command.pre_exec(stop) };
        command
    }

    /// The stopped child of this process that bears its name.
    fn child() -> Option<i32> {
        let name = format!("{MAKER}{}", std::process::id());
        let entries = fs::read_dir("/proc").unwrap().flatten();
        let mut pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.find(|&pid| stopped(pid).is_some_and(|found| found.name == name))
    }

    fn within<T>(what: &str, look: impl Fn() -> Option<T>) -> T {
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            if let Some(found) = look() {
                return found;
            }
            assert!(Instant::now() < until, "{what}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// A janitor that was stopped before its first system call stayed for ever.
    #[test]
    fn a_child_stopped_before_its_exec_is_ended_once_its_maker_is_gone() {
        let own = file("/proc/self/exe").unwrap();
        for is_orphan in [false, true] {
            let maker = std::thread::spawn(move || spawn(&mut stops(is_orphan)));
            // The janitor of another test may end an orphan before it is seen here: then its maker goes on.
            let seen = || {
                child()
                    .map(Some)
                    .or_else(|| maker.is_finished().then_some(None))
            };
            let Some(found) = within("a child that is stopped", seen) else {
                assert!(is_orphan, "a child with a parent was ended");
                continue;
            };
            // Its parent ends only now.
            let is_orphaned = || {
                let is_over = is_stranded(found, own) || stopped(found).is_none();
                is_over.then_some(())
            };
            match is_orphan {
                true => within("an orphan", is_orphaned),
                false => assert!(!is_stranded(found, own)),
            }
            match is_orphan {
                true => end(),
                false => drop(pidfd_send_signal(pidfd(found).unwrap(), Signal::CONT)),
            }
            if let Ok(mut child) = maker.join().unwrap() {
                child.wait().unwrap();
            }
        }
        // The process itself, stopped while it forks, is no child of its own.
        let own_name = format!("{MAKER}{}", std::process::id());
        assert!(!is_unborn(std::process::id().cast_signed(), &own_name));
    }
}

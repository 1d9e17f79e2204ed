//! A namespace of ids with a `pid_max` of its own, as each has since Linux 6.14; before, writing it
//! from within would lower it for the whole machine. So the kernel's version is asked, and the
//! process is no root outside: that file is not its to write. A fresh namespace gives out its first
//! 300 ids too, unlike a machine that has run for a while: they are used up first.

use std::fs;
use std::io;

use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::unistd::{ForkResult, Pid, getegid, geteuid};
use sys::Alone;

use super::fence::{TASKS, become_nobody};
use crate::ending::exit;
use crate::start::reap;

const OWN_PID_MAX: (u64, u64) = (6, 14);
const RESERVED: i32 = 300;
const PATIENCE: i32 = 2 * RESERVED;

/// The caller waits for the end of the new first process.
pub(super) fn enter() -> Result<(), String> {
    if kernel().is_none_or(|version| version < OWN_PID_MAX) {
        return Err(
            "this kernel has one kernel.pid_max for all (Linux 6.14 has one for each namespace)"
                .to_owned(),
        );
    }
    if geteuid().is_root() {
        become_nobody()?;
    }
    let (user, group) = (geteuid(), getegid());
    unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWNS)
        .map_err(|errno| format!("namespaces are not allowed here: {}", errno.desc()))?;
    let own = [
        ("setgroups", "deny".to_owned()),
        ("uid_map", format!("0 {user} 1")),
        ("gid_map", format!("0 {group} 1")),
    ];
    for (file, text) in own {
        write(&format!("/proc/self/{file}"), &text)?;
    }
    be_its_first().map_err(|error| format!("no process in the namespace: {error}"))?;
    see_it()?;
    use_up_reserved().map_err(|error| format!("its first ids cannot be used up: {error}"))?;
    write(
        "/proc/sys/kernel/pid_max",
        &(i64::from(RESERVED) + 1 + TASKS as i64).to_string(),
    )
}

fn write(file: &str, text: &str) -> Result<(), String> {
    fs::write(file, text).map_err(|error| format!("{file} cannot be written: {error}"))
}

fn kernel() -> Option<(u64, u64)> {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").ok()?;
    let mut numbers = release
        .split(|c: char| !c.is_ascii_digit())
        .map_while(|part| part.parse().ok());
    numbers.next().zip(numbers.next())
}

/// The parent never returns; killing it kills the namespace.
fn be_its_first() -> io::Result<()> {
    match Alone::now()?.fork()? {
        ForkResult::Parent { child } => exit(i32::from(reap(child).is_err())),
        ForkResult::Child => Ok(set_pdeathsig(Signal::SIGKILL)?),
    }
}

fn see_it() -> Result<(), String> {
    let none = None::<&str>;
    mount(none, "/", none, MsFlags::MS_REC | MsFlags::MS_PRIVATE, none)
        .and_then(|()| mount(Some("proc"), "/proc", Some("proc"), MsFlags::empty(), none))
        .map_err(|errno| format!("/proc of the namespace cannot be mounted: {}", errno.desc()))
}

fn use_up_reserved() -> io::Result<()> {
    let alone = Alone::now()?;
    for _ in 0..PATIENCE {
        let ForkResult::Parent { child } = alone.fork()? else {
            exit(0)
        };
        reap(child)?;
        if child >= Pid::from_raw(RESERVED) {
            return Ok(());
        }
    }
    Err(io::Error::other("ids do not grow"))
}

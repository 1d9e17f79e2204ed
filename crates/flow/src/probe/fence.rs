use std::io;

use nix::sys::prctl::{set_dumpable, set_pdeathsig};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::Signal;
use nix::unistd::{Gid, Uid, User, geteuid, getppid, setgroups, setresgid, setresuid};

/// Room that a fence on tasks leaves.
pub const TASKS: u64 = 100;
/// Room that a fence on address space leaves, in bytes.
pub const ADDRESSES: u64 = 64 << 20;

/// Where a user without processes is looked for.
const SPARE: std::ops::Range<u32> = 52_000..60_000;

pub(super) fn fewer_tasks(of_this_user: u64) -> Result<(), String> {
    let used = if geteuid().is_root() {
        become_nobody()?;
        1
    } else {
        of_this_user.max(1)
    };
    lower(Resource::RLIMIT_NPROC, used + TASKS)
}

pub(super) fn fewer_addresses() -> Result<(), String> {
    let used = addresses().ok_or("/proc/self/statm does not tell the address space")?;
    lower(Resource::RLIMIT_AS, used + ADDRESSES)
}

fn lower(resource: Resource, value: u64) -> Result<(), String> {
    let lowered =
        getrlimit(resource).and_then(|(soft, hard)| setrlimit(resource, value.min(soft), hard));
    lowered.map_err(|errno| format!("{resource:?} cannot be lowered: {}", errno.desc()))
}

fn addresses() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().next()?.parse().ok()?;
    Some(pages * crate::page_bytes())
}

/// Root's limits do not bind: become a user without processes and name.
pub(super) fn become_nobody() -> Result<Uid, String> {
    let parent = getppid();
    let taken = users();
    let first = std::process::id() % (SPARE.end - SPARE.start);
    let spare = SPARE
        .map(|user| SPARE.start + (user - SPARE.start + first) % (SPARE.end - SPARE.start))
        .find(|user| {
            !taken.contains(user) && matches!(User::from_uid(Uid::from_raw(*user)), Ok(None))
        })
        .ok_or("every user that could be a spare one is taken")?;
    let (user, group) = (Uid::from_raw(spare), Gid::from_raw(spare));
    let changed = setgroups(&[])
        .and_then(|()| setresgid(group, group, group))
        .and_then(|()| setresuid(user, user, user))
        // Both are lost with the change of user.
        .and_then(|()| set_dumpable(true))
        .and_then(|()| set_pdeathsig(Signal::SIGKILL));
    changed
        .map_err(|errno| format!("this process may not become another user: {}", errno.desc()))?;
    if getppid() != parent {
        return Err("the command that started this probe is gone".to_owned());
    }
    Ok(user)
}

fn users() -> Vec<u32> {
    use std::os::unix::fs::MetadataExt;
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let user = |entry: std::fs::DirEntry| -> io::Result<u32> { Ok(entry.metadata()?.uid()) };
    entries.filter_map(|entry| user(entry).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_space_is_read_and_is_that_of_a_program() {
        assert!(addresses().unwrap() > 1 << 20);
    }

    #[test]
    fn users_of_processes_are_found() {
        assert!(users().contains(&geteuid().as_raw()));
    }
}

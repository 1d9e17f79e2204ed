//! What a cell does with its files when it is told to end: code for a signal handler.
//!
//! # Theory
//!
//! A handler may only make async-signal-safe calls, and the cell is about to kill its whole
//! group, itself included. Its flows may be making files until they are dead, so whoever
//! removes the folder must live longer than they do. That is the **janitor**: a process
//! forked from the handler by the bare system call (no handlers of `fork` run, nothing is
//! allocated), in a session of its own. It kills the group, waits until the group is gone
//! or [`TRIES`] are over, and removes the folder: plain system calls on a buffer on its
//! stack. It goes [`DEPTH`] folders deep and no deeper. The cell waits for its death: would it
//! kill the group itself, it could hit the janitor before that has left it.
//!
//! It does not say anything and its failure is nobody's business: the next run sweeps.

use std::ffi::CStr;

use nix::errno::Errno;

/// Folders within folders that are removed.
const DEPTH: usize = 3;
/// Tries to find the group gone and the folder empty, 2 ms apart.
const TRIES: usize = 500;

/// Forks a janitor for `folder`, which kills the calling cell's group; returns in the cell,
/// and only if that has not come to pass.
///
/// For signal handlers: makes async-signal-safe calls only.
pub(crate) fn leave_janitor(folder: &CStr) {
    // SAFETY: `getpgrp` has no preconditions.
    let group = unsafe { libc::getpgrp() };
    // SAFETY: clone with SIGCHLD alone is fork: the child has a copy of this address space
    // and goes on here, on its copy of this stack; no pointers are passed.
    let forked = unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) };
    if forked != 0 {
        let tries = if forked > 0 { TRIES } else { 0 };
        (0..tries).for_each(|_| pause());
        return;
    }
    // SAFETY: `setsid` has no preconditions; a child that was just forked leads no group.
    unsafe { libc::setsid() };
    for _ in 0..TRIES {
        // SAFETY: `kill` has no memory preconditions; the group is that of the cell, and
        // stays its own as long as a member is left.
        let gone = unsafe { libc::kill(-group, libc::SIGKILL) } != 0;
        let removed = remove(libc::AT_FDCWD, folder, DEPTH);
        if gone && removed {
            break;
        }
        pause();
    }
    // SAFETY: `_exit` ends the process and has no preconditions.
    unsafe { libc::_exit(0) }
}

fn pause() {
    let time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 2_000_000,
    };
    // SAFETY: the request is a valid timespec, and the remainder may be null.
    unsafe { libc::nanosleep(&raw const time, std::ptr::null_mut()) };
}

/// Removes folder `name` of the open folder `parent`; whether it is gone.
fn remove(parent: libc::c_int, name: &CStr, depth: usize) -> bool {
    let flags = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_CLOEXEC;
    // SAFETY: the name is a C string.
    let folder = unsafe { libc::openat(parent, name.as_ptr(), flags) };
    if folder >= 0 {
        if depth > 0 {
            empty(folder, depth);
        }
        // SAFETY: the descriptor was opened above and is used no more.
        unsafe { libc::close(folder) };
    }
    unlink(parent, name, libc::AT_REMOVEDIR)
}

/// Removes `name`; whether it is gone.
fn unlink(parent: libc::c_int, name: &CStr, flags: libc::c_int) -> bool {
    // SAFETY: the name is a C string.
    let gone = unsafe { libc::unlinkat(parent, name.as_ptr(), flags) } == 0;
    gone || Errno::last() == Errno::ENOENT
}

/// Where a directory entry as the kernel writes it has its length, and its name.
const LENGTH: usize = 16;
const NAME: usize = 19;

/// Removes what the open folder holds.
fn empty(folder: libc::c_int, depth: usize) {
    let mut buffer = [0_u8; 2048];
    loop {
        // SAFETY: the buffer is as long as it is said to be.
        let read = unsafe {
            libc::syscall(
                libc::SYS_getdents64,
                folder,
                buffer.as_mut_ptr(),
                buffer.len(),
            )
        };
        let Some(mut entries) = usize::try_from(read)
            .ok()
            .and_then(|read| buffer.get(..read))
        else {
            return;
        };
        if entries.is_empty() {
            return;
        }
        while let Some((name, rest)) = first(entries) {
            if name != c"." && name != c".." && !unlink(folder, name, 0) {
                remove(folder, name, depth - 1);
            }
            entries = rest;
        }
    }
}

/// The name of the first entry, and the entries behind it.
fn first(entries: &[u8]) -> Option<(&CStr, &[u8])> {
    let length = entries.get(LENGTH..LENGTH + 2)?;
    let length = usize::from(u16::from_ne_bytes([length[0], length[1]]));
    let name = CStr::from_bytes_until_nul(entries.get(NAME..length)?).ok()?;
    Some((name, entries.get(length..)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn a_folder_goes_with_files_and_folders_in_it() {
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().join("flowgauge-1-1.files");
        fs::create_dir_all(folder.join("0/deep")).unwrap();
        for number in 0..300 {
            fs::write(folder.join(format!("inOut_{number}.dat")), "x").unwrap();
        }
        fs::write(folder.join("0/deep/file"), "x").unwrap();
        let name = std::ffi::CString::new(folder.as_os_str().as_bytes()).unwrap();
        assert!(remove(libc::AT_FDCWD, &name, DEPTH));
        assert!(!folder.exists());
        assert!(remove(libc::AT_FDCWD, &name, DEPTH), "gone already");
    }

    #[test]
    fn links_are_removed_and_not_followed() {
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().join("files");
        let kept = base.path().join("kept");
        fs::create_dir(&folder).unwrap();
        fs::create_dir(&kept).unwrap();
        fs::write(kept.join("file"), "x").unwrap();
        std::os::unix::fs::symlink(&kept, folder.join("link")).unwrap();
        let name = std::ffi::CString::new(folder.as_os_str().as_bytes()).unwrap();
        assert!(remove(libc::AT_FDCWD, &name, DEPTH));
        assert!(kept.join("file").exists());
    }
}

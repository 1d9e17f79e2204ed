use std::fs::{self, File};
use std::io::Read;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::PathBuf;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use nix::fcntl::{AtFlags, OFlag, openat};
use nix::sys::stat::{Mode, fstatat};

pub(super) fn is_there(folder: BorrowedFd<'_>, name: &[u8]) -> bool {
    fstatat(folder, name, AtFlags::empty()).is_ok()
}

fn open_at(folder: BorrowedFd<'_>, name: &[u8]) -> Option<OwnedFd> {
    let flags = OFlag::O_RDONLY | OFlag::O_CLOEXEC | OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
    openat(folder, name, flags, Mode::empty()).ok()
}

pub(super) fn read_if(present: bool, folder: BorrowedFd<'_>, name: &[u8]) -> Gitignore {
    let file = present.then(|| open_at(folder, name)).flatten();
    file.map_or_else(Gitignore::empty, |file| globs_of(File::from(file)))
}

/// Relative to its folder. Reading ends at a line that is no text, as in git's library.
fn globs_of(mut file: File) -> Gitignore {
    let mut bytes = Vec::new();
    if file.read_to_end(&mut bytes).is_err() {
        return Gitignore::empty();
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    let mut globs = GitignoreBuilder::new(".");
    for line in bytes.split(|&byte| byte == b'\n') {
        let Ok(line) = std::str::from_utf8(line) else {
            break;
        };
        let _no_glob_is_left_out = globs.add_line(None, line.strip_suffix('\r').unwrap_or(line));
    }
    globs.build().unwrap_or_else(|_| Gitignore::empty())
}

/// `.git` may be a file that names the repository.
pub(super) fn exclude_of(folder: BorrowedFd<'_>) -> Gitignore {
    let Some(git) = open_at(folder, b".git") else {
        return Gitignore::empty();
    };
    let mut git = File::from(git);
    let is_folder = git.metadata().is_ok_and(|metadata| metadata.is_dir());
    if is_folder {
        return read_if(true, folder, b".git/info/exclude");
    }
    let mut text = String::new();
    let named = git.read_to_string(&mut text).ok();
    let common = named.and_then(|_| common_folder(text.lines().next()?));
    let file = common.and_then(|common| File::open(common.join("info/exclude")).ok());
    file.map_or_else(Gitignore::empty, globs_of)
}

fn common_folder(line: &str) -> Option<PathBuf> {
    let real = PathBuf::from(line.strip_prefix("gitdir: ")?);
    let text = fs::read_to_string(real.join("commondir")).ok()?;
    let common = text.lines().next()?;
    match common.starts_with('.') {
        true => Some(real.join(common)),
        false => Some(PathBuf::from(common)),
    }
}

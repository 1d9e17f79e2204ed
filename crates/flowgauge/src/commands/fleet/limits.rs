//! What one machine may take of this one: bytes and time. All that it says or left in a folder is
//! read through an [`Allowance`]; where that is spent, the machine fails.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};

use anyhow::{Context, Result, anyhow, ensure};
use nix::fcntl::OFlag;

/// Of a machine before its journal, and of a file that is no journal.
pub(super) const WORDS: u64 = 64 << 10;

const SHOWN: usize = 400;

pub(super) fn shown(said: &str) -> &str {
    &said[said.ceil_char_boundary(said.len().saturating_sub(SHOWN))..]
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Allowance {
    all: u64,
    left: u64,
    is_spent: bool,
}

impl Allowance {
    pub(super) fn of(bytes: u64) -> Self {
        Self {
            all: bytes,
            left: bytes,
            is_spent: false,
        }
    }

    pub(super) fn spend(&mut self, bytes: usize) -> Result<()> {
        let left = u64::try_from(bytes)
            .ok()
            .and_then(|bytes| self.left.checked_sub(bytes));
        self.is_spent |= left.is_none();
        self.left = left.with_context(|| {
            let all = lab::number::bytes(self.all as f64);
            format!("it is more than the {all} that one machine may have")
        })?;
        Ok(())
    }

    pub(super) fn is_spent(&self) -> bool {
        self.is_spent
    }

    /// Refuses links; never waits for pipes or devices.
    pub(super) fn read(&mut self, path: &Path) -> Result<Vec<u8>> {
        let mut read = || {
            let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
            let opened = OpenOptions::new()
                .read(true)
                .custom_flags(flags.bits())
                .open(path);
            let file = opened.map_err(|error| match error.raw_os_error() {
                Some(code) if code == nix::libc::ELOOP => anyhow!("it is a link, and no file"),
                _ => error.into(),
            })?;
            ensure!(file.metadata()?.is_file(), "it is no regular file");
            self.read_all(&file)
        };
        read().with_context(|| format!("cannot read {}", path.display()))
    }

    fn read_all(&mut self, file: &File) -> Result<Vec<u8>> {
        // Of the stated size, so that it need not grow.
        let says = file.metadata()?.len().min(self.left.saturating_add(1));
        let mut bytes = Vec::with_capacity(usize::try_from(says)?);
        file.take(self.left.saturating_add(1))
            .read_to_end(&mut bytes)?;
        self.spend(bytes.len())?;
        Ok(bytes)
    }
}

/// Memory for journals: machines with small ones are read in parallel.
#[derive(Debug, Default)]
pub(super) struct Room {
    taken: Mutex<u64>,
    left: Condvar,
}

impl Room {
    const BYTES: u64 = 64 << 20;

    pub(super) fn take(&self, bytes: u64) -> RoomTaken<'_> {
        let is_full = |taken: &mut u64| *taken > 0 && *taken + bytes > Self::BYTES;
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = self.left.wait_while(taken, is_full);
        *taken.unwrap_or_else(PoisonError::into_inner) += bytes;
        RoomTaken { room: self, bytes }
    }
}

#[derive(Debug)]
pub(super) struct RoomTaken<'r> {
    room: &'r Room,
    bytes: u64,
}

impl Drop for RoomTaken<'_> {
    fn drop(&mut self) {
        let taken = self.room.taken.lock();
        *taken.unwrap_or_else(PoisonError::into_inner) -= self.bytes;
        self.room.left.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sys::stat::Mode;

    fn refused(path: &Path) -> String {
        let error = Allowance::of(1_000).read(path).unwrap_err();
        crate::output::whole(&error)
    }

    /// Four machines with journals of 62 MB each were in memory at a time: 583 MB.
    #[test]
    fn large_journals_are_read_one_by_one_and_small_ones_together() {
        let room = Room::default();
        let most = std::sync::atomic::AtomicU64::new(0);
        let visit = |bytes| {
            let _room = room.take(bytes);
            let taken = *room.taken.lock().unwrap();
            most.fetch_max(taken, std::sync::atomic::Ordering::Relaxed);
            std::thread::sleep(std::time::Duration::from_millis(2));
        };
        std::thread::scope(|scope| {
            (1..=8).for_each(|times| drop(scope.spawn(move || visit(times * (10 << 20)))));
        });
        assert!(most.into_inner() <= 80 << 20);
        let (_one, _two) = (room.take(1), room.take(Room::BYTES - 1));
    }

    #[test]
    fn only_regular_files_within_the_limit_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("small"), [1; 600]).unwrap();
        let mut allowance = Allowance::of(1_000);
        assert_eq!(allowance.read(&at("small")).unwrap().len(), 600);
        // The files of a machine share what it may send.
        let error = allowance.read(&at("small")).unwrap_err();
        assert!(
            crate::output::whole(&error).contains("more than the 1,000 B"),
            "{error:#}"
        );
        std::os::unix::fs::symlink("/dev/zero", at("link")).unwrap();
        assert!(refused(&at("link")).contains("a link"));
        nix::unistd::mkfifo(&at("fifo"), Mode::S_IRWXU).unwrap();
        for path in [at("fifo"), folder.path().to_owned(), "/dev/zero".into()] {
            let why = refused(&path);
            assert!(why.contains("no regular file"), "{why}");
        }
    }

    /// Such a file says that it has no bytes, and has some.
    #[test]
    fn what_a_file_says_of_its_size_is_not_believed() {
        let says = std::fs::metadata("/proc/self/smaps").unwrap().len();
        assert_eq!(says, 0);
        assert!(refused(Path::new("/proc/self/smaps")).contains("more than the 1,000 B"));
    }
}

//! The floor: a tree is walked and its files are read, and nothing is searched.
//!
//! This is what any searcher has to do that reads all files of a tree: open and list each
//! folder, open each file relative to its folder, read it into a buffer that is used again,
//! close it. Folders wait on one stack for a thread per CPU. Hidden names are left out as
//! searchers do; there are no ignore rules, no check for binary files and no output.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use nix::fcntl::{OFlag, openat};
use nix::sys::stat::Mode;

#[expect(
    dead_code,
    reason = "the searcher needs numbers of files, the floor does not"
)]
#[path = "../../src/walk/entry.rs"]
mod entry;

/// Bytes of a file that are read at once.
const BLOCK_BYTES: usize = 64 << 10;
/// Bytes of a folder that are listed at once.
const LISTING_BYTES: usize = 32 << 10;

/// Folders that wait, and how many were found and are not done.
struct Work {
    waiting: Mutex<Vec<PathBuf>>,
    left: AtomicUsize,
}

/// What a thread uses again.
struct Buffers {
    listing: Vec<u8>,
    block: Vec<u8>,
}

/// Reads all files below `tree`.
pub(crate) fn run(tree: &Path) -> io::Result<()> {
    let work = Work {
        waiting: Mutex::new(vec![tree.to_owned()]),
        left: AtomicUsize::new(1),
    };
    let threads = std::thread::available_parallelism()?.get();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(|| work.run())).collect();
        let mut ended = threads.into_iter().map(|thread| thread.join());
        ended.try_for_each(|ended| ended.map_err(|_| io::Error::other("a thread panicked"))?)
    })
}

impl Work {
    fn run(&self) -> io::Result<()> {
        let mut buffers = Buffers {
            listing: vec![0; LISTING_BYTES],
            block: vec![0; BLOCK_BYTES],
        };
        while self.left.load(Ordering::Acquire) > 0 {
            let waiting = self
                .waiting
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .pop();
            let Some(folder) = waiting else {
                std::thread::yield_now();
                continue;
            };
            let done = self.folder(&folder, &mut buffers);
            self.left.fetch_sub(1, Ordering::Release);
            done?;
        }
        Ok(())
    }

    fn folder(&self, path: &Path, buffers: &mut Buffers) -> io::Result<()> {
        let folder = File::open(path)?;
        loop {
            let length = entry::getdents(folder.as_fd(), &mut buffers.listing)?;
            if length == 0 {
                return Ok(());
            }
            for entry in entry::entries(&buffers.listing[..length]) {
                if entry.name().first() == Some(&b'.') {
                    continue;
                }
                let name = CStr::from_bytes_with_nul(entry.name_with_nul).unwrap_or(c"");
                match entry.kind {
                    libc::DT_DIR => self.found(path.join(name.to_string_lossy().as_ref())),
                    libc::DT_REG => read(&folder, name, &mut buffers.block)?,
                    _ => {}
                }
            }
        }
    }

    fn found(&self, folder: PathBuf) {
        self.left.fetch_add(1, Ordering::Relaxed);
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push(folder);
    }
}

/// Reads a file to its end, which a short read has met. One that may not be read is left out.
fn read(folder: &File, name: &CStr, block: &mut [u8]) -> io::Result<()> {
    let flags = OFlag::O_RDONLY | OFlag::O_CLOEXEC | OFlag::O_NOFOLLOW;
    let Ok(file) = openat(folder, name, flags, Mode::empty()) else {
        return Ok(());
    };
    while nix::unistd::read(&file, block)? == block.len() {}
    Ok(())
}

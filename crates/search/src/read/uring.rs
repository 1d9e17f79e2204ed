//! Batches of files through io_uring, three entries into the kernel each:
//!
//! ```text
//!  opens (and the closes of the batch before) ─▶ reads ─▶ search each ─▶ next batch
//! ```
//!
//! A file that does not fit its buffer is read on with ordinary reads. Between steps everything is
//! waited for, so the kernel never uses a buffer, name or descriptor while this code changes it.
//! Where waiting fails nobody knows what the kernel still does: then nothing is ever freed.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use io_uring::{IoUring, Probe, opcode, squeue, types};
use nix::errno::Errno;

use super::rolling::{Begun, Reads};
use crate::file::FileSearch;
use crate::place::{Place, Which};
use crate::report::Class;
use crate::walk::FILE;

const FILES: usize = 16;
/// Read in the batch: two thirds of source files are smaller.
const HEAD_BYTES: usize = 8 << 10;
const ENTRIES: u32 = 2 * FILES as u32;
const TRIES: u32 = 10_000;
/// Answers of closes: nobody waits for them by number.
const CLOSE: u64 = u64::MAX;

pub(crate) struct Batches {
    ring: IoUring,
    heads: Vec<[u8; HEAD_BYTES]>,
    /// Closed with the next batch.
    closing: Vec<RawFd>,
}

pub(crate) fn available() -> Result<(), String> {
    let ring = IoUring::new(2).map_err(|error| why(&error))?;
    let mut probe = Probe::new();
    let asked = ring.submitter().register_probe(&mut probe);
    asked.map_err(|error| why(&error))?;
    let needed = [
        opcode::OpenAt::CODE,
        opcode::Read::CODE,
        opcode::Close::CODE,
    ];
    match needed.into_iter().all(|code| probe.is_supported(code)) {
        true => Ok(()),
        false => Err("this kernel's io_uring cannot open and close files (5.6 can)".to_owned()),
    }
}

fn why(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => {
            "io_uring is denied, by a sandbox or by the setting kernel.io_uring_disabled".to_owned()
        }
        Some(libc::ENOSYS) => "this kernel has no io_uring, or a sandbox hides it".to_owned(),
        Some(libc::ENOMEM) => "there is no memory for a ring (see ulimit -l)".to_owned(),
        _ => format!("no ring can be made: {error}"),
    }
}

impl Batches {
    pub(crate) fn new() -> Result<Batches, String> {
        Ok(Batches {
            ring: IoUring::new(ENTRIES).map_err(|error| why(&error))?,
            heads: vec![[0; HEAD_BYTES]; FILES],
            closing: Vec::with_capacity(FILES),
        })
    }

    /// Returns files that cannot be opened beside the ring: too many are open.
    pub(crate) fn search<'n>(
        &mut self,
        files: &mut FileSearch<'_, '_>,
        place: Place<'_>,
        folder: BorrowedFd<'_>,
        reads: Reads,
        names: &'n [u8],
    ) -> io::Result<Vec<&'n CStr>> {
        let mut unopened = Vec::new();
        let mut names = names
            .split_inclusive(|&byte| byte == 0)
            .filter_map(|name| CStr::from_bytes_with_nul(name).ok());
        loop {
            let batch: Vec<&CStr> = names.by_ref().take(FILES).collect();
            if batch.is_empty() || files.is_stopped() {
                break;
            }
            unopened.extend(self.batch(files, place, folder, reads, &batch)?);
        }
        self.submit(&[])?;
        files.watch.lap(Class::Open);
        Ok(unopened)
    }

    fn batch<'n>(
        &mut self,
        files: &mut FileSearch<'_, '_>,
        place: Place<'_>,
        folder: BorrowedFd<'_>,
        reads: Reads,
        names: &[&'n CStr],
    ) -> io::Result<Vec<&'n CStr>> {
        let opened = self.open(folder, names)?;
        files.watch.lap(Class::Open);
        let read = self.read(&opened)?;
        files.watch.lap(Class::Read);
        let mut later = Vec::new();
        for ((name, opened), (index, read)) in names.iter().zip(opened).zip(read.iter().enumerate())
        {
            let which = files.which(place, name.to_bytes());
            match opened {
                Err(Errno::EMFILE | Errno::ENFILE) => later.push(*name),
                Err(errno) => files.not_opened(&which, errno),
                Ok(file) => {
                    self.one(files, &which, file.as_fd(), reads, index, *read);
                    self.closing.push(std::os::fd::IntoRawFd::into_raw_fd(file));
                }
            }
        }
        if names.len() == 1 {
            return Ok(later);
        }
        let mut unopened = Vec::new();
        for name in later {
            self.submit(&[])?;
            unopened.extend(self.batch(files, place, folder, reads, &[name])?);
        }
        Ok(unopened)
    }

    fn one(
        &self,
        files: &mut FileSearch<'_, '_>,
        which: &Which<'_>,
        file: BorrowedFd<'_>,
        reads: Reads,
        index: usize,
        read: i32,
    ) {
        files.counts.files += 1;
        let Ok(read) = usize::try_from(read) else {
            return files.ended(which, Err(io::Error::from_raw_os_error(-read)));
        };
        files.head(&self.heads[index][..read]);
        let ended = read == 0 || (reads == Reads::Whole && read < HEAD_BYTES);
        files.begun(which, file, reads, Begun { read, ended });
    }

    fn open(
        &mut self,
        folder: BorrowedFd<'_>,
        names: &[&CStr],
    ) -> io::Result<Vec<Result<OwnedFd, Errno>>> {
        let entries: Vec<squeue::Entry> = names
            .iter()
            .zip(0..)
            .map(|(name, index)| {
                opcode::OpenAt::new(types::Fd(folder.as_raw_fd()), name.as_ptr())
                    .flags(FILE.bits())
                    .build()
                    .user_data(index)
            })
            .collect();
        let opened = self.submit(&entries)?;
        let own = |answer: i32| match answer {
            // SAFETY: the kernel has just opened it for us, and nobody else has it.
            fd if fd >= 0 => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
            errno => Err(Errno::from_raw(-errno)),
        };
        let opened = opened[..names.len()].iter();
        Ok(opened.map(|&answer| own(answer)).collect())
    }

    fn read(&mut self, opened: &[Result<OwnedFd, Errno>]) -> io::Result<[i32; FILES]> {
        // The file's own position, so that reading can continue.
        const FROM_HERE: u64 = u64::MAX;
        let mut entries = Vec::with_capacity(FILES);
        for ((file, head), index) in opened.iter().zip(&mut self.heads).zip(0..) {
            if let Ok(file) = file {
                let (buffer, length) = (head.as_mut_ptr(), HEAD_BYTES as u32);
                let entry = opcode::Read::new(types::Fd(file.as_raw_fd()), buffer, length);
                entries.push(entry.offset(FROM_HERE).build().user_data(index));
            }
        }
        self.submit(&entries)
    }

    fn submit(&mut self, entries: &[squeue::Entry]) -> io::Result<[i32; FILES]> {
        let closes: Vec<squeue::Entry> = self
            .closing
            .drain(..)
            .map(|fd| opcode::Close::new(types::Fd(fd)).build().user_data(CLOSE))
            .collect();
        let mut answers = [-libc::EIO; FILES];
        let wanted = closes.len() + entries.len();
        if wanted == 0 {
            return Ok(answers);
        }
        let mut queue = self.ring.submission();
        for entry in closes.iter().chain(entries) {
            // SAFETY: names, buffers and descriptors of the entries live until this function has
            // every answer; where it fails, buffers are never freed (`search` says so to its
            // caller), and the kernel copies names when it takes entries. The ring was empty and
            // has room for all.
            let _there_is_room = unsafe { queue.push(entry) };
        }
        drop(queue);
        let (mut got, mut tries) = (0, 0);
        while got < wanted {
            match self.ring.submit_and_wait(wanted - got) {
                Ok(_) => tries = 0,
                Err(error) if passes(&error) && tries < TRIES => {
                    tries += 1;
                    std::thread::yield_now();
                }
                Err(error) => return Err(error),
            }
            for answer in self.ring.completion() {
                got += 1;
                if let Some(place) = answers.get_mut(answer.user_data() as usize) {
                    *place = answer.result();
                }
            }
        }
        Ok(answers)
    }
}

fn passes(error: &io::Error) -> bool {
    let errno = error.raw_os_error();
    matches!(errno, Some(libc::EINTR | libc::EAGAIN | libc::EBUSY))
}

impl std::fmt::Debug for Batches {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Batches").finish_non_exhaustive()
    }
}

//! How results travel from flows to the parent.
//!
//! # Theory
//!
//! A result is a `u64`. Results of one unit are gathered into a **batch** of at most
//! `PIPE_BUF` (4,096) bytes and sent whole: writes up to that size are atomic, so
//! batches of many writers never mix in one pipe, and sending one costs about as much
//! as sending a single value (0.9 ns a value instead of 230).
//!
//! ```text
//! batch, in 8-byte words:   count │ unit │ first │ value 0 │ value 1 │ … (at most 509)
//! ```
//!
//! Three ways, the same batches: a **named pipe** that each flow opens for itself (as
//! in the 2010 study), an inherited anonymous **pipe**, and a **ring** in shared memory
//! that needs no system call unless a side sleeps.
//!
//! The parent reads without blocking whenever `Inlet::drain` is called; who waits for
//! what is the business of `crate::rep`.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::area::Area;
use crate::body::Sink;
use crate::notify::Notify;
use crate::variant::Channel;

/// Words of a batch: 4,096 bytes, the size up to which a pipe write is atomic.
pub(crate) const BATCH_WORDS: usize = libc::PIPE_BUF / size_of::<u64>();
const HEAD_WORDS: usize = 3;
/// Results that fit in one batch.
pub const BATCH_VALUES: usize = BATCH_WORDS - HEAD_WORDS;

/// A flow's end: gathers results and sends them in batches.
///
/// [`Outlet::push`] is a store and a comparison; a system call is made once in
/// [`BATCH_VALUES`] values.
#[derive(Debug)]
pub struct Outlet<'a> {
    words: Box<[u64; BATCH_WORDS]>,
    used: usize,
    unit: u64,
    next: u64,
    sent: u64,
    error: Option<io::Error>,
    way: Way<'a>,
}

/// How a batch leaves the flow.
#[derive(Debug)]
enum Way<'a> {
    /// Nowhere: the body sends nothing.
    None,
    /// A descriptor of this flow's own (named pipe).
    Own(File),
    /// The parent's pipe, inherited.
    Inherited(&'a OwnedFd),
    /// This flow's ring.
    Ring(&'a Area, usize, &'a Notify),
}

impl<'a> Outlet<'a> {
    fn new(way: Way<'a>) -> Self {
        Self {
            words: Box::new([0; BATCH_WORDS]),
            used: HEAD_WORDS,
            unit: 0,
            next: 0,
            sent: 0,
            error: None,
            way,
        }
    }

    /// An outlet for bodies that send nothing; pushing into it is an error of the flow.
    #[must_use]
    pub fn nowhere() -> Self {
        Self::new(Way::None)
    }

    /// Sends `value` as the next result of the current unit.
    #[inline]
    pub fn push(&mut self, value: u64) {
        if self.used == BATCH_WORDS {
            self.flush();
        }
        self.words[self.used] = value;
        self.used += 1;
    }

    /// Results that have been handed over so far.
    pub(crate) fn sent(&self) -> u64 {
        self.sent
    }

    /// Begins a unit: results from now on belong to it and count from 0.
    pub(crate) fn begin(&mut self, unit: u64) {
        self.flush();
        (self.unit, self.next) = (unit, 0);
    }

    /// Sends what is gathered. The first error is kept for [`Outlet::finish`]; later
    /// results are dropped.
    #[cold]
    fn flush(&mut self) {
        let count = (self.used - HEAD_WORDS) as u64;
        if count == 0 || self.error.is_some() {
            self.used = HEAD_WORDS;
            return;
        }
        self.words[..HEAD_WORDS].copy_from_slice(&[count, self.unit, self.next]);
        match self.way.send(&self.words[..self.used]) {
            Ok(()) => self.sent += count,
            Err(error) => self.error = Some(error),
        }
        self.next += count;
        self.used = HEAD_WORDS;
    }

    /// Sends the rest.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.flush();
        self.error.take().map_or(Ok(()), Err)
    }
}

impl Way<'_> {
    fn send(&mut self, words: &[u64]) -> io::Result<()> {
        let bytes: &[u8] = bytemuck::cast_slice(words);
        match self {
            Self::None => Err(io::Error::other("this workload has no channel for results")),
            Self::Own(file) => file.write_all(bytes),
            Self::Inherited(pipe) => write_whole(pipe.as_fd(), bytes),
            Self::Ring(area, index, notify) => {
                area.ring(*index).push(words);
                notify.wake_if_asleep(area);
                Ok(())
            }
        }
    }
}

/// One atomic write, again after a signal.
fn write_whole(pipe: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<()> {
    loop {
        match nix::unistd::write(pipe, bytes) {
            Err(nix::errno::Errno::EINTR) => {}
            Ok(written) if written == bytes.len() => return Ok(()),
            Ok(_) => return Err(io::Error::other("a pipe took part of an atomic write")),
            Err(errno) => return Err(errno.into()),
        }
    }
}

/// Where flows open their ends.
#[derive(Debug)]
pub(crate) enum Entrance {
    /// The body sends nothing.
    None,
    /// The name of the pipe; it is removed when this is dropped, at the latest.
    Fifo(PathBuf),
    /// The writing end, inherited by every flow.
    Pipe(OwnedFd),
    /// Rings in the area.
    Rings,
}

impl Entrance {
    /// A flow's end. Called in the flow, before it arrives at the gate.
    pub(crate) fn outlet<'a>(
        &'a self,
        area: &'a Area,
        notify: &'a Notify,
        index: usize,
    ) -> io::Result<Outlet<'a>> {
        Ok(Outlet::new(match self {
            Self::None => Way::None,
            Self::Fifo(path) => Way::Own(OpenOptions::new().write(true).open(path)?),
            Self::Pipe(writer) => Way::Inherited(writer),
            Self::Rings => Way::Ring(area, index, notify),
        }))
    }

    /// All flows have opened their ends: a named pipe needs its name no longer.
    pub(crate) fn all_open(&self) {
        if let Self::Fifo(path) = self {
            let _gone_is_fine = std::fs::remove_file(path);
        }
    }
}

impl Drop for Entrance {
    fn drop(&mut self) {
        self.all_open();
    }
}

/// The parent's end.
#[derive(Debug)]
pub(crate) struct Inlet {
    source: Source,
    words: Vec<u64>,
    held: usize,
    received: u64,
}

#[derive(Debug)]
enum Source {
    None,
    Pipe(File),
    Rings,
}

/// Words read at once: as much as a pipe holds by default (64 KiB).
const READ_WORDS: usize = 65_536 / size_of::<u64>();

/// Opens `channel`; `None` is for bodies that send nothing.
pub(crate) fn open(channel: Option<Channel>, fifo: &Path) -> io::Result<(Entrance, Inlet)> {
    let (entrance, source) = match channel {
        None => (Entrance::None, Source::None),
        Some(Channel::Fifo) => open_fifo(fifo)?,
        Some(Channel::Pipe) => open_pipe()?,
        Some(Channel::Shm) => (Entrance::Rings, Source::Rings),
    };
    let words = vec![0; READ_WORDS + BATCH_WORDS];
    Ok((
        entrance,
        Inlet {
            source,
            words,
            held: 0,
            received: 0,
        },
    ))
}

impl Inlet {
    /// What to poll for results, if results come through a descriptor.
    pub(crate) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        match &self.source {
            Source::Pipe(reader) => Some(reader.as_fd()),
            Source::None | Source::Rings => None,
        }
    }

    /// Results received so far.
    pub(crate) fn received(&self) -> u64 {
        self.received
    }

    /// Hands everything that has arrived to `sink`, without waiting.
    pub(crate) fn drain<S: Sink>(&mut self, area: &Area, sink: &mut S) -> io::Result<()> {
        match self.source {
            Source::None => Ok(()),
            Source::Rings => self.drain_rings(area, sink),
            Source::Pipe(_) => self.drain_pipe(sink),
        }
    }

    fn drain_rings<S: Sink>(&mut self, area: &Area, sink: &mut S) -> io::Result<()> {
        let mut batch = [0; BATCH_WORDS];
        for ring in area.rings() {
            while ring.pop(&mut batch) {
                let (used, count) = deliver(&batch, sink)?;
                debug_assert!(used <= BATCH_WORDS);
                self.received += count;
            }
        }
        Ok(())
    }

    fn drain_pipe<S: Sink>(&mut self, sink: &mut S) -> io::Result<()> {
        while let Some(words) = self.read_some()? {
            self.held += words;
            self.deliver_held(sink)?;
        }
        Ok(())
    }

    /// Reads what there is behind what is held; `None` when there is nothing now.
    fn read_some(&mut self) -> io::Result<Option<usize>> {
        let Source::Pipe(reader) = &mut self.source else {
            return Ok(None);
        };
        let room: &mut [u8] =
            bytemuck::cast_slice_mut(&mut self.words[self.held..self.held + READ_WORDS]);
        match reader.read(room) {
            Ok(0) => Ok(None),
            Ok(bytes) if bytes % size_of::<u64>() == 0 => Ok(Some(bytes / size_of::<u64>())),
            Ok(bytes) => Err(io::Error::other(format!(
                "the channel gave {bytes} bytes: no words"
            ))),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(Some(0)),
            Err(error) => Err(error),
        }
    }

    /// Delivers every whole batch that is held and moves the rest to the front.
    fn deliver_held<S: Sink>(&mut self, sink: &mut S) -> io::Result<()> {
        let mut at = 0;
        while let Some(words) = whole_batch(&self.words[at..self.held])? {
            let (used, count) = deliver(words, sink)?;
            self.received += count;
            at += used;
        }
        self.words.copy_within(at..self.held, 0);
        self.held -= at;
        Ok(())
    }
}

/// The batch at the front of `words`, if it is there whole.
fn whole_batch(words: &[u64]) -> io::Result<Option<&[u64]>> {
    let Some(&count) = words.first() else {
        return Ok(None);
    };
    match usize::try_from(count) {
        Ok(count) if (1..=BATCH_VALUES).contains(&count) => Ok(words.get(..HEAD_WORDS + count)),
        _ => Err(io::Error::other(format!(
            "the channel carries a batch of {count} values"
        ))),
    }
}

/// Gives one batch to the sink; answers the words it took and the values it held.
fn deliver<S: Sink>(words: &[u64], sink: &mut S) -> io::Result<(usize, u64)> {
    let batch = whole_batch(words)?.ok_or_else(|| io::Error::other("a batch is cut short"))?;
    let (head, values) = batch.split_at(HEAD_WORDS);
    sink.take(head[1], head[2], values)?;
    Ok((batch.len(), head[0]))
}

/// Bytes that a pipe should hold: the most that the kernel gives without privileges.
const PIPE_BYTES: libc::c_int = 1 << 20;

/// Lets a pipe hold more than the usual 64 KiB, so that many writers and the reader take
/// turns less often (about a third of the cost of a value). Where the kernel refuses,
/// the pipe works as it is.
fn widen(pipe: &impl AsFd) {
    let _smaller_works_too =
        nix::fcntl::fcntl(pipe, nix::fcntl::FcntlArg::F_SETPIPE_SZ(PIPE_BYTES));
}

fn open_fifo(path: &Path) -> io::Result<(Entrance, Source)> {
    nix::unistd::mkfifo(
        path,
        nix::sys::stat::Mode::S_IRUSR | nix::sys::stat::Mode::S_IWUSR,
    )
    .map_err(|errno| {
        io::Error::other(format!(
            "cannot make the named pipe {}: {}; set TMPDIR to a folder on a local disk that \
                 can be written, or use --channel pipe",
            path.display(),
            errno.desc()
        ))
    })?;
    let entrance = Entrance::Fifo(path.to_owned());
    let reader = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(path)?;
    widen(&reader);
    Ok((entrance, Source::Pipe(reader)))
}

fn open_pipe() -> io::Result<(Entrance, Source)> {
    let (reader, writer) = nix::unistd::pipe2(nix::fcntl::OFlag::O_CLOEXEC)?;
    widen(&reader);
    nix::fcntl::fcntl(
        &reader,
        nix::fcntl::FcntlArg::F_SETFL(nix::fcntl::OFlag::O_NONBLOCK),
    )?;
    Ok((Entrance::Pipe(writer), Source::Pipe(File::from(reader))))
}

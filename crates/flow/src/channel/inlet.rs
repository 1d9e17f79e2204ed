use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};

use super::{BATCH_VALUES, BATCH_WORDS, HEAD_WORDS, Sink};
use crate::shared_memory::SharedMemory;

#[derive(Debug)]
pub(crate) struct Inlet {
    source: Source,
    words: Vec<u64>,
    held: usize,
    received: u64,
}

#[derive(Debug)]
pub(super) enum Source {
    None,
    Pipe(File),
    Rings,
}

/// What a pipe holds by default (64 KiB).
const READ_WORDS: usize = 65_536 / size_of::<u64>();

impl Inlet {
    pub(super) fn new(source: Source) -> Self {
        let words = vec![0; READ_WORDS + BATCH_WORDS];
        Self {
            source,
            words,
            held: 0,
            received: 0,
        }
    }

    pub(crate) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        match &self.source {
            Source::Pipe(reader) => Some(reader.as_fd()),
            Source::None | Source::Rings => None,
        }
    }

    pub(crate) fn received(&self) -> u64 {
        self.received
    }

    pub(crate) fn drain(&mut self, shared: &SharedMemory, sink: &mut dyn Sink) -> io::Result<()> {
        match self.source {
            Source::None => Ok(()),
            Source::Rings => self.drain_rings(shared, sink),
            Source::Pipe(_) => self.drain_pipe(sink),
        }
    }

    fn drain_rings(&mut self, shared: &SharedMemory, sink: &mut dyn Sink) -> io::Result<()> {
        let mut batch = [0; BATCH_WORDS];
        for ring in shared.rings() {
            while ring.pop(&mut batch) {
                let (used, count) = deliver(&batch, sink)?;
                debug_assert!(used <= BATCH_WORDS);
                self.received += count;
            }
        }
        Ok(())
    }

    fn drain_pipe(&mut self, sink: &mut dyn Sink) -> io::Result<()> {
        while let Some(words) = self.read_some()? {
            self.held += words;
            self.deliver_held(sink)?;
        }
        Ok(())
    }

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

    fn deliver_held(&mut self, sink: &mut dyn Sink) -> io::Result<()> {
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

pub(super) fn whole_batch(words: &[u64]) -> io::Result<Option<&[u64]>> {
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

fn deliver(words: &[u64], sink: &mut dyn Sink) -> io::Result<(usize, u64)> {
    let batch = whole_batch(words)?.ok_or_else(|| io::Error::other("a batch is cut short"))?;
    let (head, values) = batch.split_at(HEAD_WORDS);
    sink.take(head[1], head[2], values)?;
    Ok((batch.len(), head[0]))
}

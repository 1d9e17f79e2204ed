//! Blocks of files, read and written. Each call looks its descriptor up in the file table: where
//! flows share it, that costs two changes of a common count. Calls that move the file's position
//! also lock it where it is common. In the one file each flow writes blocks of its own.
//!
//! | | own file | one file of all flows |
//! |---|---|---|
//! | at a place given | `pread`, `pwrite` | `pread-same`, `pwrite-same` |
//! | one after the other | `read`, `write` | |
//! | at a place gone to | `readseek`, `writeseek` | |

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;

use crate::check::{must, same};
use crate::sys::descriptor::{WORD, pread, pwrite, read, seek, write};
use crate::sys::own_file::OwnFile;
use crate::{Facts, Operation, OperationContext, either};

const BLOCK: u64 = 4096;
const BLOCKS: u64 = 16;
const WORDS: u64 = BLOCKS * BLOCK / WORD as u64;

const OWN: &str = "nothing: each flow has its own file";
const ONE: &str = "the file, opened by each flow for itself";
const READS: &str = "the first and last word of each block are those of the file";
const WRITES: &str = "the file holds what was last written to each block";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    At,
    On,
    Seek,
}

const fn way(way: u8) -> Way {
    match way {
        0 => Way::At,
        1 => Way::On,
        _ => Way::Seek,
    }
}

#[derive(Debug)]
pub(crate) struct Blocks {
    file: File,
    tag: u64,
    first: u64,
    block: Vec<u8>,
}

impl Blocks {
    fn fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    fn place(&self, op: u64, way: Way) -> u64 {
        let block = match way {
            Way::On => op % BLOCKS,
            Way::At | Way::Seek => op * 7 % BLOCKS,
        };
        self.first + block * BLOCK
    }

    /// Seeks, unless the operation names its place or the position is right.
    #[inline]
    fn go(&self, op: u64, place: u64, way: Way) {
        if way == Way::Seek || way == Way::On && op.is_multiple_of(BLOCKS) {
            let at = must("seek in a file", seek(self.fd(), place));
            same("the place in the file", at, place);
        }
    }

    fn ends(&self) -> [u64; 2] {
        let word = |bytes: Option<&[u8; WORD]>| bytes.map_or(0, |bytes| u64::from_ne_bytes(*bytes));
        [
            word(self.block.first_chunk()),
            word(self.block.last_chunk()),
        ]
    }

    fn mark(&mut self, word: u64) {
        let bytes = word.to_ne_bytes();
        self.block[..WORD].copy_from_slice(&bytes);
        self.block[BLOCK as usize - WORD..].copy_from_slice(&bytes);
    }

    fn get(&mut self, place: u64, way: Way) -> io::Result<()> {
        let fd = self.file.as_fd();
        match way {
            Way::At => pread(fd, &mut self.block, place),
            Way::On | Way::Seek => read(fd, &mut self.block),
        }
    }

    fn put(&self, place: u64, way: Way) -> io::Result<()> {
        match way {
            Way::At => pwrite(self.fd(), &self.block, place),
            Way::On | Way::Seek => write(self.fd(), &self.block),
        }
    }

    fn read(&mut self, ops: u64, way: Way) -> u64 {
        let mut checksum = 0;
        for op in 0..ops {
            let place = self.place(op, way);
            self.go(op, place, way);
            must("read a file", self.get(place, way));
            let first = place / WORD as u64;
            let last = first + BLOCK / WORD as u64 - 1;
            let [a, z] = self.ends();
            same("the first word of a block", a, self.tag + first);
            same("the last word of a block", z, self.tag + last);
            checksum += place - self.first;
        }
        checksum
    }

    fn write(&mut self, ops: u64, way: Way) -> u64 {
        for op in 0..ops {
            let place = self.place(op, way);
            self.mark(op);
            self.go(op, place, way);
            must("write to a file", self.put(place, way));
        }
        // Each block is written once in BLOCKS operations.
        (ops.saturating_sub(BLOCKS)..ops).fold(0, |checksum, op| {
            let place = self.place(op, way);
            must("read a file", self.get(place, Way::At));
            same("the ends of a block", self.ends()[0], op);
            same("the ends of a block", self.ends()[1], op);
            checksum + op
        })
    }
}

/// `WAY`: see [`way`]. `SAME`: one file of all flows.
#[derive(Debug)]
pub(crate) struct FileData<const WAY: u8, const WRITES: bool, const SAME: bool> {
    folder: PathBuf,
    /// Opened by each flow by its name.
    same: Option<OwnFile>,
}

pub(crate) type Pread = FileData<0, false, false>;
pub(crate) type PreadSame = FileData<0, false, true>;
pub(crate) type Pwrite = FileData<0, true, false>;
pub(crate) type PwriteSame = FileData<0, true, true>;
pub(crate) type Read = FileData<1, false, false>;
pub(crate) type Write = FileData<1, true, false>;
pub(crate) type ReadSeek = FileData<2, false, false>;
pub(crate) type WriteSeek = FileData<2, true, false>;

const fn named(way: Way, writes: bool, same: bool) -> (&'static str, &'static str, u64) {
    match (way, writes, same) {
        (Way::At, false, false) => ("pread", "read 4 KB at a place", 6_000),
        (Way::At, false, true) => ("pread-same", "read 4 KB at a place", 6_000),
        (Way::At, true, false) => ("pwrite", "write 4 KB at a place", 4_000),
        (Way::At, true, true) => ("pwrite-same", "write 4 KB at a place", 4_000),
        (Way::On, false, _) => ("read", "read the next 4 KB", 5_500),
        (Way::On, true, _) => ("write", "write the next 4 KB", 4_000),
        (Way::Seek, false, _) => ("readseek", "go to a place and read 4 KB", 4_500),
        (Way::Seek, true, _) => ("writeseek", "go to a place and write 4 KB", 3_000),
    }
}

impl<const WAY: u8, const WRITE: bool, const SAME: bool> Operation for FileData<WAY, WRITE, SAME> {
    const FACTS: Facts = Facts {
        name: named(way(WAY), WRITE, SAME).0,
        family: "file data",
        does: named(way(WAY), WRITE, SAME).1,
        shares: either(SAME, ONE, OWN),
        verified: either(WRITE, WRITES, READS),
        ops: named(way(WAY), WRITE, SAME).2,
        needs_folder: true,
        ..Facts::USUAL
    };

    type State = Blocks;

    fn prepare(context: &OperationContext) -> io::Result<Self> {
        let same = SAME.then(|| context.shared_file(WORDS * context.flows));
        Ok(Self {
            folder: context.folder()?.to_owned(),
            same: same.transpose()?,
        })
    }

    fn own(&self, flow: usize) -> Blocks {
        let (file, first) = match &self.same {
            Some(file) => (file.again(), flow as u64 * BLOCKS * BLOCK),
            None => (OwnFile::of_flow(&self.folder, flow, WORDS), 0),
        };
        let OwnFile { file, tag, .. } = must("make a file", file);
        Blocks {
            file,
            tag,
            first,
            block: vec![0; BLOCK as usize],
        }
    }

    fn repeat(&self, own: &mut Blocks, ops: u64) -> u64 {
        match WRITE {
            true => own.write(ops, way(WAY)),
            false => own.read(ops, way(WAY)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(folder: &std::path::Path, tag: u64) -> Blocks {
        let own = OwnFile::of_flow(folder, 0, WORDS).unwrap();
        Blocks {
            file: own.file,
            tag: own.tag + tag,
            first: 0,
            block: vec![0; BLOCK as usize],
        }
    }

    #[test]
    fn blocks_are_read_and_written_in_every_way() {
        let folder = tempfile::tempdir().unwrap();
        for way in [Way::At, Way::On, Way::Seek] {
            assert!(blocks(folder.path(), 0).read(100, way) > 0);
            assert_eq!(
                blocks(folder.path(), 0).write(100, way),
                (84..100).sum::<u64>()
            );
        }
    }

    #[test]
    #[should_panic(expected = "the first word of a block")]
    fn other_words_are_found() {
        let folder = tempfile::tempdir().unwrap();
        blocks(folder.path(), 1).read(1, Way::At);
    }
}

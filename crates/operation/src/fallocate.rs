//! `fallocate`: room for a file in memory (no disk's journal) is made and given back.

use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;

use crate::check::{at_length, must, same};
use crate::sys::descriptor::memory_file;
use crate::sys::file::{allocate, empty};
use crate::{Facts, OperationContext, PerFlow};

const LENGTH: u64 = 64 << 10;

#[derive(Debug)]
pub(crate) struct Fallocate {
    file: File,
}

impl PerFlow for Fallocate {
    const FACTS: Facts = Facts {
        name: "fallocate",
        family: "file data",
        does: "make room for 64 KB of a file in memory and give it back",
        shares: "nothing: each flow has its own file",
        verified: "1 in 64 is as long as asked for, takes room, and is empty then",
        ops: 120,
        ..Facts::USUAL
    };

    fn make(_context: &OperationContext, _flow: usize) -> Self {
        Self::new()
    }

    fn repeat(&mut self, ops: u64) -> u64 {
        let file = &self.file;
        let mut checksum = 0;
        for op in 0..ops {
            must("make room for a file", allocate(file.as_fd(), LENGTH));
            if at_length(op) {
                checksum += has_room(file, LENGTH);
            }
            must("empty a file", empty(file.as_fd()));
            if at_length(op) {
                has_room(file, 0);
            }
        }
        checksum
    }
}

impl Fallocate {
    fn new() -> Self {
        Self {
            file: File::from(must("make a file in memory", memory_file())),
        }
    }
}

fn has_room(file: &File, length: u64) -> u64 {
    let about = must("look at a file", file.metadata());
    same("the length of the file", about.len(), length);
    let room = about.blocks() * 512;
    // Kernels may take huge pages, and so more than was asked for.
    let enough = if length == 0 {
        room == 0
    } else {
        room >= length
    };
    assert!(
        enough,
        "the room of the file is {room} bytes and not {length}"
    );
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "the room of the file")]
    fn a_long_file_without_room_is_found() {
        let Fallocate { file } = Fallocate::new();
        file.set_len(LENGTH).unwrap();
        has_room(&file, LENGTH);
    }
}

//! What a program writes: counted, hashed where that is asked for, and its end kept for people.
//! Only the last bytes are kept, or, where the output is to be looked through, as many as [`MOST`].

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::unistd::pipe2;
use sha2::{Digest, Sha256};

pub(crate) const TAIL: usize = 2_000;
const BUFFER: usize = 65_536;
/// Kept of an output that is looked through.
pub(crate) const MOST: usize = 64 << 20;

#[derive(Debug)]
pub(crate) struct Pipe {
    file: Option<File>,
    keep: usize,
    hash: Option<Sha256>,
    pub(crate) bytes: u64,
    pub(crate) kept: Vec<u8>,
}

impl Pipe {
    /// Keeps the last `keep` bytes; also returns the program's end.
    pub(crate) fn new(keep: usize, hashed: bool) -> io::Result<(Self, OwnedFd)> {
        let (read, write) = pipe2(OFlag::O_CLOEXEC)?;
        fcntl(&read, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        let pipe = Self {
            file: Some(File::from(read)),
            keep,
            hash: hashed.then(Sha256::new),
            bytes: 0,
            kept: Vec::new(),
        };
        Ok((pipe, write))
    }

    pub(crate) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.file.as_ref().map(AsFd::as_fd)
    }

    pub(crate) fn drain(&mut self) -> io::Result<()> {
        let mut buffer = [0; BUFFER];
        while let Some(file) = &mut self.file {
            match file.read(&mut buffer) {
                Ok(0) => self.file = None,
                Ok(read) => self.take(&buffer[..read]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn take(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        if let Some(hash) = &mut self.hash {
            hash.update(bytes);
        }
        self.kept.extend_from_slice(bytes);
        // Shortened seldom: a flood is not moved byte by byte.
        if self.kept.len() > 2 * self.keep.max(BUFFER) {
            let surplus = self.kept.len() - self.keep;
            self.kept.drain(..surplus);
        }
    }

    pub(crate) fn hash(&self) -> Option<u64> {
        Some(first_word(&self.hash.clone()?.finalize()))
    }

    pub(crate) fn tail(&self) -> String {
        let from = self.kept.len().saturating_sub(TAIL);
        String::from_utf8_lossy(&self.kept[from..])
            .trim()
            .to_owned()
    }
}

/// The beginning of a SHA-256.
pub(crate) fn first_word(hash: &[u8]) -> u64 {
    hash.first_chunk()
        .map_or(0, |first| u64::from_be_bytes(*first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::eventually;
    use std::io::Write;

    #[test]
    fn a_flood_is_counted_and_hashed_and_only_its_end_kept() {
        let (mut pipe, write) = Pipe::new(10, true).unwrap();
        let mut writer = File::from(write);
        for _ in 0..100 {
            writer.write_all(&[b'a'; 8_000]).unwrap();
            pipe.drain().unwrap();
        }
        writer.write_all(b"the end\n").unwrap();
        drop(writer);
        // A process that another test starts just then has it too, until it begins its program.
        assert!(eventually(|| {
            pipe.drain().unwrap();
            pipe.descriptor().is_none()
        }));
        assert_eq!(pipe.bytes, 800_008);
        assert!(pipe.tail().ends_with("the end") && pipe.kept.len() < 300_000);
        let mut whole = vec![b'a'; 800_000];
        whole.extend(b"the end\n");
        let digest = Sha256::digest(&whole);
        assert_eq!(pipe.hash().unwrap().to_be_bytes(), digest[..8]);
    }
}

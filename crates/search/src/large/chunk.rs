use std::io;
use std::os::fd::BorrowedFd;

use memchr::{memchr, memrchr, memrchr2};
use nix::errno::Errno;
use nix::sys::uio::pread;

use super::Sizes;
use crate::read::rolling::{feeds, grow, nuls_to_feeds};
use crate::read::text::Nul;

#[derive(Debug, Default)]
pub(crate) struct ChunkBuffer {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

#[derive(Debug)]
pub(super) struct Chunk {
    begin: u64,
    pub(super) length: usize,
    pub(super) ended: bool,
    /// First NUL byte that matters, as a place in the file.
    pub(super) nul_at: Option<u64>,
}

pub(super) struct Text<'b> {
    pub(super) text: &'b [u8],
    pub(super) offset: u64,
}

impl ChunkBuffer {
    pub(super) fn read(
        &mut self,
        file: BorrowedFd<'_>,
        begin: u64,
        sizes: Sizes,
        nul: Nul,
    ) -> io::Result<Chunk> {
        let usual = sizes.head + sizes.chunk;
        if self.bytes.len() != usual {
            self.bytes = vec![0; usual];
        }
        self.start = sizes.head;
        let length = read_at(file, &mut self.bytes[self.start..], begin)?;
        self.end = self.start + length;
        let own = &mut self.bytes[self.start..self.end];
        let nul_at = memchr(0, own).filter(|_| nul != Nul::IsText);
        if let Some(at) = nul_at.filter(|_| nul == Nul::IsLineFeed) {
            nuls_to_feeds(&mut own[at..]);
        }
        Ok(Chunk {
            begin,
            length,
            ended: length < sizes.chunk,
            nul_at: nul_at.map(|at| begin + at as u64),
        })
    }

    pub(super) fn feeds(&self) -> u64 {
        feeds(&self.bytes[self.start..self.end])
    }

    pub(super) fn lines(
        &mut self,
        chunk: &Chunk,
        file: BorrowedFd<'_>,
        sizes: Sizes,
        nul: Nul,
        mark: usize,
    ) -> io::Result<(Text<'_>, Text<'_>)> {
        let own = &self.bytes[self.start..self.end];
        let upto = |end: usize| memrchr(b'\n', &own[..end]).map(|feed| feed + 1);
        let first = match chunk.nul_at {
            Some(at) => {
                let block = at - at % sizes.block as u64;
                upto(usize::try_from(block.saturating_sub(chunk.begin)).unwrap_or(0))
            }
            None if chunk.ended => Some(own.len()),
            None => upto(own.len()),
        };
        let all = match (chunk.nul_at, chunk.ended) {
            (Some(_), _) if nul == Nul::Ends => first,
            (_, true) => Some(own.len()),
            (_, false) => upto(own.len()),
        };
        let Some(all) = all else {
            return Ok((Text::none(), Text::none()));
        };
        let start = self.line_start(chunk, file, nul, mark)?;
        let (first, all) = (first.map(|end| self.start + end), self.start + all);
        let first = first.unwrap_or(start).max(start);
        let offset = |at: usize| (chunk.begin + at as u64) - self.start as u64;
        let text = |from: usize, to: usize| Text {
            text: &self.bytes[from..to.max(from)],
            offset: offset(from),
        };
        Ok((text(start, first), text(first, all)))
    }

    fn line_start(
        &mut self,
        chunk: &Chunk,
        file: BorrowedFd<'_>,
        nul: Nul,
        mark: usize,
    ) -> io::Result<usize> {
        let begin = usize::try_from(chunk.begin).unwrap_or(usize::MAX);
        loop {
            let length = self.start.min(begin);
            let from = self.start - length;
            let head = &mut self.bytes[from..self.start];
            if read_at(file, head, (begin - length) as u64)? < length {
                return Err(io::Error::other("it became shorter while it was searched"));
            }
            let feed = match nul {
                Nul::IsLineFeed => memrchr2(b'\n', 0, head),
                Nul::Ends | Nul::IsText => memrchr(b'\n', head),
            };
            match feed {
                Some(feed) => return Ok(from + feed + 1),
                None if length == begin => return Ok(from + mark),
                None => self.make_room()?,
            }
        }
    }

    fn make_room(&mut self) -> io::Result<()> {
        let (start, length) = (self.start, self.end - self.start);
        let more = 3 * start.max(1);
        let needed = self.bytes.len() + more;
        grow(&mut self.bytes, needed)?;
        self.start = start + more;
        self.end = self.start + length;
        self.bytes.copy_within(start..start + length, self.start);
        Ok(())
    }
}

impl Text<'_> {
    fn none() -> Text<'static> {
        Text {
            text: &[],
            offset: 0,
        }
    }
}

fn read_at(file: BorrowedFd<'_>, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        let at = i64::try_from(offset + filled as u64).unwrap_or(i64::MAX);
        match pread(file, &mut buffer[filled..], at) {
            Err(Errno::EINTR) => {}
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(filled)
}

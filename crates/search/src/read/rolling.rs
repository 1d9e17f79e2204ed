//! Windows of a file that is read into a buffer, in blocks at multiples of [`BLOCK_BYTES`]: all
//! lines that end in a block are one window; the begun line moves to the front. So text alone
//! decides which lines a window holds, also in parts of a file (`large`).

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};

use encoding_rs_io::{DecodeReaderBytes, DecodeReaderBytesBuilder};
use memchr::{memchr, memchr_iter, memrchr};
use nix::errno::Errno;

use super::text::{End, Mark, Nul, Viewer, Wants};

/// Half of all files in source trees are below 4 KB, 95 % below this.
pub(crate) const BLOCK_BYTES: usize = 64 << 10;
/// For a begun line before a block; the buffer grows for longer ones.
const LINE_BYTES: usize = 8 << 10;

#[derive(Debug)]
pub(crate) struct Rolling {
    buffer: Vec<u8>,
    block: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    Whole,
    Parts,
}

struct Descriptor<'f>(BorrowedFd<'f>);

impl Read for Descriptor<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match nix::unistd::read(self.0, buffer) {
                Err(Errno::EINTR) => {}
                read => return Ok(read?),
            }
        }
    }
}

#[derive(Default)]
struct Filled {
    start: usize,
    end: usize,
    goal: usize,
    offset: u64,
    ended: bool,
}

impl Rolling {
    pub(crate) fn new(block: usize) -> Rolling {
        Rolling {
            buffer: vec![0; block + LINE_BYTES],
            block,
        }
    }

    pub(crate) fn begin(
        &mut self,
        mut begun: Begun,
        file: BorrowedFd<'_>,
        reads: Reads,
    ) -> io::Result<Begun> {
        if !begun.ended && (reads == Reads::Whole || begun.read == 0) {
            let room = &mut self.buffer[begun.read..self.block];
            let (wanted, read) = (room.len(), Descriptor(file).read(room)?);
            begun.read += read;
            begun.ended = read == 0 || (reads == Reads::Whole && read < wanted);
        }
        Ok(begun)
    }

    pub(crate) fn view(
        &mut self,
        file: BorrowedFd<'_>,
        reads: Reads,
        nul: Nul,
        viewer: &mut impl Viewer,
    ) -> io::Result<End> {
        let begun = self.begin(Begun::default(), file, reads)?;
        self.view_begun(begun, file, reads, nul, viewer)
    }

    pub(crate) fn begun(&self, begun: Begun) -> &[u8] {
        &self.buffer[..begun.read]
    }

    pub(crate) fn buffer(&mut self) -> &mut [u8] {
        &mut self.buffer
    }

    pub(crate) fn view_begun(
        &mut self,
        begun: Begun,
        file: BorrowedFd<'_>,
        reads: Reads,
        nul: Nul,
        viewer: &mut impl Viewer,
    ) -> io::Result<End> {
        let Begun {
            mut read,
            mut ended,
        } = begun;
        let mut source = Descriptor(file);
        viewer.came(read);
        // Even a mark may come in parts.
        while read < 3 && !ended {
            let more = source.read(&mut self.buffer[read..])?;
            ended = more == 0;
            read += more;
            viewer.came(more);
        }
        let end = match Mark::of(&self.buffer[..read]) {
            // The decoder takes a lone mark for text.
            Mark::Utf16 if read == 2 => Ok(viewer.whole(&[], 2, nul)),
            Mark::Utf16 => self.transcode(read, file, nul, viewer),
            Mark::Utf8(start) => {
                let filled = Filled {
                    start,
                    end: read,
                    goal: self.block,
                    offset: 0,
                    ended,
                };
                self.windows(filled, &mut source, reads, nul, viewer)
            }
        };
        if self.buffer.len() > self.block + LINE_BYTES {
            *self = Rolling::new(self.block);
        }
        end
    }

    fn transcode(
        &mut self,
        read: usize,
        file: BorrowedFd<'_>,
        nul: Nul,
        viewer: &mut impl Viewer,
    ) -> io::Result<End> {
        let begin = self.buffer[..read].to_vec();
        let whole = begin.as_slice().chain(Descriptor(file.as_fd()));
        let mut text: DecodeReaderBytes<_, Vec<u8>> = DecodeReaderBytesBuilder::new()
            .bom_override(true)
            .build(whole);
        let filled = Filled {
            goal: self.block,
            ..Filled::default()
        };
        self.windows(filled, &mut text, Reads::Parts, nul, viewer)
    }

    fn windows(
        &mut self,
        mut filled: Filled,
        source: &mut impl Read,
        reads: Reads,
        nul: Nul,
        viewer: &mut impl Viewer,
    ) -> io::Result<End> {
        if filled.ended {
            let text = &mut self.buffer[filled.start..filled.end];
            return Ok(viewer.whole(text, filled.start as u64, nul));
        }
        let mut checked = filled.start;
        let begun = &self.buffer[filled.start..filled.end];
        // The next part may be late.
        let mut has_line = reads == Reads::Parts && memchr(b'\n', begun).is_some();
        loop {
            if !std::mem::take(&mut has_line) {
                self.fill(&mut filled, source, reads, viewer)?;
            }
            if let Some(end) = self.check(&filled, checked, nul, viewer) {
                return Ok(end);
            }
            if self.show(&mut filled, checked, viewer).is_break() || filled.ended {
                return Ok(End::Done);
            }
            self.roll(&mut filled)?;
            checked = filled.end;
        }
    }

    /// From `checked` on; returns the file's end if NUL bytes decide.
    fn check(
        &mut self,
        filled: &Filled,
        checked: usize,
        nul: Nul,
        viewer: &mut impl Viewer,
    ) -> Option<End> {
        let new = &mut self.buffer[checked..filled.end];
        let at = memchr(0, new).filter(|_| nul != Nul::IsText)?;
        let offset = filled.offset + (checked + at) as u64;
        if nul == Nul::Ends {
            return Some(End::Binary(offset));
        }
        viewer.met_nul(offset);
        nuls_to_feeds(&mut new[at..]);
        None
    }

    fn show(&self, filled: &mut Filled, new: usize, viewer: &mut impl Viewer) -> Wants {
        let cut = match filled.ended {
            true => filled.end,
            false => match memrchr(b'\n', &self.buffer[new..filled.end]) {
                Some(feed) => new + feed + 1,
                None => filled.start,
            },
        };
        let text = &self.buffer[filled.start..cut];
        if text.is_empty() {
            return Wants::Continue(());
        }
        let offset = filled.offset + filled.start as u64;
        filled.start = cut;
        viewer.window(text, offset)
    }

    /// A full block or the end; of parts, until there is a line.
    fn fill(
        &mut self,
        filled: &mut Filled,
        source: &mut impl Read,
        reads: Reads,
        viewer: &mut impl Viewer,
    ) -> io::Result<()> {
        while !filled.ended && filled.end < filled.goal {
            let room = filled.goal - filled.end;
            let read = source.read(&mut self.buffer[filled.end..filled.goal])?;
            viewer.came(read);
            let new = &self.buffer[filled.end..filled.end + read];
            filled.end += read;
            filled.ended = read == 0 || (reads == Reads::Whole && read < room);
            if reads == Reads::Parts && read < room && memchr(b'\n', new).is_some() {
                break;
            }
        }
        Ok(())
    }

    fn roll(&mut self, filled: &mut Filled) -> io::Result<()> {
        if filled.start > 0 {
            self.buffer.copy_within(filled.start..filled.end, 0);
            filled.offset += filled.start as u64;
            filled.end -= filled.start;
            filled.start = 0;
        }
        filled.goal = filled.end + self.block;
        match filled.goal > self.buffer.len() {
            true => grow(&mut self.buffer, filled.goal),
            false => Ok(()),
        }
    }
}

pub(crate) fn grow(buffer: &mut Vec<u8>, needed: usize) -> io::Result<()> {
    let length = buffer.len();
    let wanted = needed.max(2 * length);
    buffer.try_reserve_exact(wanted - length).map_err(|_| {
        io::Error::other(format!("no memory for a line of more than {length} bytes"))
    })?;
    buffer.resize(wanted, 0);
    Ok(())
}

#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Begun {
    pub(crate) read: usize,
    pub(crate) ended: bool,
}

pub(crate) fn nuls_to_feeds(text: &mut [u8]) {
    for byte in text {
        *byte = if *byte == 0 { b'\n' } else { *byte };
    }
}

pub(crate) fn feeds(text: &[u8]) -> u64 {
    memchr_iter(b'\n', text).count() as u64
}

//! Windows of a file that is read into a buffer.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};

use encoding_rs_io::{DecodeReaderBytes, DecodeReaderBytesBuilder};
use memchr::{memchr, memchr_iter, memrchr};
use nix::errno::Errno;

use super::text::{End, Mark, Nul, Viewer, Wants};

/// Bytes of the buffer: half of all files of a source tree are below 4 KB, 95 in 100 below
/// this.
pub(crate) const BUFFER_BYTES: usize = 64 << 10;

/// The buffer of a flow, used again for each file.
#[derive(Debug)]
pub(crate) struct Rolling {
    buffer: Vec<u8>,
}

/// How reads of a file behave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    /// One that gives less than was asked for has met the end.
    Whole,
    /// One gives what there is; nothing is the end.
    Parts,
}

/// Reads a descriptor, again if a signal came between.
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

/// What the buffer holds of the file.
struct Filled {
    /// Where the next window begins.
    start: usize,
    /// Where what was read ends.
    end: usize,
    /// Where in the file the buffer begins.
    offset: u64,
    ended: bool,
}

impl Rolling {
    pub(crate) fn new() -> Rolling {
        Rolling {
            buffer: vec![0; BUFFER_BYTES],
        }
    }

    /// Shows `file` to `viewer`.
    ///
    /// # Errors
    /// It cannot be read, or a line of it does not fit in memory.
    pub(crate) fn view(
        &mut self,
        file: BorrowedFd<'_>,
        reads: Reads,
        nul: Nul,
        viewer: &mut impl Viewer,
    ) -> io::Result<End> {
        let read = Descriptor(file).read(&mut self.buffer)?;
        let ended = read == 0 || (reads == Reads::Whole && read < self.buffer.len());
        self.view_begun(Begun { read, ended }, file, reads, nul, viewer)
    }

    /// The buffer, for someone who reads the begin of a file by other means.
    pub(crate) fn buffer(&mut self) -> &mut [u8] {
        &mut self.buffer
    }

    /// Shows a file of which some is in the buffer.
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
        // A mark may come in parts too.
        while read < 3 && !ended {
            let more = source.read(&mut self.buffer[read..])?;
            ended = more == 0;
            read += more;
            viewer.came(more);
        }
        let end = match Mark::of(&self.buffer[..read]) {
            // What decodes takes a mark that nothing follows for text.
            Mark::Utf16 if read == 2 => Ok(viewer.whole(&[], 2, nul)),
            Mark::Utf16 => self.transcode(read, file, nul, viewer),
            Mark::Utf8(start) => {
                let filled = Filled {
                    start,
                    end: read,
                    offset: 0,
                    ended,
                };
                self.windows(filled, &mut source, reads, nul, viewer)
            }
        };
        if self.buffer.len() > BUFFER_BYTES {
            self.buffer = vec![0; BUFFER_BYTES];
        }
        end
    }

    /// Shows what follows as UTF-8.
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
            start: 0,
            end: 0,
            offset: 0,
            ended: false,
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
        loop {
            self.fill(&mut filled, source, reads, viewer)?;
            if let Some(end) = self.check(&filled, checked, nul, viewer) {
                return Ok(end);
            }
            if self.show(&mut filled, viewer).is_break() || filled.ended {
                return Ok(End::Done);
            }
            checked = filled.end - filled.start;
            self.roll(&mut filled)?;
        }
    }

    /// Looks for NUL bytes in what is new, from `checked` on: the file's end, if they are that.
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

    /// Shows all whole lines that are held; at the file's end all.
    fn show(&self, filled: &mut Filled, viewer: &mut impl Viewer) -> Wants {
        let text = &self.buffer[filled.start..filled.end];
        let cut = match filled.ended {
            true => text.len(),
            false => memrchr(b'\n', text).map_or(0, |feed| feed + 1),
        };
        if cut == 0 {
            return Wants::Continue(());
        }
        let offset = filled.offset + filled.start as u64;
        filled.start += cut;
        viewer.window(&text[..cut], offset)
    }

    /// Reads until the buffer is full or the file has ended; of a file that gives parts, until
    /// there is a line.
    fn fill(
        &mut self,
        filled: &mut Filled,
        source: &mut impl Read,
        reads: Reads,
        viewer: &mut impl Viewer,
    ) -> io::Result<()> {
        while !filled.ended && filled.end < self.buffer.len() {
            let room = self.buffer.len() - filled.end;
            let read = source.read(&mut self.buffer[filled.end..])?;
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

    /// Moves the begun line to the front; makes room for more of it if it fills the buffer.
    fn roll(&mut self, filled: &mut Filled) -> io::Result<()> {
        self.buffer.copy_within(filled.start..filled.end, 0);
        filled.offset += filled.start as u64;
        filled.end -= filled.start;
        filled.start = 0;
        if filled.end == self.buffer.len() {
            self.grow()?;
        }
        Ok(())
    }

    fn grow(&mut self) -> io::Result<()> {
        let length = self.buffer.len();
        self.buffer.try_reserve_exact(length).map_err(|_| {
            io::Error::other(format!("no memory for a line of more than {length} bytes"))
        })?;
        self.buffer.resize(2 * length, 0);
        Ok(())
    }
}

/// What is known of a file of which some is in the buffer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Begun {
    /// Bytes in the buffer.
    pub(crate) read: usize,
    /// There are no more.
    pub(crate) ended: bool,
}

fn nuls_to_feeds(text: &mut [u8]) {
    // Written as one store for every byte, which the compiler does for many bytes at once.
    for byte in text {
        *byte = if *byte == 0 { b'\n' } else { *byte };
    }
}

/// How many lines end in `text`.
pub(crate) fn feeds(text: &[u8]) -> u64 {
    memchr_iter(b'\n', text).count() as u64
}

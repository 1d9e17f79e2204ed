//! Is it text? Marks at the beginning of a file, bytes that no text has.
//!
//! * A byte order mark of UTF-8 is left out; one of UTF-16 has the file transcoded to UTF-8.
//! * A NUL byte makes a file binary. In a file that was found by walking it ends the search
//!   of the file, and the window that it stands in is not searched; lines found in windows
//!   before it (64 KiB at least) stay, and a notice says so. A count of lines is dropped
//!   then, since it would not be one of the whole file. In a file that was named it stands
//!   for a line feed, and the first match behind it ends the search with a remark in place of
//!   the line.
//!
//! This is what ripgrep does with the same files, so that results are the same.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// With this many bytes that are no part of its text.
    Utf8(usize),
    /// As UTF-16, of either order.
    Utf16,
}

impl Mark {
    pub(crate) fn of(begin: &[u8]) -> Mark {
        match begin {
            [0xEF, 0xBB, 0xBF, ..] => Mark::Utf8(3),
            [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => Mark::Utf16,
            _ => Mark::Utf8(0),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nul {
    /// The file is binary: its search ends.
    Ends,
    IsLineFeed,
    IsText,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Done,
    /// A NUL byte, this many bytes into the file.
    Binary(u64),
}

pub(crate) type Wants = std::ops::ControlFlow<()>;

pub(crate) trait Viewer {
    fn came(&mut self, bytes: usize);

    /// A window that is the whole file: searched before it is asked for NUL bytes, since most
    /// files have no match, and then it does not matter. `offset` is that of its first byte.
    fn whole(&mut self, window: &[u8], offset: u64, nul: Nul) -> End;

    /// One of several windows, without NUL bytes that matter.
    fn window(&mut self, window: &[u8], offset: u64) -> Wants;

    fn met_nul(&mut self, offset: u64);
}

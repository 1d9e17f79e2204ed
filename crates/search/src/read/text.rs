//! Is it text? As in ripgrep, so that results are the same:
//!
//! * A byte order mark of UTF-8 is left out; one of UTF-16 has the file transcoded to UTF-8.
//! * A NUL byte makes a file binary. In a file found by walking it ends the search; lines found in
//!   windows before it (64 KiB at least) stay, with a notice; a count is dropped. In a named file
//!   it stands for a line feed, and the first match behind it ends the search with a remark.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// With this many bytes that are no part of its text.
    Utf8(usize),
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

    /// The whole file from `offset`: searched before a look for NUL bytes, as most have no match.
    fn whole(&mut self, window: &[u8], offset: u64, nul: Nul) -> End;

    /// One of several windows, without NUL bytes that matter.
    fn window(&mut self, window: &[u8], offset: u64) -> Wants;

    fn met_nul(&mut self, offset: u64);
}

//! What a process sends to the one that forked it, through a pipe.
//!
//! ```text
//! │ kind: 1 byte │ length: 4 bytes, little-endian │ those bytes   │ next frame …
//! ```

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::outlet::{Deliver, Key};
use crate::problem::{Kind, Problem};

const HEADER_BYTES: usize = 5;
/// More text follows in another frame.
const TEXT_BYTES: usize = 1 << 20;

const TEXT: u8 = 0;
const TEXT_AND_MORE: u8 = 1;
const SORTED: u8 = 2;
const PROBLEM: u8 = 3;

const PROBLEMS: [Kind; 3] = [Kind::Error, Kind::Notice, Kind::Otherwise];

pub(crate) struct Sender {
    pipe: File,
}

impl Sender {
    pub(crate) fn new(pipe: File) -> Sender {
        Sender { pipe }
    }

    fn send(&mut self, kind: u8, parts: &[&[u8]]) {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        let Ok(length) = u32::try_from(length) else {
            return self.tell(Problem::error(
                "results of one file that are larger than 4 GB cannot be sorted",
            ));
        };
        let mut header = [kind; HEADER_BYTES];
        header[1..].copy_from_slice(&length.to_le_bytes());
        // The reader may be dead; then so will this process.
        let _ = self.write(&header, parts);
    }

    fn write(&mut self, header: &[u8], parts: &[&[u8]]) -> io::Result<()> {
        self.pipe.write_all(header)?;
        parts.iter().try_for_each(|part| self.pipe.write_all(part))
    }
}

impl Deliver for Sender {
    fn text(&mut self, text: &[u8], more: bool) {
        let mut pieces = text.chunks(TEXT_BYTES).peekable();
        if text.is_empty() {
            self.send(if more { TEXT_AND_MORE } else { TEXT }, &[]);
        }
        while let Some(piece) = pieces.next() {
            let more = more || pieces.peek().is_some();
            self.send(if more { TEXT_AND_MORE } else { TEXT }, &[piece]);
        }
    }

    fn sorted(&mut self, key: Key, text: &[u8]) {
        let (root, path) = key.parts();
        let length = u32::try_from(path.len()).unwrap_or(u32::MAX);
        let numbers = [root.to_le_bytes(), length.to_le_bytes()].concat();
        self.send(SORTED, &[&numbers, path, text]);
    }

    fn tell(&mut self, problem: Problem) {
        let path = problem.path.unwrap_or_default();
        // A path holds no NUL: one separates it from the words.
        let parts = [path.as_os_str().as_bytes(), b"\0", problem.what.as_bytes()];
        self.send(PROBLEM + problem.kind as u8, &parts);
    }
}

#[derive(Debug, Default)]
pub(crate) struct Receiver {
    held: Vec<u8>,
}

impl Receiver {
    /// Delivers complete frames. True if more of a file follows.
    pub(crate) fn take(&mut self, bytes: &[u8], to: &mut dyn Deliver, mut more: bool) -> bool {
        self.held.extend_from_slice(bytes);
        let mut from = 0;
        while let Some((kind, body)) = frame(&self.held[from..]) {
            from += HEADER_BYTES + body.len();
            match kind {
                TEXT | TEXT_AND_MORE => {
                    more = kind == TEXT_AND_MORE;
                    to.text(body, more);
                }
                SORTED => deliver_sorted(body, to),
                _ => to.tell(problem(kind, body)),
            }
        }
        self.held.drain(..from);
        more
    }
}

fn frame(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let (header, rest) = bytes.split_at_checked(HEADER_BYTES)?;
    let length = u32::from_le_bytes(header[1..].first_chunk::<4>().copied()?);
    Some((header[0], rest.get(..length as usize)?))
}

fn deliver_sorted(body: &[u8], to: &mut dyn Deliver) {
    let number = |at: usize| {
        let bytes = body.get(at..)?.first_chunk::<4>()?;
        Some(u32::from_le_bytes(*bytes))
    };
    let (Some(root), Some(length)) = (number(0), number(4)) else {
        return;
    };
    if let Some((path, text)) = body[8..].split_at_checked(length as usize) {
        to.sorted(Key::new(root, path.to_vec()), text);
    }
}

fn problem(kind: u8, body: &[u8]) -> Problem {
    let end = memchr::memchr(0, body).unwrap_or(0);
    let (path, what) = body.split_at(end);
    let kind = PROBLEMS.get(usize::from(kind - PROBLEM)).copied();
    Problem {
        kind: kind.unwrap_or(Kind::Notice),
        path: (!path.is_empty()).then(|| PathBuf::from(OsStr::from_bytes(path))),
        what: String::from_utf8_lossy(what.strip_prefix(b"\0").unwrap_or(what)).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Read;

    #[derive(Debug, Default, PartialEq)]
    struct Kept {
        text: Vec<(Vec<u8>, bool)>,
        sorted: Vec<(Key, Vec<u8>)>,
        told: Vec<Problem>,
    }

    impl Deliver for Kept {
        fn text(&mut self, text: &[u8], more: bool) {
            self.text.push((text.to_vec(), more));
        }
        fn sorted(&mut self, key: Key, text: &[u8]) {
            self.sorted.push((key, text.to_vec()));
        }
        fn tell(&mut self, problem: Problem) {
            self.told.push(problem);
        }
    }

    proptest! {
        #[test]
        fn what_is_sent_arrives_however_it_is_cut(text: Vec<u8>, path in "[a-z/]{0,9}", cut in 1..9_usize) {
            let send = |to: &mut dyn Deliver| {
                to.text(&text, true);
                to.text(b"", false);
                to.sorted(Key::new(7, path.clone().into_bytes()), &text);
                to.tell(Problem::error(path.clone()));
                to.tell(Problem::notice(Some(PathBuf::from("x")), ""));
                to.tell(Problem::otherwise("y"));
            };
            let mut wanted = Kept::default();
            send(&mut wanted);
            let (mut from, to) = std::io::pipe()?;
            send(&mut Sender::new(File::from(std::os::fd::OwnedFd::from(to))));
            let mut bytes = Vec::new();
            from.read_to_end(&mut bytes)?;
            let (mut receiver, mut kept, mut more) = (Receiver::default(), Kept::default(), false);
            for piece in bytes.chunks(cut) {
                more = receiver.take(piece, &mut kept, more);
            }
            prop_assert!(!more);
            prop_assert_eq!(kept, wanted);
        }
    }
}

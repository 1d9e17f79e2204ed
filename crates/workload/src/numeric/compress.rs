//! Text deflated and inflated (RFC 1951, by flate2 in Rust): lines of words, few frequent and many
//! rare, as in a log. Buffers and tables are kept. Self-check: what comes out is what went in.

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

use flow::Pieces;

use super::{Program, Wrong};
use crate::draw::{Checksum, Draw};

const WORDS: u32 = 2_000;

#[derive(Debug)]
pub(super) struct Text {
    text: Vec<u8>,
    small: Vec<u8>,
    again: Vec<u8>,
    deflater: Compress,
    inflater: Decompress,
    ended: bool,
}

impl Text {
    pub(super) fn new(bytes: usize, seed: u64) -> Self {
        Self {
            text: text(bytes, seed),
            small: Vec::with_capacity(bytes + bytes / 100 + 1_024),
            again: Vec::with_capacity(bytes + 1),
            deflater: Compress::new(Compression::default(), false),
            inflater: Decompress::new(false),
            ended: false,
        }
    }
}

/// Words drawn by frequency: the lower the number, the more frequent.
fn text(bytes: usize, seed: u64) -> Vec<u8> {
    let mut draw = Draw::new(seed, 0);
    let words: Vec<String> = (0..WORDS)
        .map(|_| {
            let length = draw.between(2, 12);
            draw.letters(length)
        })
        .collect();
    let mut text = Vec::with_capacity(bytes + 16);
    while text.len() < bytes {
        let bound = draw.between(1, WORDS);
        text.extend_from_slice(words[draw.below(bound) as usize].as_bytes());
        text.push(if draw.below(12) == 0 { b'\n' } else { b' ' });
    }
    text.truncate(bytes);
    text
}

impl Program for Text {
    fn pieces(&self, pieces: &mut Pieces) {
        pieces.slice(&self.text);
        pieces.slice(&self.small);
        pieces.slice(&self.again);
    }

    fn pass(&mut self) {
        self.small.clear();
        self.again.clear();
        self.deflater.reset();
        self.inflater.reset(false);
        let flush = FlushCompress::Finish;
        let deflated = self
            .deflater
            .compress_vec(&self.text, &mut self.small, flush);
        let flush = FlushDecompress::Finish;
        let inflated = self
            .inflater
            .decompress_vec(&self.small, &mut self.again, flush);
        self.ended = matches!(
            (deflated, inflated),
            (Ok(Status::StreamEnd), Ok(Status::StreamEnd))
        );
    }

    fn end(&mut self) -> Result<u64, Wrong> {
        Wrong::unless(self.ended && self.again == self.text, || {
            "a text that was deflated and inflated is another one".to_owned()
        })?;
        Ok(Checksum::of_bytes(&self.small))
    }
}

#[cfg(test)]
impl Text {
    /// Leaves no room for the deflated text: the next pass cannot do all of its work.
    pub(super) fn take_room(&mut self) {
        self.small = Vec::with_capacity(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn another_reader_inflates_what_was_deflated() {
        let mut program = Text::new(50_000, 1);
        program.pass();
        assert!(program.small.len() < 30_000, "{}", program.small.len());
        let mut again = Vec::new();
        let mut reader = flate2::read::DeflateDecoder::new(&program.small[..]);
        reader.read_to_end(&mut again).unwrap();
        assert_eq!(again, program.text);
    }

    #[test]
    fn a_byte_that_differs_is_found() {
        let mut program = Text::new(10_000, 1);
        program.pass();
        assert!(program.end().is_ok());
        program.again[500] ^= 1;
        assert!(program.end().unwrap_err().to_string().contains("deflated"));
    }
}

use memchr::{memchr_iter, memrchr};

use super::checksum::{self, Found};

/// Each whole line of a text with its end, and what its checksum shows. A flipped bit in an end of
/// line makes one line of two, one that becomes an end makes two of one: checksums tell.
pub(super) struct Lines<'t> {
    rest: &'t [u8],
}

impl<'t> Lines<'t> {
    pub(super) fn of(text: &'t [u8]) -> Self {
        Self {
            rest: &text[..whole(text)],
        }
    }
}

pub(super) fn whole(text: &[u8]) -> usize {
    memrchr(b'\n', text).map_or(0, |end| end + 1)
}

impl<'t> Iterator for Lines<'t> {
    type Item = (&'t [u8], Found);

    fn next(&mut self) -> Option<Self::Item> {
        let mut ends = memchr_iter(b'\n', self.rest).map(|end| end + 1);
        let end = ends.next()?;
        let found = checksum::check(&self.rest[..end]);
        let (bytes, found) = match found {
            Found::Bare | Found::Damaged => {
                let second = ends.next().map(|second| &self.rest[..second]);
                let one = second.and_then(joined);
                let one = one.or_else(|| checksum::first_of_two(&self.rest[..end]));
                one.map_or((end, found), |line| (line.len(), Found::Mended(line)))
            }
            Found::Whole | Found::Mended(_) => (end, found),
        };
        let (line, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        Some((line, found))
    }
}

fn joined(two: &[u8]) -> Option<Vec<u8>> {
    match checksum::check(two) {
        Found::Mended(line) => Some(line),
        _ => None,
    }
}

use super::marks::{Kind, Marks};

#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a, 's> {
    pub(super) text: &'a str,
    pub(super) marks: &'s Marks,
}

impl<'a> Source<'a, '_> {
    pub(super) fn parts(&self, from: usize, to: usize, bar: u8) -> Parts<'a, '_> {
        Parts {
            source: *self,
            next: self.marks.from(from),
            at: Some(from),
            to,
            bar,
        }
    }

    pub(super) fn outside(&self, from: usize, to: usize, what: u8) -> Option<usize> {
        let parts = &mut self.parts(from, to, what);
        parts.next().map(|(_, end)| end).filter(|&end| end < to)
    }

    pub(super) fn called(&self) -> impl Iterator<Item = &'a str> {
        let calls = self.marks.all().iter().filter(|m| m.kind == Kind::Template);
        calls.map(|mark| {
            let inside = mark.inside();
            let name = self.parts(inside.start, inside.end, b'|').next();
            let (start, end) = name.unwrap_or((inside.start, inside.end));
            self.text[start..end].trim_ascii()
        })
    }
}

pub(super) fn trimmed(text: &str, from: usize, to: usize) -> (usize, usize) {
    let within = &text[from..to];
    let start = to - within.trim_ascii_start().len();
    (start, start + within.trim_ascii().len())
}

pub(super) struct Parts<'a, 's> {
    source: Source<'a, 's>,
    next: usize,
    at: Option<usize>,
    to: usize,
    bar: u8,
}

impl Iterator for Parts<'_, '_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        let from = self.at?;
        let mut at = from;
        loop {
            let mark = self.source.marks.get(self.next);
            let mark = mark.filter(|mark| (mark.start as usize) < self.to);
            let stop = mark.map_or(self.to, |mark| mark.start as usize);
            let within = &self.source.text.as_bytes()[at..stop.max(at)];
            if let Some(length) = memchr::memchr(self.bar, within) {
                self.at = Some(at + length + 1);
                return Some((from, at + length));
            }
            let Some(mark) = mark else {
                self.at = None;
                return Some((from, self.to));
            };
            at = mark.end as usize;
            self.next = mark.after as usize;
        }
    }
}

//! Formats that open and close. If what is closed was not opened last, what lies above it is closed
//! and opened again: a tree. The end of a line closes all.

use crate::wiki::tree::{Inline, Inlines};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Bold,
    Italic,
}

impl Format {
    fn around(self, inside: Inlines<'_>) -> Inline<'_> {
        match self {
            Self::Bold => Inline::Bold(inside),
            Self::Italic => Inline::Italic(inside),
        }
    }
}

pub(super) struct Built<'a> {
    done: Vec<Inline<'a>>,
    pub(super) open: Vec<(Format, Inlines<'a>)>,
}

impl<'a> Built<'a> {
    pub(super) fn with_capacity(likely: usize) -> Self {
        Self {
            done: Vec::with_capacity(likely),
            open: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, inline: Inline<'a>) {
        match self.open.last_mut() {
            Some((_, inside)) => inside.push(inline),
            None => self.done.push(inline),
        }
    }

    /// Text; where a line ends in it, formats do too.
    pub(super) fn text(&mut self, text: &'a str) {
        let end = match self.open.is_empty() {
            true => None,
            false => memchr::memchr(b'\n', text.as_bytes()),
        };
        let (within, after) = text.split_at(end.unwrap_or(text.len()));
        if !within.is_empty() {
            self.push(Inline::Text(within));
        }
        if end.is_some() {
            self.close_all();
            self.push(Inline::Text(after));
        }
    }

    fn close_last(&mut self) -> Option<Format> {
        let (format, inside) = self.open.pop()?;
        if !inside.is_empty() {
            self.push(format.around(inside));
        }
        Some(format)
    }

    fn close_all(&mut self) {
        while self.close_last().is_some() {}
    }

    pub(super) fn toggle(&mut self, format: Format) {
        if !self.open.iter().any(|(open, _)| *open == format) {
            self.open.push((format, Inlines::EMPTY));
            return;
        }
        let mut above = Vec::new();
        while let Some(closed) = self.close_last() {
            if closed == format {
                break;
            }
            above.push(closed);
        }
        let again = above.into_iter().rev();
        self.open
            .extend(again.map(|format| (format, Inlines::EMPTY)));
    }

    pub(super) fn end(mut self) -> Vec<Inline<'a>> {
        self.close_all();
        self.done
    }
}

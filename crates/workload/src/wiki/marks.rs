//! Where in a text the things with a beginning and an end are: templates, parameters, links,
//! references and the like. One pass with a stack: a closer takes the topmost opener of its kind;
//! what was opened after that one and never closed is text. So marks never cross, each byte is
//! looked at once, and senseless text takes no longer than a good page. A run of braces can open
//! more than one thing (`{{{{{1}}}}}` is a parameter within a template), so closers eat it from the
//! inside, three braces or two at a time. Marks deeper than [`DEEPEST`] make what is around them
//! text. This is the way of MediaWiki's preprocessor, but a link may cross a line's end.

mod find;
mod special;
mod tag;
#[cfg(test)]
mod tests;

use find::find;

pub(super) const DEEPEST: u8 = 24;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Template,
    Parameter,
    Link,
    /// The number is the beginning of its attributes.
    Reference {
        attributes: u32,
    },
    ReferenceAgain,
    Plain,
    Comment,
    Break,
    References,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) kind: Kind,
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) inner: (u32, u32),
    pub(super) after: u32,
}

impl Mark {
    pub(super) fn span(&self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    pub(super) fn inside(&self) -> std::ops::Range<usize> {
        self.inner.0 as usize..self.inner.1 as usize
    }
}

/// Places are 32 bits.
pub(super) const LONGEST_TEXT: usize = 16 << 20;

#[derive(Debug)]
pub(super) struct Marks {
    all: Vec<Mark>,
    first_from: Vec<u32>,
}

const STRETCH: usize = 32;

impl Marks {
    pub(super) fn of(text: &str) -> Self {
        let all = find(text);
        let mut next = 0;
        let first_from = (0..=text.len() / STRETCH).map(|stretch| {
            while all
                .get(next)
                .is_some_and(|m| (m.start as usize) < stretch * STRETCH)
            {
                next += 1;
            }
            next as u32
        });
        Self {
            first_from: first_from.collect(),
            all,
        }
    }

    pub(super) fn all(&self) -> &[Mark] {
        &self.all
    }

    #[inline]
    pub(super) fn get(&self, number: usize) -> Option<&Mark> {
        self.all.get(number)
    }

    #[inline]
    pub(super) fn from(&self, place: usize) -> usize {
        let mut number = self.first_from[place / STRETCH] as usize;
        while self
            .all
            .get(number)
            .is_some_and(|m| (m.start as usize) < place)
        {
            number += 1;
        }
        number
    }
}

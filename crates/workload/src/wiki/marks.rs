//! Where in a text the things are that have a beginning and an end: templates, parameters,
//! links, references and the like.
//!
//! # Theory
//!
//! One pass with a stack. An opener is put on the stack; a closer takes the topmost opener of
//! its kind, and what was opened after that one and never closed is text. So marks are nested
//! or apart and never cross, each byte is looked at once, and text without any sense takes no
//! longer than a good page.
//!
//! A run of braces can open more than one thing: `{{{{{1}}}}}` is a parameter within a
//! template. So a run is one entry of the stack, and closers eat it from the inside, three
//! braces or two at a time.
//!
//! Marks are nested [`DEEPEST`] deep at the most; what is around them is text. That bounds how
//! deep the parser, which goes from mark to mark, can go.
//!
//! This is the way of MediaWiki's preprocessor, without the lines: a link may go on over a
//! line's end.

use memchr::memmem;

/// How deep marks are nested at the most.
pub(super) const DEEPEST: u8 = 24;

/// What a mark is around.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `{{…}}`
    Template,
    /// `{{{…}}}`
    Parameter,
    /// `[[…]]`
    Link,
    /// `<ref …>…</ref>`; the number is where its attributes begin.
    Reference { attributes: u32 },
    /// `<ref … />`
    ReferenceAgain,
    /// `<nowiki>…</nowiki>`
    Plain,
    /// `<!-- … -->`
    Comment,
    /// `<br>`
    Break,
    /// `<references />`
    References,
}

/// A thing with a beginning and an end. Places are bytes of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) kind: Kind,
    pub(super) start: u32,
    pub(super) end: u32,
    /// What is inside.
    pub(super) inner: (u32, u32),
    /// Which mark is the first that begins at `end` or later.
    pub(super) after: u32,
}

/// The place of a mark whose end was not found.
const NONE: Mark = Mark {
    kind: Kind::Comment,
    start: 0,
    end: 0,
    inner: (0, 0),
    after: 0,
};

impl Mark {
    pub(super) fn span(&self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    pub(super) fn inside(&self) -> std::ops::Range<usize> {
        self.inner.0 as usize..self.inner.1 as usize
    }
}

/// Longer texts are refused: places are 32 bits.
pub(super) const LONGEST_TEXT: usize = 16 << 20;

/// All marks of a text.
#[derive(Debug)]
pub(super) struct Marks {
    /// By their beginnings.
    all: Vec<Mark>,
    /// For each [`STRETCH`] of the text, the first mark that begins there or later.
    first_from: Vec<u32>,
}

/// Bytes for which it is noted where their marks are.
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

    /// The number of the first mark that begins at `place` of the text or later.
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

fn find(text: &str) -> Vec<Mark> {
    let mut finder = Finder {
        bytes: text.as_bytes(),
        at: 0,
        open: Vec::with_capacity(16),
        of_kind: [0; 3],
        found: Vec::with_capacity(text.len() / 24),
        searched: [0; 2],
    };
    finder.find();
    let mut found = finder.found;
    found.retain(|mark| mark.end > 0);
    link_up(&mut found);
    found
}

/// Tells each mark which is the next one outside of it.
fn link_up(marks: &mut [Mark]) {
    for place in (0..marks.len()).rev() {
        let mut next = place + 1;
        while next < marks.len() && marks[next].start < marks[place].end {
            next = marks[next].after as usize;
        }
        marks[place].after = next as u32;
    }
}

/// Something that may be closed later.
#[derive(Debug, Clone, Copy)]
struct Opener {
    what: Opens,
    start: u32,
    /// Where its inside begins.
    inner: u32,
    /// The last place that is kept for it among the marks, which are found by their ends and
    /// wanted by their beginnings.
    place: u32,
    /// How deep the marks inside it are nested.
    height: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opens {
    Braces,
    Link,
    Reference { attributes: u32 },
}

impl Opens {
    fn number(self) -> usize {
        match self {
            Self::Braces => 0,
            Self::Link => 1,
            Self::Reference { .. } => 2,
        }
    }
}

struct Finder<'a> {
    bytes: &'a [u8],
    at: usize,
    open: Vec<Opener>,
    /// How many of each kind are open, so that a closer without an opener costs nothing.
    of_kind: [u32; 3],
    found: Vec<Mark>,
    /// How far there is no end of a comment or of plain text, so that it is looked for once.
    searched: [usize; 2],
}

const ONES: u64 = 0x0101_0101_0101_0101;

/// Bytes of `word` that are `byte`: their highest bit is set in the answer. Above the first
/// one there may be others that are none.
const fn first_equal(word: u64, byte: u8) -> u64 {
    let zeros = word ^ (ONES * byte as u64);
    zeros.wrapping_sub(ONES) & !zeros & (ONES << 7)
}

/// Where the next byte is that may begin or end a mark: `{`, `}`, `[`, `]` or `<`. They are
/// close together, so eight bytes are looked at in one word; brackets and braces differ in one
/// bit, which is set in all of them.
fn next_special(bytes: &[u8], mut at: usize) -> Option<usize> {
    while let Some(&eight) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(eight);
        let braces = word | (ONES * 0x20);
        let found = first_equal(braces, b'{') | first_equal(braces, b'}') | first_equal(word, b'<');
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    let rest = bytes.get(at..)?;
    let is_special = |byte: &u8| b"{}[]<".contains(byte);
    rest.iter().position(is_special).map(|further| at + further)
}

impl Finder<'_> {
    fn find(&mut self) {
        while let Some(at) = next_special(self.bytes, self.at) {
            self.at = at;
            match self.bytes[self.at] {
                b'{' => self.open_braces(),
                b'}' => self.close_braces(),
                b'[' => self.open_link(),
                b']' => self.close_link(),
                _ => self.tag(),
            }
        }
    }

    /// How many bytes of this kind follow each other from here.
    fn run(&self, byte: u8) -> usize {
        let rest = &self.bytes[self.at..];
        rest.iter().position(|&b| b != byte).unwrap_or(rest.len())
    }

    /// Keeps places for the marks that begin here, and waits for their ends.
    fn push(&mut self, what: Opens, start: usize, inner: usize) {
        let most = match what {
            Opens::Braces => (inner - start) / 2,
            Opens::Link | Opens::Reference { .. } => 1,
        };
        self.found.resize(self.found.len() + most, NONE);
        self.push_again(what, start, inner, self.found.len() - 1);
    }

    fn push_again(&mut self, what: Opens, start: usize, inner: usize, place: usize) {
        self.of_kind[what.number()] += 1;
        self.open.push(Opener {
            what,
            start: start as u32,
            inner: inner as u32,
            place: place as u32,
            height: 0,
        });
    }

    /// The topmost opener of a kind, without those above it.
    fn pop(&mut self, number: usize) -> Option<Opener> {
        if self.of_kind[number] == 0 {
            return None;
        }
        let mut height = 0;
        while let Some(opener) = self.open.pop() {
            self.of_kind[opener.what.number()] -= 1;
            height = opener.height.max(height);
            if opener.what.number() == number {
                return Some(Opener { height, ..opener });
            }
        }
        None
    }

    /// A mark with nothing in it.
    fn single(&mut self, kind: Kind, span: (usize, usize), inner: (usize, usize)) {
        self.found.push(NONE);
        self.mark(kind, span, inner, 0, self.found.len() - 1);
    }

    /// A mark at the place kept for it, in whatever is open.
    fn mark(
        &mut self,
        kind: Kind,
        span: (usize, usize),
        inner: (usize, usize),
        height: u8,
        place: usize,
    ) {
        if height < DEEPEST {
            self.found[place] = Mark {
                kind,
                start: span.0 as u32,
                end: span.1 as u32,
                inner: (inner.0 as u32, inner.1 as u32),
                after: 0,
            };
        }
        if let Some(around) = self.open.last_mut() {
            around.height = around.height.max((height + 1).min(DEEPEST));
        }
    }

    fn open_braces(&mut self) {
        let run = self.run(b'{');
        if run >= 2 {
            self.push(Opens::Braces, self.at, self.at + run);
        }
        self.at += run;
    }

    /// Closes from the inside as long as there are braces on both sides.
    fn close_braces(&mut self) {
        let mut left = self.run(b'}');
        while left >= 2 {
            let Some(opener) = self.pop(Opens::Braces.number()) else {
                break;
            };
            let opened = (opener.inner - opener.start) as usize;
            let taken = left.min(opened).min(3);
            let start = opener.inner as usize - taken;
            let kind = match taken {
                3 => Kind::Parameter,
                _ => Kind::Template,
            };
            let inner = (opener.inner as usize, self.at);
            let height = opener.height;
            let place = opener.place as usize;
            if opened - taken >= 2 {
                self.push_again(Opens::Braces, opener.start as usize, start, place - 1);
            }
            self.mark(kind, (start, self.at + taken), inner, height, place);
            self.at += taken;
            left -= taken;
        }
        self.at += left;
    }

    fn open_link(&mut self) {
        let run = self.run(b'[');
        if run >= 2 {
            // The innermost two brackets; what is before them is text.
            self.push(Opens::Link, self.at + run - 2, self.at + run);
        }
        self.at += run;
    }

    fn close_link(&mut self) {
        let run = self.run(b']');
        let mut left = run;
        while left >= 2 {
            let Some(opener) = self.pop(Opens::Link.number()) else {
                break;
            };
            let span = (opener.start as usize, self.at + 2);
            let inner = (opener.inner as usize, self.at);
            self.mark(
                Kind::Link,
                span,
                inner,
                opener.height,
                opener.place as usize,
            );
            self.at += 2;
            left -= 2;
        }
        self.at += left;
    }

    fn tag(&mut self) {
        let rest = &self.bytes[self.at..];
        if rest.starts_with(b"<!--") {
            return self.up_to(Kind::Comment, 4, b"-->", 0);
        }
        if rest.starts_with(b"<nowiki>") {
            return self.up_to(Kind::Plain, 8, b"</nowiki>", 1);
        }
        if rest.starts_with(b"</ref>") {
            return self.close_reference();
        }
        let Some((name, attributes, close, is_whole)) = parse_tag(rest) else {
            self.at += 1;
            return;
        };
        let (start, end) = (self.at, self.at + close);
        let inner = (start + attributes, end);
        match name {
            Name::Break => self.single(Kind::Break, (start, end), inner),
            Name::References => self.single(Kind::References, (start, end), inner),
            Name::Reference if is_whole => {
                self.single(Kind::ReferenceAgain, (start, end), inner);
            }
            Name::Reference => {
                let attributes = inner.0 as u32;
                self.push(Opens::Reference { attributes }, start, end);
            }
        }
        self.at = end;
    }

    /// A mark up to a fixed end; without that it is text. Nothing inside counts.
    fn up_to(&mut self, kind: Kind, opener: usize, closer: &[u8], which: usize) {
        let from = self.at + opener;
        let found = match self.searched[which] {
            usize::MAX => None,
            _ => memmem::find(&self.bytes[from..], closer),
        };
        match found {
            Some(length) => {
                let end = from + length + closer.len();
                self.single(kind, (self.at, end), (from, from + length));
                self.at = end;
            }
            None => {
                self.searched[which] = usize::MAX;
                self.at += 1;
            }
        }
    }

    fn close_reference(&mut self) {
        let end = self.at + b"</ref>".len();
        if let Some(opener) = self.pop(2)
            && let Opens::Reference { attributes } = opener.what
        {
            let span = (opener.start as usize, end);
            let inner = (opener.inner as usize, self.at);
            let kind = Kind::Reference { attributes };
            self.mark(kind, span, inner, opener.height, opener.place as usize);
        }
        self.at = end;
    }
}

enum Name {
    Reference,
    References,
    Break,
}

/// Longer tags are text.
const LONGEST_TAG: usize = 256;

/// The name of a tag at the beginning of `rest`, where its attributes begin, where it ends,
/// and whether it ends in `/>`.
fn parse_tag(rest: &[u8]) -> Option<(Name, usize, usize, bool)> {
    let (name, length) = [
        (&b"<references"[..], Name::References),
        (b"<ref", Name::Reference),
        (b"<br", Name::Break),
    ]
    .into_iter()
    .find_map(|(tag, name)| rest.starts_with(tag).then_some((name, tag.len())))?;
    let within = &rest[length..rest.len().min(LONGEST_TAG)];
    let close = within.iter().position(|b| matches!(b, b'>' | b'<'))?;
    let is_apart = matches!(within[0], b' ' | b'/' | b'>');
    (within[close] == b'>' && is_apart).then(|| {
        let is_whole = within[..close].last() == Some(&b'/');
        (name, length, length + close + 1, is_whole)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(text: &str) -> Vec<(Kind, &str)> {
        let marks = find(text);
        marks.iter().map(|m| (m.kind, &text[m.inside()])).collect()
    }

    #[test]
    fn braces_are_eaten_from_the_inside() {
        assert_eq!(
            found("{{{{{1}}}}}"),
            [(Kind::Template, "{{{1}}}"), (Kind::Parameter, "1")]
        );
        assert_eq!(
            found("{{a|{{b}}}}"),
            [(Kind::Template, "a|{{b}}"), (Kind::Template, "b")]
        );
        assert_eq!(found("{{{{a}}"), [(Kind::Template, "a")]);
        assert_eq!(found("{a} }} {{ {"), []);
    }

    #[test]
    fn a_closer_takes_the_opener_of_its_kind_and_what_is_between_is_text() {
        assert_eq!(found("[[a {{b]] c}}"), [(Kind::Link, "a {{b")]);
        assert_eq!(
            found("[[a|[[b]]]]"),
            [(Kind::Link, "a|[[b]]"), (Kind::Link, "b")]
        );
        assert_eq!(found("[[[a]]]"), [(Kind::Link, "a")]);
    }

    #[test]
    fn nothing_counts_in_plain_text_and_comments() {
        assert_eq!(
            found("<nowiki>[[a]]</nowiki><!-- {{b}} -->"),
            [(Kind::Plain, "[[a]]"), (Kind::Comment, " {{b}} ")]
        );
        assert_eq!(found("<!-- [[a]]"), [(Kind::Link, "a")]);
    }

    #[test]
    fn references_have_content_or_a_name() {
        let all = found("<ref name=\"x\">a</ref><ref name=x /><references /><refs>");
        let kinds = [
            (Kind::Reference { attributes: 4 }, "a"),
            (Kind::ReferenceAgain, " name=x />"),
            (Kind::References, " />"),
        ];
        assert_eq!(all, kinds);
        assert_eq!(found("<br><br/>< br>").len(), 2);
    }

    #[test]
    fn deep_nests_lose_their_outside_and_not_their_inside() {
        let text = format!("{}a{}", "{{".repeat(100), "}}".repeat(100));
        assert_eq!(find(&text).len(), usize::from(DEEPEST));
        let links = format!("{}a{}", "[[x|".repeat(100), "]]".repeat(100));
        assert_eq!(find(&links).len(), usize::from(DEEPEST));
    }

    proptest! {
        #[test]
        fn the_next_special_byte_is_found_wherever_it_is(bytes in "[a-z{}\\[\\]<>|;é\n ]{0,40}", at in 0_usize..41) {
            let bytes = bytes.as_bytes();
            let slow = bytes.iter().skip(at).position(|byte| b"{}[]<".contains(byte));
            prop_assert_eq!(next_special(bytes, at), slow.map(|further| at + further));
        }

        #[test]
        fn marks_are_nested_or_apart(text in "(\\{\\{|\\}\\}|\\{|\\[\\[|\\]\\]|<ref>|</ref>|<br>|<!--|-->|a|\\||\n){0,60}") {
            let known = Marks::of(&text);
            let marks = known.all();
            for place in 0..=text.len() {
                let first = marks.iter().position(|mark| mark.start as usize >= place);
                prop_assert_eq!(known.from(place), first.unwrap_or(marks.len()));
            }
            for (place, mark) in marks.iter().enumerate() {
                prop_assert!(mark.start < mark.end && mark.end as usize <= text.len());
                prop_assert!(mark.start <= mark.inner.0 && mark.inner.0 <= mark.inner.1 && mark.inner.1 <= mark.end);
                for other in &marks[place + 1..] {
                    prop_assert!(other.start >= mark.end || other.end <= mark.inner.1, "{:?} {:?}", mark, other);
                }
                let after = marks.iter().position(|other| other.start >= mark.end);
                prop_assert_eq!(mark.after as usize, after.unwrap_or(marks.len()));
            }
        }
    }
}

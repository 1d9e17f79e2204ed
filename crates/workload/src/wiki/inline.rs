//! From a stretch of text to the inlines in it.
//!
//! # Theory
//!
//! The marks of the text are known ([`super::marks`]), so a stretch is text between marks.
//! In that text there are quotes (bold, italic) and addresses; everything else is taken as it
//! stands.
//!
//! Quotes open and close: two are italic, three bold, five both. What is closed need not be
//! what was opened last; then what lies above it is closed and opened again, so the tree is
//! always one. The end of a line closes all of them, as in MediaWiki. There a line with odd
//! quotes is looked at once more to guess which of them are apostrophes; here it is not.

use super::marks::{Kind, Mark, Marks};
use super::tree::{Argument, Call, Inline};

/// A text with its marks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a, 's> {
    pub(super) text: &'a str,
    pub(super) marks: &'s Marks,
}

impl<'a> Source<'a, '_> {
    /// The inlines between two places, which no mark crosses.
    pub(super) fn inlines(&self, from: usize, to: usize) -> Vec<Inline<'a>> {
        if from >= to {
            return Vec::new();
        }
        let mut next = self.marks.from(from);
        let has_marks = self
            .marks
            .get(next)
            .is_some_and(|m| (m.start as usize) < to);
        let within = &self.text[from..to];
        if !has_marks && memchr::memchr3(b'\'', b'[', b':', within.as_bytes()).is_none() {
            return vec![Inline::Text(within)];
        }
        let mut line = Line {
            source: *self,
            built: Built::with_capacity(self.likely(next, to)),
            text_from: from,
            at: from,
            to,
            no_bracket_until: 0,
        };
        while let Some(mark) = self.marks.get(next).filter(|m| (m.start as usize) < to) {
            line.plain(mark.start as usize);
            // Text before may have been an address in brackets that holds the mark.
            if mark.start as usize >= line.at {
                line.marked(mark);
            }
            next = mark.after as usize;
        }
        line.plain(to);
        line.text(to);
        line.built.end()
    }

    /// How many inlines there are before `to` if there is text around each mark from `next` on.
    fn likely(&self, mut next: usize, to: usize) -> usize {
        let mut likely = 1;
        while let Some(mark) = self.marks.get(next).filter(|m| (m.start as usize) < to) {
            likely += 2;
            next = mark.after as usize;
        }
        likely
    }

    /// The parts of a stretch between bytes `bar` that are in no mark.
    pub(super) fn parts(&self, from: usize, to: usize, bar: u8) -> Parts<'a, '_> {
        Parts {
            source: *self,
            next: self.marks.from(from),
            at: Some(from),
            to,
            bar,
        }
    }

    /// The first byte `what` between two places that is in no mark.
    pub(super) fn outside(&self, from: usize, to: usize, what: u8) -> Option<usize> {
        let parts = &mut self.parts(from, to, what);
        parts.next().map(|(_, end)| end).filter(|&end| end < to)
    }

    /// The names of all templates that are called, as often as they are.
    pub(super) fn called(&self) -> impl Iterator<Item = &'a str> {
        let calls = self.marks.all().iter().filter(|m| m.kind == Kind::Template);
        calls.map(|mark| {
            let inside = mark.inside();
            let name = self.parts(inside.start, inside.end, b'|').next();
            let (start, end) = name.unwrap_or((inside.start, inside.end));
            self.text[start..end].trim_ascii()
        })
    }

    /// The call between two places.
    pub(super) fn call(&self, from: usize, to: usize) -> Call<'a> {
        let mut parts = self.parts(from, to, b'|');
        let (start, end) = parts.next().unwrap_or((from, to));
        Call {
            name: self.text[start..end].trim_ascii(),
            arguments: parts.map(|(from, to)| self.argument(from, to)).collect(),
        }
    }

    /// Values with a name are trimmed, others are as they stand.
    fn argument(&self, from: usize, to: usize) -> Argument<'a> {
        match self.outside(from, to, b'=') {
            Some(equals) => {
                let (start, end) = trimmed(self.text, equals + 1, to);
                Argument {
                    name: Some(self.text[from..equals].trim_ascii()),
                    value: self.inlines(start, end),
                }
            }
            None => Argument {
                name: None,
                value: self.inlines(from, to),
            },
        }
    }
}

/// The stretch without white space around it.
pub(super) fn trimmed(text: &str, from: usize, to: usize) -> (usize, usize) {
    let within = &text[from..to];
    let start = to - within.trim_ascii_start().len();
    (start, start + within.trim_ascii().len())
}

/// See [`Source::parts`].
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Bold,
    Italic,
}

impl Format {
    fn around(self, inside: Vec<Inline<'_>>) -> Inline<'_> {
        match self {
            Self::Bold => Inline::Bold(inside),
            Self::Italic => Inline::Italic(inside),
        }
    }
}

/// Inlines, and the formats that are open.
struct Built<'a> {
    done: Vec<Inline<'a>>,
    open: Vec<(Format, Vec<Inline<'a>>)>,
}

impl<'a> Built<'a> {
    fn with_capacity(likely: usize) -> Self {
        Self {
            done: Vec::with_capacity(likely),
            open: Vec::new(),
        }
    }

    fn push(&mut self, inline: Inline<'a>) {
        let last = self.open.last_mut();
        last.map_or(&mut self.done, |(_, inside)| inside)
            .push(inline);
    }

    /// Text; where a line ends in it, formats do too.
    fn text(&mut self, text: &'a str) {
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

    /// Opens a format, or closes it if it is open.
    fn toggle(&mut self, format: Format) {
        if !self.open.iter().any(|(open, _)| *open == format) {
            self.open.push((format, Vec::new()));
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
        self.open.extend(again.map(|format| (format, Vec::new())));
    }

    fn end(mut self) -> Vec<Inline<'a>> {
        self.close_all();
        self.done
    }
}

/// A stretch that is being read.
struct Line<'a, 's> {
    source: Source<'a, 's>,
    built: Built<'a>,
    /// Where text begins that is not yet in the tree.
    text_from: usize,
    at: usize,
    to: usize,
    /// Up to where there is no `]`.
    no_bracket_until: usize,
}

impl<'a> Line<'a, '_> {
    fn bytes(&self) -> &'a [u8] {
        self.source.text.as_bytes()
    }

    /// Puts the text before `end` into the tree.
    fn text(&mut self, end: usize) {
        if self.text_from < end {
            let text = &self.source.text[self.text_from..end];
            self.built.text(text);
        }
    }

    /// Puts an inline into the tree that ends at `end`, after the text before `start`.
    fn put(&mut self, start: usize, end: usize, inline: Inline<'a>) {
        self.text(start);
        self.built.push(inline);
        self.text_from = end;
        self.at = end;
    }

    /// Reads on up to `stop`, which is a mark or the end.
    fn plain(&mut self, stop: usize) {
        while self.at < stop {
            let rest = &self.bytes()[self.at..stop];
            let Some(further) = memchr::memchr3(b'\'', b'[', b':', rest) else {
                self.at = stop;
                return;
            };
            self.at += further;
            match self.bytes()[self.at] {
                b'\'' => self.quotes(stop),
                b'[' => self.bracket(),
                _ => self.address(stop),
            }
        }
    }

    fn quotes(&mut self, stop: usize) {
        let rest = &self.bytes()[self.at..stop];
        let run = rest.iter().position(|&b| b != b'\'').unwrap_or(rest.len());
        let (text, formats): (usize, &[Format]) = match run {
            1 => (1, &[]),
            2 => (0, &[Format::Italic]),
            3 => (0, &[Format::Bold]),
            4 => (1, &[Format::Bold]),
            more => (more - 5, &[Format::Bold, Format::Italic]),
        };
        if !formats.is_empty() {
            self.text(self.at + text);
            self.text_from = self.at + run;
            self.toggle(formats);
        }
        self.at += run;
    }

    /// Of both formats the one that was opened last is closed first.
    fn toggle(&mut self, formats: &[Format]) {
        let last = self.built.open.last().map(|(format, _)| *format);
        let (first, second) = formats.split_at(formats.len() / 2);
        let is_inner = last.is_some() && first.first() != last.as_ref();
        let (first, second) = if is_inner {
            (second, first)
        } else {
            (first, second)
        };
        for format in first.iter().chain(second) {
            self.built.toggle(*format);
        }
    }

    /// `[https://address label]`, or a bracket.
    fn bracket(&mut self) {
        let start = self.at;
        let inside = start + 1;
        self.at = inside;
        if scheme_length(&self.bytes()[inside..self.to]).is_none() {
            return;
        }
        let Some(close) = self.closing_bracket(inside) else {
            return;
        };
        let within = &self.source.text[inside..close];
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"<{\"".contains(byte);
        let length = within.bytes().position(|byte| is_end(&byte));
        let after = inside + length.unwrap_or(within.len());
        let (from, to) = trimmed(self.source.text, after, close);
        let external = Inline::External {
            address: &self.source.text[inside..after],
            label: (from < to).then(|| self.source.inlines(from, to)),
        };
        self.put(start, close + 1, external);
    }

    fn closing_bracket(&mut self, from: usize) -> Option<usize> {
        if from < self.no_bracket_until {
            return None;
        }
        let close = self.source.outside(from, self.to, b']');
        if close.is_none() {
            self.no_bracket_until = self.to;
        }
        close
    }

    /// An address by itself: the colon after its scheme was found.
    fn address(&mut self, stop: usize) {
        let colon = self.at;
        self.at += 1;
        let before = &self.bytes()[self.text_from..colon];
        let Some(scheme) = ["https", "http"]
            .into_iter()
            .find(|scheme| before.ends_with(scheme.as_bytes()))
        else {
            return;
        };
        let rest = &self.source.text[colon..stop];
        if !rest.starts_with("://") {
            return;
        }
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"<>[]\"{}|'".contains(byte);
        let length = rest.as_bytes().iter().position(is_end);
        let length = length.unwrap_or(rest.len());
        let length = rest[..length]
            .trim_end_matches(['.', ',', ';', ':', '!', '?', ')'])
            .len();
        if length > "://".len() {
            let start = colon - scheme.len();
            let address = &self.source.text[start..colon + length];
            let external = Inline::External {
                address,
                label: None,
            };
            self.put(start, colon + length, external);
        }
    }

    fn marked(&mut self, mark: &Mark) {
        let span = mark.span();
        if mark.kind == Kind::Comment {
            self.text(span.start);
            (self.text_from, self.at) = (span.end, span.end);
            return;
        }
        if let Some((inline, end)) = self.inline(mark) {
            self.put(span.start, end, inline);
        } else {
            self.at = span.end;
        }
    }

    /// What a mark stands for, and where it ends; `None` where it stands for itself.
    fn inline(&self, mark: &Mark) -> Option<(Inline<'a>, usize)> {
        let source = &self.source;
        let (inside, end) = (mark.inside(), mark.span().end);
        let inline = match mark.kind {
            Kind::Link => return self.link(mark),
            Kind::Template => Inline::Template(source.call(inside.start, inside.end)),
            Kind::Parameter => self.parameter(mark),
            Kind::Reference { attributes } => {
                let attributes = &source.text[attributes as usize..inside.start];
                Inline::Reference {
                    name: reference_name(attributes),
                    content: Some(source.inlines(inside.start, inside.end)),
                }
            }
            Kind::ReferenceAgain => Inline::Reference {
                name: Some(reference_name(&source.text[inside])?),
                content: None,
            },
            Kind::Plain => Inline::Plain(&source.text[inside]),
            Kind::Break => Inline::Break,
            // Within a line it means nothing; [`super::block`] takes those that are alone.
            Kind::References | Kind::Comment => return None,
        };
        Some((inline, end))
    }

    fn parameter(&self, mark: &Mark) -> Inline<'a> {
        let inside = mark.inside();
        let bar = self.source.outside(inside.start, inside.end, b'|');
        let name = &self.source.text[inside.start..bar.unwrap_or(inside.end)];
        Inline::Parameter {
            name: name.trim_ascii(),
            default: bar.map(|bar| self.source.inlines(bar + 1, inside.end)),
        }
    }

    fn link(&self, mark: &Mark) -> Option<(Inline<'a>, usize)> {
        let (text, inside, end) = (self.source.text, mark.inside(), mark.span().end);
        let bar = self.source.outside(inside.start, inside.end, b'|');
        let target = text[inside.start..bar.unwrap_or(inside.end)].trim_ascii();
        if target.is_empty() || target.contains(['\n', '[', ']', '{', '}', '<', '>']) {
            return None;
        }
        if let Some(name) = after_prefix(target, &["File:", "Image:"]) {
            let caption = bar.map_or(Vec::new(), |bar| self.caption(bar + 1, inside.end));
            return Some((Inline::Picture { name, caption }, end));
        }
        if let Some(name) = after_prefix(target, &["Category:"]) {
            return Some((Inline::Category(name), end));
        }
        let rest = &self.bytes()[end..self.to.max(end)];
        let is_letter = |byte: &u8| byte.is_ascii_lowercase();
        let trail = rest.iter().take_while(|byte| is_letter(byte)).count();
        let link = Inline::Link {
            target: target.trim_start_matches(':'),
            label: bar.map(|bar| self.source.inlines(bar + 1, inside.end)),
            trail: &text[end..end + trail],
        };
        Some((link, end + trail))
    }

    /// The last part of a picture's options, unless that is one of those with a meaning.
    fn caption(&self, from: usize, to: usize) -> Vec<Inline<'a>> {
        let last = self.source.parts(from, to, b'|').last();
        let (from, to) = last.unwrap_or((from, to));
        let option = self.source.text[from..to].trim_ascii();
        let known = [
            "thumb", "frame", "left", "right", "center", "none", "upright",
        ];
        if known.contains(&option) || option.ends_with("px") {
            return Vec::new();
        }
        self.source.inlines(from, to)
    }
}

fn after_prefix<'a>(target: &'a str, prefixes: &[&str]) -> Option<&'a str> {
    let rest = prefixes
        .iter()
        .find_map(|prefix| target.strip_prefix(prefix))?;
    let name = rest.trim_ascii();
    (!name.is_empty()).then_some(name)
}

/// The length of `https://` or `http://` at the beginning.
fn scheme_length(bytes: &[u8]) -> Option<usize> {
    let schemes = [&b"https://"[..], b"http://"];
    let scheme = schemes.iter().find(|scheme| bytes.starts_with(scheme))?;
    Some(scheme.len())
}

/// The name in ` name="x" `, with or without quotes.
fn reference_name(attributes: &str) -> Option<&str> {
    let rest = attributes.split_once("name")?.1.trim_ascii_start();
    let value = rest.strip_prefix('=')?.trim_ascii_start();
    let name = match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => value.split([' ', '/', '>']).next()?,
    };
    let name = name.trim_ascii();
    (!name.is_empty()).then_some(name)
}

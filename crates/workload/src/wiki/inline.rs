//! From a stretch of text to the inlines in it: between the known marks ([`super::marks`]) are
//! quotes (two italic, three bold, five both: [`formats`]), addresses and plain text. Unlike
//! MediaWiki, no guess which of odd quotes are apostrophes.

mod formats;
mod plain;

use super::marks::{Kind, Mark};
use super::source::{Source, trimmed};
use super::tree::{Argument, Call, Inline, Inlines};
use formats::Built;

impl<'a> Source<'a, '_> {
    pub(super) fn inlines(&self, from: usize, to: usize) -> Inlines<'a> {
        if from >= to {
            return Inlines::EMPTY;
        }
        let mut next = self.marks.from(from);
        let has_marks = self
            .marks
            .get(next)
            .is_some_and(|m| (m.start as usize) < to);
        let within = &self.text[from..to];
        if !has_marks && memchr::memchr3(b'\'', b'[', b':', within.as_bytes()).is_none() {
            return Inlines::Text(within);
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
            // Text before the mark may have been an address in brackets that holds it.
            if mark.start as usize >= line.at {
                line.marked(mark);
            }
            next = mark.after as usize;
        }
        line.plain(to);
        line.text(to);
        Inlines::Parts(line.built.end())
    }

    /// Estimate, with text around each mark from `next` on.
    fn likely(&self, mut next: usize, to: usize) -> usize {
        let mut likely = 1;
        while let Some(mark) = self.marks.get(next).filter(|m| (m.start as usize) < to) {
            likely += 2;
            next = mark.after as usize;
        }
        likely
    }

    pub(super) fn call(&self, from: usize, to: usize) -> Call<'a> {
        let mut parts = self.parts(from, to, b'|');
        let (start, end) = parts.next().unwrap_or((from, to));
        Call {
            name: self.text[start..end].trim_ascii(),
            arguments: parts.map(|(from, to)| self.argument(from, to)).collect(),
        }
    }

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

struct Line<'a, 's> {
    source: Source<'a, 's>,
    built: Built<'a>,
    text_from: usize,
    at: usize,
    to: usize,
    no_bracket_until: usize,
}

impl<'a> Line<'a, '_> {
    fn bytes(&self) -> &'a [u8] {
        self.source.text.as_bytes()
    }

    fn text(&mut self, end: usize) {
        if self.text_from < end {
            let text = &self.source.text[self.text_from..end];
            self.built.text(text);
        }
    }

    fn put(&mut self, start: usize, end: usize, inline: Inline<'a>) {
        self.text(start);
        self.built.push(inline);
        self.text_from = end;
        self.at = end;
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
        let is_none = |byte| matches!(byte, b'\n' | b'[' | b']' | b'{' | b'}' | b'<' | b'>');
        if target.is_empty() || target.bytes().any(is_none) {
            return None;
        }
        if let Some(name) = after_prefix(target, &["File:", "Image:"]) {
            let caption = bar.map_or(Inlines::EMPTY, |bar| self.caption(bar + 1, inside.end));
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

    /// The last option, unless that one has another meaning.
    fn caption(&self, from: usize, to: usize) -> Inlines<'a> {
        let last = self.source.parts(from, to, b'|').last();
        let (from, to) = last.unwrap_or((from, to));
        let option = self.source.text[from..to].trim_ascii();
        let known = [
            "thumb", "frame", "left", "right", "center", "none", "upright",
        ];
        if known.contains(&option) || option.ends_with("px") {
            return Inlines::EMPTY;
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

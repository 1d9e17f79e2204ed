use std::ops::Range;

use crate::escape::{self, Escape};
use crate::outlet::{Deliver, Key};
use crate::problem::Problem;
use crate::query::{Query, Show};

const FULL_BYTES: usize = 32 << 10;

pub(crate) struct OutputBuffer<'s> {
    text: Vec<u8>,
    prefix: Vec<u8>,
    to: Box<dyn Deliver + 's>,
    style: Style,
    parted: bool,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    pub(crate) show: Show,
    pub(crate) paths: bool,
    pub(crate) line_numbers: bool,
    pub(crate) colour: bool,
    pub(crate) escape: Escape,
    pub(crate) sort: bool,
    pub(crate) watched: bool,
}

impl Style {
    pub(crate) fn of(query: &Query, paths: bool) -> Style {
        Style {
            show: query.show,
            paths,
            line_numbers: query.line_numbers,
            colour: query.colour,
            escape: query.escape,
            sort: query.sort,
            watched: query.watched,
        }
    }
}

const PATH: &[u8] = b"\x1b[35m";
const NUMBER: &[u8] = b"\x1b[32m";
const MATCH: &[u8] = b"\x1b[1;31m";
const PLAIN: &[u8] = b"\x1b[0m";

fn push_name(to: &mut Vec<u8>, style: Style, name: &[u8]) {
    if style.colour {
        to.extend_from_slice(PATH);
    }
    match style.escape {
        Escape::Nothing => to.extend_from_slice(name),
        Escape::Names | Escape::All => escape::push(to, name, false),
    }
    if style.colour {
        to.extend_from_slice(PLAIN);
    }
}

impl<'s> OutputBuffer<'s> {
    pub(crate) fn new(style: Style, to: Box<dyn Deliver + 's>) -> OutputBuffer<'s> {
        OutputBuffer {
            text: Vec::new(),
            prefix: Vec::new(),
            to,
            style,
            parted: false,
        }
    }

    pub(crate) fn parted(mut self, parted: bool) -> OutputBuffer<'s> {
        self.parted = parted;
        self
    }

    pub(crate) fn into_text(self) -> Vec<u8> {
        self.text
    }

    pub(crate) fn begin(&mut self, path: &[u8]) {
        self.prefix.clear();
        if self.style.paths {
            push_name(&mut self.prefix, self.style, path);
            self.prefix.push(b':');
        }
    }

    /// Adds a missing line feed.
    #[inline]
    pub(crate) fn line(&mut self, number: Option<u64>, line: &[u8], spans: &[Range<usize>]) {
        self.text.extend_from_slice(&self.prefix);
        if let Some(number) = number {
            self.number(number);
        }
        if spans.is_empty() {
            self.piece(line);
        } else {
            self.coloured(line, spans);
        }
        if line.last() != Some(&b'\n') {
            self.text.push(b'\n');
        }
        if self.text.len() >= FULL_BYTES && !self.style.sort {
            self.to.text(&self.text, true);
            self.parted = true;
            self.text.clear();
        }
    }

    fn number(&mut self, number: u64) {
        let colour = self.style.colour;
        if colour {
            self.text.extend_from_slice(NUMBER);
        }
        self.digits(number);
        if colour {
            self.text.extend_from_slice(PLAIN);
        }
        self.text.push(b':');
    }

    fn digits(&mut self, number: u64) {
        let mut buffer = itoa::Buffer::new();
        self.text
            .extend_from_slice(buffer.format(number).as_bytes());
    }

    fn coloured(&mut self, line: &[u8], spans: &[Range<usize>]) {
        let mut done = 0;
        for span in spans.iter().filter(|span| !span.is_empty()) {
            self.piece(&line[done..span.start]);
            self.text.extend_from_slice(MATCH);
            self.piece(&line[span.clone()]);
            self.text.extend_from_slice(PLAIN);
            done = span.end;
        }
        self.piece(&line[done..]);
    }

    #[inline]
    fn piece(&mut self, piece: &[u8]) {
        match self.style.escape {
            Escape::All => escape::push(&mut self.text, piece, true),
            Escape::Nothing | Escape::Names => self.text.extend_from_slice(piece),
        }
    }

    pub(crate) fn count(&mut self, lines: u64) {
        self.text.extend_from_slice(&self.prefix);
        self.digits(lines);
        self.text.push(b'\n');
    }

    pub(crate) fn name(&mut self, path: &[u8]) {
        push_name(&mut self.text, self.style, path);
        self.text.push(b'\n');
    }

    pub(crate) fn remark(&mut self, remark: &str) {
        self.text.extend_from_slice(&self.prefix);
        self.text.extend_from_slice(remark.as_bytes());
        self.text.push(b'\n');
    }

    /// Ends a file's results. `may_wait` false: delivering could take too long now.
    pub(crate) fn end(&mut self, may_wait: bool, key: impl FnOnce() -> Key) {
        if self.style.sort {
            if !self.text.is_empty() {
                self.to.sorted(key(), &self.text);
                self.text.clear();
            }
        } else if self.parted || (self.text.len() >= FULL_BYTES && !may_wait) {
            self.deliver();
        }
    }

    pub(crate) fn pause(&mut self) {
        if self.style.watched {
            self.deliver();
        }
    }

    /// Streams show whole lines as they come, perhaps between other files' lines.
    pub(crate) fn flow(&mut self) {
        if !self.style.sort {
            self.deliver();
        }
    }

    pub(crate) fn deliver(&mut self) {
        if self.parted || !self.text.is_empty() {
            self.to.text(&self.text, false);
        }
        self.parted = false;
        self.text.clear();
    }

    pub(crate) fn tell(&mut self, problem: Problem) {
        if self.parted {
            self.deliver();
        }
        self.to.tell(problem);
    }
}

use memchr::memmem;

use super::special::next_special;
use super::tag::{Name, parse_tag};
use super::{DEEPEST, Kind, Mark};

const NONE: Mark = Mark {
    kind: Kind::Comment,
    start: 0,
    end: 0,
    inner: (0, 0),
    after: 0,
};

pub(super) fn find(text: &str) -> Vec<Mark> {
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

fn link_up(marks: &mut [Mark]) {
    for place in (0..marks.len()).rev() {
        let mut next = place + 1;
        while next < marks.len() && marks[next].start < marks[place].end {
            next = marks[next].after as usize;
        }
        marks[place].after = next as u32;
    }
}

#[derive(Debug, Clone, Copy)]
struct Opener {
    what: Opens,
    start: u32,
    inner: u32,
    /// Place reserved among the marks: found by their ends, wanted by their beginnings.
    place: u32,
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
    /// Open marks by kind: a closer without an opener costs nothing.
    of_kind: [u32; 3],
    found: Vec<Mark>,
    /// Up to here no comment or plain text ends: each is searched once.
    searched: [usize; 2],
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

    fn run(&self, byte: u8) -> usize {
        let rest = &self.bytes[self.at..];
        rest.iter().position(|&b| b != byte).unwrap_or(rest.len())
    }

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

    fn single(&mut self, kind: Kind, span: (usize, usize), inner: (usize, usize)) {
        self.found.push(NONE);
        self.mark(kind, span, inner, 0, self.found.len() - 1);
    }

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

    /// Without the closer it is text. Nothing inside counts.
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

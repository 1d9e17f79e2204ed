use super::Line;
use super::formats::Format;
use crate::wiki::source::trimmed;
use crate::wiki::tree::Inline;

impl Line<'_, '_> {
    pub(super) fn plain(&mut self, stop: usize) {
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

    /// Called at the colon after the scheme.
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
}

fn scheme_length(bytes: &[u8]) -> Option<usize> {
    let schemes = [&b"https://"[..], b"http://"];
    let scheme = schemes.iter().find(|scheme| bytes.starts_with(scheme))?;
    Some(scheme.len())
}

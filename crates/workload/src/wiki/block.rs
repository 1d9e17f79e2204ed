//! From a text to its blocks, line by line. A line ends where no mark crosses its end. The first
//! byte tells its kind: `=` a heading, `*#;:` a list, `{|` a table, a space preformatted text,
//! `----` a rule; a template alone on its line is a block; others are a paragraph up to the next
//! that is none, or an empty one.

use super::marks::{Kind, Mark};
use super::source::{Source, trimmed};
use super::table::table;
use super::tree::{Block, Inlines, Item, List, ListKind};

/// Deeper tables are text.
pub(super) const DEEPEST_TABLE: u8 = 6;
/// Further signs are text.
const DEEPEST_LIST: usize = 12;

#[derive(Debug, Clone)]
pub(super) struct Lines<'a, 's> {
    pub(super) source: Source<'a, 's>,
    next_mark: usize,
    at: usize,
    to: usize,
}

impl<'a, 's> Lines<'a, 's> {
    pub(super) fn new(source: Source<'a, 's>, from: usize, to: usize) -> Self {
        Self {
            source,
            next_mark: source.marks.from(from),
            at: from,
            to,
        }
    }

    pub(super) fn next_if(&mut self, wanted: impl FnOnce(&str) -> bool) -> Option<(usize, usize)> {
        let mut ahead = self.clone();
        let (from, to) = ahead.next()?;
        wanted(&self.source.text[from..to]).then(|| {
            *self = ahead;
            (from, to)
        })
    }
}

impl Iterator for Lines<'_, '_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        let from = self.at;
        if from >= self.to {
            return None;
        }
        let mut at = from;
        let end = loop {
            let mark = self.source.marks.get(self.next_mark);
            let mark = mark.filter(|mark| (mark.start as usize) < self.to);
            let stop = mark.map_or(self.to, |mark| mark.start as usize);
            let within = &self.source.text.as_bytes()[at..stop.max(at)];
            if let Some(length) = memchr::memchr(b'\n', within) {
                break at + length;
            }
            let Some(mark) = mark else { break self.to };
            at = mark.end as usize;
            self.next_mark = mark.after as usize;
        };
        self.at = end + 1;
        Some((from, end.min(self.to)))
    }
}

/// `from` and `to` are crossed by no mark; `depth` tables are around them.
pub(super) fn blocks<'a>(
    source: Source<'a, '_>,
    from: usize,
    to: usize,
    depth: u8,
) -> Vec<Block<'a>> {
    let mut lines = Lines::new(source, from, to);
    let mut blocks = Vec::new();
    while let Some((from, to)) = lines.next() {
        let line = &source.text[from..to];
        if line.trim_ascii().is_empty() {
            continue;
        }
        let block = special(&mut lines, (from, to), depth);
        blocks.push(block.unwrap_or_else(|| paragraph(&mut lines, (from, to), depth)));
    }
    blocks
}

fn special<'a>(
    lines: &mut Lines<'a, '_>,
    (from, to): (usize, usize),
    depth: u8,
) -> Option<Block<'a>> {
    let source = lines.source;
    let line = &source.text[from..to];
    match line.as_bytes()[0] {
        b'=' => heading(source, from, to),
        b'*' | b'#' | b';' | b':' => Some(Block::List(list(lines, (from, to)))),
        b'{' if line.starts_with("{|") && depth < DEEPEST_TABLE => {
            Some(Block::Table(table(lines, (from, to), depth)))
        }
        b'{' | b'<' => alone(source, from, to),
        b' ' => Some(preformatted(lines, (from, to))),
        b'-' if line.starts_with("----") => Some(Block::Rule),
        _ => None,
    }
}

fn is_special(source: Source<'_, '_>, from: usize, line: &str, depth: u8) -> bool {
    match line.as_bytes().first() {
        None | Some(b'*' | b'#' | b';' | b':' | b' ') => true,
        Some(b'=') => heading_level(line).is_some(),
        Some(b'{') if line.starts_with("{|") => depth < DEEPEST_TABLE,
        Some(b'{' | b'<') => is_alone(source, from, from + line.len()),
        Some(b'-') => line.starts_with("----"),
        Some(_) => line.trim_ascii().is_empty(),
    }
}

fn heading_level(line: &str) -> Option<(usize, usize)> {
    let line = line.trim_ascii_end();
    let before = line.bytes().take_while(|&b| b == b'=').count();
    let after = line.bytes().rev().take_while(|&b| b == b'=').count();
    let level = before.min(after).min(6);
    (line.len() > 2 * level && level > 0).then_some((level, line.len()))
}

fn heading<'a>(source: Source<'a, '_>, from: usize, to: usize) -> Option<Block<'a>> {
    let (level, length) = heading_level(&source.text[from..to])?;
    let (from, to) = trimmed(source.text, from + level, from + length - level);
    Some(Block::Heading {
        level: level as u8,
        text: source.inlines(from, to),
    })
}

fn mark_alone<'s>(source: Source<'_, 's>, from: usize, to: usize) -> Option<&'s Mark> {
    let mark = source.marks.get(source.marks.from(from))?;
    let (_, end) = trimmed(source.text, from, to);
    let fills = mark.span() == (from..end);
    let stands = matches!(mark.kind, Kind::Template | Kind::References);
    (fills && stands).then_some(mark)
}

fn is_alone(source: Source<'_, '_>, from: usize, to: usize) -> bool {
    mark_alone(source, from, to).is_some()
}

fn alone<'a>(source: Source<'a, '_>, from: usize, to: usize) -> Option<Block<'a>> {
    let mark = mark_alone(source, from, to)?;
    let inside = mark.inside();
    Some(match mark.kind {
        Kind::Template => Block::Template(source.call(inside.start, inside.end)),
        _ => Block::References,
    })
}

fn paragraph<'a>(
    lines: &mut Lines<'a, '_>,
    (from, mut to): (usize, usize),
    depth: u8,
) -> Block<'a> {
    let source = lines.source;
    let mut next = to + 1;
    while let Some((_, end)) = lines.next_if(|line| !is_special(source, next, line, depth)) {
        to = end;
        next = end + 1;
    }
    Block::Paragraph(source.inlines(from, to))
}

fn preformatted<'a>(lines: &mut Lines<'a, '_>, (from, to): (usize, usize)) -> Block<'a> {
    let source = lines.source;
    let mut content = source.inlines(from + 1, to);
    let is_more = |line: &str| line.starts_with(' ') && !line.trim_ascii().is_empty();
    while let Some((from, to)) = lines.next_if(is_more) {
        content.push(super::tree::Inline::Text("\n"));
        content.append(source.inlines(from + 1, to));
    }
    Block::Preformatted(content)
}

fn is_sign(byte: &u8) -> bool {
    matches!(byte, b'*' | b'#' | b';' | b':')
}

#[derive(Debug, Clone, Copy)]
struct Entry<'a> {
    signs: &'a [u8],
    from: usize,
    to: usize,
}

fn entry(text: &str, from: usize, to: usize) -> Entry<'_> {
    let line = &text.as_bytes()[from..to];
    let signs = line.iter().take(DEEPEST_LIST).take_while(|b| is_sign(b));
    let count = signs.count();
    let (start, end) = trimmed(text, from + count, to);
    Entry {
        signs: &line[..count],
        from: start,
        to: end,
    }
}

fn kind(sign: u8) -> ListKind {
    match sign {
        b'*' => ListKind::Bullets,
        b'#' => ListKind::Numbers,
        _ => ListKind::Definitions,
    }
}

fn list<'a>(lines: &mut Lines<'a, '_>, (from, to): (usize, usize)) -> List<'a> {
    let text = lines.source.text;
    let first = entry(text, from, to);
    let of_list = kind(first.signs[0]);
    let mut entries = vec![first];
    let goes_on = |line: &str| {
        let sign = line.as_bytes().first().filter(|byte| is_sign(byte));
        sign.is_some_and(|&sign| kind(sign) == of_list)
    };
    while let Some((from, to)) = lines.next_if(goes_on) {
        entries.push(entry(text, from, to));
    }
    list_of(lines.source, &entries, 0)
}

fn list_of<'a>(source: Source<'a, '_>, entries: &[Entry<'_>], depth: usize) -> List<'a> {
    let mut items: Vec<Item<'a>> = Vec::new();
    let mut rest = entries;
    while let Some((first, after)) = rest.split_first() {
        if first.signs.len() == depth + 1 {
            items.push(Item {
                is_term: first.signs[depth] == b';',
                content: source.inlines(first.from, first.to),
                lists: Vec::new(),
            });
            rest = after;
            continue;
        }
        let (inner, after) = rest.split_at(of_one_list(rest, depth + 1));
        let inner = list_of(source, inner, depth + 1);
        match items.last_mut() {
            Some(item) => item.lists.push(inner),
            None => items.push(Item {
                is_term: false,
                content: Inlines::EMPTY,
                lists: vec![inner],
            }),
        }
        rest = after;
    }
    List {
        kind: kind(entries[0].signs[depth]),
        items,
    }
}

fn of_one_list(entries: &[Entry<'_>], depth: usize) -> usize {
    let sign = |entry: &Entry<'_>| entry.signs.get(depth).map(|&sign| kind(sign));
    let first = sign(&entries[0]);
    entries
        .iter()
        .position(|entry| sign(entry) != first)
        .unwrap_or(entries.len())
}

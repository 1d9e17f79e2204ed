//! The table of contents: the page's headings and their link names.

use super::super::tree::{Block, Inline, Inlines};
use super::{Map, Writer};

const FEWEST: usize = 4;

pub(super) struct Entry<'t> {
    pub(super) place: usize,
    level: u8,
    text: &'t Inlines<'t>,
    pub(super) anchor: String,
}

pub(super) fn contents<'t>(blocks: &'t [Block<'t>]) -> Vec<Entry<'t>> {
    let mut seen: Map<String, usize> = Map::default();
    let mut entries: Vec<Entry<'t>> = Vec::new();
    for block in blocks {
        if let Block::Heading { level, text } = block {
            let mut anchor = String::new();
            plain(text, &mut anchor);
            let anchor = anchor.trim().replace(' ', "_");
            entries.push(Entry {
                place: entries.len(),
                level: *level,
                text,
                anchor: another(&mut seen, anchor),
            });
        }
    }
    entries
}

fn another(seen: &mut Map<String, usize>, anchor: String) -> String {
    let times = seen.entry(anchor.clone()).or_insert(0);
    *times += 1;
    match times {
        1 => anchor,
        times => format!("{anchor}_{times}"),
    }
}

/// Leaves out formats, links, and what needs a frame.
pub(super) fn plain(inlines: &Inlines<'_>, out: &mut String) {
    let parts = match inlines {
        Inlines::Text(text) => return out.push_str(text),
        Inlines::Parts(parts) => parts,
    };
    for inline in parts {
        match inline {
            Inline::Text(text) | Inline::Plain(text) => out.push_str(text),
            Inline::Bold(inside) | Inline::Italic(inside) => plain(inside, out),
            Inline::Link {
                target,
                label,
                trail,
            } => {
                match label {
                    Some(label) => plain(label, out),
                    None => out.push_str(target),
                }
                out.push_str(trail);
            }
            Inline::External { address, label } => match label {
                Some(label) => plain(label, out),
                None => out.push_str(address),
            },
            Inline::Break => out.push(' '),
            Inline::Picture { .. }
            | Inline::Category(_)
            | Inline::Template(_)
            | Inline::Parameter { .. }
            | Inline::Reference { .. } => {}
        }
    }
}

impl<'t> Writer<'t> {
    pub(super) fn contents(&mut self, entries: &[Entry<'t>]) {
        if entries.len() < FEWEST {
            return;
        }
        self.push("<nav><ul>\n");
        let mut numbers = [0_usize; 7];
        for entry in entries {
            let level = usize::from(entry.level.clamp(1, 6));
            numbers[level] += 1;
            numbers[level + 1..].fill(0);
            self.entry(entry, &numbers[..=level]);
        }
        self.push("</ul></nav>\n");
    }

    fn entry(&mut self, entry: &Entry<'t>, numbers: &[usize]) {
        self.push("<li><a href=\"#");
        self.value(&entry.anchor);
        self.push("\"><span>");
        let used = numbers.iter().skip_while(|&&number| number == 0);
        for (place, &number) in used.enumerate() {
            self.push(if place > 0 { "." } else { "" });
            self.number(number);
        }
        self.push("</span> ");
        let mut text = String::new();
        plain(entry.text, &mut text);
        self.text(&text);
        self.push("</a></li>\n");
    }
}

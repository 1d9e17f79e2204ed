//! From the tree of a page to HTML. The function that opened an element closes it, and every byte
//! of text goes through [`super::escape`]: every page is balanced and no text becomes a tag.
//!
//! A template's tree is walked in a frame with the arguments of its call; a parameter walks the
//! argument's tree in the frame outside. Nothing is copied or parsed again; unlike MediaWiki's, a
//! template is whole, never half a table. A template within itself is said and not followed; beyond
//! [`DEEPEST_CALL`] calls within calls, [`MOST_CALLS`] calls or [`MOST_BYTES`] bytes templates are
//! links: a few lines of text can ask for more than there are atoms.

mod contents;
mod inlines;
mod lists;
mod references;
mod templates;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

use super::escape::{push_attributes, push_path, push_text, push_value};
use super::tree::{Block, Cell, Content, Row, Table};
use references::References;
use templates::Frame;
pub(super) use templates::{Template, same_name};

const DEEPEST_CALL: usize = 12;
const MOST_CALLS: u32 = 20_000;
const MOST_BYTES: usize = 2 << 20;

/// Without random seeds: the heap of each launch frees in the same order.
type Map<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

struct Writer<'t> {
    out: String,
    templates: &'t [Template<'t>],
    references: References<'t>,
    categories: Vec<&'t str>,
    calls: u32,
    in_link: bool,
}

pub(super) fn page<'t>(
    title: &str,
    blocks: &'t [Block<'t>],
    templates: &'t [Template<'t>],
    likely_bytes: usize,
) -> String {
    let mut writer = Writer {
        out: String::with_capacity(likely_bytes),
        templates,
        references: References::default(),
        categories: Vec::new(),
        calls: 0,
        in_link: false,
    };
    writer.head(title);
    writer.body(blocks);
    writer.foot();
    writer.out
}

impl<'t> Writer<'t> {
    fn push(&mut self, html: &str) {
        self.out.push_str(html);
    }

    fn text(&mut self, text: &str) {
        push_text(&mut self.out, text);
    }

    fn value(&mut self, text: &str) {
        push_value(&mut self.out, text);
    }

    fn number(&mut self, number: usize) {
        self.push(itoa::Buffer::new().format(number));
    }

    fn head(&mut self, title: &str) {
        self.push("<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\" /><title>");
        self.text(title);
        self.push("</title></head><body>\n<h1>");
        self.text(title);
        self.push("</h1>\n<main>\n");
    }

    fn body(&mut self, blocks: &'t [Block<'t>]) {
        let contents = contents::contents(blocks);
        let mut entries = contents.iter();
        for block in blocks {
            let Block::Heading { level, text } = block else {
                self.block(block, None);
                continue;
            };
            let entry = entries.next();
            if entry.is_some_and(|entry| entry.place == 0) {
                self.contents(&contents);
            }
            self.heading(*level, entry.map(|entry| entry.anchor.as_str()), text, None);
        }
        if self.references.are_waiting() {
            self.list_references();
        }
    }

    fn foot(&mut self) {
        self.push("</main>\n");
        let categories = std::mem::take(&mut self.categories);
        if !categories.is_empty() {
            self.push("<footer><ul>");
            for category in categories {
                self.push("<li><a href=\"/wiki/Category:");
                push_path(&mut self.out, category);
                self.push("\">");
                self.text(category);
                self.push("</a></li>");
            }
            self.push("</ul></footer>\n");
        }
        self.push("</body></html>\n");
    }

    fn blocks(&mut self, blocks: &'t [Block<'t>], frame: Option<&Frame<'_, 't>>) {
        for block in blocks {
            self.block(block, frame);
        }
    }

    fn block(&mut self, block: &'t Block<'t>, frame: Option<&Frame<'_, 't>>) {
        match block {
            Block::Heading { level, text } => self.heading(*level, None, text, frame),
            Block::Paragraph(inlines) => {
                let is_silent = inlines::are_silent(inlines);
                self.push(if is_silent { "" } else { "<p>" });
                self.inlines(inlines, frame);
                self.push(if is_silent { "" } else { "</p>\n" });
            }
            Block::List(list) => self.list(list, frame),
            Block::Table(table) => self.table(table, frame),
            Block::Preformatted(inlines) => {
                self.push("<pre>");
                self.inlines(inlines, frame);
                self.push("</pre>\n");
            }
            Block::Rule => self.push("<hr />\n"),
            Block::Template(call) => self.call(call, frame, true),
            Block::References => self.list_references(),
        }
    }

    fn heading(
        &mut self,
        level: u8,
        anchor: Option<&str>,
        text: &'t super::tree::Inlines<'t>,
        frame: Option<&Frame<'_, 't>>,
    ) {
        let level = char::from(b'0' + level.clamp(1, 6));
        self.push("<h");
        self.out.push(level);
        if let Some(anchor) = anchor {
            self.push(" id=\"");
            self.value(anchor);
            self.push("\"");
        }
        self.push(">");
        self.inlines(text, frame);
        self.push("</h");
        self.out.push(level);
        self.push(">\n");
    }

    fn open(&mut self, element: &str, attributes: &str) {
        self.push("<");
        self.push(element);
        push_attributes(&mut self.out, attributes);
        self.push(">");
    }

    fn table(&mut self, table: &'t Table<'t>, frame: Option<&Frame<'_, 't>>) {
        self.open("table", table.attributes);
        if let Some(caption) = &table.caption {
            self.push("<caption>");
            self.inlines(caption, frame);
            self.push("</caption>");
        }
        self.push("\n");
        for row in &table.rows {
            self.row(row, frame);
        }
        self.push("</table>\n");
    }

    fn row(&mut self, row: &'t Row<'t>, frame: Option<&Frame<'_, 't>>) {
        self.open("tr", row.attributes);
        for cell in &row.cells {
            self.cell(cell, frame);
        }
        self.push("</tr>\n");
    }

    fn cell(&mut self, cell: &'t Cell<'t>, frame: Option<&Frame<'_, 't>>) {
        let (element, end) = match cell.is_header {
            true => ("th", "</th>"),
            false => ("td", "</td>"),
        };
        self.open(element, cell.attributes);
        match &cell.content {
            Content::Line(inlines) => self.inlines(inlines, frame),
            Content::Blocks(blocks) => self.blocks(blocks, frame),
        }
        self.push(end);
    }
}

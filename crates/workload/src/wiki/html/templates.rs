use super::super::escape::push_path;
use super::super::tree::{Block, Call, Content, Inlines, List};
use super::{DEEPEST_CALL, MOST_BYTES, MOST_CALLS, Writer};

#[derive(Debug)]
pub(in super::super) struct Template<'t> {
    pub(in super::super) name: &'t str,
    pub(in super::super) blocks: Vec<Block<'t>>,
}

/// The first letter's case is ignored; an underscore is a space.
pub(in super::super) fn same_name(one: &str, other: &str) -> bool {
    let same = |(place, (a, b)): (usize, (u8, u8))| match place {
        _ if a == b => true,
        0 => a.eq_ignore_ascii_case(&b),
        _ => matches!((a, b), (b' ', b'_') | (b'_', b' ')),
    };
    one.len() == other.len() && one.bytes().zip(other.bytes()).enumerate().all(same)
}

pub(super) struct Frame<'f, 't> {
    call: &'t Call<'t>,
    around: Option<&'f Frame<'f, 't>>,
    depth: usize,
}

impl Frame<'_, '_> {
    fn is_within(&self, name: &str) -> bool {
        same_name(self.call.name, name) || self.around.is_some_and(|frame| frame.is_within(name))
    }
}

impl<'t> Writer<'t> {
    /// Blocks if the call stands alone, else inlines.
    pub(super) fn call(
        &mut self,
        call: &'t Call<'t>,
        frame: Option<&Frame<'_, 't>>,
        is_block: bool,
    ) {
        if frame.is_some_and(|frame| frame.is_within(call.name)) {
            self.push("<strong>Template loop: ");
            self.text(call.name);
            return self.push("</strong>");
        }
        let depth = frame.map_or(0, |frame| frame.depth) + 1;
        let templates = self.templates;
        let template = templates.iter().find(|t| same_name(t.name, call.name));
        let Some(template) = template.filter(|_| depth <= DEEPEST_CALL && self.may_go_on()) else {
            return self.not_expanded(call.name);
        };
        let frame = Frame {
            call,
            around: frame,
            depth,
        };
        match is_block {
            true => self.blocks(&template.blocks, Some(&frame)),
            false => self.flat(&template.blocks, &frame),
        }
    }

    fn may_go_on(&mut self) -> bool {
        self.calls += 1;
        self.calls <= MOST_CALLS && self.out.len() <= MOST_BYTES
    }

    /// A template that is missing or would be too much.
    fn not_expanded(&mut self, name: &str) {
        let is_link = self.begin_link(|writer| {
            writer.push("<a class=\"new\" href=\"/wiki/Template:");
            push_path(&mut writer.out, name);
            writer.push("\">");
        });
        self.push("Template:");
        self.text(name);
        self.end_link(is_link);
    }

    pub(super) fn parameter(
        &mut self,
        name: &str,
        default: Option<&'t Inlines<'t>>,
        frame: Option<&Frame<'_, 't>>,
    ) {
        if self.may_go_on() {
            let given = frame.and_then(|frame| Some((frame.call.argument(name)?, frame.around)));
            if let Some((value, around)) = given.or(default.map(|default| (default, frame))) {
                return self.inlines(value, around);
            }
        }
        self.push("{{{");
        self.text(name);
        self.push("}}}");
    }

    fn flat(&mut self, blocks: &'t [Block<'t>], frame: &Frame<'_, 't>) {
        for (place, block) in blocks.iter().enumerate() {
            self.push(if place > 0 { " " } else { "" });
            self.flat_block(block, frame);
        }
    }

    fn flat_block(&mut self, block: &'t Block<'t>, frame: &Frame<'_, 't>) {
        match block {
            Block::Heading { text, .. } | Block::Paragraph(text) | Block::Preformatted(text) => {
                self.inlines(text, Some(frame));
            }
            Block::List(list) => self.flat_list(list, frame),
            Block::Table(table) => {
                for cell in table.rows.iter().flat_map(|row| &row.cells) {
                    match &cell.content {
                        Content::Line(inlines) => self.inlines(inlines, Some(frame)),
                        Content::Blocks(blocks) => self.flat(blocks, frame),
                    }
                    self.push(" ");
                }
            }
            Block::Rule | Block::References => {}
            Block::Template(call) => self.call(call, Some(frame), false),
        }
    }

    fn flat_list(&mut self, list: &'t List<'t>, frame: &Frame<'_, 't>) {
        for item in &list.items {
            self.inlines(&item.content, Some(frame));
            self.push(" ");
            for list in &item.lists {
                self.flat_list(list, frame);
            }
        }
    }
}

//! References: a number in the text, the content in a list further down.

use super::super::tree::Inlines;
use super::{Frame, Map, Writer};

#[derive(Default)]
pub(super) struct References<'t> {
    all: Vec<Reference>,
    /// Named references not listed yet.
    names: Map<&'t str, usize>,
    listed: usize,
}

#[derive(Default)]
struct Reference {
    html: String,
    uses: usize,
}

impl<'t> References<'t> {
    pub(super) fn are_waiting(&self) -> bool {
        self.listed < self.all.len()
    }

    fn place(&mut self, name: Option<&'t str>) -> usize {
        if let Some(known) = name.and_then(|name| self.names.get(name)) {
            return *known;
        }
        let place = self.all.len();
        self.all.push(Reference::default());
        self.names.extend(name.map(|name| (name, place)));
        place
    }
}

impl<'t> Writer<'t> {
    pub(super) fn reference(
        &mut self,
        name: Option<&'t str>,
        content: Option<&'t Inlines<'t>>,
        frame: Option<&Frame<'_, 't>>,
    ) {
        let place = self.references.place(name);
        self.references.all[place].uses += 1;
        let uses = self.references.all[place].uses;
        if let Some(content) = content.filter(|_| self.references.all[place].html.is_empty()) {
            self.references.all[place].html = self.aside(content, frame);
        }
        let is_link = self.begin_link(|writer| {
            writer.push("<a class=\"reference\" id=\"cite_ref-");
            writer.number(place + 1);
            writer.push("-");
            writer.number(uses);
            writer.push("\" href=\"#cite_note-");
            writer.number(place + 1);
            writer.push("\">");
        });
        self.push("<sup>[");
        self.number(place + 1);
        self.push("]</sup>");
        self.end_link(is_link);
    }

    fn aside(&mut self, inlines: &'t Inlines<'t>, frame: Option<&Frame<'_, 't>>) -> String {
        let likely = match inlines {
            Inlines::Text(text) => text.len(),
            Inlines::Parts(parts) => 64 * parts.len(),
        };
        let page = std::mem::replace(&mut self.out, String::with_capacity(likely));
        let in_link = std::mem::take(&mut self.in_link);
        self.inlines(inlines, frame);
        self.in_link = in_link;
        std::mem::replace(&mut self.out, page)
    }

    pub(super) fn list_references(&mut self) {
        let from = self.references.listed;
        self.references.listed = self.references.all.len();
        self.references.names.clear();
        self.push("<ol class=\"references\" start=\"");
        self.number(from + 1);
        self.push("\">\n");
        for place in from..self.references.listed {
            let html = std::mem::take(&mut self.references.all[place].html);
            self.push("<li id=\"cite_note-");
            self.number(place + 1);
            self.push("\"><a href=\"#cite_ref-");
            self.number(place + 1);
            self.push("-1\">^</a> ");
            self.push(&html);
            self.push("</li>\n");
        }
        self.push("</ol>\n");
    }
}

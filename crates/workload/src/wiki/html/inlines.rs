use super::super::escape::push_path;
use super::super::tree::{Inline, Inlines};
use super::contents::plain;
use super::{Frame, Writer};

pub(super) fn are_silent(inlines: &Inlines<'_>) -> bool {
    match inlines {
        Inlines::Text(text) => text.trim_ascii().is_empty(),
        Inlines::Parts(parts) => parts.iter().all(|inline| match inline {
            Inline::Category(_) => true,
            Inline::Text(text) => text.trim_ascii().is_empty(),
            _ => false,
        }),
    }
}

impl<'t> Writer<'t> {
    pub(super) fn inlines(&mut self, inlines: &'t Inlines<'t>, frame: Option<&Frame<'_, 't>>) {
        match inlines {
            Inlines::Text(text) => self.text(text),
            Inlines::Parts(parts) => parts.iter().for_each(|part| self.inline(part, frame)),
        }
    }

    fn inline(&mut self, inline: &'t Inline<'t>, frame: Option<&Frame<'_, 't>>) {
        match inline {
            Inline::Text(text) | Inline::Plain(text) => self.text(text),
            Inline::Bold(inside) => self.within("<b>", inside, "</b>", frame),
            Inline::Italic(inside) => self.within("<i>", inside, "</i>", frame),
            Inline::Link {
                target,
                label,
                trail,
            } => self.link(target, label.as_ref(), trail, frame),
            Inline::Picture { name, caption } => self.picture(name, caption, frame),
            Inline::Category(name) => self.categories.push(name),
            Inline::External { address, label } => self.external(address, label.as_ref(), frame),
            Inline::Template(call) => self.call(call, frame, false),
            Inline::Parameter { name, default } => {
                self.parameter(name, default.as_ref(), frame);
            }
            Inline::Reference { name, content } => {
                self.reference(*name, content.as_ref(), frame);
            }
            Inline::Break => self.push("<br />"),
        }
    }

    fn within(
        &mut self,
        open: &str,
        inside: &'t Inlines<'t>,
        close: &str,
        frame: Option<&Frame<'_, 't>>,
    ) {
        self.push(open);
        self.inlines(inside, frame);
        self.push(close);
    }

    fn link(
        &mut self,
        target: &'t str,
        label: Option<&'t Inlines<'t>>,
        trail: &str,
        frame: Option<&Frame<'_, 't>>,
    ) {
        let is_link = self.begin_link(|writer| {
            writer.push("<a href=\"/wiki/");
            push_path(&mut writer.out, target);
            writer.push("\" title=\"");
            writer.value(target);
            writer.push("\">");
        });
        match label {
            Some(label) => self.inlines(label, frame),
            None => self.text(target),
        }
        self.text(trail);
        self.end_link(is_link);
    }

    fn external(
        &mut self,
        address: &'t str,
        label: Option<&'t Inlines<'t>>,
        frame: Option<&Frame<'_, 't>>,
    ) {
        let is_link = self.begin_link(|writer| {
            writer.push("<a class=\"external\" href=\"");
            writer.value(address);
            writer.push("\">");
        });
        match label {
            Some(label) => self.inlines(label, frame),
            None => self.text(address),
        }
        self.end_link(is_link);
    }

    /// False within another link.
    pub(super) fn begin_link(&mut self, open: impl FnOnce(&mut Self)) -> bool {
        let begins = !self.in_link;
        if begins {
            open(self);
            self.in_link = true;
        }
        begins
    }

    pub(super) fn end_link(&mut self, did_begin: bool) {
        if did_begin {
            self.push("</a>");
            self.in_link = false;
        }
    }

    fn picture(&mut self, name: &str, caption: &'t Inlines<'t>, frame: Option<&Frame<'_, 't>>) {
        self.push("<span class=\"picture\"><img src=\"/images/");
        push_path(&mut self.out, name);
        self.push("\" alt=\"");
        let mut alt = String::new();
        plain(caption, &mut alt);
        self.value(&alt);
        self.push("\" /><span>");
        self.inlines(caption, frame);
        self.push("</span></span>");
    }
}

//! Lines of text of a given width.

use anstyle::{AnsiColor, Effects};

use super::Style;
use crate::table::Table;
use crate::text::{TIE, cut, tied, visible, width, wrap};
use crate::words::Tone;

/// What has been written so far.
#[derive(Debug)]
pub(crate) struct Page<'a> {
    style: &'a Style,
    out: String,
    /// The width that would show every column of every table so far.
    wants: usize,
}

impl<'a> Page<'a> {
    pub(crate) fn new(style: &'a Style) -> Self {
        Self {
            style,
            out: String::new(),
            wants: 0,
        }
    }

    pub(crate) fn finish(self) -> String {
        self.out
    }

    pub(crate) fn blank(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// A text, wrapped; later lines stand two columns further in.
    pub(crate) fn text(&mut self, indent: usize, tone: Tone, text: &str) {
        let further = indent + 2;
        let text = visible(text);
        let lines = wrap(&tied(&text), self.style.width.saturating_sub(further));
        for (at, line) in lines.iter().enumerate() {
            let margin = if at == 0 { indent } else { further };
            self.line(margin, &[(tone, line.clone())]);
        }
    }

    /// A name, and beside it a text that is wrapped within its own column.
    pub(crate) fn entry(&mut self, name: &str, columns: usize, text: &str) {
        let name = visible(name);
        let name = cut(&name, columns);
        let margin = columns + 4;
        let lines = wrap(&visible(text), self.style.width.saturating_sub(margin));
        for (at, line) in lines.iter().enumerate() {
            let name = if at == 0 { &*name } else { "" };
            let space = " ".repeat(margin - 2 - width(name));
            self.line(
                2,
                &[(Tone::Quiet, name.to_owned()), (Tone::Plain, space + line)],
            );
        }
    }

    /// Whether a table has room for all its columns.
    pub(crate) fn shows_all(&self, indent: usize, table: &Table) -> bool {
        let room = self.style.width.saturating_sub(indent);
        table.wants(room).is_none()
    }

    /// Headings of the columns of a table for which there is room.
    pub(crate) fn heads<'t>(&self, indent: usize, table: &'t Table) -> Vec<&'t str> {
        table.heads(self.style.width.saturating_sub(indent))
    }

    pub(crate) fn table(&mut self, indent: usize, table: &Table) {
        let room = self.style.width.saturating_sub(indent);
        if let Some(wanted) = table.wants(room) {
            self.wants = self.wants.max(wanted + indent);
        }
        for line in table.lines(self.style.width.saturating_sub(indent)) {
            self.line(indent, &line);
        }
    }

    /// Says once where columns are that were left out.
    pub(crate) fn left_out(&mut self) {
        if self.wants > 0 {
            let text = format!(
                "note: tables have more columns from {} columns on",
                self.wants
            );
            self.text(0, Tone::Quiet, &text);
        }
    }

    /// Spans, cut at the end of the line.
    fn line(&mut self, indent: usize, spans: &[(Tone, String)]) {
        self.out.push_str(&" ".repeat(indent));
        let mut room = self.style.width.saturating_sub(indent);
        for (tone, text) in spans {
            let text = cut(text, room);
            room -= width(&text);
            self.span(*tone, &text.replace(TIE, " "));
        }
        self.out.truncate(self.out.trim_end_matches(' ').len());
        self.out.push('\n');
    }

    fn span(&mut self, tone: Tone, text: &str) {
        let style = ansi(tone);
        if self.style.colour && !text.is_empty() && style != anstyle::Style::new() {
            self.out.push_str(&format!("{style}{text}{style:#}"));
        } else {
            self.out.push_str(text);
        }
    }
}

fn ansi(tone: Tone) -> anstyle::Style {
    let plain = anstyle::Style::new();
    match tone {
        Tone::Plain => plain,
        Tone::Strong => plain.effects(Effects::BOLD),
        Tone::Quiet => plain.effects(Effects::DIMMED),
        Tone::Faster => AnsiColor::Green.on_default(),
        Tone::Slower => AnsiColor::Red.on_default(),
        Tone::Doubt => AnsiColor::Yellow.on_default(),
    }
}

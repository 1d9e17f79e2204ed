use std::borrow::Cow;

use anstyle::{AnsiColor, Effects};

use super::Style;
use super::layout::Table;
use crate::text::{TIE, ascii, by_commands, cut, has_command, tied, visible, width, wrap};
use crate::words::Tone;

#[derive(Debug)]
pub(crate) struct Page<'a> {
    style: &'a Style,
    out: String,
    /// The width that would show every column of every table so far.
    wants: usize,
}

/// Prose is never wider than this: longer lines are hard to read.
const PROSE: usize = 100;

impl<'a> Page<'a> {
    pub(crate) fn new(style: &'a Style) -> Self {
        Self {
            style,
            out: String::new(),
            wants: 0,
        }
    }

    pub(super) fn is_verbose(&self) -> bool {
        self.style.verbose
    }

    pub(crate) fn finish(self) -> String {
        self.out
    }

    pub(crate) fn blank(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// Wrapped; later lines stand two columns further in, and a command ends its line.
    pub(crate) fn text(&mut self, indent: usize, tone: Tone, text: &str) {
        let further = indent + 2;
        let text = self.shown(text);
        let room = self.prose().saturating_sub(further);
        let parts = by_commands(&text).into_iter();
        let lines = parts.flat_map(|part| wrap(&tied(&part), room));
        for (at, line) in lines.enumerate() {
            let margin = if at == 0 { indent } else { further };
            self.line(margin, &[(tone, line)]);
        }
    }

    pub(super) fn beside(
        &mut self,
        indent: usize,
        (name, columns): (&str, usize),
        tone: Tone,
        text: &str,
    ) {
        let name = self.shown(name);
        let name = cut(&name, columns);
        let room = self.prose().saturating_sub(indent + columns + 2);
        let text = self.shown(text);
        for (at, line) in wrap(&tied(&text), room).iter().enumerate() {
            let name = if at == 0 { &*name } else { "" };
            let space = " ".repeat(columns + 2 - width(name));
            let spans = [
                (Tone::Quiet, name.to_owned()),
                (Tone::Plain, space),
                (tone, line.clone()),
            ];
            self.line(indent, &spans);
        }
    }

    /// Visible, and in ASCII where the terminal shows no more.
    pub(super) fn shown<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let text = visible(text);
        match (self.style.ascii, text) {
            (false, text) => text,
            (true, Cow::Borrowed(text)) => ascii(text),
            (true, Cow::Owned(text)) => Cow::Owned(ascii(&text).into_owned()),
        }
    }

    pub(super) fn width(&self) -> usize {
        self.style.width
    }

    pub(super) fn prose(&self) -> usize {
        self.style.width.min(PROSE)
    }

    pub(crate) fn table(&mut self, indent: usize, table: &Table) {
        let room = self.style.width.saturating_sub(indent);
        if let Some(wanted) = table.wants(room) {
            self.wants = self.wants.max(wanted + indent);
        }
        for line in table.lines(room) {
            self.line(indent, &line);
        }
    }

    pub(crate) fn left_out(&mut self) {
        if self.wants > 0 {
            let text = format!(
                "note: widen to {} columns to see all columns of all tables",
                self.wants
            );
            self.text(0, Tone::Quiet, &text);
        }
    }

    pub(super) fn line(&mut self, indent: usize, spans: &[(Tone, String)]) {
        self.out.push_str(&" ".repeat(indent));
        let mut room = self.style.width.saturating_sub(indent);
        for (tone, text) in spans {
            // Half a command is none: a terminal breaks it, and copies it whole.
            let text = match has_command(text) {
                true => Cow::Borrowed(text.as_str()),
                false => cut(text, room),
            };
            room = room.saturating_sub(width(&text));
            let text = text.replace(TIE, " ");
            match self.style.ascii {
                // What was cut here has its mark from here.
                true => self.span(*tone, &text.replace('…', "~")),
                false => self.span(*tone, &text),
            }
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

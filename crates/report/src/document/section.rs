//! A section of a document and its parts.

use super::detail::Detail;
use super::figures::{Figure, Figures};
use super::table::Table;
use crate::words::Tone;

/// Characters of a name of a file that come from one name of a study or case.
const NAME: usize = 40;

/// A heading and what stands below it.
#[derive(Debug, Default)]
pub(crate) struct Section {
    /// Unique within the document; empty where nothing refers to it.
    pub(crate) id: String,
    pub(crate) heading: String,
    /// What stands beside the heading, less loud.
    pub(crate) aside: String,
    /// What its plots are called.
    pub(crate) plots: String,
    pub(crate) parts: Vec<Part>,
}

/// One part of a section.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) level: Level,
    /// The page leaves it out from here on.
    pub(crate) until: Detail,
    /// The words that name its plot, where those are not its section's.
    pub(crate) plots: Option<String>,
    pub(crate) body: Body,
}

/// What a part is.
#[derive(Debug)]
pub(crate) enum Body {
    Text(Tone, String),
    Table(Table),
    Figure(Box<Figure>),
    Section(Section),
}

/// What a part is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    /// It answers the study.
    Answer,
    /// It supports the answer.
    Evidence,
}

impl Section {
    pub(crate) fn new(id: &str, heading: &str) -> Self {
        Self {
            id: id.to_owned(),
            heading: heading.to_owned(),
            ..Self::default()
        }
    }

    /// Names its plots by a study and a case: as much of them as the name of a file may hold.
    pub(crate) fn plots(self, study: &str, case: &str) -> Self {
        let short = |name: &str| name.chars().take(NAME).collect::<String>();
        let plots = format!("{} {}", short(study), short(case));
        let plots = plots.trim_end().to_owned();
        Self { plots, ..self }
    }

    /// What stands beside the heading.
    pub(crate) fn aside(self, aside: String) -> Self {
        Self { aside, ..self }
    }

    /// Whether there is nothing below the heading.
    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub(crate) fn push(&mut self, body: Body) -> &mut Part {
        self.parts.push(Part {
            level: Level::Evidence,
            until: Detail::NEVER,
            plots: None,
            body,
        });
        let last = self.parts.len() - 1;
        &mut self.parts[last]
    }

    /// A text.
    pub(crate) fn text(&mut self, tone: Tone, text: impl Into<String>) -> &mut Part {
        self.push(Body::Text(tone, text.into()))
    }

    /// Texts that are read only by those who look for them.
    pub(crate) fn quiet<T: Into<String>>(&mut self, texts: impl IntoIterator<Item = T>) {
        for text in texts {
            self.text(Tone::Quiet, text);
        }
    }

    /// A table; nothing where it has no rows.
    pub(crate) fn table(&mut self, table: Table) {
        if !table.rows.is_empty() {
            self.push(Body::Table(table));
        }
    }

    /// Figures, left out of the page from `until` on.
    pub(crate) fn figures(&mut self, figures: Figures, until: Detail) {
        for figure in figures.0 {
            self.push(Body::Figure(Box::new(figure))).until = until;
        }
    }

    /// Figures that answer a study by themselves.
    pub(crate) fn shown(&mut self, figures: Figures) {
        for figure in figures.0 {
            self.push(Body::Figure(Box::new(figure))).level = Level::Answer;
        }
    }

    /// Its first figure, which is then no longer in it.
    pub(crate) fn take_figure(&mut self) -> Option<Figure> {
        let is_figure = |part: &Part| matches!(part.body, Body::Figure(_));
        let place = self.parts.iter().position(is_figure)?;
        match self.parts.remove(place).body {
            Body::Figure(figure) => Some(*figure),
            _ => None,
        }
    }

    /// A section within this one; nothing where it holds nothing.
    pub(crate) fn section(&mut self, section: Section, level: Level) {
        if !section.is_empty() {
            self.push(Body::Section(section)).level = level;
        }
    }

    /// The parts of a level, in order.
    pub(crate) fn of_level(&self, level: Level) -> impl Iterator<Item = &Part> {
        self.parts.iter().filter(move |part| part.level == level)
    }

    /// Every figure of a section and of those within it, each with the words that name its place.
    pub(crate) fn into_figures(self) -> Vec<(String, Figure)> {
        let plots = self.plots;
        let parts = self.parts.into_iter();
        parts
            .flat_map(|part| match part.body {
                Body::Figure(figure) => {
                    vec![(part.plots.unwrap_or_else(|| plots.clone()), *figure)]
                }
                Body::Section(section) => section.into_figures(),
                Body::Text(..) | Body::Table(_) => Vec::new(),
            })
            .collect()
    }
}

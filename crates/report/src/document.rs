//! What a report says, before anybody decides how it looks.
//!
//! # Theory
//!
//! A [`Document`] is made once from results. It holds the answers of a run and one [`Section`] a
//! study; a section holds texts, tables, figures and further sections. The renderers (terminal,
//! page, plots) walk it and know no study and no workload: what a column is called, where its
//! values come from and which column goes first when there is no room is said once, where the
//! table is built. Tables that are files too ([`crate::csv`]) share those columns.
//!
//! Each part has a [`Level`]. What answers the study is shown when its section is opened; what
//! supports it is evidence, which the short text of a terminal leaves out and the page folds
//! away. A part also says from which [`Detail`] on it is left out of a page that would grow too
//! large.
//!
//! One file an idea: `answers` (the first screen), `deciding` (the chart of a study), `case`, `sweep` and `map` (what was run),
//! `then` (what the source found beside ours), and one file for each kind of quantity that only
//! some work has (`requests`, `workers`, `searched`, `scaling`, `counting`, `limits`, `probes`).

pub(crate) mod answers;
mod case;
mod counting;
mod deciding;
pub(crate) mod detail;
pub(crate) mod figures;
pub(crate) mod limits;
mod map;
pub(crate) mod probes;
mod requests;
mod sampling;
pub(crate) mod scaling;
pub(crate) mod searched;
pub(crate) mod simulated;
pub(crate) mod study;
mod sweep;
pub(crate) mod table;
pub(crate) mod then;
pub(crate) mod variants;
pub(crate) mod workers;

use lab::Results;

use crate::words::Tone;
use answers::Answers;
use detail::Detail;
use figures::{Figure, Figures};
use table::Table;

/// Stands for the folder of the results where it is not known.
pub(crate) const FOLDER: &str = "DIR";

/// A run, ready to be shown.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) answers: Answers,
    /// One section a study.
    pub(crate) studies: Vec<Section>,
}

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

impl Document {
    /// The document of a run; `folder` is where its results are.
    pub(crate) fn of(results: &Results, folder: &str) -> Self {
        let studies = results.studies.iter().enumerate();
        let answers = Answers::of(results, folder);
        Self {
            studies: studies
                .map(|(place, result)| study::section(results, &answers, (place, result)))
                .collect(),
            answers,
        }
    }
}

impl Section {
    pub(crate) fn new(id: &str, heading: &str) -> Self {
        Self {
            id: id.to_owned(),
            heading: heading.to_owned(),
            ..Self::default()
        }
    }

    /// The words that name its plots.
    pub(crate) fn plots(self, plots: String) -> Self {
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

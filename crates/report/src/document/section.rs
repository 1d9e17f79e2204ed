use super::detail::Detail;
use super::figures::Figure;
use super::table::Table;
use crate::words::Tone;

/// Characters of a name of a file that come from one name of a study or case.
const NAME: usize = 40;

#[derive(Debug, Default)]
pub(crate) struct Section {
    /// Unique within the document; empty where nothing refers to it.
    pub(crate) id: String,
    pub(crate) heading: String,
    pub(crate) aside: String,
    pub(crate) plots: String,
    pub(crate) parts: Vec<Part>,
}

#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) level: Level,
    pub(crate) until: Detail,
    pub(crate) plots: Option<String>,
    pub(crate) body: Body,
}

#[derive(Debug)]
pub(crate) enum Body {
    Text(Tone, String),
    Table(Table),
    Figure(Box<Figure>),
    Section(Section),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    Answer,
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

    pub(crate) fn plots(self, study: &str, case: &str) -> Self {
        let short = |name: &str| name.chars().take(NAME).collect::<String>();
        let plots = format!("{} {}", short(study), short(case));
        let plots = plots.trim_end().to_owned();
        Self { plots, ..self }
    }

    pub(crate) fn aside(self, aside: String) -> Self {
        Self { aside, ..self }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub(crate) fn push(&mut self, body: Body) -> &mut Part {
        self.parts.push(Part {
            level: Level::Evidence,
            until: Detail::Never,
            plots: None,
            body,
        });
        let last = self.parts.len() - 1;
        &mut self.parts[last]
    }

    pub(crate) fn text(&mut self, tone: Tone, text: impl Into<String>) -> &mut Part {
        self.push(Body::Text(tone, text.into()))
    }

    pub(crate) fn texts<T: Into<String>>(
        &mut self,
        tone: Tone,
        texts: impl IntoIterator<Item = T>,
    ) {
        for text in texts {
            self.text(tone, text);
        }
    }

    pub(crate) fn quiet<T: Into<String>>(&mut self, texts: impl IntoIterator<Item = T>) {
        self.texts(Tone::Quiet, texts);
    }

    pub(crate) fn last_until(&mut self, until: Detail) {
        if let Some(part) = self.parts.last_mut() {
            part.until = until;
        }
    }

    pub(crate) fn table(&mut self, table: Table) {
        if !table.rows.is_empty() {
            self.push(Body::Table(table));
        }
    }

    pub(crate) fn figures(&mut self, figures: impl IntoIterator<Item = Figure>, until: Detail) {
        for figure in figures {
            self.figure(figure).until = until;
        }
    }

    pub(crate) fn figure(&mut self, figure: Figure) -> &mut Part {
        self.push(Body::Figure(Box::new(figure)))
    }

    pub(crate) fn take_figure(&mut self) -> Option<Figure> {
        let is_figure = |part: &Part| matches!(part.body, Body::Figure(_));
        let place = self.parts.iter().position(is_figure)?;
        match self.parts.remove(place).body {
            Body::Figure(figure) => Some(*figure),
            _ => None,
        }
    }

    pub(crate) fn section(&mut self, section: Section, level: Level) {
        if !section.is_empty() {
            self.push(Body::Section(section)).level = level;
        }
    }

    pub(crate) fn of_level(&self, level: Level) -> impl Iterator<Item = &Part> {
        self.parts.iter().filter(move |part| part.level == level)
    }

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

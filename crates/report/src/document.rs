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
mod profiled;
mod requests;
mod sampling;
pub(crate) mod scaling;
pub(crate) mod searched;
mod section;
pub(crate) mod simulated;
pub(crate) mod study;
mod sweep;
pub(crate) mod table;
pub(crate) mod then;
pub(crate) mod variants;
pub(crate) mod workers;

use lab::Results;

use answers::Answers;
use figures::Figure;
pub(crate) use section::{Body, Level, Part, Section};

/// Results folder, if unknown.
pub(crate) const FOLDER: &str = "DIR";

#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) answers: Answers,
    pub(crate) studies: Vec<Section>,
}

impl Document {
    /// `folder` has the results.
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

    /// Every chart of a run, with the words that name its place.
    pub(crate) fn into_figures(self) -> Vec<(String, Figure)> {
        let studies = self.studies.into_iter();
        studies.flat_map(Section::into_figures).collect()
    }
}

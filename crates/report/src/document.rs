//! What a report says, before anybody decides how it looks: a [`Document`] is made once from
//! results, the answers of a run and one [`Section`] a study, with texts, tables, figures and
//! further sections. The renderers (terminal, page, plots) walk it and know no study and no
//! workload. Each part has a [`Level`]: an answer is shown when its section is opened; evidence is
//! left out of a terminal's short text and folded away on the page. A [`Detail`] leaves it out.

pub(crate) mod answers;
mod case;
mod confirmed;
mod counting;
mod deciding;
pub(crate) mod detail;
pub(crate) mod figures;
pub(crate) mod limits;
mod map;
mod predicted;
pub(crate) mod probes;
mod profiled;
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

pub(crate) const FOLDER: &str = "DIR";

#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) answers: Answers,
    pub(crate) studies: Vec<Section>,
}

impl Document {
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

    pub(crate) fn into_figures(self) -> Vec<(String, Figure)> {
        let studies = self.studies.into_iter();
        studies.flat_map(Section::into_figures).collect()
    }
}

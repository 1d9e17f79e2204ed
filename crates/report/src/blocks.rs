//! A study cut into what is shown together: single cases, and whole sweeps.

use lab::{CaseResult, StudyResult};

/// What has one table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Block<'a> {
    /// A case that stands alone.
    Case(&'a CaseResult),
    /// The cases of a sweep.
    Sweep(Sweep<'a>),
}

/// Neighbouring cases that differ in one parameter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sweep<'a> {
    pub(crate) name: &'a str,
    pub(crate) parameter: &'a str,
    pub(crate) unit: &'a str,
    /// Value of the parameter and the case, in ascending order.
    pub(crate) points: Vec<(f64, &'a CaseResult)>,
}

impl<'a> Block<'a> {
    /// The blocks of a study, in the order of running.
    pub(crate) fn all(study: &'a StudyResult) -> Vec<Self> {
        let mut blocks = Vec::new();
        for case in &study.cases {
            Self::add(&mut blocks, case);
        }
        for block in &mut blocks {
            if let Self::Sweep(sweep) = block {
                sweep.points.sort_by(|a, b| a.0.total_cmp(&b.0));
            }
        }
        blocks
    }

    fn add(blocks: &mut Vec<Self>, case: &'a CaseResult) {
        let Some(point) = &case.case.sweep else {
            return blocks.push(Self::Case(case));
        };
        match blocks.last_mut() {
            Some(Self::Sweep(sweep)) if sweep.name == point.sweep => {
                sweep.points.push((point.value, case));
            }
            _ => blocks.push(Self::Sweep(Sweep {
                name: &point.sweep,
                parameter: &point.parameter,
                unit: &point.unit,
                points: vec![(point.value, case)],
            })),
        }
    }
}

impl<'a> Sweep<'a> {
    /// One line for headings: the title of its cases, where it is that of all of them.
    pub(crate) fn title(&self) -> String {
        let titles = || self.points.iter().map(|(_, case)| case.case.title.as_str());
        match titles().next() {
            Some(first) if titles().all(|title| title == first) => first.to_owned(),
            _ => format!("Sweep {}", self.name),
        }
    }

    /// Labels of all variants, in the order in which they appear.
    pub(crate) fn labels(&self) -> Vec<&'a str> {
        let mut labels = Vec::new();
        for variant in self.points.iter().flat_map(|(_, case)| &case.variants) {
            if !labels.contains(&variant.label.as_str()) {
                labels.push(variant.label.as_str());
            }
        }
        labels
    }
}

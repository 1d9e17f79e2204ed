//! The blocks of a study: single cases, whole sweeps, and maps.

use super::{CaseResult, OperationMatrix, StudyResult};
use crate::data::gathered::distinct;

/// What has one table.
#[derive(Debug, Clone, PartialEq)]
pub enum Block<'a> {
    /// A case that stands alone.
    Case(&'a CaseResult),
    /// The cases of a sweep.
    Sweep(Sweep<'a>),
    /// Many cases that ran the same models.
    Matrix(OperationMatrix<'a>),
}

/// Neighbouring cases that differ in one parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep<'a> {
    /// Its name.
    pub name: &'a str,
    /// The parameter.
    pub parameter: &'a str,
    /// The unit of its values.
    pub unit: &'a str,
    /// Value of the parameter and the case, in ascending order.
    pub points: Vec<(f64, &'a CaseResult)>,
}

impl<'a> Block<'a> {
    /// The blocks of a study, in the order of running.
    #[must_use]
    pub fn all(study: &'a StudyResult) -> Vec<Self> {
        let mut matrices = study.matrices();
        let mut mapped: Vec<&str> = Vec::new();
        let mut blocks = Vec::new();
        for case in &study.cases {
            let begins = |map: &OperationMatrix<'_>| map.cases[0].case.name == case.case.name;
            if let Some(at) = matrices.iter().position(begins) {
                let map = matrices.remove(at);
                mapped.extend(map.cases.iter().map(|case| case.case.name.as_str()));
                blocks.push(Self::Matrix(map));
            }
            if !mapped.contains(&case.case.name.as_str()) {
                Self::add(&mut blocks, case);
            }
        }
        for block in &mut blocks {
            if let Self::Sweep(sweep) = block {
                sweep.points.sort_by(|a, b| a.0.total_cmp(&b.0));
            }
        }
        blocks
    }

    /// Whether a case is in it.
    #[must_use]
    pub fn has(&self, wanted: &CaseResult) -> bool {
        let is = |case: &CaseResult| case.case.name == wanted.case.name;
        match self {
            Self::Case(case) => is(case),
            Self::Sweep(sweep) => sweep.points.iter().any(|(_, case)| is(case)),
            Self::Matrix(map) => map.cases.iter().any(|case| is(case)),
        }
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
    #[must_use]
    pub fn title(&self) -> String {
        let titles = || self.points.iter().map(|(_, case)| case.case.title.as_str());
        match titles().next() {
            Some(first) if titles().all(|title| title == first) => first.to_owned(),
            _ => format!("Sweep {}", self.name),
        }
    }

    /// Labels of all variants, in the order in which they appear.
    #[must_use]
    pub fn labels(&self) -> Vec<&'a str> {
        let variants = self.points.iter().flat_map(|(_, case)| &case.variants);
        distinct(variants.map(|variant| variant.label.as_str()))
    }
}

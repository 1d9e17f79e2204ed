//! Columns that several tables begin with: where a row belongs.

use lab::{CaseResult, Results, StudyResult};

use super::{Field, FileColumn, filled_in, names, number, said, text};
pub(super) use crate::document::variants::Launched;

#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    study: &'a StudyResult,
    pub(super) case: &'a CaseResult,
}

impl<'a> Place<'a> {
    pub(super) fn all(results: &'a Results) -> impl Iterator<Item = Self> {
        results.studies.iter().flat_map(|study| {
            let cases = study.cases.iter();
            cases.map(move |case| Self { study, case })
        })
    }

    pub(super) fn names<R, C: FileColumn<R>>(
        columns: &'static [C],
    ) -> impl Iterator<Item = &'static str> {
        let own = ["study", "case", "sweep", "parameter", "parameter_value"];
        own.into_iter().chain(names(columns))
    }

    pub(super) fn row<R, C: FileColumn<R>>(&self, columns: &[C], row: &R) -> Vec<Field> {
        let point = self.case.case.sweep.as_ref();
        let own = [
            text(&self.study.study.name),
            text(&self.case.case.name),
            said(point.map(|point| &point.sweep)),
            said(point.map(|point| &point.parameter)),
            number(point.map(|point| point.value)),
        ];
        own.into_iter().chain(filled_in(columns, row)).collect()
    }

    pub(super) fn launched(&self, variant: usize) -> Launched<'a> {
        Launched(self.case.case.variants.get(variant))
    }
}

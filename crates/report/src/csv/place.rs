//! Columns that several tables begin with: where a row belongs.

use flow::ParentMemory;
use lab::{CaseResult, LabelledVariant, Results, StudyResult};

use super::{Column, Field, filled_in, names, number, text, whole};

/// A case of a study.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    study: &'a StudyResult,
    pub(super) case: &'a CaseResult,
}

impl<'a> Place<'a> {
    /// Every case of a run.
    pub(super) fn all(results: &'a Results) -> impl Iterator<Item = Self> {
        results.studies.iter().flat_map(|study| {
            let cases = study.cases.iter();
            cases.map(move |case| Self { study, case })
        })
    }

    /// The heading of a table that says first where a row belongs.
    pub(super) fn names<F>(
        columns: &'static [(&'static str, F)],
    ) -> impl Iterator<Item = &'static str> {
        let own = ["study", "case", "sweep", "parameter", "parameter_value"];
        own.into_iter().chain(names(columns))
    }

    /// A row of such a table.
    pub(super) fn row<R>(&self, columns: &[Column<R>], row: &R) -> Vec<Field> {
        let point = self.case.case.sweep.as_ref();
        let own = [
            text(&self.study.study.name),
            text(&self.case.case.name),
            point.map_or(Field::Nothing, |point| text(&point.sweep)),
            point.map_or(Field::Nothing, |point| text(&point.parameter)),
            number(point.map(|point| point.value)),
        ];
        own.into_iter().chain(filled_in(columns, row)).collect()
    }

    pub(super) fn launched(&self, variant: usize) -> Launched<'a> {
        Launched(self.case.case.variants.get(variant))
    }
}

/// What was launched for a variant.
#[derive(Clone, Copy)]
pub(super) struct Launched<'a>(Option<&'a LabelledVariant>);

impl Launched<'_> {
    pub(super) fn label(&self) -> Field {
        self.0.map_or(Field::Nothing, |v| text(&v.label))
    }

    pub(super) fn model(&self) -> Field {
        self.0
            .map_or(Field::Nothing, |v| text(v.variant.model.to_string()))
    }

    pub(super) fn flows(&self) -> Field {
        whole(self.0.map(|v| v.variant.flows))
    }

    pub(super) fn placement(&self) -> Field {
        self.0
            .map_or(Field::Nothing, |v| text(v.variant.placement.to_string()))
    }

    pub(super) fn schedule(&self) -> Field {
        self.0
            .map_or(Field::Nothing, |v| text(v.variant.schedule.to_string()))
    }

    pub(super) fn channel(&self) -> Field {
        self.0
            .map_or(Field::Nothing, |v| text(v.variant.channel.to_string()))
    }

    pub(super) fn parent_memory_bytes(&self) -> Field {
        whole(
            self.parent_memory()
                .map(|parent_memory| parent_memory.bytes),
        )
    }

    pub(super) fn parent_memory_pages(&self) -> Field {
        self.parent_memory()
            .map_or(Field::Nothing, |parent_memory| {
                text(parent_memory.pages.to_string())
            })
    }

    fn parent_memory(&self) -> Option<ParentMemory> {
        self.0?.variant.parent_memory
    }
}

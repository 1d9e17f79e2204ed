use super::StudyError;
use super::format::{FileCase, Overrides};
use super::source::Source;
use crate::data::Preset;

/// A case of the file, and what its preset lays over it.
#[derive(Clone, Copy)]
pub(super) struct Written<'a> {
    pub(super) source: Source<'a>,
    pub(super) place: usize,
    pub(super) case: &'a FileCase,
    pub(super) overrides: &'a Overrides,
    pub(super) preset: Preset,
}

impl Written<'_> {
    pub(super) fn error(self, message: impl Into<String>) -> StudyError {
        self.source.error(self.place, message)
    }
}

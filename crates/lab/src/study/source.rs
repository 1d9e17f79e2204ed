//! The text of a study file, and errors that name a line of it.

use serde::de::DeserializeOwned;

use super::StudyError;

#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    pub(super) file: &'a str,
}

impl Source<'_> {
    /// An error at a place (a byte of the text).
    pub(super) fn error(&self, place: usize, message: impl Into<String>) -> StudyError {
        let before = self.text.as_bytes().iter().take(place);
        StudyError::File {
            file: self.file.to_owned(),
            line: before.filter(|byte| **byte == b'\n').count() + 1,
            message: message.into(),
        }
    }

    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, StudyError> {
        toml::from_str(self.text).map_err(|error| {
            let place = error.span().map_or(0, |span| span.start);
            self.error(place, error.message())
        })
    }
}

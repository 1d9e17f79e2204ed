use serde::de::DeserializeOwned;

use super::StudyError;

#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    pub(super) file: &'a str,
}

impl Source<'_> {
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
            let message = match self.key_before(place) {
                Some(key) => of_key(key, error.message()),
                None => error.message().to_owned(),
            };
            self.error(place, message)
        })
    }

    fn key_before(&self, place: usize) -> Option<&str> {
        let line = self.text.get(..place)?.rsplit('\n').next()?;
        let key = line.trim_end().strip_suffix('=')?.trim_end();
        let key = key.rsplit([' ', '\t', '{', ',', '[']).next()?;
        (!key.is_empty()).then_some(key)
    }
}

pub(super) fn of_key(key: &str, message: &str) -> String {
    match message.strip_prefix("unknown variant") {
        Some(rest) => format!("unknown {key}{rest}"),
        None if message.starts_with("invalid") => format!("{key}: {message}"),
        None => message.to_owned(),
    }
}

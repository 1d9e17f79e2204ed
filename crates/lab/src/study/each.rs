//! `each`: one written case that stands for several, which differ in one word.

use toml::{Spanned, Value};

use super::StudyError;
use super::format::{FileCase, FileEach, Overrides};
use super::placed::Placed;
use super::source::Source;

/// One of the cases that a written case stands for: itself, or the one for a word.
#[derive(Clone, Copy)]
pub(super) struct Member<'a> {
    word: Option<(&'a FileEach, &'a Spanned<String>)>,
}

/// The members of a written case under a preset.
pub(super) fn members<'a>(
    source: Source<'_>,
    place: usize,
    case: &'a FileCase,
    overrides: &'a Overrides,
) -> Result<Vec<Member<'a>>, StudyError> {
    let Some(each) = &case.each else {
        return match overrides.each {
            Some(_) => Err(source.error(
                place,
                "each is for a case with [case.each]: this one has none",
            )),
            None => Ok(vec![Member { word: None }]),
        };
    };
    let words = overrides.each.as_ref().unwrap_or(&each.values);
    if words.is_empty() {
        return Err(source.error(each.parameter.span().start, "each has no values"));
    }
    let member = |word| Member {
        word: Some((each, word)),
    };
    Ok(words.iter().map(member).collect())
}

impl Member<'_> {
    /// Sets the word in the work's parameters. Errors about it name the line of the word.
    pub(super) fn set(self, work: &mut Placed) {
        if let Some((each, word)) = self.word {
            let value = Value::String(word.get_ref().clone());
            work.set_at(&each.parameter, value, word.span().start);
        }
    }

    /// The name of a case or sweep for this member.
    pub(super) fn name(self, written: &str) -> String {
        match self.word {
            Some((_, word)) => format!("{written}/{}", word.get_ref()),
            None => written.to_owned(),
        }
    }

    /// The title for this member: the parameter in braces stands for the word.
    pub(super) fn title(self, written: &str) -> String {
        match self.word {
            Some((each, word)) => {
                let blank = format!("{{{}}}", each.parameter.get_ref());
                written.replace(&blank, word.get_ref())
            }
            None => written.to_owned(),
        }
    }
}

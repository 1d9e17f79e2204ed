//! `each`: one written case for several that differ in one word.

use toml::Value;
use workload::Work;

use super::StudyError;
use super::format::{FileEach, Words};
use super::spanned_params::Placed;
use super::written_case::Written;

#[derive(Clone, Copy)]
pub(super) struct Member<'a> {
    word: Option<(&'a FileEach, &'a str, usize)>,
}

pub(super) fn members(written: Written<'_>) -> Result<Vec<Member<'_>>, StudyError> {
    let Written {
        source,
        case,
        overrides,
        ..
    } = written;
    let Some(each) = &case.each else {
        return match overrides.each {
            Some(_) => Err(written.error("each is for a case with [case.each]: this one has none")),
            None => Ok(vec![Member { word: None }]),
        };
    };
    let here = each.parameter.span().start;
    let words: Vec<(&str, usize)> = match overrides.each.as_ref().unwrap_or(&each.values) {
        Words::All => {
            let known = Work::words_of(each.parameter.get_ref());
            let known = known.map(|words| words.into_iter().map(|word| (word, here)).collect());
            let message = "\"all\" stands for every operation: of another parameter name each word";
            known.ok_or_else(|| source.error(here, message))?
        }
        Words::These(words) => {
            let words = words.iter();
            let placed = words.map(|word| (word.get_ref().as_str(), word.span().start));
            placed.collect()
        }
    };
    if words.is_empty() {
        return Err(source.error(here, "each has no values"));
    }
    let member = |(word, at)| Member {
        word: Some((each, word, at)),
    };
    Ok(words.into_iter().map(member).collect())
}

impl Member<'_> {
    pub(super) fn set(self, work: &mut Placed) {
        if let Some((each, word, at)) = self.word {
            work.set_at(&each.parameter, Value::String(word.to_owned()), at);
        }
    }

    pub(super) fn name(self, written: &str) -> String {
        match self.word {
            Some((_, word, _)) => format!("{written}/{word}"),
            None => written.to_owned(),
        }
    }

    pub(super) fn title(self, written: &str) -> String {
        match self.word {
            Some((each, word, _)) => {
                let blank = format!("{{{}}}", each.parameter.get_ref());
                written.replace(&blank, word)
            }
            None => written.to_owned(),
        }
    }
}

//! What is looked for: a regular expression or a literal, made ready once. `memmem` looks for a
//! literal (also one found among expressions) at tens of gigabytes a second. All else goes through
//! `grep-regex`, which never matches across the end of a line.

use std::fmt;

use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use memchr::memmem::Finder;

/// What is looked for.
#[derive(Clone)]
pub struct Pattern {
    source: String,
    pub(crate) needle: Needle,
}

#[derive(Clone)]
pub(crate) enum Needle {
    Literal(Box<Finder<'static>>),
    Regex(Box<RegexMatcher>),
}

/// How a pattern is meant.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct How {
    /// It is a literal, not a regular expression.
    pub literal: bool,
    /// Upper and lower case are the same.
    pub ignore_case: bool,
    /// Only where it stands as a whole word.
    pub word: bool,
    /// Binary files are searched as if they were text, so that a NUL byte can be found.
    pub text: bool,
}

/// The pattern makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the pattern makes no sense: {0}")]
pub struct PatternError(String);

impl Pattern {
    /// Makes `text` ready; fails (with the place) where it is no regular expression, needs too much
    /// memory, or could only match across lines or in files not searched.
    pub fn new(text: &str, how: How) -> Result<Pattern, PatternError> {
        if !how.text && text.contains('\0') {
            return Err(PatternError(BINARY.to_owned()));
        }
        let as_it_stands = how.literal || is_plain(text);
        let literal = as_it_stands && !how.ignore_case && !how.word;
        let needle = if literal && !text.contains('\n') {
            Needle::Literal(Box::new(Finder::new(text).into_owned()))
        } else {
            Needle::Regex(Box::new(regex(text, how)?))
        };
        Ok(Pattern {
            source: text.to_owned(),
            needle,
        })
    }

    /// Makes ready what matches where any of `texts` does. Errors as of [`Pattern::new`].
    pub fn any(texts: &[String], how: How) -> Result<Pattern, PatternError> {
        if let [text] = texts {
            return Pattern::new(text, how);
        }
        for text in texts {
            Pattern::new(text, how)?;
        }
        let regex = match texts {
            [] => builder(How {
                literal: false,
                ..how
            })
            .build("[a&&b]"),
            _ => builder(how).build_many(texts),
        };
        Ok(Pattern {
            source: texts.join("|"),
            needle: Needle::Regex(Box::new(
                regex.map_err(|error| PatternError(error.to_string()))?,
            )),
        })
    }

    pub(crate) fn every_line() -> Pattern {
        Pattern {
            source: String::new(),
            needle: Needle::Literal(Box::new(Finder::new("").into_owned())),
        }
    }

    /// A literal, case distinguished; an error where it holds a line feed.
    pub fn literal(text: &str) -> Result<Pattern, PatternError> {
        let literal = How {
            literal: true,
            ..How::default()
        };
        Pattern::new(text, literal)
    }

    /// A regular expression. Errors as of [`Pattern::new`].
    pub fn regex(text: &str) -> Result<Pattern, PatternError> {
        Pattern::new(text, How::default())
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pattern").field(&self.source).finish()
    }
}

fn is_plain(text: &str) -> bool {
    !text.contains(|c| r"\.+*?()|[]{}^$".contains(c)) && !text.chars().any(char::is_control)
}

const BINARY: &str = "it asks for a NUL byte, but files that hold one are binary, and only their \
                      text is searched: use --text (-a), which takes all files for text";

fn builder(how: How) -> RegexMatcherBuilder {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .unicode(true)
        .octal(false)
        .fixed_strings(how.literal)
        .case_insensitive(how.ignore_case)
        .word(how.word)
        .line_terminator(Some(b'\n'))
        .ban_byte((!how.text).then_some(0))
        .dot_matches_new_line(false);
    builder
}

fn regex(text: &str, how: How) -> Result<RegexMatcher, PatternError> {
    builder(how).build(text).map_err(|error| {
        if matches!(error.kind(), ErrorKind::Banned(_)) {
            return PatternError(BINARY.to_owned());
        }
        // The library shows its changed pattern; this shows the user's.
        let parsed = regex_syntax::parse(text);
        let own = parsed.err().filter(|_| !how.literal);
        let said = own.map_or_else(|| error.to_string(), |error| error.to_string());
        PatternError(explain(text, &said))
    })
}

fn explain(text: &str, said: &str) -> String {
    let line_feed = text.find('\n').or_else(|| text.find("\\n"));
    match line_feed {
        Some(at) if said.contains("not allowed") => format!(
            "at byte {}, it asks for a line feed, but lines are searched one by one, so that \
             it can never match",
            at + 1
        ),
        _ => said.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_literal(pattern: &Pattern) -> bool {
        matches!(pattern.needle, Needle::Literal(_))
    }

    #[test]
    fn plain_expressions_are_literals() {
        assert!(is_literal(&Pattern::regex("PM_RESUME").unwrap()));
        assert!(is_literal(&Pattern::literal("a.b*(").unwrap()));
        assert!(!is_literal(&Pattern::regex("a.b").unwrap()));
        let word = How {
            literal: true,
            word: true,
            ..How::default()
        };
        assert!(!is_literal(&Pattern::new("a", word).unwrap()));
    }

    #[test]
    fn any_of_several_patterns_is_looked_for() {
        let all = |texts: &[&str], how| {
            let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
            let pattern = Pattern::any(&texts, how).unwrap();
            let lines = crate::lines::Lines::new(&pattern);
            let text = b"one\ntwo\nt.o\nthree\n";
            let (mut found, mut from) = (Vec::new(), 0);
            while let Some(line) = lines.next(text, from) {
                found.push(text[line.start]);
                from = line.end;
            }
            found.len()
        };
        let literal = How {
            literal: true,
            ..How::default()
        };
        assert_eq!(all(&["one", "t.o"], How::default()), 3);
        assert_eq!(all(&["one", "t.o"], literal), 2);
        assert_eq!(all(&["one", ""], How::default()), 4);
        assert_eq!(all(&[], How::default()), 0);
        assert_eq!(all(&[], literal), 0);
        let wrong = Pattern::any(&["a".to_owned(), "(".to_owned()], How::default());
        assert!(wrong.unwrap_err().to_string().contains("unclosed group"));
    }

    #[test]
    fn a_byte_that_no_text_has_is_refused_unless_all_files_are_text() {
        let error = Pattern::literal("a\0").unwrap_err().to_string();
        assert!(error.contains("use --text"), "{error}");
        for pattern in [r"\x00", r"a\x00b", r"(x|y)\x{0}"] {
            let error = Pattern::regex(pattern).unwrap_err().to_string();
            assert!(error.contains("use --text"), "{error}");
            let text = How {
                text: true,
                ..How::default()
            };
            assert!(Pattern::new(pattern, text).is_ok());
        }
        // It can match without that byte.
        assert!(Pattern::regex(r"[a\x00]|[^b]").is_ok());
    }

    #[test]
    fn where_a_pattern_goes_wrong_is_shown() {
        let error = Pattern::regex("foo(bar").unwrap_err().to_string();
        assert!(error.contains("foo(bar\n       ^"), "{error}");
        assert!(error.contains("unclosed group"), "{error}");
        for pattern in [Pattern::regex("ab\\ncd"), Pattern::literal("ab\ncd")] {
            let error = pattern.unwrap_err().to_string();
            assert!(error.contains("at byte 3"), "{error}");
        }
    }
}

//! Finding lines that match in a window of text, searched whole; only where the needle is found are
//! the ends of the line looked for. Needles: a literal (`memmem`); an expression that can never
//! match a line feed, which may answer with a *candidate* (a line to be looked at again); an
//! expression with `\A` or `\z`, for which each line is the whole text.

use std::ops::Range;

use grep_matcher::{LineMatchKind, Matcher};
use grep_regex::RegexMatcher;
use memchr::memmem::Finder;
use memchr::{memchr, memrchr};

use crate::pattern::{Needle, Pattern};

#[derive(Clone)]
pub(crate) struct Lines {
    needle: Needle,
    whole: bool,
}

impl Lines {
    pub(crate) fn new(pattern: &Pattern) -> Lines {
        let needle = pattern.needle.clone();
        let whole = match &needle {
            Needle::Literal(_) => true,
            Needle::Regex(regex) => regex.line_terminator().is_some(),
        };
        Lines { needle, whole }
    }

    /// From a line's beginning; includes the line feed.
    #[inline]
    pub(crate) fn next(&self, window: &[u8], from: usize) -> Option<Range<usize>> {
        match &self.needle {
            Needle::Literal(finder) => next_literal(finder, window, from),
            Needle::Regex(regex) if self.whole => next_line(regex, window, from),
            Needle::Regex(regex) => next_one_by_one(regex, window, from),
        }
    }

    /// Without its line feed; for colours.
    pub(crate) fn spans(&self, line: &[u8]) -> Vec<Range<usize>> {
        match &self.needle {
            Needle::Literal(finder) => finder
                .find_iter(line)
                .map(|at| at..at + finder.needle().len())
                .collect(),
            Needle::Regex(regex) => {
                let mut spans = Vec::new();
                let _never_fails = regex.find_iter(line, |found| {
                    spans.push(found.start()..found.end());
                    true
                });
                spans
            }
        }
    }
}

#[inline]
fn next_literal(finder: &Finder<'_>, window: &[u8], from: usize) -> Option<Range<usize>> {
    if from >= window.len() {
        return None;
    }
    let at = from + finder.find(&window[from..])?;
    // An empty needle also matches after the last line feed, where no line is.
    (at < window.len()).then(|| line_at(window, from, at))
}

fn next_line(regex: &RegexMatcher, window: &[u8], mut from: usize) -> Option<Range<usize>> {
    while from < window.len() {
        let found = regex.find_candidate_line(&window[from..]).ok().flatten()?;
        let (at, sure) = match found {
            LineMatchKind::Confirmed(at) => (from + at, true),
            LineMatchKind::Candidate(at) => (from + at, false),
        };
        let line = line_at(window, from, at);
        if line.start == window.len() {
            return None;
        }
        if sure || is_match(regex, &window[line.clone()]) {
            return Some(line);
        }
        from = line.end;
    }
    None
}

fn next_one_by_one(regex: &RegexMatcher, window: &[u8], mut from: usize) -> Option<Range<usize>> {
    while from < window.len() {
        let line = line_at(window, from, from);
        if is_match(regex, &window[line.clone()]) {
            return Some(line);
        }
        from = line.end;
    }
    None
}

fn is_match(regex: &RegexMatcher, line: &[u8]) -> bool {
    let text = line.strip_suffix(b"\n").unwrap_or(line);
    regex.is_match(text).unwrap_or(false)
}

/// A match after a line feed belongs to the next line: no match holds a line feed.
#[inline]
fn line_at(window: &[u8], from: usize, at: usize) -> Range<usize> {
    let start = memrchr(b'\n', &window[from..at]).map_or(from, |feed| from + feed + 1);
    let end = memchr(b'\n', &window[at..]).map_or(window.len(), |feed| at + feed + 1);
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::How;
    use proptest::prelude::*;

    fn all(pattern: &Pattern, window: &str) -> Vec<String> {
        let lines = Lines::new(pattern);
        let (mut from, mut found) = (0, Vec::new());
        while let Some(line) = lines.next(window.as_bytes(), from) {
            found.push(window[line.clone()].to_owned());
            assert!(line.end > from);
            from = line.end;
        }
        found
    }

    fn regex(text: &str) -> Pattern {
        Pattern::regex(text).unwrap()
    }

    #[test]
    fn lines_are_found_wherever_the_match_is_in_them() {
        for pattern in [regex("ab"), regex("a[b]"), regex("[a]b")] {
            assert_eq!(all(&pattern, "ab\nxabx\nx\nab"), ["ab\n", "xabx\n", "ab"]);
            assert_eq!(all(&pattern, "a\nb\n"), Vec::<String>::new());
            assert_eq!(all(&pattern, ""), Vec::<String>::new());
        }
    }

    #[test]
    fn an_empty_pattern_matches_each_line_once() {
        for pattern in [Pattern::literal("").unwrap(), regex("x*"), regex("^")] {
            assert_eq!(all(&pattern, "a\n\nb\n"), ["a\n", "\n", "b\n"]);
            assert_eq!(all(&pattern, "a"), ["a"]);
        }
    }

    #[test]
    fn anchors_are_those_of_lines() {
        assert_eq!(all(&regex("^a"), "a\nba\nab\n"), ["a\n", "ab\n"]);
        assert_eq!(all(&regex("a$"), "a\nba\nab\n"), ["a\n", "ba\n"]);
        assert_eq!(all(&regex("^$"), "a\n\nb\n"), ["\n"]);
        assert_eq!(all(&regex(r"\Aa\z"), "a\nba\na\n"), ["a\n", "a\n"]);
    }

    #[test]
    fn nothing_matches_across_lines() {
        assert_eq!(all(&regex(r"a\s+b"), "a\nb\na b\n"), ["a b\n"]);
        assert_eq!(all(&regex(r"a[^x]b"), "a\nb\na-b\n"), ["a-b\n"]);
        assert_eq!(all(&regex(r"(?s)a.b"), "a\nb\na-b\n"), ["a-b\n"]);
    }

    #[test]
    fn words_and_case() {
        let word = How {
            word: true,
            ..How::default()
        };
        let pattern = Pattern::new("ab", word).unwrap();
        assert_eq!(all(&pattern, "ab\nabc\nx ab.\n_ab\n"), ["ab\n", "x ab.\n"]);
        let any_case = How {
            ignore_case: true,
            literal: true,
            ..How::default()
        };
        let pattern = Pattern::new("a.b", any_case).unwrap();
        assert_eq!(all(&pattern, "A.B\naxb\n"), ["A.B\n"]);
    }

    const EXPRESSIONS: &[&str] = &[
        "a", "ab", "ba+", "a *b", "^a", "b$", "^$", "a?", "(a|b)b", "[^a]b", r"\bab", r"\Ba", "",
        r"\Aa", r"b\z", r"a\s", r"\s+b", "(?s).b", "a{2,}", "(?i)A",
    ];

    proptest! {
        #[test]
        fn whole_windows_and_single_lines_agree(
            window in "[ab \n]{0,80}",
            pattern in proptest::sample::select(EXPRESSIONS),
        ) {
            let pattern = regex(pattern);
            let found = all(&pattern, &window);
            let singly: Vec<String> = window
                .split_inclusive('\n')
                .filter(|line| !all(&pattern, line).is_empty())
                .map(str::to_owned)
                .collect();
            prop_assert_eq!(found, singly);
        }
    }
}

//! How a command ended, and what it said.

use std::borrow::BorrowMut;
use std::process::{Command, Output};

/// A command that has ended.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A text with one space for every break and gap: sentences as they are before they are broken to the width of the
/// terminal.
pub(crate) fn unbroken(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Each of `words` is in `text`, wherever its lines are broken.
#[track_caller]
pub(crate) fn says(text: &str, words: &[&str]) {
    let whole = unbroken(text);
    for word in words {
        let is_there = whole.contains(word) || text.contains(word);
        assert!(is_there, "no '{word}' in: {text}");
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Run {
    /// Runs a command to its end.
    pub(crate) fn of(mut command: impl BorrowMut<Command>) -> Self {
        command.borrow_mut().output().unwrap().into()
    }

    /// The run did its job, whatever it found.
    #[track_caller]
    pub(crate) fn answered(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self
    }

    /// The run did its job, and could tell or not.
    #[track_caller]
    pub(crate) fn answered_or_open(self) -> Self {
        assert!(matches!(self.code, Some(0 | 3)), "{}", self.stderr);
        self
    }

    /// What it printed, unbroken.
    pub(crate) fn words(&self) -> String {
        unbroken(&self.stdout)
    }

    /// The command ended with `code` and said each of `words` on standard error, wherever its lines
    /// are broken.
    #[track_caller]
    pub(crate) fn refused(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{}", self.stderr);
        says(&self.stderr, words);
        assert!(!self.stderr.contains("thread 'main'"), "{}", self.stderr);
    }
}

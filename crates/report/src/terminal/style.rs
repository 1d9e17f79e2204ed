//! How a terminal is, and how much is shown on it.

/// Columns where there is no terminal to be asked.
pub const PLAIN_WIDTH: usize = 100;

/// How the terminal is, and what is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Columns. Meant for 60 and more; below that, lines are cut.
    pub width: usize,
    /// Whether escape sequences may colour it.
    pub colour: bool,
    /// Whether it shows ASCII alone.
    pub ascii: bool,
    /// Whether everything is asked for.
    pub verbose: bool,
}

impl Default for Style {
    /// [`PLAIN_WIDTH`] columns without colour: what a pipe gets.
    fn default() -> Self {
        Self {
            width: PLAIN_WIDTH,
            colour: false,
            ascii: false,
            verbose: false,
        }
    }
}

/// How much is on the first screen: each step leaves out more. The tables have all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Detail {
    All,
    /// A header of one line, nothing besides the answers.
    Answers,
    /// One comparison of memory, the first of several warnings, the number of what is left out.
    FewWarnings,
    /// One advice; of warnings the first clause and the number of the others.
    OneAdvice,
    NoTerms,
    /// No bars, and of warnings the number alone.
    Least,
}

impl Detail {
    pub(super) const EVERY: [Self; 6] = [
        Self::All,
        Self::Answers,
        Self::FewWarnings,
        Self::OneAdvice,
        Self::NoTerms,
        Self::Least,
    ];
}

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

/// How much is on the first screen: each step leaves out more than the one before. The tables have
/// all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Detail {
    All,
    /// Without what was measured besides the answers, and with a header of one line.
    Answers,
    /// With one comparison of memory, of several warnings the first, of what is left out the number.
    FewWarnings,
    /// With one advice, and of warnings the first clause and the number of the others.
    OneAdvice,
    /// Without the meaning of names, which is on the page.
    NoTerms,
    /// Without the bars of a study, and with the number of warnings alone.
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

use std::path::PathBuf;

use crate::escape::Escape;
use crate::pattern::Pattern;

/// What is looked for, where, and how hits are shown.
#[derive(Debug, Clone)]
pub struct Query {
    /// What is looked for.
    pub pattern: Pattern,
    /// Files and folders to search; `-` is standard input; none: the current folder, without `./`.
    pub roots: Vec<PathBuf>,
    /// Which of the files are searched.
    pub filter: Filter,
    /// What a hit looks like.
    pub show: Show,
    /// The number of each line before it.
    pub line_numbers: bool,
    /// The path before each line.
    pub paths: Paths,
    /// Colours for a terminal.
    pub colour: bool,
    /// What of the results is made harmless for a terminal.
    pub escape: Escape,
    /// In the order of paths (by component, roots as given); all output is held in memory.
    pub sort: bool,
    /// Hand results out folder by folder, for someone who watches.
    pub watched: bool,
}

impl Query {
    /// Looks for `pattern` in the current folder: lines, with paths, without line numbers.
    #[must_use]
    pub fn new(pattern: Pattern) -> Query {
        Query {
            pattern,
            roots: Vec::new(),
            filter: Filter::default(),
            show: Show::Lines,
            line_numbers: false,
            paths: Paths::default(),
            colour: false,
            escape: Escape::Nothing,
            sort: false,
            watched: false,
        }
    }
}

/// Which files are searched, beside those that are named as roots (always searched).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Files and folders whose name begins with a dot too.
    pub hidden: bool,
    /// Read no ignore files, neither those of git nor `.ignore` and `.rgignore`.
    pub no_ignore: bool,
    /// Globs as in `.gitignore`, reversed: what matches is searched; the last match counts.
    pub globs: Vec<String>,
    /// Search binary files as if they were text.
    pub text: bool,
}

/// What a hit looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Show {
    /// Each line that matches: `path:text`, `path:line:text`.
    #[default]
    Lines,
    /// How many lines match, for each file that has any: `path:count`.
    Count,
    /// The path of each file that has a match.
    Files,
}

/// Whether paths stand before lines and counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Paths {
    /// Unless one file alone is searched.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

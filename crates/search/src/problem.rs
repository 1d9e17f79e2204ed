use std::fmt;
use std::io;
use std::path::PathBuf;

/// How bad a [`Problem`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Something was not searched: counted in [`Counts::errors`](crate::Counts::errors); exit 2.
    Error,
    /// Nothing is missing, but something is not as one would think.
    Notice,
    /// All was searched, but not as the plan says: [`Report::otherwise`](crate::Report::otherwise).
    Otherwise,
}

/// One thing that the user should hear of, said once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// How bad it is.
    pub kind: Kind,
    /// On what, if on a path.
    pub path: Option<PathBuf>,
    /// What, in words.
    pub what: String,
}

impl Problem {
    pub(crate) fn on(path: impl Into<PathBuf>, what: &io::Error) -> Problem {
        Problem::of(Kind::Error, Some(path.into()), words(what))
    }

    pub(crate) fn error(what: impl Into<String>) -> Problem {
        Problem::of(Kind::Error, None, what)
    }

    pub(crate) fn otherwise(what: impl Into<String>) -> Problem {
        Problem::of(Kind::Otherwise, None, what)
    }

    pub(crate) fn notice(path: Option<PathBuf>, what: impl Into<String>) -> Problem {
        Problem::of(Kind::Notice, path, what)
    }

    fn of(kind: Kind, path: Option<PathBuf>, what: impl Into<String>) -> Problem {
        let what = what.into();
        Problem { kind, path, what }
    }
}

/// Without its number, as every other command says it.
pub(crate) fn words(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(f, "{}: {}", path.display(), self.what),
            None => f.write_str(&self.what),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_names_its_path_and_no_numbers() {
        let denied = Problem::on("a/b", &io::Error::from_raw_os_error(libc::EACCES));
        assert_eq!(denied.to_string(), "a/b: Permission denied");
        assert_eq!(Problem::error("lost").to_string(), "lost");
    }
}

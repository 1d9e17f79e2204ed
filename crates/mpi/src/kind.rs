//! Which MPI it is, and words of commands that launch it.

use std::path::Path;

/// An implementation of MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Open MPI.
    OpenMpi,
    /// MPICH, and what is made of it.
    Mpich,
}

impl Kind {
    pub(crate) const ALL: [Self; 2] = [Self::OpenMpi, Self::Mpich];

    /// As it is asked for, and as Debian marks its programs.
    #[must_use]
    pub fn suffix(self) -> &'static str {
        match self {
            Self::OpenMpi => "openmpi",
            Self::Mpich => "mpich",
        }
    }

    /// As people call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenMpi => "Open MPI",
            Self::Mpich => "MPICH",
        }
    }

    /// How to get the launcher and the compiler.
    #[must_use]
    pub fn packages(self) -> &'static str {
        match self {
            Self::OpenMpi => flow::parts::OPEN_MPI.get,
            Self::Mpich => flow::parts::MPICH.get,
        }
    }

    pub(crate) fn of_version(text: &str) -> Option<Self> {
        let is_open = ["Open MPI", "OpenRTE", "Open RTE"]
            .iter()
            .any(|name| text.contains(name));
        let is_mpich = text.contains("HYDRA");
        match (is_open, is_mpich) {
            (true, _) => Some(Self::OpenMpi),
            (_, true) => Some(Self::Mpich),
            _ => None,
        }
    }
}

/// No MPI that can be used; the message says what to install.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoMpi(pub String);

pub(crate) fn quoted_path(path: &Path) -> String {
    quoted(&path.display().to_string())
}

/// For a shell.
#[must_use]
pub fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

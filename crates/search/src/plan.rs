use std::fmt;
use std::num::NonZeroU32;
use std::os::fd::AsFd;
use std::str::FromStr;

use nix::sys::stat::{FileStat, fstat};

/// Which flows do the search, how many, and how they read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// What the flows are made of; `None`: chosen by a probe.
    pub model: Option<Model>,
    /// Workers of a pool, or the cap on flows each of a file or folder; `None`: by a probe.
    pub workers: Option<NonZeroU32>,
    /// How files are read.
    pub io: Io,
    /// Take times by class of work ([`Profile`](crate::Profile)). It costs about 2 %.
    pub profile: bool,
    /// Take the checksum of the results ([`Counts::checksum`](crate::Counts::checksum)).
    pub proof: bool,
    /// A file that is never searched: the one that results are written to.
    pub skip: Option<FileId>,
}

impl Plan {
    /// `model` with `workers` flows (or at most this many); 0: chosen by a probe.
    #[must_use]
    pub fn of(model: Model, workers: u32) -> Plan {
        Plan {
            model: Some(model),
            workers: NonZeroU32::new(workers),
            ..Plan::default()
        }
    }
}

/// Which file, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileId {
    /// The device it is on, as `st_dev`.
    pub device: u64,
    /// Its number there, as `st_ino`.
    pub inode: u64,
}

impl FileId {
    /// Of an open file; `None` when the kernel does not tell.
    #[must_use]
    pub fn of(file: impl AsFd) -> Option<FileId> {
        fstat(file).ok().as_ref().map(FileId::told)
    }

    pub(crate) fn told(stat: &FileStat) -> FileId {
        FileId {
            device: stat.st_dev,
            inode: stat.st_ino,
        }
    }

    pub(crate) fn is(self, file: impl AsFd) -> bool {
        FileId::of(file) == Some(self)
    }
}

/// What the flows of a search are made of, and what each of them does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Model {
    /// One flow does everything.
    Sequential,
    /// One flow walks and makes a thread for each file: the source's first attempt.
    ThreadPerFile,
    /// One flow walks and forks a process for each file.
    ProcessPerFile,
    /// A thread for each folder, made by the one that found the folder.
    ThreadPerDirectory,
    /// Some threads share the folders out among themselves.
    ThreadPool,
    /// The same with forked processes.
    ProcessPool,
    /// A pool of threads each of which has a table of open files of its own.
    ThreadPrivateFiles,
    /// Fibers of one thread walk, a folder each; a pool of threads does what blocks.
    Fiber,
}

impl Model {
    /// All of them.
    pub const ALL: [Model; 8] = [
        Model::Sequential,
        Model::ThreadPerFile,
        Model::ProcessPerFile,
        Model::ThreadPerDirectory,
        Model::ThreadPool,
        Model::ProcessPool,
        Model::ThreadPrivateFiles,
        Model::Fiber,
    ];

    /// As it is written on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Model::Sequential => "sequential",
            Model::ThreadPerFile => "thread-per-file",
            Model::ProcessPerFile => "process-per-file",
            Model::ThreadPerDirectory => "thread-per-directory",
            Model::ThreadPool => "thread-pool",
            Model::ProcessPool => "process-pool",
            Model::ThreadPrivateFiles => "thread-private-files",
            Model::Fiber => "fiber",
        }
    }

    /// Whether `workers` is made at the start (a pool), rather than a cap on flows at one time.
    #[must_use]
    pub fn is_pool(self) -> bool {
        matches!(
            self,
            Model::ThreadPool | Model::ProcessPool | Model::ThreadPrivateFiles | Model::Fiber
        )
    }

    /// Whether its flows are processes, which are not made beside other threads.
    #[must_use]
    pub fn forks(self) -> bool {
        matches!(self, Model::ProcessPerFile | Model::ProcessPool)
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// An unknown name of a search strategy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no model of a search{meant}: use sequential, thread-per-file, process-per-file, \
     thread-per-directory, thread-pool, process-pool, thread-private-files or fiber",
    meant = names::meant(.0, Model::ALL.map(Model::name))
)]
pub struct ModelError(String);

impl FromStr for Model {
    type Err = ModelError;

    fn from_str(text: &str) -> Result<Model, ModelError> {
        let mut all = Model::ALL.into_iter();
        all.find(|model| model.name() == text)
            .ok_or_else(|| ModelError(text.to_owned()))
    }
}

/// How files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Io {
    /// `open`, `read` into a buffer that is used again, `close`.
    #[default]
    Read,
    /// `open`, `mmap`, `munmap`, `close`.
    Mmap,
    /// Batches of opens, reads and closes through io_uring.
    Uring,
}

impl Io {
    /// All of them.
    pub const ALL: [Io; 3] = [Io::Read, Io::Mmap, Io::Uring];

    /// As it is written on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Io::Read => "read",
            Io::Mmap => "mmap",
            Io::Uring => "uring",
        }
    }

    /// Why files are not read in this way by that model, if they are not.
    #[must_use]
    pub fn refused_with(self, model: Model) -> Option<String> {
        let each = matches!(model, Model::ThreadPerFile | Model::ProcessPerFile);
        (self == Io::Uring && each).then(|| {
            format!("it reads the files of a folder in batches, and a flow of {model} has one file")
        })
    }
}

impl fmt::Display for Io {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The text names no way of reading.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no way of reading: use read, mmap or uring")]
pub struct IoError(String);

impl FromStr for Io {
    type Err = IoError;

    fn from_str(text: &str) -> Result<Io, IoError> {
        let mut all = Io::ALL.into_iter();
        all.find(|io| io.name() == text)
            .ok_or_else(|| IoError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_others_are_answered_with_the_names_there_are() {
        for model in Model::ALL {
            assert_eq!(model.to_string().parse(), Ok(model));
        }
        for io in Io::ALL {
            assert_eq!(io.to_string().parse(), Ok(io));
        }
        let error = "threads".parse::<Model>().expect_err("no model");
        assert!(error.to_string().contains("'threads'"));
        assert!(error.to_string().contains("thread-pool"));
        assert!("".parse::<Io>().is_err());
    }
}

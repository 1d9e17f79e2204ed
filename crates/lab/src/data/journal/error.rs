use std::io;
use std::path::{Path, PathBuf};

/// Why a journal cannot be written, read or continued.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file or its folder cannot be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// There is one already, and it is never overwritten.
    #[error("{} exists already: name another folder, or continue that run with `flowgauge run --resume`", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Another process writes to it.
    #[error("{} belongs to a run that is still going on{}", path.display(), held(holders))]
    Locked {
        /// The file.
        path: PathBuf,
        /// Processes that have it open and are stopped.
        holders: Vec<i32>,
    },
    /// Not even the first line is whole.
    #[error("{} holds no whole line: the run ended before it began", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The schema is none that this version reads.
    #[error(
        "{} has schema {schema}, and this version reads schema {known}: {}",
        path.display(), other_schema(*schema, *known)
    )]
    Schema {
        /// The file.
        path: PathBuf,
        /// Its schema.
        schema: u32,
        /// The one that is known here.
        known: u32,
    },
    /// A whole line that makes no sense.
    #[error("{}:{line}: {message}: {}", path.display(), way_out(*line))]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What is wrong with it.
        message: String,
    },
    /// The run has ended; there is nothing left to do.
    #[error("{} is finished: there is nothing left to run{}", path.display(), left(*decided))]
    Finished {
        /// The file.
        path: PathBuf,
        /// Whether every answer is decided.
        decided: bool,
    },
    /// It cannot be made to last as long as is asked for.
    #[error("{}: {message}", path.display())]
    ResumeOverrides {
        /// The file.
        path: PathBuf,
        /// Why not.
        message: String,
    },
    /// The settings allow no judgement.
    #[error(transparent)]
    Settings(#[from] stats::StatsError),
}

impl JournalError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }
}

pub(super) fn malformed(path: &Path, line: usize, message: String) -> JournalError {
    JournalError::Malformed {
        path: path.to_owned(),
        line,
        message,
    }
}

fn held(holders: &[i32]) -> String {
    let stopped: Vec<String> = holders.iter().map(i32::to_string).collect();
    match stopped.is_empty() {
        true => ": wait for its end".to_owned(),
        false => {
            let stopped = stopped.join(" ");
            format!(
                ", and is stopped: continue it (kill -CONT {stopped}) or end it (kill -9 {stopped})"
            )
        }
    }
}

fn other_schema(schema: u32, known: u32) -> &'static str {
    match schema > known {
        true => "open it with a newer flowgauge",
        false => {
            "no released version wrote it; open it with the flowgauge that did, or give its command again"
        }
    }
}

fn way_out(line: usize) -> String {
    let changed = "the line was damaged after it was written";
    match line.saturating_sub(1) {
        0 => {
            format!("{changed}, and nothing can be made of the others without it: put back a copy")
        }
        before => format!(
            "{changed}: put back a copy, or keep the {before} before it (head -n {before}) and \
             resume from there"
        ),
    }
}

fn left(decided: bool) -> &'static str {
    match decided {
        true => {
            ", since all its answers are decided and more rounds would change none of them (make \
             its report again with report)"
        }
        false => {
            " (make its report again with report; for cases that ran out of rounds give more \
             --rounds, for those that ran out of time a longer --budget)"
        }
    }
}

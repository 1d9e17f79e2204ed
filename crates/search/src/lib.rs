//! A parallel searcher of trees of files whose flow model is a parameter.
//!
//! ```
//! use search::{Pattern, Plan, Query};
//!
//! # let tree = tempfile::tempdir()?;
//! # std::fs::write(tree.path().join("a.txt"), "one\ntwo\n")?;
//! let mut query = Query::new(Pattern::literal("two")?);
//! query.roots = vec![tree.path().to_owned()];
//! let mut found = Vec::new();
//! let report = search::run(&query, &Plan::default(), &mut found, &mut |problem| {
//!     eprintln!("{problem}");
//! })?;
//! assert_eq!((report.counts.files, report.counts.lines), (1, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Query`] says what is looked for and how hits are shown, a [`Plan`] which flows do it:
//! the [`Model`], how many, and how files are read ([`Io`]). [`run`] does the whole search
//! and gives a [`Report`]. Whatever the plan, the set of results is the same; with
//! [`Plan::proof`] the report carries a checksum of that set, which does not depend on the
//! order, so that a study compares only plans that did equal work.
//!
//! ```text
//!  Query ─┐                    ┌─ walk: lists folders, applies ignore rules
//!         ├▶ run ▶ models/MODEL ▶ Worker ─┼─ read: a window of text at a time
//!  Plan ──┘         (one file   └─ lines, output buffer: finds lines, writes them down
//!                    a model)            └▶ outlet ▶ out
//! ```
//!
//! Searching a tree that the page cache holds costs system calls, not searching: of 5.5 µs a
//! file some 4.5 are open, read and close. So everything here serves to make few of them:
//! names and kinds come from raw `getdents64`, files are opened relative to their folder,
//! nothing asks for their size, one read into a buffer that is used again takes all of most
//! files, and no path is put together before there is a hit.
//!
//! The unit of work is a folder. A flow keeps the folders that it finds to itself, and gives
//! some of them (or half of the files that it still has before it, if they are many or large)
//! away only when another flow has nothing to do. So flows meet some hundred times in a search,
//! not at every file. A file of a megabyte or more is searched by all flows together where they
//! share memory (`large`).
//!
//! # What it deliberately does not do
//!
//! * **Context lines, replacements, inverted or multi-line matches, file types.** They are no
//!   part of the question which flows search fastest.
//! * **Follow symbolic links**, except those that are named as a root.
//! * **Keep the order of results** unless [`Query::sort`] asks for it.
//! * **Cut a file for flows that share no memory**, or map it: there the largest file bounds how
//!   well the work can be shared.
//!
//! # Anyone who calls [`run`]
//!
//! must have one thread when a model of processes is asked for: it forks. A study runs in a
//! fresh process, and so does the command.
//!
//! Sources: G. Greer, "Pthreads: The 'P' Stands for Performance", 2012 (no threads, a thread
//! for each file, a pool of workers, how many).

mod batches;
mod by_folder;
mod error;
mod escape;
mod exchange;
mod file;
mod interrupted;
mod job;
mod large;
mod lines;
mod models;
mod outlet;
mod output_buffer;
mod part;
mod pattern;
mod place;
mod plan;
mod problem;
mod proof;
mod query;
mod read;
mod report;
mod stopwatch;
mod usage;
mod view;
mod walk;
mod worker;

use std::io::Write;

pub use by_folder::{FolderSearch, Folders};
pub use error::SearchError;
pub use escape::Escape;
pub use interrupted::end_at;
pub use part::{Bound, Part, part};
pub use pattern::{How, Pattern, PatternError};
pub use plan::{FileId, Io, IoError, Model, ModelError, Plan};
pub use problem::{Kind, Problem};
pub use query::{Filter, Paths, Query, Show};
pub use report::{Chosen, Class, Counts, Flows, Profile, Report, Times};

/// Does the search: results go to `out`, what went wrong with single paths to `say`.
///
/// # Errors
/// There is no search at all: see [`SearchError`]. A path that cannot be searched is no error
/// of the search; it is said, and counted in [`Counts::errors`].
pub fn run(
    query: &Query,
    plan: &Plan,
    out: &mut (dyn Write + Send),
    say: &mut (dyn FnMut(&Problem) + Send),
) -> Result<Report, SearchError> {
    models::run(query, plan, large::Sizes::USUAL, out, say)
}

//! A parallel searcher of trees of files whose flow model is a parameter (docs/search.md).
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
//! A [`Query`] says what is looked for and how hits are shown, a [`Plan`] which flows do it
//! ([`Model`], number, [`Io`]). [`run`] searches and gives a [`Report`]. Whatever the plan, the set
//! of results is the same; with [`Plan::proof`] the report carries a checksum of it.
//!
//! ```text
//!  Query ─┐                    ┌─ walk: lists folders, applies ignore rules
//!         ├▶ run ▶ models/MODEL ▶ Worker ─┼─ read: a window of text at a time
//!  Plan ──┘         (one file   └─ lines, output buffer: finds lines, writes them down
//!                    a model)            └▶ outlet ▶ out
//! ```
//!
//! In the page cache a tree costs system calls: of 5.5 µs a file some 4.5 are open, read and close.
//! So names and kinds come from raw `getdents64`, files are opened relative to their folder, and
//! one read into a kept buffer takes all of most files. The unit of work is a folder. A flow keeps
//! the folders that it finds, and gives some (or half of its remaining files, if many or large)
//! away only when another flow has nothing to do.
//!
//! Not done: context lines, replacements, inverted or multi-line matches and file types; symbolic
//! links other than roots; an order of results without [`Query::sort`]; cutting a file (`large`)
//! for flows that share no memory, or mapping it. Models of processes fork, so they are refused
//! beside other threads. Source: G. Greer, "Pthreads: The 'P' Stands for Performance", 2012.

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
mod locks;
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

use sys::Alone;

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

/// Does the search: results go to `out`, troubles with paths to `say`; fails as a whole, as where a
/// model of processes is asked for while other threads run.
pub fn run(
    query: &Query,
    plan: &Plan,
    out: &mut (dyn Write + Send),
    say: &mut (dyn FnMut(&Problem) + Send),
) -> Result<Report, SearchError> {
    models::run(query, plan, large::Sizes::USUAL, Alone::now, out, say)
}

/// As [`run`], also beside other threads.
/// # Safety
/// Where a model of processes may be taken: none of those threads holds a lock, during the search,
/// that a child takes. A child uses `query`, allocates, and ends by `_exit`; `out` and `say` are
/// called in this process alone.
pub unsafe fn run_beside_threads(
    query: &Query,
    plan: &Plan,
    out: &mut (dyn Write + Send),
    say: &mut (dyn FnMut(&Problem) + Send),
) -> Result<Report, SearchError> {
    // SAFETY: the caller's promise.
    let alone = || Ok(unsafe { Alone::assumed() });
    models::run(query, plan, large::Sizes::USUAL, alone, out, say)
}

//! Trees to search, and searches of them.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use search::{How, Io, Model, Pattern, Plan, Problem, Query, Report, SearchError};
use tempfile::TempDir;

/// A tree of files that goes when it is dropped.
pub(crate) struct Tree(TempDir);

/// What came of a search.
pub(crate) struct Found {
    pub(crate) report: Report,
    /// Lines of the output, with the tree's own path cut off, in byte order.
    pub(crate) lines: Vec<String>,
    pub(crate) problems: Vec<String>,
}

impl Tree {
    pub(crate) fn new() -> Tree {
        Tree(tempfile::tempdir().expect("a folder"))
    }

    pub(crate) fn of(files: &[(&str, &str)]) -> Tree {
        let tree = Tree::new();
        for (path, text) in files {
            tree.write(path, text);
        }
        tree
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn join(&self, path: impl AsRef<Path>) -> PathBuf {
        self.path().join(path)
    }

    pub(crate) fn write(&self, path: impl AsRef<OsStr>, text: impl AsRef<[u8]>) {
        let path = self.join(path.as_ref());
        fs::create_dir_all(path.parent().expect("below the tree")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    pub(crate) fn query(&self, pattern: &str) -> Query {
        let pattern = Pattern::new(pattern, How::default()).expect("a pattern");
        let mut query = Query::new(pattern);
        query.roots = vec![self.path().to_owned()];
        query
    }

    pub(crate) fn run(&self, query: &Query, plan: &Plan) -> Found {
        let (mut out, mut problems) = (Vec::new(), Vec::new());
        let prefix = format!("{}/", self.path().display());
        let mut say = |problem: &Problem| {
            problems.push(problem.to_string().replace(&prefix, ""));
        };
        let report = run(query, plan, &mut out, &mut say).expect("a search");
        let mut lines: Vec<String> = String::from_utf8_lossy(&out)
            .lines()
            .map(|line| line.replace(&prefix, ""))
            .collect();
        if !query.sort {
            lines.sort();
        }
        Found {
            report,
            lines,
            problems,
        }
    }

    /// Searches for `pattern` by one flow.
    pub(crate) fn search(&self, pattern: &str) -> Found {
        self.run(&self.query(pattern), &one_by(Io::Read))
    }

    /// Searches for `pattern` by one flow in one file, named.
    pub(crate) fn search_file(&self, pattern: &str, file: &str) -> Found {
        let mut query = self.query(pattern);
        query.roots = vec![self.join(file)];
        self.run(&query, &one_by(Io::Read))
    }
}

/// One flow that reads in this way.
pub(crate) fn one_by(io: Io) -> Plan {
    Plan {
        io,
        ..Plan::of(Model::Sequential, 1)
    }
}

/// A search by any model, beside the tests of other threads.
pub(crate) fn run(
    query: &Query,
    plan: &Plan,
    out: &mut (dyn Write + Send),
    say: &mut (dyn FnMut(&Problem) + Send),
) -> Result<Report, SearchError> {
    // SAFETY: a child reads files, allocates (the C library has its allocator's locks whole in a
    // fork) and takes turns at values of this search alone, then ends by `_exit`: it asks neither
    // for the environment nor for the harness's output, which other tests may have locked.
    unsafe { search::run_beside_threads(query, plan, out, say) }
}

/// Does this with what is written, and says how many bytes were taken.
pub(crate) struct Writes<W>(pub(crate) W);

impl<W: FnMut(&[u8]) -> io::Result<usize>> Write for Writes<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (self.0)(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Little-endian, with its mark.
pub(crate) fn utf16(text: &str) -> Vec<u8> {
    let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
    units.flat_map(u16::to_le_bytes).collect()
}

/// A path that is no text.
pub(crate) fn raw(bytes: &[u8]) -> &OsStr {
    OsStr::from_bytes(bytes)
}

//! The store: pages in a SQLite file that everybody reads and nobody writes
//! (docs/workloads/wiki.md). The cell makes it and closes it before it makes flows: a fork must not
//! take a connection to SQLite along. Each flow opens its own.
//! ```sql
//! page   (id, title, touched, text)     what people wrote; templates are pages too
//! parsed (page, touched, html)          the parser cache: what became of a page
//! ```
//! The parser cache, as on a MediaWiki with SQLite and no memcached, is full when the flows begin,
//! and holds as long as `touched` is the page's.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::Error::FromSqlConversionFailure;
use rusqlite::types::{Type, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension};

use super::marks::LONGEST_TEXT;

pub(super) const TEMPLATE: &str = "Template:";

/// Text that does not fit the row's page is read from the file each time, past SQLite's cache.
const SCHEMA: &str = "
    PRAGMA page_size = 32768;
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    BEGIN;
    CREATE TABLE page (
        id INTEGER PRIMARY KEY,
        title TEXT NOT NULL UNIQUE,
        touched INTEGER NOT NULL,
        text TEXT NOT NULL
    );
    CREATE TABLE parsed (
        page INTEGER PRIMARY KEY REFERENCES page,
        touched INTEGER NOT NULL,
        html TEXT NOT NULL
    );
    COMMIT;
";

/// A page as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The title; of templates with `Template:`.
    pub title: String,
    /// Its wikitext.
    pub text: String,
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// An error of SQLite.
    #[error("the page store {} cannot be used: {source}{}", path.display(), advice(source))]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// SQLite's error.
        source: rusqlite::Error,
    },
    /// The file is damaged.
    #[error("the page store {} is corrupt: {what}; name another file, or mend it with `sqlite3 FILE .recover`", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The first damage found.
        what: String,
    },
    /// Something is missing in the file.
    #[error("the page store {} has {what}", path.display())]
    Lacks {
        /// The file.
        path: PathBuf,
        /// What is missing.
        what: String,
    },
}

fn advice(error: &rusqlite::Error) -> &'static str {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            "; it is corrupt or no SQLite file at all: name another, or mend it with `sqlite3 \
             FILE .recover`"
        }
        Some(ErrorCode::OperationInterrupted) => {
            "; it was not read within 20 s: is page a view that does not end?"
        }
        Some(ErrorCode::CannotOpen) => "; name a file that is there and may be read",
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "; another program writes to it: wait for its end, or use a copy"
        }
        Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure) => {
            "; look at the disk that it is on"
        }
        _ => "; a store needs a table page with the columns title and text",
    }
}

/// Checks a user's store: there, whole, with pages. Returns how many, without templates.
pub fn check_store(path: &Path) -> Result<u64, StoreError> {
    let all = Store::read_all(path)?;
    let pages = all.iter().filter(|page| !page.title.starts_with(TEMPLATE));
    Ok(pages.count() as u64)
}

/// A table may be a view that never ends.
const PATIENCE: Duration = Duration::from_secs(20);
const MOST_BYTES: usize = 1 << 30;
const PAGE_BYTES: usize = 128;
/// Between two looks at the time.
const STEPS: std::ffi::c_int = 100_000;

#[derive(Debug)]
pub(crate) struct Store {
    connection: Connection,
    path: PathBuf,
}

/// Checks for UTF-8 many bytes at a time.
fn text(row: &rusqlite::Row<'_>) -> rusqlite::Result<String> {
    let bytes = row.get_ref(0)?.as_bytes()?;
    let text = simdutf8::compat::from_utf8(bytes);
    let text = text.map_err(|error| FromSqlConversionFailure(0, Type::Text, Box::new(error)))?;
    Ok(text.to_owned())
}

fn written(row: &rusqlite::Row<'_>) -> rusqlite::Result<Result<Written, String>> {
    const WANTED: &str = "titles and texts are to be text, in UTF-8";
    let (title, text) = (as_text(row.get_ref(0)?), as_text(row.get_ref(1)?));
    Ok(match (title, text) {
        (Err(wrong), _) => Err(format!("a title that is {wrong}; {WANTED}")),
        (Ok(title), _) if title.is_empty() => Err("a page whose title is empty".to_owned()),
        (Ok(title), Err(wrong)) => Err(format!("a page '{title}' whose text is {wrong}; {WANTED}")),
        (Ok(title), Ok(text)) => Ok(Written { title, text }),
    })
}

fn as_text(value: ValueRef<'_>) -> Result<String, &'static str> {
    match value {
        ValueRef::Text(bytes) => match simdutf8::basic::from_utf8(bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => Err("not in UTF-8"),
        },
        ValueRef::Null => Err("NULL"),
        ValueRef::Blob(_) => Err("a BLOB"),
        ValueRef::Integer(_) | ValueRef::Real(_) => Err("a number"),
    }
}

impl Store {
    pub(super) fn make(path: &Path, pages: &[Written]) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let store = Self::with_flags(path, flags)?;
        store.of(store.fill(pages))?;
        Ok(store)
    }

    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        Self::with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
    }

    fn with_flags(path: &Path, flags: OpenFlags) -> Result<Self, StoreError> {
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let path = path.to_owned();
        match Connection::open_with_flags(&path, flags) {
            Ok(connection) => Ok(Self { connection, path }),
            Err(source) => Err(StoreError::Sqlite { path, source }),
        }
    }

    fn of<T>(&self, result: rusqlite::Result<T>) -> Result<T, StoreError> {
        result.map_err(|source| StoreError::Sqlite {
            path: self.path.clone(),
            source,
        })
    }

    fn give_up_after(&mut self, patience: Duration) -> Result<(), StoreError> {
        let until = Instant::now() + patience;
        let is_over = move || Instant::now() > until;
        let set = self.connection.progress_handler(STEPS, Some(is_over));
        self.of(set)
    }

    fn lacks(&self, what: String) -> StoreError {
        let path = self.path.clone();
        StoreError::Lacks { path, what }
    }

    fn fill(&self, pages: &[Written]) -> rusqlite::Result<()> {
        self.connection.execute_batch(SCHEMA)?;
        self.connection.execute_batch("BEGIN")?;
        let mut insert = self
            .connection
            .prepare("INSERT INTO page (title, touched, text) VALUES (?1, 1, ?2)")?;
        for page in pages {
            insert.execute((&page.title, &page.text))?;
        }
        self.connection.execute_batch("COMMIT")
    }

    pub(super) fn keep_parsed<'a>(
        &self,
        pages: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Result<(), StoreError> {
        let keep = || {
            self.connection.execute_batch("BEGIN")?;
            let mut insert = self
                .connection
                .prepare("INSERT INTO parsed SELECT id, touched, ?2 FROM page WHERE title = ?1")?;
            for page in pages {
                insert.execute(page)?;
            }
            self.connection.execute_batch("COMMIT")
        };
        self.of(keep())
    }

    pub(super) fn close(self) -> Result<(), StoreError> {
        let path = self.path;
        let closed = self.connection.close();
        closed.map_err(|(_, source)| StoreError::Sqlite { path, source })
    }

    pub(super) fn read_all(path: &Path) -> Result<Vec<Written>, StoreError> {
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            return Err(StoreError::Lacks {
                path: path.to_owned(),
                what: "no pages: it is no regular file".to_owned(),
            });
        }
        let mut store = Self::open(path)?;
        store.give_up_after(PATIENCE)?;
        let check: String =
            store.of(store
                .connection
                .query_row("PRAGMA quick_check(1)", (), |row| row.get(0)))?;
        if check != "ok" {
            let path = path.to_owned();
            return Err(StoreError::Corrupt { path, what: check });
        }
        let pages = store.select_all()?;
        let twice = pages.windows(2).find(|two| two[0].title == two[1].title);
        if let Some([page, _]) = twice {
            let what = format!(
                "the title '{}' twice; rename or delete one of them",
                page.title
            );
            return Err(store.lacks(what));
        }
        if let Some(page) = pages.iter().find(|page| page.text.len() > LONGEST_TEXT) {
            let what = format!("a page '{}' of more than 16 MiB", page.title);
            return Err(store.lacks(what));
        }
        if pages.iter().all(|page| page.title.starts_with(TEMPLATE)) {
            return Err(store.lacks("no pages".to_owned()));
        }
        Ok(pages)
    }

    /// In order of their titles. SQLite would sort a view that does not end into files, as large as the disk.
    fn select_all(&self) -> Result<Vec<Written>, StoreError> {
        let mut select = self.of(self.connection.prepare("SELECT title, text FROM page"))?;
        let rows = self.of(select.query_map((), written))?;
        let mut bytes = 0;
        let found = rows.map(|row| {
            let page = self.of(row)?.map_err(|what| self.lacks(what))?;
            bytes += page.title.len() + page.text.len() + PAGE_BYTES;
            match bytes > MOST_BYTES {
                true => Err(self.lacks("more than 1 GiB of pages; use fewer of them".to_owned())),
                false => Ok(page),
            }
        });
        let mut pages: Vec<Written> = found.collect::<Result<_, _>>()?;
        pages.sort_by(|one, other| one.title.cmp(&other.title));
        Ok(pages)
    }

    pub(super) fn read<T>(
        &self,
        read: impl FnOnce(&Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let run = |sql| self.connection.prepare_cached(sql)?.execute(());
        self.of(run("BEGIN"))?;
        let read = read(self);
        self.of(run("COMMIT"))?;
        read
    }

    pub(super) fn text(&self, title: &str) -> Result<Option<String>, StoreError> {
        self.one("SELECT text FROM page WHERE title = ?1", title)
    }

    pub(super) fn parsed(&self, title: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT html FROM page JOIN parsed ON parsed.page = page.id \
                   WHERE title = ?1 AND parsed.touched = page.touched";
        self.one(sql, title)
    }

    fn one(&self, sql: &str, title: &str) -> Result<Option<String>, StoreError> {
        let select = || {
            let mut select = self.connection.prepare_cached(sql)?;
            select.query_row((title,), text).optional()
        };
        self.of(select())
    }

    pub(super) fn no_page(&self, title: &str) -> StoreError {
        self.lacks(format!("no page '{title}' any more"))
    }
}

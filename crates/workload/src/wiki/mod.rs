//! `wiki`: pages from a store, made into HTML (docs/workloads/wiki.md), as Inoue and Nakatani
//! (2010) ran MediaWiki on PHP: work of text and of an allocator whose blocks live for one request.
//! ```text
//! title ─▶ store ─▶ text ─▶ marks ─▶ blocks and inlines ─▶ html ─▶ checked, freed
//!            └─▶ templates: text ─▶ marks ─▶ blocks ───────┘
//!            └─▶ parser cache: html ────────────────────────────▶ checked, freed
//! ```
//! Self-check: the cell answers each page once before it makes flows, and notes a sum over its
//! bytes. An answer that differs fails the slot. The proof counts requests and adds those sums.

mod block;
mod escape;
mod generate;
mod html;
mod inline;
mod marks;
mod prepared;
mod profile;
mod request;
mod source;
mod store;
mod table;
#[cfg(test)]
mod tests;
mod tree;

use std::path::{Path, PathBuf};

use flow::placement::Cpus;
use flow::{Answer, NoSink, SlotProcess};
use serde::{Deserialize, Serialize};

use crate::work::{at_least_1, refused, require};
use crate::workload::{FileWords, Files};
use crate::{Bytes, Scaled, Work, WorkError, Workload, usual};
pub use generate::pages as generated;
pub use prepared::{Desk, PreparedStore};
pub use profile::profile;
pub use request::html_of;
pub(crate) use store::Store;
pub use store::{StoreError, Written, check_store};

/// Parameters of `wiki`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wiki {
    /// Requests of all flows in a repetition, a unit each.
    pub requests: u64,
    /// Number of pages; of a user's store the first N by title.
    #[serde(default = "usual::number::<USUAL_PAGES>")]
    pub pages: u64,
    /// Typical length of a page; single ones are up to five times as long.
    #[serde(default = "usual::bytes::<{ USUAL_PAGE_SIZE.0 }>")]
    pub page_size: Bytes,
    /// Whether the parser cache is asked first.
    #[serde(default)]
    pub cache: bool,
    /// A user's store, only read; if not given, pages are made from the seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<PathBuf>,
    /// Seed of pages and requests.
    #[serde(default)]
    pub seed: u64,
}

/// Default number of pages: that of the published study.
pub const USUAL_PAGES: u64 = 60;
/// Default typical length of a page.
pub const USUAL_PAGE_SIZE: Bytes = Bytes(8 << 10);
/// All pages are answered once before each slot.
pub const MOST_PAGES: u64 = 10_000;
/// Allowed typical lengths.
pub const PAGE_SIZES: std::ops::RangeInclusive<Bytes> = Bytes(256)..=Bytes(1 << 20);

impl Wiki {
    /// Approximate bytes of a slot's store on disk (texts, HTML); of a user's, the file's length.
    #[must_use]
    pub fn file_bytes(&self) -> u64 {
        let texts = match &self.store {
            Some(store) => store.metadata().map_or(0, |file| file.len()),
            None => self.pages * self.page_size.0,
        };
        texts * 4
    }

    pub(crate) fn page_store(&self) -> Files<'static> {
        Files {
            folder: None,
            bytes: self.file_bytes(),
            words: FileWords {
                whose: "a page store",
                what: "the page store needs",
                fewer: "use fewer or smaller pages",
                elsewhere: "name a folder of results on another disk: --out DIR",
            },
        }
    }
}

impl Workload for Wiki {
    fn units(&self) -> u64 {
        self.requests
    }

    fn check(&self) -> Result<(), WorkError> {
        at_least_1(&[("requests", self.requests)])?;
        let (pages, size) = (self.pages, self.page_size);
        require((1..=MOST_PAGES).contains(&pages), || {
            format!("a wiki of {pages} pages will not do: use 1 to {MOST_PAGES}")
        })?;
        require(PAGE_SIZES.contains(&size), || {
            format!(
                "pages of about {size} will not do: use {} to {}, such as page_size = \"8K\"",
                PAGE_SIZES.start(),
                PAGE_SIZES.end()
            )
        })
    }

    fn run(&self, slot: &SlotProcess<Work>) -> Answer {
        match self.prepared(slot.scratch()) {
            Ok(prepared) => slot.run(&prepared, &mut NoSink),
            Err(error) => Answer::from_error(&std::io::Error::other(error)),
        }
    }

    fn check_here(&self, _cpus: &Cpus) -> Result<(), WorkError> {
        check_own_store(self.store.as_deref())
    }

    fn parts(&self) -> Vec<String> {
        request::PARTS.map(str::to_owned).to_vec()
    }

    fn files(&self) -> Option<Files<'_>> {
        Some(self.page_store())
    }

    fn store(&self) -> Option<&Path> {
        self.store.as_deref()
    }

    fn scaled(&self) -> Option<Scaled> {
        Some(Scaled::by_flow("requests", self.requests))
    }

    fn with_parts(&self, now: u32, parts: u64) -> Option<Work> {
        Some(Work::Wiki(Self {
            requests: (self.requests / u64::from(now)).max(1) * parts,
            ..self.clone()
        }))
    }
}

pub(crate) fn check_own_store(store: Option<&Path>) -> Result<(), WorkError> {
    let checked = store.map_or(Ok(()), |store| check_store(store).map(drop));
    checked.or_else(|error| refused(error.to_string()))
}

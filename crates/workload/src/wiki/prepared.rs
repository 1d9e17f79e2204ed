//! A wiki about to run: its store and the expected HTML of each page.

use std::path::{Path, PathBuf};

use flow::{Body, Latencies, Outlet, Proof};
use measure::clock::now_ns;
use measure::give_up;

use super::request::respond;
use super::store::{Store, StoreError, TEMPLATE, Written};
use super::{Wiki, generate};
use crate::draw::{Checksum, Draw};

/// The store of a slot, and what is known of its pages.
#[derive(Debug)]
pub struct PreparedStore {
    wiki: Wiki,
    path: PathBuf,
    /// Titles, each with the sum of its HTML.
    pages: Vec<(String, u64)>,
}

const FILE: &str = "wiki.sqlite";

impl Wiki {
    /// Makes the store in `folder` and answers each page once; fails on a user's store that cannot
    /// be read or is corrupt, or a `folder` that takes no file.
    pub fn prepared(&self, folder: Option<&Path>) -> Result<PreparedStore, StoreError> {
        let path = folder.unwrap_or(Path::new(".")).join(FILE);
        let written = self.written()?;
        let store = Store::make(&path, &written)?;
        let titles = written.into_iter().map(|page| page.title);
        let titles = titles.filter(|title| !title.starts_with(TEMPLATE));
        let mut pages = Vec::new();
        let mut parsed = Vec::new();
        for title in titles.take(usize::try_from(self.pages).unwrap_or(usize::MAX)) {
            let html = respond(&store, &title, false)?;
            let html = html.ok_or_else(|| store.no_page(&title))?;
            pages.push((title, Checksum::of_bytes(html.as_bytes())));
            parsed.push(html);
        }
        let titles = pages.iter().map(|(title, _)| title.as_str());
        store.keep_parsed(titles.zip(parsed.iter().map(String::as_str)))?;
        store.close()?;
        Ok(PreparedStore {
            wiki: self.clone(),
            path,
            pages,
        })
    }

    fn written(&self) -> Result<Vec<Written>, StoreError> {
        match &self.store {
            Some(store) => Store::read_all(store),
            None => Ok(generate::pages(self.pages, self.page_size.0, self.seed)),
        }
    }
}

impl PreparedStore {
    pub(crate) fn pages(&self) -> &[(String, u64)] {
        &self.pages
    }

    pub(crate) fn html(&self, store: &Store, title: &str) -> Result<Option<String>, StoreError> {
        respond(store, title, self.wiki.cache)
    }

    pub(crate) fn store(&self) -> Result<Store, StoreError> {
        Store::open(&self.path)
    }

    fn answer(&self, desk: &Desk, place: usize) -> Result<u64, String> {
        let (title, sum) = &self.pages[place];
        let html = self.html(&desk.store, title);
        let html = html.map_err(|error| error.to_string())?;
        if html.is_some_and(|html| Checksum::of_bytes(html.as_bytes()) == *sum) {
            return Ok(*sum);
        }
        Err(format!(
            "the page '{title}' of {} became something else than before: the store was \
             changed, or memory is faulty",
            self.path.display()
        ))
    }
}

/// What a flow needs to answer requests.
#[derive(Debug)]
pub struct Desk {
    store: Store,
    latencies: Latencies,
}

impl Body for PreparedStore {
    type State = Desk;
    const SENDS: bool = false;
    const TIMES: bool = true;

    fn units(&self) -> u64 {
        self.wiki.requests
    }

    fn describe(&self, unit: u64) -> String {
        format!("request {}", unit + 1)
    }

    fn stack_bytes(&self) -> usize {
        // SQLite, and a parser that recurses.
        1 << 20
    }

    fn state(&self, _flow: usize) -> Desk {
        Desk {
            store: self.store().unwrap_or_else(|error| give_up(error)),
            latencies: Latencies::default(),
        }
    }

    fn unit(&self, desk: &mut Desk, unit: u64, _outlet: &mut Outlet<'_>) -> Proof {
        let begun_ns = now_ns();
        let place = Draw::new(self.wiki.seed, unit).below(self.pages.len() as u32) as usize;
        let answered = self.answer(desk, place);
        desk.latencies.add(now_ns() - begun_ns);
        match answered {
            Ok(sum) => Proof {
                count: 1,
                checksum: sum,
            },
            Err(wrong) => give_up(format_args!("request {} failed: {wrong}", unit + 1)),
        }
    }

    fn latencies<'s>(&self, desk: &'s Desk) -> Option<&'s Latencies> {
        Some(&desk.latencies)
    }
}

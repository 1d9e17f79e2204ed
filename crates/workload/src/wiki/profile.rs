//! How long each step of a request takes, for the figures of docs/workloads/wiki.md.

use std::path::Path;

use measure::usage;

use super::block::blocks;
use super::marks::Marks;
use super::request::{render, respond};
use super::source::Source;
use super::store::{Store, StoreError, TEMPLATE, Written};
use super::{USUAL_PAGES, generate};
use crate::draw::Checksum;

/// Steps of a request, in us of CPU a page over `requests` pages; each includes those to its left.
pub fn profile(
    folder: &Path,
    page_size: u64,
    requests: u64,
) -> Result<Vec<(&'static str, f64)>, StoreError> {
    let written = generate::pages(USUAL_PAGES, page_size, 1);
    let store = Store::make(&folder.join("profile.sqlite"), &written)?;
    let pages = articles(&written);
    let html = pages.iter().map(|page| rendered(&written, page));
    let profile = Profile {
        html: html.collect::<Result<_, _>>()?,
        pages,
        written: &written,
        store,
    };
    let steps: [(&str, Step<'_>); 6] = [
        ("the page's text from the store", Profile::text),
        ("its marks", Profile::marks),
        ("marks, tree, and freeing them", Profile::tree),
        ("all but the store, with templates", Profile::without_store),
        ("all, with the store", Profile::all),
        ("the check of the answer", Profile::check),
    ];
    let timed = steps.map(|(name, step)| (name, profile.us_a_page(step, requests)));
    Ok(timed.into())
}

struct Profile<'a> {
    written: &'a [Written],
    pages: Vec<&'a Written>,
    html: Vec<String>,
    store: Store,
}

/// The answer keeps the work from being optimised away.
type Step<'a> = fn(&Profile<'a>, usize) -> usize;

impl<'a> Profile<'a> {
    fn us_a_page(&self, step: Step<'a>, requests: u64) -> f64 {
        let before = usage::this_thread();
        let places = (0..self.pages.len()).cycle().take(requests as usize);
        let done: usize = places.map(|place| step(self, place)).sum();
        std::hint::black_box(done);
        usage::this_thread().since(before).cpu_ns as f64 / 1e3 / requests as f64
    }

    fn text(&self, place: usize) -> usize {
        let text = self.store.text(&self.pages[place].title);
        text.ok().flatten().map_or(0, |text| text.len())
    }

    fn marks(&self, place: usize) -> usize {
        Marks::of(&self.pages[place].text).all().len()
    }

    fn tree(&self, place: usize) -> usize {
        let text = &self.pages[place].text;
        let marks = Marks::of(text);
        let source = Source {
            text,
            marks: &marks,
        };
        blocks(source, 0, text.len(), 0).len()
    }

    fn without_store(&self, place: usize) -> usize {
        rendered(self.written, self.pages[place]).map_or(0, |html| html.len())
    }

    fn all(&self, place: usize) -> usize {
        let html = respond(&self.store, &self.pages[place].title, false);
        html.ok().flatten().map_or(0, |html| html.len())
    }

    fn check(&self, place: usize) -> usize {
        Checksum::of_bytes(self.html[place].as_bytes()) as usize & 1
    }
}

pub(super) fn rendered(written: &[Written], page: &Written) -> Result<String, StoreError> {
    let template = |title: &str| -> Result<Option<String>, StoreError> {
        let page = written.iter().find(|page| page.title == title);
        Ok(page.map(|page| page.text.clone()))
    };
    render(&page.title, page.text.clone(), template)
}

pub(super) fn articles(written: &[Written]) -> Vec<&Written> {
    let is_article = |page: &&Written| !page.title.starts_with(TEMPLATE);
    written.iter().filter(is_article).collect()
}

//! How long each step of a request takes, for the figures of docs/workloads/wiki.md.

use std::path::Path;

use measure::usage;

use super::block::blocks;
use super::inline::Source;
use super::marks::Marks;
use super::request::{render, respond};
use super::store::{Store, StoreError, TEMPLATE, Written};
use super::{USUAL_PAGES, generate};
use crate::draw::Checksum;

/// Names of steps, with the microseconds of CPU that each takes a page, over `requests` pages
/// of about `page_size` bytes; what stands to the right of another step holds that one too.
///
/// # Errors
/// No folder or store can be made.
pub fn profile(
    folder: &Path,
    page_size: u64,
    requests: u64,
) -> Result<Vec<(&'static str, f64)>, StoreError> {
    let written = generate::pages(USUAL_PAGES, page_size, 1);
    let store = Store::make(&folder.join("profile.sqlite"), &written)?;
    let pages = articles(&written);
    let templates = |title: &str| -> Result<Option<String>, StoreError> {
        let page = written.iter().find(|page| page.title == title);
        Ok(page.map(|page| page.text.clone()))
    };
    let rendered = |page: &&Written| render(&page.title, page.text.clone(), templates);
    let html: Vec<String> = pages.iter().map(rendered).collect::<Result<_, _>>()?;
    let over = |step: &mut dyn FnMut(usize, &Written) -> usize| {
        let before = usage::this_thread();
        let places = (0..pages.len()).cycle().take(requests as usize);
        let done: usize = places.map(|place| step(place, pages[place])).sum();
        std::hint::black_box(done);
        usage::this_thread().since(before).cpu_ns as f64 / 1e3 / requests as f64
    };
    let text = |title: &str| store.text(title).ok().flatten().unwrap_or_default();
    Ok(vec![
        (
            "the page's text from the store",
            over(&mut |_, page| text(&page.title).len()),
        ),
        (
            "its marks",
            over(&mut |_, page| Marks::of(&page.text).all().len()),
        ),
        (
            "marks, tree, and freeing them",
            over(&mut |_, page| {
                let marks = Marks::of(&page.text);
                let source = Source {
                    text: &page.text,
                    marks: &marks,
                };
                blocks(source, 0, page.text.len(), 0).len()
            }),
        ),
        (
            "all but the store, with templates",
            over(&mut |_, page| rendered(&page).map_or(0, |html| html.len())),
        ),
        (
            "all, with the store",
            over(&mut |_, page| {
                let html = respond(&store, &page.title, false);
                html.ok().flatten().map_or(0, |html| html.len())
            }),
        ),
        (
            "the check of the answer",
            over(&mut |place, _| {
                let mut sum = Checksum::default();
                sum.add_bytes(html[place].as_bytes());
                sum.0 as usize & 1
            }),
        ),
    ])
}

/// The pages that are no templates.
fn articles(written: &[Written]) -> Vec<&Written> {
    let is_article = |page: &&Written| !page.title.starts_with(TEMPLATE);
    written.iter().filter(is_article).collect()
}

//! The pages that are made of a seed.

use super::profile::{articles, rendered};
use super::*;
use crate::draw::Checksum;

#[test]
fn pages_are_those_of_their_seed_and_about_as_long_as_asked() {
    let pages = generated(60, 8 << 10, 7);
    assert_eq!(pages, generated(60, 8 << 10, 7));
    assert_ne!(pages, generated(60, 8 << 10, 8));
    let mut lengths: Vec<usize> = pages.iter().take(60).map(|page| page.text.len()).collect();
    lengths.sort_unstable();
    assert!((6_500..12_000).contains(&lengths[30]), "{lengths:?}");
    assert!(
        lengths[59] > 2 * lengths[30] && lengths[0] < lengths[30] / 2,
        "{lengths:?}"
    );
    for page in &pages {
        let html = rendered(&pages, page).unwrap();
        assert_eq!(fault(&html), None, "{}", page.title);
        assert!(!html.contains("class=\"new\""), "{html}");
    }
}

/// A page that comes out otherwise than before is another work: results of before no longer
/// compare, so anyone who changes it does so here too, on purpose.
#[test]
fn the_usual_pages_of_seed_0_are_what_they_always_were() {
    let pages = generated(USUAL_PAGES, USUAL_PAGE_SIZE.0, 0);
    let (mut texts, mut htmls) = (0_u64, 0_u64);
    for page in articles(&pages) {
        let html = rendered(&pages, page).unwrap();
        texts = texts.wrapping_add(Checksum::of_bytes(page.text.as_bytes()));
        htmls = htmls.wrapping_add(Checksum::of_bytes(html.as_bytes()));
    }
    assert_eq!(
        (texts, htmls),
        (15_243_983_771_812_810_752, 16_469_375_946_811_775_872)
    );
}

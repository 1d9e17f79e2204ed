//! The pages that are made of a seed.

use super::*;

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
    let find = |title: &str| -> Result<_, Infallible> {
        let page = pages.iter().find(|page| page.title == title);
        Ok(page.map(|page| page.text.clone()))
    };
    for page in &pages {
        let html = render(&page.title, page.text.clone(), find).unwrap();
        assert_eq!(fault(&html), None, "{}", page.title);
        assert!(!html.contains("class=\"new\""), "{html}");
    }
}

/// A page that comes out otherwise than before is another work: results of before no longer
/// compare, so anyone who changes it does so here too, on purpose.
#[test]
fn the_usual_pages_of_seed_0_are_what_they_always_were() {
    let pages = generated(USUAL_PAGES, USUAL_PAGE_SIZE.0, 0);
    let find = |title: &str| -> Result<Option<String>, Infallible> {
        let found = pages.iter().find(|page| page.title == title);
        Ok(found.map(|page| page.text.clone()))
    };
    let (mut texts, mut htmls) = (0_u64, 0_u64);
    let articles = pages
        .iter()
        .filter(|page| !page.title.starts_with(store::TEMPLATE));
    for page in articles {
        let html = render(&page.title, page.text.clone(), find).unwrap();
        texts = texts.wrapping_add(sum_of(page.text.as_bytes()));
        htmls = htmls.wrapping_add(sum_of(html.as_bytes()));
    }
    assert_eq!(
        (texts, htmls),
        (15_243_983_771_812_810_752, 16_469_375_946_811_775_872)
    );
}

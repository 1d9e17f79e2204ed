//! What a reader can try on a row rests on what the row says.

use report::html;
use serde_json::Value;

use crate::support::full::full;
use crate::support::results;

/// The block of data of a page.
fn lesson(page: &str) -> Value {
    let block = page.split("id=\"lesson\">").nth(1).expect("the block");
    serde_json::from_str(block.split("</script>").next().unwrap_or_default()).expect("JSON")
}

fn rows(data: &Value) -> impl Iterator<Item = &Value> {
    data["rows"].as_array().expect("rows").iter()
}

/// A reader who tosses the coin sees the rounds that the row was decided by, not others.
#[test]
fn the_rounds_of_a_lesson_give_the_ratio_of_its_row() {
    let data = lesson(&html::page(&results()));
    let decided = rows(&data).filter(|row| row["rounds"].is_array());
    let checked = decided.map(|row| {
        let rounds = row["rounds"].as_array().expect("rounds");
        let side = |at: usize| rounds.iter().filter_map(move |one| one[at].as_f64());
        let (reference, subject): (Vec<f64>, Vec<f64>) = side(1).zip(side(2)).unzip();
        let again = stats::estimate(&reference, &subject, 0.016).expect("an estimate");
        let ratio = row["ratio"].as_f64().expect("a ratio");
        assert!((again.ratio / ratio - 1.0).abs() < 1e-9, "{row:#}");
        let p = stats::p_value(&reference, &subject).expect("a p-value");
        assert_eq!(row["p"].as_f64(), Some(p), "{row:#}");
    });
    assert!(checked.count() > 0);
}

#[test]
fn every_row_of_the_first_screen_has_the_command_that_repeats_it() {
    let page = html::page(&full(lab::Preset::Quick, 10));
    let folds: Vec<&str> = page.split("<details class=\"try\"").skip(1).collect();
    assert!(folds.len() > 10, "{}", folds.len());
    for fold in folds {
        assert!(fold.contains("<code>flowgauge "), "{fold:.900}");
    }
}

/// Their scripts are part of every page that is sent.
#[test]
fn the_scripts_of_lessons_are_small() {
    let page = html::page(&results());
    let script = page.split("<script>{").nth(1).expect("a script");
    let script = script.split("</script>").next().unwrap_or_default();
    assert!(script.len() < 20_000, "{}", script.len());
}

/// The sum of the shares is one, and a sum of ranks is as likely as its mirror.
#[test]
fn the_falls_of_a_coin_are_all_counted() {
    for n in [1, 7, 10, 80] {
        let most = n * (n + 1) / 2;
        let all: f64 = (0..=most).map(|w| stats::signed_rank_share(n, w)).sum();
        assert!((all - 1.0).abs() < 1e-9, "{n}: {all}");
    }
    assert_eq!(stats::signed_rank_share(7, 0), 1.0 / 128.0);
    assert_eq!(stats::signed_rank_share(7, 28), 1.0 / 128.0);
}

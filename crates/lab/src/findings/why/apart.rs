use super::{Reason, Weight};
use crate::data::number::factor;

const FAR: f64 = 1.5;

pub(super) fn are_apart([subject, reference]: [f64; 2], at_least: f64) -> bool {
    let (less, more) = (subject.min(reference), subject.max(reference));
    more - less > at_least && more >= FAR * less
}

/// Both counts as `said`, subject and reference, and by how much they lie apart; `below` is the word for less.
pub(super) fn apart(
    [subject, reference]: [f64; 2],
    (at_least, below): (f64, &str),
    said: impl FnOnce(f64, f64) -> String,
) -> Option<Reason> {
    if !are_apart([subject, reference], at_least) {
        return None;
    }
    let (less, more) = (subject.min(reference), subject.max(reference));
    let word = if subject < reference { below } else { "more" };
    // " (38x fewer)", " (2.1x more)"; empty if one side has none.
    let by = match less > 0.0 {
        true => format!(" ({} {word})", factor(more / less)),
        false => String::new(),
    };
    Some(Reason {
        // A handful counts as none, not as infinitely many times less.
        weight: Weight::Count(more / less.max(at_least).max(1.0)),
        text: said(subject, reference) + &by,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_counts_and_handfuls_are_not_apart() {
        assert!(!are_apart([100.0, 149.0], 20.0));
        assert!(!are_apart([2.0, 20.0], 20.0));
    }

    #[test]
    fn the_word_is_the_subjects() {
        let words = |s, r| {
            let found = apart([s, r], (20.0, "fewer"), |_, _| String::new());
            found.unwrap().text
        };
        assert_eq!(words(100.0, 150.0), " (1.50x fewer)");
        assert_eq!(words(150.0, 100.0), " (1.50x more)");
        assert_eq!(words(0.0, 100.0), "");
    }
}

//! Whether two counts lie far apart, and how that is said.

use super::Weight;
use crate::data::number::factor;

/// Counts are far apart from this factor on.
const FAR: f64 = 1.5;

/// Two counts that lie far apart.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Apart {
    /// " (38x fewer)", " (2.1x more)", or nothing where one of them is none.
    pub(super) words: String,
    pub(super) weight: Weight,
}

/// Compares the subject's count with the reference's. Fewer than `at_least` between them
/// explain nothing; `below` is the word for a subject that has less.
pub(super) fn apart(subject: f64, reference: f64, at_least: f64, below: &str) -> Option<Apart> {
    let (less, more) = (subject.min(reference), subject.max(reference));
    if more - less <= at_least || more < FAR * less {
        return None;
    }
    let word = if subject < reference { below } else { "more" };
    let words = match less > 0.0 {
        true => format!(" ({} {word})", factor(more / less)),
        false => String::new(),
    };
    // Below a handful a count is as good as none, and not infinitely many times less.
    let weight = Weight::Count(more / less.max(at_least).max(1.0));
    Some(Apart { words, weight })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_counts_and_handfuls_are_not_apart() {
        assert_eq!(apart(100.0, 149.0, 20.0, "fewer"), None);
        assert_eq!(apart(2.0, 20.0, 20.0, "fewer"), None);
    }

    #[test]
    fn the_word_is_the_subjects() {
        let words = |s, r| apart(s, r, 20.0, "fewer").unwrap().words;
        assert_eq!(words(100.0, 150.0), " (1.50x fewer)");
        assert_eq!(words(150.0, 100.0), " (1.50x more)");
        assert_eq!(words(0.0, 100.0), "");
    }
}

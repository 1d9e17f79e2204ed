use super::Weight;
use crate::data::number::factor;

const FAR: f64 = 1.5;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Apart {
    /// " (38x fewer)", " (2.1x more)"; empty if one side has none.
    pub(super) words: String,
    pub(super) weight: Weight,
}

/// Differences below `at_least` explain nothing; `below` is the word for less.
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
    // A handful counts as none, not as infinitely many times less.
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

//! Guess first: for a class, the page hides what it found until everybody has said what to expect.

use maud::{Markup, html};

/// It is seen where the address of the page ends with `#class`.
pub(super) fn guess() -> Markup {
    html! {
        section.guess #class aria-labelledby="guess-first" {
            h2 #guess-first { "Guess first" }
            p {
                "Everything that was found is hidden. For each question set your guess of how many times as long the "
                "first side takes, and how sure you are: a range that holds the measured ratio in nine questions of ten."
            }
            noscript { p.warning { "Guessing needs scripts, which are off here: the page shows everything." } }
        }
    }
}

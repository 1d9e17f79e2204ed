//! Guess first: a class says what to expect before the page (`#class`) shows what it found.

use maud::{Markup, html};

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

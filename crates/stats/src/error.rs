use std::fmt;

/// Which of the two compared variants a value belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The variant that the other is compared with.
    Reference,
    /// The variant that is judged.
    Subject,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Reference => "reference",
            Side::Subject => "subject",
        })
    }
}

/// Why values or settings cannot be used. Every message says what to do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StatsError {
    /// There is no value at all.
    #[error("no values: measure at least one round before asking for a result")]
    Empty,
    /// The two sides are not paired.
    #[error(
        "{reference} reference values but {subject} subject values: \
         drop the rounds in which either slot failed, so that the values pair up"
    )]
    Unpaired {
        /// Number of reference values.
        reference: usize,
        /// Number of subject values.
        subject: usize,
    },
    /// A time that cannot be a time.
    #[error(
        "round {round}: the {side} value is {value}, but a time must be finite and above zero: \
         leave out failed slots, and make a repetition longer if the clock reads 0"
    )]
    NotATime {
        /// Round of the value, counted from 1.
        round: usize,
        /// Side of the value.
        side: Side,
        /// The value itself.
        value: f64,
    },
    /// An amount that is no number.
    #[error("round {round}: the {side} value is no finite number: leave that round out")]
    NotFinite {
        /// Round of the value, counted from 1.
        round: usize,
        /// Side of the value.
        side: Side,
    },
    /// More rounds than the exact interval is made for.
    #[error("{rounds} rounds: use at most {most}; more launches are better spent on a longer slot")]
    TooManyRounds {
        /// Rounds asked for.
        rounds: usize,
        /// The most that can be used.
        most: usize,
    },
    /// A plan of no rounds.
    #[error(
        "a plan of 0 rounds can find nothing: ask for at least 1, and for 7 to get an interval"
    )]
    NoRounds,
    /// A level outside 0..1.
    #[error("alpha is {0}: give a probability above 0 and below 1, such as 0.05")]
    Alpha(f64),
    /// A floor that is not a fraction.
    #[error("the floor is {0}: give a fraction of 0 or more, such as 0.01 for 1 %")]
    Floor(f64),
    /// A rule for no comparison.
    #[error("a rule for 0 comparisons: give the number of pairs that are compared, at least 1")]
    NoComparisons,
}

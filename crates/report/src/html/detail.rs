//! How much a page holds: all of it where that is small, and less where it is not.
//!
//! # Theory
//!
//! A page is to be sent, so it has a bound ([`MOST`]), and it must keep it however many studies,
//! rounds and variants there were. It is made with everything in it; if that is too large, again
//! with one thing less, and so on. What goes first is what few would read on the page and what a
//! file beside it holds in full; verdicts, intervals and reasons never go. The page says what it
//! left out, and where that is.

/// Bytes that a page stays below, as far as leaving charts out can do that.
pub(crate) const MOST: usize = 500_000;

/// How much is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Detail {
    /// Nothing.
    All,
    /// The tables below the charts of slots.
    NoTablesOfSlots,
    /// Charts of the points of a sweep, but for the first and the last.
    FirstAndLast,
    /// Charts of all points of sweeps, and the distributions.
    NoPoints,
    /// Every chart of a case, and the tables of numbers below charts.
    Verdicts,
}

impl Detail {
    /// From everything to the least.
    pub(crate) const LEVELS: [Self; 5] = [
        Self::All,
        Self::NoTablesOfSlots,
        Self::FirstAndLast,
        Self::NoPoints,
        Self::Verdicts,
    ];

    /// Whether charts of slots have their values below.
    pub(crate) fn has_tables_of_slots(self) -> bool {
        self < Self::NoTablesOfSlots
    }

    /// Whether point `place` of so many has charts.
    pub(crate) fn has_point(self, place: usize, points: usize) -> bool {
        match self {
            Self::All | Self::NoTablesOfSlots => true,
            Self::FirstAndLast => place == 0 || place + 1 == points,
            Self::NoPoints | Self::Verdicts => false,
        }
    }

    /// Whether cases have their distributions.
    pub(crate) fn has_distributions(self) -> bool {
        self < Self::NoPoints
    }

    /// Whether cases have charts.
    pub(crate) fn has_charts(self) -> bool {
        self < Self::Verdicts
    }

    /// What is left out, in a sentence; none where nothing is.
    pub(crate) fn said(self) -> Option<String> {
        let charts = "flowgauge report DIR --plots PLOTS makes all of them";
        let values = "the values are in slots.csv";
        let what = match self {
            Self::All => return None,
            Self::NoTablesOfSlots => format!("the tables below the charts of slots ({values})"),
            Self::FirstAndLast => format!(
                "the tables below the charts of slots ({values}), and the charts of the inner \
                 points of sweeps, of which the first and the last are shown ({charts})"
            ),
            Self::NoPoints => format!(
                "the tables below the charts of slots ({values}), the charts of the points of \
                 sweeps, and the distributions ({charts})"
            ),
            Self::Verdicts => format!("the charts of single cases ({charts}; {values})"),
        };
        Some(format!("To keep this page small, it leaves out {what}."))
    }
}

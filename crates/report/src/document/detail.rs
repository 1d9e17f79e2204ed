//! How much a page holds: all of it where that is small, and less where it is not.
//!
//! # Theory
//!
//! A page is to be sent, so it has a bound ([`MOST`]), and it must keep it however many studies,
//! rounds and variants there were. It is made with everything in it; if that is too large, with
//! so much less that it fits. What goes first is what few would read on the page and what a
//! file beside it holds in full; verdicts, intervals and the reasons of headlines go last. At the
//! last level, which only studies of very many cases need, the page has as many of its parts as
//! there is room for (`html::room`), the answers before everything else. The page says what it
//! left out, and where that is.

/// Bytes that a page stays below, whatever was run.
pub(crate) const MOST: usize = 500_000;

/// How much is left out: each level leaves out what those before it do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Detail {
    /// Nothing.
    All,
    /// The tables below the charts of slots.
    NoTablesOfSlots,
    /// Charts of the points of a sweep, but for the first and the last.
    FirstAndLast,
    /// What is embedded for programs, but for the headlines.
    BriefData,
    /// Charts of all points of sweeps, and the distributions.
    NoPoints,
    /// Every chart of a single case.
    NoCharts,
    /// What is folded away.
    NoFolds,
    /// What finds no room, and every chart but maps.
    WhatFits,
    /// Nothing more: parts until here are on every page that has room for them.
    Never,
}

/// What is embedded for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Data {
    /// Every case.
    All,
    /// The headline cases.
    Headlines,
    /// How to run it again.
    Nothing,
}

impl Detail {
    /// What is never left out for its kind.
    pub(crate) const NEVER: Self = Self::Never;

    /// From everything to the least.
    pub(crate) const LEVELS: [Self; 8] = [
        Self::All,
        Self::NoTablesOfSlots,
        Self::FirstAndLast,
        Self::BriefData,
        Self::NoPoints,
        Self::NoCharts,
        Self::NoFolds,
        Self::WhatFits,
    ];

    /// Whether charts of slots have their values below.
    pub(crate) fn has_tables_of_slots(self) -> bool {
        self < Self::NoTablesOfSlots
    }

    /// What is embedded for programs.
    pub(crate) fn data(self) -> Data {
        match self {
            _ if self < Self::BriefData => Data::All,
            Self::WhatFits => Data::Nothing,
            _ => Data::Headlines,
        }
    }

    /// Whether only parts are on the page that there is room for.
    pub(crate) fn is_bounded(self) -> bool {
        self == Self::WhatFits
    }

    /// What is left out, in a sentence; none where nothing is.
    pub(crate) fn said(self) -> Option<String> {
        let points = match self < Self::NoPoints {
            true => "the charts of the inner points of sweeps",
            false => "the charts of the points of sweeps, and the distributions",
        };
        let data = match self.data() {
            Data::Nothing => "the data for programs",
            Data::All | Data::Headlines => "the data for programs of all but the headlines",
        };
        let all = [
            (
                Self::NoTablesOfSlots,
                "the tables below the charts of slots",
            ),
            (Self::FirstAndLast, points),
            (Self::BriefData, data),
            (Self::NoCharts, "the other charts of single cases"),
            (
                Self::NoFolds,
                "the reasons at single points, the times of each cell of a map, and the table with the words of its chart",
            ),
            (Self::WhatFits, "the charts of several cases together"),
        ];
        let left = all.iter().filter(|(level, _)| *level <= self);
        let left: Vec<&str> = left.map(|(_, what)| *what).collect();
        (!left.is_empty()).then(|| {
            format!(
                "To keep this page small, it leaves out {}. All of it is beside it, in slots.csv, \
                 summary.csv, findings.csv and findings.json; flowgauge report DIR --plots PLOTS makes every \
                 chart.",
                left.join("; ")
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_level_leaves_out_more_and_says_so() {
        assert!(Detail::LEVELS.is_sorted_by(|a, b| a < b));
        let said = Detail::LEVELS.map(|level| level.said().unwrap_or_default());
        assert_eq!(said[0], "");
        assert!(said.is_sorted_by(|a, b| a != b), "{said:#?}");
        assert!(Detail::LEVELS.iter().all(|level| *level < Detail::NEVER));
    }
}

//! How much a page holds: it is to be sent, so it keeps a bound ([`MOST`]) however much was run.
//! What goes first is what few would read there and a file beside it holds; verdicts, intervals and
//! reasons of headlines go last. At the last level it has the parts for which there is room
//! (`html::room`), the answers first. It says what it left out, and where that is.

pub(crate) const MOST: usize = 600_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Detail {
    All,
    NoTablesOfSlots,
    FirstAndLast,
    BriefData,
    NoPoints,
    NoCharts,
    NoFolds,
    WhatFits,
    /// Parts until here are on every page with room for them.
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Data {
    All,
    Headlines,
    Nothing,
}

impl Detail {
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

    pub(crate) fn has_tables_of_slots(self) -> bool {
        self < Self::NoTablesOfSlots
    }

    pub(crate) fn has_lessons(self) -> bool {
        self < Self::WhatFits
    }

    pub(crate) fn data(self) -> Data {
        match self {
            _ if self < Self::BriefData => Data::All,
            Self::WhatFits => Data::Nothing,
            _ => Data::Headlines,
        }
    }

    pub(crate) fn is_bounded(self) -> bool {
        self == Self::WhatFits
    }

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
            (
                Self::WhatFits,
                "the charts of several cases together, and what can be tried on a row",
            ),
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
        assert!(Detail::LEVELS.iter().all(|level| *level < Detail::Never));
    }
}

use measure::counters::Event;
use serde::{Deserialize, Serialize};
use simulate::{Counts, Merged};

use super::Simulated;

/// One thing that a model counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Count {
    /// Loads and stores.
    Accesses,
    /// Misses of the first-level data cache.
    L1d,
    /// Misses of the second level.
    L2,
    /// Misses of the last level.
    Llc,
    /// Misses of the first-level data TLB.
    Dtlb,
    /// Page walks.
    Walks,
    /// Lines that a store took from another core.
    Taken,
    /// Lines that more than one core used.
    LinesShared,
    /// Lines that more than one core wrote.
    LinesWritten,
    /// Pages that more than one core used.
    PagesShared,
    /// Pages that more than one core wrote.
    PagesWritten,
}

impl Count {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 11] = [
        Self::Accesses,
        Self::L1d,
        Self::L2,
        Self::Llc,
        Self::Dtlb,
        Self::Walks,
        Self::Taken,
        Self::LinesShared,
        Self::LinesWritten,
        Self::PagesShared,
        Self::PagesWritten,
    ];

    /// In files.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.names()[0]
    }

    /// In sentences.
    #[must_use]
    pub fn spoken(self) -> &'static str {
        self.names()[1]
    }

    /// In tables.
    #[must_use]
    pub fn head(self) -> &'static str {
        self.names()[2]
    }

    /// In files, in sentences, in tables.
    fn names(self) -> [&'static str; 3] {
        match self {
            Self::Accesses => ["simulated-accesses", "simulated accesses", "accesses"],
            Self::L1d => [
                "simulated-l1d-misses",
                "simulated misses of the first-level data cache",
                "L1D misses",
            ],
            Self::L2 => [
                "simulated-l2-misses",
                "simulated misses of the second-level cache",
                "L2 misses",
            ],
            Self::Llc => [
                "simulated-llc-misses",
                "simulated misses of the last-level cache",
                "LLC misses",
            ],
            Self::Dtlb => [
                "simulated-dtlb-misses",
                "simulated misses of the data TLB",
                "DTLB misses",
            ],
            Self::Walks => ["simulated-page-walks", "simulated page walks", "page walks"],
            Self::Taken => [
                "simulated-lines-taken",
                "simulated lines taken from another core",
                "lines taken",
            ],
            Self::LinesShared => [
                "simulated-lines-shared",
                "simulated lines that several cores used",
                "lines of several cores",
            ],
            Self::LinesWritten => [
                "simulated-lines-written",
                "simulated lines that several cores wrote",
                "lines written by several",
            ],
            Self::PagesShared => [
                "simulated-pages-shared",
                "simulated pages that several cores used",
                "pages of several cores",
            ],
            Self::PagesWritten => [
                "simulated-pages-written",
                "simulated pages that several cores wrote",
                "pages written by several",
            ],
        }
    }

    /// The number of a slot.
    #[must_use]
    pub fn of(self, slot: &Simulated) -> f64 {
        self.in_merged(&slot.merged)
    }

    /// The number of one merge.
    #[must_use]
    pub fn in_merged(self, merged: &Merged) -> f64 {
        let total = |of: fn(&Counts) -> u64| merged.total(of);
        match self {
            Self::Accesses => total(|counts| counts.accesses),
            Self::L1d => total(|counts| counts.l1d),
            Self::L2 => total(|counts| counts.l2),
            Self::Llc => total(|counts| counts.llc),
            Self::Dtlb => total(|counts| counts.dtlb),
            Self::Walks => total(|counts| counts.walks),
            Self::Taken => total(|counts| counts.taken),
            Self::LinesShared => merged.lines.by_several as f64,
            Self::LinesWritten => merged.lines.written_by_several as f64,
            Self::PagesShared => merged.pages.by_several as f64,
            Self::PagesWritten => merged.pages.written_by_several as f64,
        }
    }

    /// The event that is nearest to it, where a processor counts one.
    #[must_use]
    pub fn event(self) -> Option<Event> {
        match self {
            Self::L1d => Some(Event::L1dMisses),
            Self::Llc => Some(Event::CacheMisses),
            Self::Dtlb => Some(Event::DtlbMisses),
            _ => None,
        }
    }

    /// Whether more work means more of it: then it is shown per unit.
    #[must_use]
    pub fn grows_with_work(self) -> bool {
        !matches!(
            self,
            Self::LinesShared | Self::LinesWritten | Self::PagesShared | Self::PagesWritten
        )
    }
}

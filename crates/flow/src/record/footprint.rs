//! The pages that flows work on, and those shared by flows or cores.

use measure::Measured;
use serde::{Deserialize, Serialize};

/// The pages that hold what the flows of a repetition work on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Footprint {
    /// Bytes of a small page.
    pub page: u64,
    /// Of each flow, in flow order; at most the first 64.
    pub flows: Vec<Touched>,
    /// Of each core that flows are bound to, in order.
    pub cores: Measured<Vec<OfCore>>,
    /// Of all flows: each address space counted by itself.
    pub all: Touched,
    /// Those that more than one flow works on.
    pub by_flows: Measured<Touched>,
    /// Where their number is hidden: no more of them than this many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_flows_at_most: Option<Touched>,
    /// Those that flows of more than one core work on.
    pub by_cores: Measured<Touched>,
    /// Where their number is hidden: no more of them than this many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_cores_at_most: Option<Touched>,
    /// How many of the small pages are in memory.
    pub resident: Measured<u64>,
}

/// A number of pages, small and large.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touched {
    /// Small pages.
    pub small: u64,
    /// Aligned ranges of 2 MiB, each of which a huge page would map at once.
    pub huge: u64,
}

impl std::ops::Add for Touched {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            small: self.small + other.small,
            huge: self.huge + other.huge,
        }
    }
}

/// The pages that the flows of a core work on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfCore {
    /// The lowest CPU of the core.
    pub core: u32,
    /// Its flows.
    pub flows: u32,
    /// Their pages, each once.
    pub touched: Touched,
}

use measure::Measured;
use serde::{Deserialize, Serialize};

use super::latency::Latency;
use super::reach::Reach;

/// What was found by trying.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// How far the TLB reaches.
    pub reach: Measured<Reach>,
    /// Times to answer of the caches, the nearest first.
    pub caches: Measured<Vec<Latency>>,
    /// Time to answer of the memory.
    pub memory: Latency,
}

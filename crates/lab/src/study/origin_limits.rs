//! How many flows the source could have, and where.

use serde::{Deserialize, Serialize};

/// One kind of flow in the source's table of limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OriginLimit {
    /// What the source calls them.
    pub flows: String,
    /// The models of ours that are laid beside them.
    pub models: Vec<flow::Model>,
    /// What limited them.
    pub stopped_by: String,
    /// How many there could be, machine by machine, in the source's order.
    pub counts: Vec<OriginCount>,
}

/// So many flows on one machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OriginCount {
    /// The machine.
    pub on: String,
    /// How many.
    pub flows: u64,
    /// Whether no limit was met up to there.
    #[serde(default)]
    pub or_more: bool,
}

use flow::Model;
use machine::Ceiling;
use serde::{Deserialize, Serialize};

/// How many flows of one variant there can be, and what one costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// The variant's label.
    pub label: String,
    /// Its model.
    pub model: Model,
    /// The lowest room that the machine's limits leave; `None` where none could be read.
    pub room: Option<Ceiling>,
    /// The largest number that was made for real; 0 where none were.
    pub made: u64,
    /// Time to create one, at that number, in ns; `None` where none were made.
    pub create_ns_each: Option<f64>,
    /// Honest memory of one, in bytes; `None` where it is not known.
    pub bytes_each: Option<f64>,
    /// Why it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_not_available: Option<String>,
}

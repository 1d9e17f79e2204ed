use serde::{Deserialize, Serialize};
use stats::Line;

use crate::findings::growth::Shape;

/// How the time of a variant grows with the number of workers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Law {
    /// The sweep.
    pub sweep: String,
    /// The variant's label.
    pub variant: String,
    /// What the workers do (`cpu`).
    pub kind: String,
    /// Smallest and largest number of workers.
    pub counts: [f64; 2],
    /// The line: times in ns over the number of workers.
    pub line: Line,
    /// What one more worker costs over one worker's part of the time.
    pub growth: f64,
    /// The 95 % interval of that; `None` for too few slots.
    pub growth_interval: Option<[f64; 2]>,
    /// What the law is.
    pub shape: Shape,
    /// What it was expected to be, where that can be said.
    pub expected: Option<Shape>,
    /// CPU time over wall time of all workers together, at the largest number.
    pub cpu_share: Option<f64>,
    /// All this in a sentence.
    pub sentence: String,
}

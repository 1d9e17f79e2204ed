use flow::{Fence, Model, Probed};
use machine::Ceiling;
use serde::{Deserialize, Serialize};

/// Allowed error of a prediction: flows, or a share.
const NEAR: (u64, f64) = (8, 0.02);

/// One probe, and the fences that there were not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// Of which flows.
    pub model: Model,
    /// Behind which fence; the last that was tried where none could be had.
    pub fence: Fence,
    /// What came of it.
    pub probed: Probed<Ceiling>,
    /// Fences that were tried before and could not be had, and why.
    pub refused: Vec<(Fence, String)>,
    /// From before its process was started until it was gone, in ns.
    pub took_ns: u64,
}

impl Probe {
    /// Whether the predicted number was made, within 8 flows or 2 %; `None` where nothing was made.
    #[must_use]
    pub fn confirms(&self) -> Option<bool> {
        match &self.probed {
            Probed::NotAvailable { .. } => None,
            Probed::Met {
                predicted, reached, ..
            } => {
                let near = (predicted.count as f64 * NEAR.1).max(NEAR.0 as f64);
                Some(predicted.count.abs_diff(*reached) as f64 <= near)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::Unit;

    fn probe(predicted: u64, reached: u64) -> Probe {
        Probe {
            model: Model::Thread,
            fence: Fence::User,
            probed: Probed::Met {
                predicted: Ceiling {
                    count: predicted,
                    bites: "RLIMIT_NPROC".to_owned(),
                    value: predicted + 1,
                    unit: Unit::Tasks,
                    raise: String::new(),
                    left: predicted,
                    each: 1,
                },
                reached,
                refused_with: Some("EAGAIN".to_owned()),
            },
            refused: Vec::new(),
            took_ns: 1,
        }
    }

    #[test]
    fn a_few_flows_or_a_small_share_more_or_less_confirm() {
        for (predicted, reached) in [(100, 100), (100, 95), (100, 108), (10_000, 10_150)] {
            assert_eq!(probe(predicted, reached).confirms(), Some(true));
        }
        assert_eq!(probe(100, 91).confirms(), Some(false));
        assert_eq!(probe(10_000, 10_250).confirms(), Some(false));
    }
}

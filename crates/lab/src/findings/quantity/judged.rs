use measure::Measured;

use super::compared::of_ratio;
use super::said::sentence;
use super::{Kind, QuantityFinding, Word};
use crate::findings::Finding;

impl QuantityFinding {
    pub(crate) fn judged_as(&self, finding: &Finding) -> Self {
        let Some(estimate) = finding.estimate else {
            return self.clone();
        };
        let mut judged = Self {
            contrast: Measured::Value(of_ratio(estimate)),
            verdict: Word::of_time(finding.verdict),
            ..self.clone()
        };
        judged.sentence = sentence(Kind::Time, &judged, finding.floor);
        judged
    }
}

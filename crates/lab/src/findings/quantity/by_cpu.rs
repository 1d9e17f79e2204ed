//! What CPU time decides where wall time, with its waits for a busy CPU, decides nothing
//! (docs/method.md, "By CPU time"): of the whole, or of one unit or request (CPU share x time). It
//! is named as CPU time, and left out where flows wait by design. All comparisons by CPU time of a
//! run together have 1 % besides the 5 % of wall time ([`SHARE`]), by Bonferroni over all answers,
//! whether or not they speak. A row so decided lets others go first.

use serde::{Deserialize, Serialize};
use stats::{Estimate, Verdict, estimate};

use super::{Compared, Kind, Look, SlotValues, alpha};
use crate::data::{Case, Header, Metric, RawSlot};
use crate::findings::CaseResult;
use crate::findings::paired::rule;

/// The level of CPU time is this part of that of wall time.
const SHARE: usize = 5;

/// In which share of runs an answer by CPU time is wrong at most.
pub const ERROR: f64 = stats::PLAN_ALPHA / SHARE as f64;

/// How two variants compare by their CPU time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ByCpu {
    /// Ratio of CPU times, subject over reference, with its interval.
    pub estimate: Estimate,
    /// What is decided.
    pub verdict: Verdict,
}

pub(crate) fn decides(case: &Case, slots: &[RawSlot], header: &Header, pair: Compared) -> bool {
    let kinds = vec![Kind::Cpu, Kind::CpuShare, Kind::Time];
    let values = SlotValues::of(Look::of(case, header), slots, kinds);
    values.by_cpu(case.metric, pair).is_some()
}

impl SlotValues<'_> {
    /// `None` where it decides nothing, or says nothing of what is compared.
    pub(crate) fn by_cpu(&self, metric: Metric, pair: Compared) -> Option<ByCpu> {
        let (reference, subject) = self.paired_of(&factors(metric)?, pair);
        let alpha = alpha(pair.comparisons * SHARE);
        let estimate = estimate(&reference, &subject, alpha).ok()?;
        let verdict = rule(pair.floor, 1).judge(&estimate);
        verdict.is_decided().then_some(ByCpu { estimate, verdict })
    }
}

fn factors(metric: Metric) -> Option<[Option<Kind>; 2]> {
    match metric {
        Metric::Total | Metric::P99 => Some([Some(Kind::Cpu), None]),
        Metric::Steady | Metric::Unit | Metric::Request => {
            Some([Some(Kind::CpuShare), Some(Kind::Time)])
        }
        Metric::Create | Metric::Switch | Metric::Simulated => None,
    }
}

/// CPU time round by round: the round, the reference, the subject.
pub(crate) fn rounds(
    case: &CaseResult,
    header: &Header,
    [reference, subject]: [usize; 2],
) -> Vec<(usize, f64, f64)> {
    let Some(factors) = factors(case.case.metric) else {
        return Vec::new();
    };
    let look = Look::of(&case.case, header);
    let kinds = factors.into_iter().flatten().collect();
    let values = SlotValues::of(look, &case.slots, kinds);
    let pair = Compared {
        reference,
        subject,
        floor: 0.0,
        comparisons: 1,
    };
    values.rounds_of(&factors, pair)
}

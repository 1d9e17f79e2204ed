//! What rules look at: both sides of a finding, and what its case tells.

use stats::Verdict;

use super::MOST;
use crate::data::Metric;
use crate::findings::counted::Events;
use crate::findings::counts::Counts;
use crate::findings::profile::Profile;
use crate::findings::shared::Shared;

/// One side of a finding.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Side<'a> {
    pub(crate) label: &'a str,
    pub(crate) profile: &'a Profile,
    /// The typical time of what is compared, as tables have it, in ns.
    pub(crate) typical_ns: Option<f64>,
    /// Events that were counted, where they were to be.
    pub(crate) counted: Option<&'a Events>,
}

/// All that is known of a finding.
#[derive(Debug, Clone)]
pub(crate) struct Evidence<'a> {
    pub(crate) subject: Side<'a>,
    pub(crate) reference: Side<'a>,
    pub(crate) metric: Metric,
    pub(crate) verdict: Verdict,
    /// The sentence on the steady phases alone.
    pub(crate) steady: Option<String>,
    /// What sharing does, where the case ran all four models.
    pub(crate) shared: Option<&'a Shared>,
    /// Bytes of a page on the machine of the run.
    pub(crate) page: f64,
}

impl<'a> Evidence<'a> {
    /// Whether the two were found to differ.
    pub(super) fn differ(&self) -> bool {
        matches!(
            self.verdict,
            Verdict::Faster { .. } | Verdict::Slower { .. }
        )
    }

    /// Whether the phases of both are parts of the time that it took.
    pub(super) fn has_phases(&self) -> bool {
        !(self.subject.profile.overlap || self.reference.profile.overlap)
    }

    /// The slower side and the faster one, if they differ.
    pub(super) fn slow_and_fast(&self) -> Option<(Side<'a>, Side<'a>)> {
        match self.verdict {
            Verdict::Faster { .. } => Some((self.reference, self.subject)),
            Verdict::Slower { .. } => Some((self.subject, self.reference)),
            Verdict::Same { .. } | Verdict::CannotTell { .. } => None,
        }
    }

    /// The counts of a side over what is compared.
    pub(super) fn counts(&self, side: Side<'a>) -> &'a Counts {
        match self.metric {
            Metric::Create => &side.profile.create,
            Metric::Steady
            | Metric::Switch
            | Metric::Unit
            | Metric::Request
            | Metric::P99
            | Metric::Simulated => &side.profile.steady,
            Metric::Total => &side.profile.all,
        }
    }

    /// Whether both sides do little else than start and end flows: that this makes the difference is
    /// then what was measured, and no reason for it.
    pub(super) fn is_about_making(&self) -> bool {
        let share = |side: Side<'a>| {
            let phases = side.profile.phases;
            (phases.create_ns + phases.teardown_ns) / phases.total()
        };
        let is_most = |side| share(side) >= MOST;
        self.metric == Metric::Create || is_most(self.subject) && is_most(self.reference)
    }

    /// Whether flows are made within the time that is compared: what is done then explains nothing
    /// of any other time.
    pub(super) fn times_making(&self) -> bool {
        matches!(self.metric, Metric::Total | Metric::Create)
    }

    /// How much longer making and unmaking flows takes on the slower side, in ns, and what
    /// share of the difference that is; of the phases that are compared.
    pub(super) fn making(&self) -> Option<(f64, f64)> {
        let (slow, fast) = self.slow_and_fast()?;
        let (slow, fast) = (slow.profile.phases, fast.profile.phases);
        let create = slow.create_ns - fast.create_ns;
        let making = create + slow.teardown_ns - fast.teardown_ns;
        let steady = slow.steady_ns - fast.steady_ns;
        match self.metric {
            Metric::Create => Some((create, 1.0)),
            Metric::Total if making + steady > 0.0 => Some((making, making / (making + steady))),
            Metric::Total
            | Metric::Steady
            | Metric::Switch
            | Metric::Unit
            | Metric::Request
            | Metric::P99
            | Metric::Simulated => None,
        }
    }
}

use stats::Verdict;

use super::MOST;
use crate::data::Metric;
use crate::findings::counted::Events;
use crate::findings::counts::Counts;
use crate::findings::profile::Profile;
use crate::findings::shared::Shared;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Side<'a> {
    pub(crate) label: &'a str,
    pub(crate) profile: &'a Profile,
    pub(crate) typical_ns: Option<f64>,
    pub(crate) counted: Option<&'a Events>,
}

#[derive(Debug, Clone)]
pub(crate) struct Evidence<'a> {
    pub(crate) subject: Side<'a>,
    pub(crate) reference: Side<'a>,
    pub(crate) metric: Metric,
    pub(crate) verdict: Verdict,
    pub(crate) steady: Option<String>,
    pub(crate) shared: Option<&'a Shared>,
    pub(crate) page: f64,
}

impl Side<'_> {
    pub(super) fn processes(self) -> u32 {
        let variant = &self.profile.variant;
        variant.model.shape(variant.flows).processes
    }
}

impl<'a> Evidence<'a> {
    /// What both sides have of something: the subject, the reference.
    pub(super) fn both(&self, of: impl Fn(Side<'a>) -> Option<f64>) -> Option<[f64; 2]> {
        Some([of(self.subject)?, of(self.reference)?])
    }

    pub(super) fn differ(&self) -> bool {
        self.verdict.is_difference()
    }

    pub(super) fn has_phases(&self) -> bool {
        !(self.subject.profile.overlap || self.reference.profile.overlap)
    }

    pub(super) fn slow_and_fast(&self) -> Option<(Side<'a>, Side<'a>)> {
        match self.verdict {
            Verdict::Faster { .. } => Some((self.reference, self.subject)),
            Verdict::Slower { .. } => Some((self.subject, self.reference)),
            Verdict::Same { .. } | Verdict::CannotTell { .. } => None,
        }
    }

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

    /// Making flows is then what was measured, no reason.
    pub(super) fn is_about_making(&self) -> bool {
        let share = |side: Side<'a>| {
            let phases = side.profile.phases;
            (phases.create_ns + phases.teardown_ns) / phases.total()
        };
        let is_most = |side| share(side) >= MOST;
        self.metric == Metric::Create || is_most(self.subject) && is_most(self.reference)
    }

    /// If not, making flows explains nothing of the compared time.
    pub(super) fn times_making(&self) -> bool {
        matches!(self.metric, Metric::Total | Metric::Create)
    }

    /// Extra ns of making and unmaking flows on the slower side, and their share of the difference.
    pub(super) fn making(&self) -> Option<(f64, f64)> {
        let (making, whole) = self.making_and_whole()?;
        let is_all = self.metric == Metric::Create;
        (is_all || whole > 0.0).then(|| (making, if is_all { 1.0 } else { making / whole }))
    }

    pub(super) fn making_and_whole(&self) -> Option<(f64, f64)> {
        let (slow, fast) = self.slow_and_fast()?;
        let (slow, fast) = (slow.profile.phases, fast.profile.phases);
        let create = slow.create_ns - fast.create_ns;
        let making = create + slow.teardown_ns - fast.teardown_ns;
        let steady = slow.steady_ns - fast.steady_ns;
        match self.metric {
            Metric::Create => Some((create, create)),
            Metric::Total => Some((making, making + steady)),
            Metric::Steady
            | Metric::Switch
            | Metric::Unit
            | Metric::Request
            | Metric::P99
            | Metric::Simulated => None,
        }
    }
}

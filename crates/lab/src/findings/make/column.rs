//! The slots of one variant, and what they are together.

use flow::{Answer, Failure, SlotRecord};
use stats::{Summary, TailSide};

use crate::data::journal::Depth;
use crate::data::{Case, Header, Metric};
use crate::findings::counted::{self, Events};
use crate::findings::ended::Launches;
use crate::findings::ledger::CaseLog;
use crate::findings::profile::{self, Profile};
use crate::findings::requests::requests;
use crate::findings::self_managed::self_managed;
use crate::findings::workers::workers;
use crate::findings::{RawSlot, VariantSummary, average, counts};

pub(super) struct Column<'a> {
    pub(super) label: &'a str,
    pub(super) slots: Vec<&'a RawSlot>,
    pub(super) launched: usize,
    pub(super) lost: Option<String>,
    pub(super) good: Vec<&'a SlotRecord>,
    /// What reasons are taken from; none where verdicts alone are asked for.
    pub(super) profile: Option<Profile>,
    pub(super) counted: Option<Events>,
}

impl<'a> Column<'a> {
    pub(super) fn new(
        case: &'a Case,
        log: &'a CaseLog,
        variant: usize,
        header: &Header,
        depth: Depth,
    ) -> Self {
        let slots = log.slots.iter().filter(|slot| slot.variant == variant);
        let slots: Vec<&RawSlot> = slots.collect();
        let good = slots.iter().filter(|slot| slot.value_ns.is_some());
        let good: Vec<&SlotRecord> = good.filter_map(|slot| slot.outcome.answer.done()).collect();
        let launched = good.len();
        let counted = counted::events(
            &header.settings.events,
            &header.machine.counters.permission,
            case.variants[variant].work.as_ref().unwrap_or(&case.work),
            &good,
        );
        // What an emulator took and used says nothing of any machine.
        let good = match case.metric {
            Metric::Simulated => Vec::new(),
            _ => good,
        };
        let profile = match depth {
            Depth::All => profile::profile(&case.variants[variant].variant, &good),
            Depth::Verdicts => None,
        };
        Self {
            launched,
            lost: None,
            label: &case.variants[variant].label,
            counted,
            profile,
            slots,
            good,
        }
    }

    pub(super) fn times(&self, metric: Metric) -> Vec<f64> {
        profile::reps(&self.good)
            .map(|rep| metric.of(rep))
            .collect()
    }

    pub(super) fn on_average<'b>(
        &'b self,
        case: &Case,
        times: &'b [f64],
        tail: TailSide,
    ) -> average::Side<'b> {
        average::Side {
            label: self.label,
            slots: &self.slots,
            times,
            tail,
            each: match case.work.program() {
                Some(_) => "launch",
                None => "repetition",
            },
        }
    }

    pub(super) fn in_round(&self, round: usize) -> Option<Profile> {
        let mut slots = self.slots.iter();
        let slot = slots.find(|slot| slot.round == round && slot.value_ns.is_some())?;
        profile::profile(
            &self.profile.as_ref()?.variant,
            &[slot.outcome.answer.done()?],
        )
    }

    pub(super) fn values(&self) -> Vec<f64> {
        self.slots.iter().filter_map(|slot| slot.value_ns).collect()
    }

    pub(super) fn summary(&self, case: &Case) -> VariantSummary {
        let profile = self.profile.as_ref();
        let value = Summary::of(&self.values()).ok();
        let total = value.filter(|_| case.metric == Metric::Total);
        VariantSummary {
            label: self.label.to_owned(),
            value,
            undisturbed_ns: self.times(case.metric).into_iter().min_by(f64::total_cmp),
            cpu_ns: profile.and_then(|p| p.all.cpu_ns),
            phases: profile.map(|p| p.phases),
            counts: profile.map(|p| p.all),
            not_counted: counts::not_counted(profile::reps(&self.good)),
            counted: self.counted.clone(),
            memory: profile::memory(&self.good),
            memory_not_available: profile::memory_not_available(&self.good),
            flows: profile.map_or_else(Vec::new, |_| profile::flow_medians(&self.good)),
            parent_end_ns: profile.map(|p| p.parent_end_ns),
            workers: workers(&case.work, &self.good, total.map(|value| value.typical)),
            requests: requests(profile::reps(&self.good)),
            self_managed: self_managed(&self.good),
            imbalance: profile.map(|p| p.imbalance),
            good: self.launched,
            launches: self.launches(case),
            failures: self.failures(),
            lost: self.lost.clone(),
        }
    }

    pub(super) fn launches(&self, case: &Case) -> Option<Launches> {
        case.work.program()?;
        Launches::of(&self.slots).filter(|launches| launches.begun > 0)
    }

    fn failures(&self) -> Vec<(usize, String)> {
        let mut reasons: Vec<(usize, &Failure)> = Vec::new();
        for slot in &self.slots {
            let Answer::Failed { reason, .. } = &slot.outcome.answer else {
                continue;
            };
            match reasons.iter_mut().find(|(_, known)| known.is_like(reason)) {
                Some((count, _)) => *count += 1,
                None => reasons.push((1, reason)),
            }
        }
        let reasons = reasons.into_iter();
        let mut reasons: Vec<(usize, String)> = reasons
            .map(|(count, reason)| (count, reason.to_string()))
            .collect();
        let pilot = self.lost.iter().filter(|_| self.slots.is_empty());
        reasons.extend(pilot.map(|why| (1, why.clone())));
        reasons
    }
}

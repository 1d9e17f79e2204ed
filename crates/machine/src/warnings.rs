//! What about this machine a reader of results must know.

use measure::Measured;
use serde::{Deserialize, Serialize};

use crate::Machine;
use crate::counters::Event;

/// What weakens results or makes a placement meaningless. `Display` says what to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Warning {
    /// Only one CPU may be used.
    #[error(
        "only one CPU may be used: flows take turns, so nothing here tells how a model scales; allow \
         more CPUs (taskset, cpuset) to compare that"
    )]
    OneCpu,
    /// A quota allows less time than the allowed CPUs have.
    #[error(
        "a quota of {quota} CPUs stands against {allowed} allowed CPUs: more busy flows than that are \
         all stopped for part of every period; raise the quota of {group}, or keep the number of busy \
         flows to {}",
        (*quota as usize).max(1)
    )]
    QuotaBelowCpus {
        /// CPUs' worth of time.
        quota: f64,
        /// CPUs that the affinity mask allows.
        allowed: usize,
        /// Directory of the group that sets it.
        group: String,
    },
    /// The affinity mask leaves CPUs out.
    #[error(
        "this process may use {allowed} of the {online} CPUs: results are for these; start it without \
         taskset or cpuset to use all"
    )]
    MaskBelowCpus {
        /// CPUs that it allows.
        allowed: usize,
        /// CPUs that are online.
        online: usize,
    },
    /// Cores are not described, so each CPU is taken for one.
    #[error(
        "this machine does not tell which CPUs share a core: the placements cores and smt are guesses; \
         give a list of CPUs if you know better"
    )]
    CoresUnknown,
    /// Every core has one hardware thread.
    #[error(
        "each core has one hardware thread, or SMT is off: the placement smt is the same as cores; to \
         compare them, turn SMT on in the firmware"
    )]
    NoSmt,
    /// Some cores are faster than others.
    #[error(
        "some cores are faster than others: a flow's speed depends on where it runs; give a list of \
         CPUs of one kind"
    )]
    Hybrid,
    /// A governor keeps the clock speed low until load has lasted.
    #[error(
        "the frequency governor is {governor}: CPUs start slow and short runs are measured while they \
         speed up; sudo cpupower frequency-set -g performance"
    )]
    SlowGovernor {
        /// Its name.
        governor: String,
    },
    /// The machine is a guest.
    #[error(
        "this is a virtual machine: its CPUs may be shared with other guests and noise comes from \
         outside; run `flowgauge calibrate` to see how much"
    )]
    VirtualMachine,
    /// The clock is too coarse for short spans.
    #[error("{text}")]
    CoarseClock {
        /// What that means and what to do.
        text: String,
    },
    /// The processor's own events cannot be counted.
    #[error(
        "cycles and cache misses cannot be counted, so reasons come from faults, switches and times \
         alone: {reason}; {remedy}"
    )]
    NoHardwareCounters {
        /// Why.
        reason: String,
        /// What to do.
        remedy: String,
    },
}

impl Machine {
    /// All that applies, the gravest first.
    pub fn warnings(&self) -> Vec<Warning> {
        let found = [
            (self.allowed().len() <= 1).then_some(Warning::OneCpu),
            self.quota_warning(),
            self.mask_warning(),
            (!self.topology.described).then_some(Warning::CoresUnknown),
            self.topology.is_hybrid().then_some(Warning::Hybrid),
            self.governor_warning(),
            self.clock_warning(),
            (self.processor.is_virtual == Measured::Value(true)).then_some(Warning::VirtualMachine),
            self.counter_warning(),
            self.smt_warning(),
        ];
        found.into_iter().flatten().collect()
    }

    fn quota_warning(&self) -> Option<Warning> {
        let quota = self.quota()?;
        let allowed = self.allowed().len();
        (quota.cpus < allowed as f64).then(|| Warning::QuotaBelowCpus {
            quota: quota.cpus,
            allowed,
            group: quota.group.clone(),
        })
    }

    fn mask_warning(&self) -> Option<Warning> {
        let (allowed, online) = (self.allowed().len(), self.topology.cpus.len());
        (allowed < online).then_some(Warning::MaskBelowCpus { allowed, online })
    }

    fn governor_warning(&self) -> Option<Warning> {
        let governor = self.processor.governor.value()?;
        let slow = governor.split(", ").any(|name| name != "performance");
        slow.then(|| Warning::SlowGovernor {
            governor: governor.clone(),
        })
    }

    fn clock_warning(&self) -> Option<Warning> {
        let text = self.kernel.clock_cost.warning()?;
        Some(Warning::CoarseClock { text })
    }

    fn smt_warning(&self) -> Option<Warning> {
        let one = self.topology.described && self.topology.threads_per_core() == 1;
        one.then_some(Warning::NoSmt)
    }

    fn counter_warning(&self) -> Option<Warning> {
        if self.counters.has_hardware() {
            return None;
        }
        let mut events = self.counters.events.iter();
        let cycles = events.find(|counter| counter.event == Event::Cycles)?;
        match cycles.scope.clone() {
            Measured::Value(_) => None,
            Measured::NotAvailable { reason, remedy } => {
                Some(Warning::NoHardwareCounters { reason, remedy })
            }
        }
    }
}

#[cfg(test)]
mod tests;

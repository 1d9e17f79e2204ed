//! What differs a lot between two variants without a proven cause: *cause not found* would hide
//! page faults 512x apart. That its share is not known is said. A factor counts where its whole
//! interval lies beyond [`A_LOT`]; of CPU time, which is time itself, beyond half of the gap.

use stats::Verdict;

use crate::data::number::factor;
use crate::findings::phrases::joined;
use crate::findings::quantity::{Basis, Contrast, Kind, QuantityFinding, Unit};
use crate::findings::{CaseResult, Finding};

/// At the end of the interval that is nearer to no difference.
const A_LOT: f64 = 2.0;
const NAMED: usize = 2;

/// What may make a gap and is no part of it; of equal factors the first is named.
const COUNTED: [&str; 10] = [
    "faults",
    "switches",
    "migrations",
    "storage-written",
    "bytes-read",
    "bytes-written",
    "page-tables",
    "system-time",
    "memory",
    "imbalance",
];
const CPU_TIME: &str = "cpu";
const PHASES: [&str; 2] = ["create", "tear-down"];

/// `page faults differ 512x, context switches 40x`: what a command does in its CPU time.
pub(super) fn differing(case: &CaseResult, finding: &Finding) -> Option<String> {
    named(case, finding, &COUNTED)
}

pub(super) fn without_a_share(case: &CaseResult, finding: &Finding) -> Option<String> {
    let unknown = |said: String| {
        let whose = match said.contains(" differs ") && !said.contains(',') {
            true => "its",
            false => "their",
        };
        format!("{said}; {whose} share of the gap was not measured")
    };
    let unproven = |said| format!("{said}; that is not proven to make the gap");
    let counted = [&COUNTED[..], &[CPU_TIME]].concat();
    let counted = named(case, finding, &counted).map(unknown);
    counted
        .or_else(|| lateness(case, finding).map(unproven))
        .or_else(|| named(case, finding, &PHASES).map(unproven))
}

fn named(case: &CaseResult, finding: &Finding, names: &[&str]) -> Option<String> {
    let mut found: Vec<(f64, String)> = names
        .iter()
        .filter_map(|name| {
            let contrast = case.contrast(name, &finding.subject)?;
            let seen = match *name == CPU_TIME && goes_along(finding, contrast) {
                true => contrast.contrast.value().map(|cpu| factor_of(cpu.estimate)),
                false => far(case, contrast),
            }?;
            Some((seen, Kind::of(name, None)?.spoken()))
        })
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let said = found.iter().take(NAMED).enumerate();
    let said = said.map(|(place, (by, what))| {
        let verb = match place {
            0 if is_one(what) => " differs",
            0 => " differ",
            _ => "",
        };
        format!("{what}{verb} {}", factor(*by))
    });
    joined(said, ", ")
}

/// Differs as the time does, by half of its factor at least.
fn goes_along(finding: &Finding, cpu: &QuantityFinding) -> bool {
    let time = finding.estimate.map_or(1.0, |time| time.ratio);
    let ratio = cpu.contrast.value().filter(|cpu| cpu.basis == Basis::Ratio);
    let ends = ratio.and_then(Contrast::interval);
    ends.is_some_and(|(low, high)| match finding.verdict {
        Verdict::Slower { .. } => low >= time.sqrt(),
        Verdict::Faster { .. } => high <= time.sqrt(),
        Verdict::Same { .. } | Verdict::CannotTell { .. } => false,
    })
}

fn factor_of(ratio: f64) -> f64 {
    ratio.max(1.0 / ratio)
}

fn is_one(what: &str) -> bool {
    ["CPU time", "memory", "time", "longest"]
        .iter()
        .any(|one| what.starts_with(one))
}

fn far(case: &CaseResult, found: &QuantityFinding) -> Option<f64> {
    let contrast = found.contrast.value()?;
    let (low, high) = contrast.interval()?;
    match contrast.basis {
        Basis::Ratio => (low >= A_LOT || high <= 1.0 / A_LOT).then(|| factor_of(contrast.estimate)),
        // Of amounts that may be none a ratio is one to the least that counts.
        Basis::Difference => {
            let of = |label: &str| Some(case.amount(&found.name, label)?.estimate);
            let (s, r) = (of(&found.subject)?, of(&found.reference)?);
            let (less, more) = (s.min(r).max(least(found.unit)), s.max(r));
            let certain = low.abs().min(high.abs());
            (low * high > 0.0 && certain >= less && more >= A_LOT * less).then_some(more / less)
        }
    }
}

fn least(unit: Unit) -> f64 {
    match unit {
        Unit::Count => 20.0,
        Unit::Bytes => 16_384.0,
        Unit::Ns => 1e5,
        Unit::PerSecond | Unit::Share => 1.0,
    }
}

/// Ends of flows: without an interval, so far beyond what rounds make.
fn lateness(case: &CaseResult, finding: &Finding) -> Option<String> {
    let of = |label: &str| case.summary(label)?.imbalance;
    let (s, r) = (of(&finding.subject)?, of(&finding.reference)?);
    let by = (s / r).max(r / s);
    (by >= A_LOT).then(|| {
        format!(
            "the end of the last flow over the mean one differs {}",
            factor(by)
        )
    })
}

//! The command that runs what a row is about, and nothing else.
//!
//! # Theory
//!
//! A row names what of ours stands beside it: a case, a sweep, a work along a way, or a model. Each is
//! a `--case` of `flowgauge run`, in the quick preset where that has it and in the full one where it
//! does not. So a row needs a command of its own only where something else answers it.

use measure::counters::Event;

use crate::data::{Ours, Preset, Published, Study};
use crate::plan::study::known;

/// The command of a row.
pub(super) fn command(study: &Study, published: &Published) -> String {
    let own = published.command.clone();
    own.or_else(|| of_case(&study.name, published.ours.as_ref()?))
        .unwrap_or_else(|| format!("flowgauge {}", study.name))
}

fn of_case(name: &str, ours: &Ours) -> Option<String> {
    if let Ours::Limit(of) = ours {
        return Some(format!("flowgauge {name} --model {}", of.model));
    }
    let full = known(name, Preset::Full)?;
    let case = match ours {
        Ours::Pair(of) | Ours::Farthest(of) | Ours::Explains(of) => of.case.clone(),
        Ours::Amount(of) | Ours::Workers(of) => of.case.clone(),
        Ours::TimeIn(of) => of.case.clone(),
        Ours::Best(of) => of.case.clone(),
        Ours::Law(of) => swept(full, &of.sweep)?,
        Ours::Throughput(of) | Ours::TlbMisses(of) | Ours::SharedPages(of) => {
            format!("{}/{}", of.workload, of.along.word())
        }
        Ours::Limit(_) | Ours::NotSwitched => return None,
    };
    let events =
        event(ours).map_or_else(String::new, |event| format!(" --events {}", event.name()));
    let preset = match has(known(name, Preset::Quick)?, &case) {
        true => "",
        false => " --preset full",
    };
    Some(format!(
        "flowgauge run {name} --case {case}{preset}{events}"
    ))
}

/// The event of the processor that a row is about.
pub(super) fn event(ours: &Ours) -> Option<Event> {
    let of_pair = |quantity: &str| {
        Event::ALL
            .into_iter()
            .find(|event| event.name() == quantity)
    };
    match ours {
        Ours::TlbMisses(_) => Some(Event::DtlbMisses),
        Ours::Pair(of) => of_pair(&of.quantity).filter(|event| event.is_hardware()),
        _ => None,
    }
}

/// What the names of the cases of a sweep begin with.
fn swept(study: &Study, sweep: &str) -> Option<String> {
    let mut cases = study.cases.iter();
    let point = cases.find(|case| case.sweep.as_ref().is_some_and(|own| own.sweep == sweep))?;
    let (base, _) = point.name.rsplit_once('/')?;
    Some(base.to_owned())
}

/// Whether a study has a case of that name, or one that is spread into such cases on a machine.
fn has(study: &Study, name: &str) -> bool {
    let mut cases = study.cases.iter();
    cases.any(|case| {
        let base = crate::data::base(case);
        case.is_called(name) || name.strip_prefix(base).is_some_and(is_spread)
    })
}

/// `/cores/2`, `/smt`.
fn is_spread(rest: &str) -> bool {
    let ways = crate::data::Topology::EVERY.into_iter();
    let mut words = ways.map(|way| format!("/{}", way.word()));
    words.any(|word| rest.starts_with(&word))
}

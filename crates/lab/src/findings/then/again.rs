//! The command that runs what a row is about (a case, a sweep, a work along a way, a model), and nothing else: a
//! `--case` of `flowgauge run`, quick where that preset has it with these variants, else full. A row needs a command of
//! its own only where something else answers it. A study that is not built in is run by its file.

use measure::counters::Event;

use crate::data::{Case, Header, Ours, Preset, Published, Study};
use crate::plan::study::known;

pub(super) fn command(study: &Study, published: &Published, header: &Header) -> String {
    if let Some(own) = &published.command {
        return own.clone();
    }
    match known(&study.name, Preset::Full) {
        Some(full) => (published.ours.as_ref())
            .and_then(|ours| of_case(full, ours))
            .unwrap_or_else(|| format!("flowgauge run {}", study.name)),
        None => of_file(
            header.file_of(&study.name).unwrap_or("FILE"),
            published.ours.as_ref(),
        ),
    }
}

pub(super) fn at_its_size(study: &str, case: &str) -> Option<String> {
    let full = known(study, Preset::Full)?;
    has(full, case, &[]).then(|| format!("flowgauge run {study} --case {case} --preset full"))
}

fn of_file(file: &str, ours: Option<&Ours>) -> String {
    let (case, _) = ours.and_then(named).unzip();
    let case = case.map_or_else(String::new, |case| format!(" --case {case}"));
    format!("flowgauge run {file}{case}")
}

fn named(ours: &Ours) -> Option<(String, Vec<&str>)> {
    Some(match ours {
        Ours::Pair(of) | Ours::Farthest(of) | Ours::Explains(of) => {
            (of.case.clone(), vec![&of.subject, &of.reference])
        }
        Ours::Amount(of) | Ours::Workers(of) => (of.case.clone(), vec![&of.variant]),
        Ours::TimeIn(of) => (of.case.clone(), vec![&of.variant]),
        Ours::Best(of) => (of.case.clone(), Vec::new()),
        Ours::Survivors(of) => (of.case.clone(), vec![&of.subject, &of.reference]),
        Ours::Throughput(_) | Ours::TlbMisses(_) | Ours::SharedPages(_) => return None,
        Ours::Law(_) | Ours::Limit(_) | Ours::NotSwitched => return None,
    })
}

fn of_case(full: &Study, ours: &Ours) -> Option<String> {
    let name = &full.name;
    if let Ours::Limit(of) = ours {
        return Some(format!("flowgauge {name} --model {}", of.model));
    }
    let events =
        event(ours).map_or_else(String::new, |event| format!(" --events {}", event.name()));
    if let Ours::Throughput(of) | Ours::TlbMisses(of) | Ours::SharedPages(of) = ours {
        let (workload, along) = (&of.workload, of.along.word());
        return Some(format!(
            "flowgauge {name} --workload {workload} --along {along}{events}"
        ));
    }
    let (case, labels) = match ours {
        Ours::Law(of) => (swept(full, &of.sweep)?, vec![of.variant.as_str()]),
        _ => named(ours)?,
    };
    let preset = match has(known(name, Preset::Quick)?, &case, &labels) {
        true => "",
        false => " --preset full",
    };
    Some(format!(
        "flowgauge run {name} --case {case}{preset}{events}"
    ))
}

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

fn swept(study: &Study, sweep: &str) -> Option<String> {
    let mut cases = study.cases.iter();
    let point = cases.find(|case| case.sweep.as_ref().is_some_and(|own| own.sweep == sweep))?;
    let (base, _) = point.name.rsplit_once('/')?;
    Some(base.to_owned())
}

/// Also by a case that is spread into such cases on a machine.
fn has(study: &Study, name: &str, labels: &[&str]) -> bool {
    let is_named = |case: &&Case| {
        let base = crate::data::base(case);
        case.is_called(name) || name.strip_prefix(base).is_some_and(is_spread)
    };
    let has_all = |case: &Case| {
        let all = &case.variants;
        let is_there = |label: &&str| {
            let mut own = all.iter();
            own.any(|one| one.label == **label || one.of_cpus.is_some())
        };
        labels.iter().all(is_there)
    };
    study.cases.iter().filter(is_named).any(has_all)
}

fn is_spread(rest: &str) -> bool {
    let ways = crate::data::Topology::EVERY.into_iter();
    let mut words = ways.map(|way| format!("/{}", way.word()));
    words.any(|word| rest.starts_with(&word))
}

//! Commands as servers: the same cases, with somebody who asks.

use std::path::Path;

use anyhow::{Result, ensure};
use lab::{Case, CaseResult, LabelledVariant, Metric, Results, SweepPoint};
use program::{Http, Load, Ready, Served};
use workload::Work;

use crate::args::ServeArgs;
use crate::output;

/// Rounds with a p99 that are needed before a rate is said to meet a bound.
const LEAST_ROUNDS: usize = 6;

/// The cases with servers in place of commands; once for each rate.
pub(super) fn served(args: &ServeArgs, cases: Vec<Case>) -> Result<Vec<Case>> {
    if args.rate.is_empty() {
        let load = load(args, None)?;
        return Ok(cases
            .into_iter()
            .map(|case| with_load(args, case, &load, Metric::Request))
            .collect());
    }
    ensure!(
        cases.len() == 1,
        "--rate and a --sweep of several commands cannot be swept at one time: give one rate, or one number of flows"
    );
    let Some(case) = cases.into_iter().next() else {
        return Ok(Vec::new());
    };
    let of_rate = |&rate: &f64| {
        let load = load(args, Some(rate))?;
        let case = with_load(args, case.clone(), &load, Metric::P99);
        Ok(Case {
            name: format!("rate/{rate}"),
            title: format!("{rate} requests a second"),
            sweep: Some(SweepPoint {
                sweep: "rate".to_owned(),
                parameter: "rate".to_owned(),
                value: rate,
                unit: "requests/s".to_owned(),
            }),
            ..case
        })
    };
    args.rate.iter().map(of_rate).collect()
}

fn load(args: &ServeArgs, rate: Option<f64>) -> Result<Load> {
    let is_url = |load: &String| load.starts_with("http://") || load.starts_with("https://");
    if args.load.iter().all(is_url) {
        return Ok(Load::Http(Http {
            rate,
            connections: args.connections,
            seconds: args.duration,
            same_body: args.same_body,
            cpus: args.load_cpus.clone(),
            ..Http::new(args.load.clone())
        }));
    }
    ensure!(
        args.load.len() == 1,
        "--load names several URLs, or one command"
    );
    ensure!(
        rate.is_none(),
        "--rate is for the built-in generator: tell {} its rate itself",
        args.load[0]
            .split_whitespace()
            .next()
            .unwrap_or("the command")
    );
    Ok(Load::Command(args.load[0].clone()))
}

fn ready(args: &ServeArgs) -> Ready {
    match args.ready.as_str() {
        "tcp" => Ready::Tcp,
        url if url.starts_with("http://") => Ready::Url(url.to_owned()),
        line => Ready::Line(line.to_owned()),
    }
}

fn with_load(args: &ServeArgs, case: Case, load: &Load, metric: Metric) -> Case {
    let serve = |work: Work| match work {
        Work::Program(server) => Work::Served(Box::new(Served {
            server: *server,
            ready: ready(args),
            ready_s: 20.0,
            load: load.clone(),
        })),
        other => other,
    };
    let variants = case.variants.into_iter().map(|variant| LabelledVariant {
        work: variant.work.map(serve),
        ..variant
    });
    Case {
        variants: variants.collect(),
        work: serve(case.work),
        metric,
        reps: Some(1),
        ..case
    }
}

/// Says what the load itself used, and the highest rate that meets the bound.
pub(super) fn tell(args: &ServeArgs, journal: &Path) -> Result<()> {
    if args.load.is_empty() {
        return Ok(());
    }
    let results = Results::from_journal(journal)?;
    let cases: Vec<&CaseResult> = results
        .studies
        .iter()
        .flat_map(|study| &study.cases)
        .collect();
    for case in &cases {
        for (at, variant) in case.case.variants.iter().enumerate() {
            if let Some(line) = of_load(case, at) {
                output::tell(&format!(
                    "load of {}, {}: {line}",
                    case.case.name, variant.label
                ));
            }
        }
    }
    if let (Some(bound_s), Some(first)) = (args.slo, cases.first()) {
        for (at, variant) in first.case.variants.iter().enumerate() {
            output::tell(&format!(
                "{}: {}",
                variant.label,
                highest(&cases, at, bound_s)
            ));
        }
    }
    Ok(())
}

/// What was counted by name in the good slots of a variant.
fn counted(case: &CaseResult, at: usize, name: &str) -> Vec<u64> {
    let slots = case.slots.iter().filter(|slot| slot.variant == at);
    let reps = slots
        .filter_map(|slot| slot.outcome.answer.done())
        .flat_map(|record| &record.reps);
    let own = reps.filter_map(|rep| rep.self_managed.as_deref());
    own.filter_map(|own| own.counts.get(name).copied())
        .collect()
}

/// Errors, timeouts, lateness and the CPU share of the load generator.
fn of_load(case: &CaseResult, at: usize) -> Option<String> {
    let sum = |name| counted(case, at, name).iter().sum::<u64>();
    let slots = case.slots.iter().filter(|slot| slot.variant == at);
    let reps = slots
        .filter_map(|slot| slot.outcome.answer.done())
        .flat_map(|record| &record.reps);
    let steady: u64 = reps.map(|rep| rep.steady_ns).sum();
    if steady == 0 {
        return None;
    }
    let share = 100.0 * sum("load_cpu_ns") as f64 / steady as f64;
    let lateness = counted(case, at, "lateness_p99_ns")
        .into_iter()
        .max()
        .unwrap_or(0);
    let late = match lateness {
        0 => String::new(),
        ns => format!(", p99 of its lateness at worst {:.2} ms", ns as f64 / 1e6),
    };
    Some(format!(
        "{} errors, {} timeouts, {} not sent, {} connections refused; it used {share:.0} % of one CPU{late}",
        sum("errors"),
        sum("timeouts"),
        sum("unsent"),
        sum("refused")
    ))
}

/// The highest rate at which every rate up to it meets the bound in every round.
fn highest(cases: &[&CaseResult], at: usize, bound_s: f64) -> String {
    let mut best: Option<f64> = None;
    for case in cases {
        let Some(point) = &case.case.sweep else {
            continue;
        };
        let values: Vec<f64> = case
            .slots
            .iter()
            .filter(|slot| slot.variant == at)
            .filter_map(|slot| slot.value_ns)
            .collect();
        let failed = case
            .slots
            .iter()
            .any(|slot| slot.variant == at && slot.value_ns.is_none());
        let meets =
            !failed && values.len() >= LEAST_ROUNDS && values.iter().all(|ns| *ns <= bound_s * 1e9);
        if !meets {
            break;
        }
        best = Some(point.value);
    }
    let bound = format!("p99 of at most {} ms in every round", bound_s * 1e3);
    match best {
        Some(rate) => {
            format!("{rate} requests a second is the highest rate of these with a {bound}")
        }
        None => format!("no rate of these had a {bound} (at least {LEAST_ROUNDS} rounds)"),
    }
}

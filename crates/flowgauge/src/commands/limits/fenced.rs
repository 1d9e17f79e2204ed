use std::time::Instant;

use anyhow::Result;
use flow::{Fence, Model, ProbeSpec, Probed};
use lab::Probe;
use lab::number::count;
use lab::study::command::Given;
use machine::Machine;

use crate::launch::SlotLauncher;
use crate::output::tell;

const DEADLINE_S: f64 = 10.0;
const MEMORY: u64 = 512 << 20;

pub(super) type Wanted = Option<Fence>;

pub(super) fn wanted(given: Option<&Given>) -> Option<Wanted> {
    match given?.shown.as_str() {
        "ids" => Some(Some(Fence::Ids)),
        "user" => Some(Some(Fence::User)),
        _ => Some(None),
    }
}

/// Tests the prediction behind the first available fence; `None` if unwanted or interrupted.
pub(super) fn probe(
    model: Model,
    wanted: Option<Wanted>,
    machine: &Machine,
    launcher: &mut SlotLauncher,
) -> Result<Option<Probe>> {
    let mut refused = Vec::new();
    let mut fences = fences(model, wanted, machine).into_iter().peekable();
    while let Some(fence) = fences.next() {
        let began = Instant::now();
        let probed = match no_memory(machine) {
            Some(reason) => Probed::NotAvailable { reason },
            None => match launcher.probe(&spec(model, fence, machine))? {
                Some(probed) => probed,
                None => return Ok(None),
            },
        };
        match probed {
            Probed::NotAvailable { reason } if fences.peek().is_some() => {
                refused.push((fence, reason));
            }
            probed => {
                let probe = Probe {
                    model,
                    fence,
                    probed,
                    refused,
                    took_ns: u64::try_from(began.elapsed().as_nanos())?,
                };
                tell(&line(&probe));
                return Ok(Some(probe));
            }
        }
    }
    Ok(None)
}

fn fences(model: Model, wanted: Option<Wanted>, machine: &Machine) -> Vec<Fence> {
    let usual = lab::probe::fences(machine, model);
    match wanted {
        None => usual,
        Some(None) => Vec::new(),
        Some(Some(_)) if model.is_user_level() => usual,
        Some(Some(fence)) => vec![fence],
    }
}

fn spec(model: Model, fence: Fence, machine: &Machine) -> ProbeSpec {
    ProbeSpec {
        model,
        fence,
        user_tasks: machine.limits.user_tasks.value().copied().unwrap_or(0),
        deadline_s: DEADLINE_S,
    }
}

fn no_memory(machine: &Machine) -> Option<String> {
    let available = *machine.memory.available.value()?;
    (available < MEMORY).then(|| {
        format!(
            "only {} of memory are available, and a probe wants {}",
            lab::number::bytes(available as f64),
            lab::number::bytes(MEMORY as f64)
        )
    })
}

fn line(probe: &Probe) -> String {
    let model = probe.model;
    match &probe.probed {
        Probed::NotAvailable { reason } => {
            format!("  {model:<14} no probe behind a lowered limit: {reason}")
        }
        Probed::Met {
            predicted, reached, ..
        } => format!(
            "  {model:<14} behind {}: {} predicted, {} reached",
            lab::data::room::limit(predicted),
            count(predicted.count),
            count(*reached)
        ),
    }
}

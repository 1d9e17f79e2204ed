//! What the flags ask for, as settings of a run.

use std::fmt::Display;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow, bail};
use flow::{MemoryPolicy, Pages};
use lab::findings::counted;
use lab::{AskedParentMemory, Preset, Sampling, Settings, Study};
use machine::Machine;

use crate::args::HowArgs;
use crate::output;

/// The settings that the flags ask for, over the usual ones of the preset.
pub(crate) fn settings(how: &HowArgs, preset: Preset) -> Result<Settings> {
    settings_of(&[], how, preset)
}

/// The same for studies that may name a machine to be simulated.
pub(crate) fn settings_of(studies: &[Study], how: &HowArgs, preset: Preset) -> Result<Settings> {
    let seed = how.seed.map_or_else(fresh_seed, Ok)?;
    let usual = Settings::usual(preset, seed);
    let sample = how.sample.map(|interval_s| Sampling {
        interval_s,
        folder: how.sample_folder.clone(),
    });
    if let Some(sampling) = &sample {
        sampling
            .check()
            .map_err(|message| anyhow!("--sample: {message}"))?;
        if let Some(folder) = &sampling.folder
            && !folder.is_dir()
        {
            bail!(
                "--sample-folder {}: there is no such folder",
                folder.display()
            );
        }
    }
    let simulation = crate::simulation::asked(how.simulate.as_ref(), studies)?;
    let simulation = simulation.map(|asked| crate::simulation::simulation(&asked, preset));
    let simulation = simulation.transpose()?;
    let max_rounds = how.rounds.map_or(Ok(usual.max_rounds), usize::try_from)?;
    let mut settings = Settings {
        max_rounds,
        budget_s: how.budget.or(usual.budget_s),
        floor: how.floor,
        value: how.value.into(),
        deadline_s: how.deadline,
        sample,
        events: how
            .events
            .as_ref()
            .map_or_else(Vec::new, |events| events.0.clone()),
        parent_memory: parent_memory(how)?,
        allocators: each_once("--allocator", &how.allocator)?,
        heap_pages: each_once("--heap-pages", &how.heap_pages)?,
        memory_policies: each_once("--memory-policy", &how.memory_policy)?,
        ..usual
    };
    if let Some(simulation) = simulation {
        if let Some(why) = lab::simulated::no_events(&simulation).filter(|_| how.events.is_some()) {
            bail!("--events: {why}");
        }
        let given = (how.rounds.is_some(), how.budget.is_some());
        lab::simulated::settle(&mut settings, simulation, given);
    }
    Ok(settings)
}

/// Says before the first slot which of the asked events this machine cannot count.
pub(super) fn tell_uncountable(settings: &Settings, machine: &Machine) {
    let counters = machine.counters.events.iter();
    let asked = counters.filter(|counter| settings.events.contains(&counter.event));
    for line in counted::reasons(asked.map(|counter| (counter.event, &counter.scope))) {
        output::tell(&format!("--events: {line}"));
    }
}

/// That memory policies are all the same here, where variants have some and there is one memory node.
pub(super) fn policy_without_effect(studies: &[Study]) -> Option<String> {
    let cases = studies.iter().flat_map(|study| &study.cases);
    let mut variants = cases.flat_map(|case| &case.variants);
    let has_one = variants.any(|variant| variant.variant.memory_policy.is_some());
    let nodes = has_one.then(MemoryPolicy::nodes)?.ok()?;
    (nodes == 1).then(|| {
        "the memory policy has no effect here: this process may have pages on one memory node alone"
            .to_owned()
    })
}

/// What a flag lists, each once.
fn each_once<T: Clone + PartialEq + Display>(flag: &str, list: &[T]) -> Result<Vec<T>> {
    match names::repeated(list) {
        Some(one) => bail!("{flag} names {one} twice: once is enough"),
        None => Ok(list.to_vec()),
    }
}

/// The parent memory that the flags ask for, each kind of pages once.
fn parent_memory(how: &HowArgs) -> Result<Option<AskedParentMemory>> {
    let mut pages = each_once("--ballast-pages", &how.ballast_pages)?;
    if pages.is_empty() {
        pages.push(Pages::Small);
    }
    Ok(how.ballast.map(|bytes| AskedParentMemory { bytes, pages }))
}

/// A seed that is short enough to be typed again.
fn fresh_seed() -> Result<u64> {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .context("the clock stands before 1970")?;
    let mixed = (now.as_nanos() as u64) ^ (u64::from(std::process::id()) << 32);
    Ok(mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44)
}

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow, bail, ensure};
use flow::Pages;
use lab::findings::counted;
use lab::{
    AskedParentMemory, Confirming, Predicting, Preset, Profiling, Request, Sampling, Settings,
};
use machine::Machine;

use crate::args::axis::each_once;
use crate::args::{HowArgs, Word};
use crate::output;

pub(crate) fn settings(
    request: &Request<'_>,
    how: &HowArgs,
    preset: Preset,
    here: &Machine,
) -> Result<Settings> {
    let seed = how.seed.map_or_else(fresh_seed, Ok)?;
    let usual = Settings::usual(preset, seed);
    let studies = request.wanted.iter().map(|wanted| &wanted.study);
    let simulation = crate::simulation::asked(how.simulate.as_ref(), studies)?;
    if simulation.is_some() {
        refuse_simulated(how)?;
    }
    let simulation = simulation.map(|asked| crate::simulation::simulation(&asked, preset, here));
    let simulation = simulation.transpose()?;
    let usual_s = usual
        .budget_s
        .map(|_| Settings::quick_s(request.wanted.len()));
    let max_rounds = how.rounds.map_or(Ok(usual.max_rounds), usize::try_from)?;
    let mut settings = Settings {
        max_rounds,
        budget_s: how.budget.or(usual_s),
        floor: how.floor,
        value: how.value,
        deadline_s: how.deadline,
        sample: sampling(how)?,
        events: how
            .events
            .iter()
            .flat_map(|events| events.0.clone())
            .collect(),
        parent_memory: parent_memory(how)?,
        axes: how.axes.words()?,
        film: true,
        profile: how.profile.map(|rounds| Profiling {
            rounds: rounds.map_or(Profiling::USUAL, usize::from),
        }),
        confirm: how.confirm.as_deref().map(confirming),
        predict: how.predict.as_deref().map(predicting),
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

fn sampling(how: &HowArgs) -> Result<Option<Sampling>> {
    let Some(interval_s) = how.sample else {
        return Ok(None);
    };
    let sampling = Sampling {
        interval_s,
        folder: how.sample_folder.clone(),
    };
    sampling
        .check()
        .map_err(|message| anyhow!("--sample: {message}"))?;
    if let Some(folder) = &sampling.folder {
        let shown = folder.display();
        ensure!(
            folder.is_dir(),
            "--sample-folder {shown}: there is no such folder"
        );
    }
    Ok(Some(sampling))
}

/// Comes before the search for the emulator: the reason is the same on a machine without one.
fn refuse_simulated(how: &HowArgs) -> Result<()> {
    for (flag, is_given, lacks) in [
        ("--profile", how.profile.is_some(), "time to be sampled"),
        ("--confirm", how.confirm.is_some(), "knobs to turn"),
        ("--predict", how.predict.is_some(), "flows to slow down"),
    ] {
        ensure!(
            !is_given,
            "{flag}: a simulated machine has no {lacks}; leave --simulate or {flag} out"
        );
    }
    Ok(())
}

fn confirming(words: &[Word]) -> Confirming {
    let (rounds, knobs) = parted(words, Confirming::USUAL as u32);
    let rounds = rounds as usize;
    Confirming { rounds, knobs }
}

fn predicting(words: &[Word]) -> Predicting {
    let (percent, parts) = parted(words, Predicting::USUAL_PERCENT);
    Predicting { percent, parts }
}

/// The last number among words, or the usual one, and the names.
fn parted(words: &[Word], usual: u32) -> (u32, Vec<String>) {
    let (mut last, mut names) = (usual, Vec::new());
    for word in words {
        match word {
            Word::Number(number) => last = *number,
            Word::Name(name) => names.push(name.clone()),
        }
    }
    (last, names)
}

pub(super) fn tell_uncountable(settings: &Settings, machine: &Machine) {
    let counters = machine.counters.events.iter();
    let asked = counters.filter(|counter| settings.events.contains(&counter.event));
    for line in counted::reasons(asked.map(|counter| (counter.event, &counter.scope))) {
        output::tell(&format!("--events: {line}"));
    }
}

fn parent_memory(how: &HowArgs) -> Result<Option<AskedParentMemory>> {
    let mut pages = each_once("--ballast-pages", &how.ballast_pages)?;
    if pages.is_empty() {
        pages.push(Pages::Small);
    }
    Ok(how.ballast.map(|bytes| AskedParentMemory { bytes, pages }))
}

pub(crate) fn fresh_seed() -> Result<u64> {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .context("the clock stands before 1970")?;
    let mixed = (now.as_nanos() as u64) ^ (u64::from(std::process::id()) << 32);
    Ok(mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44)
}

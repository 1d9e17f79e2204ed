use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow, bail};
use flow::Pages;
use lab::findings::counted;
use lab::{
    AskedParentMemory, Confirming, Predicting, Preset, Profiling, Request, Sampling, Settings,
};
use machine::Machine;

use crate::args::axis::each_once;
use crate::args::{Confirm, HowArgs, Predict};
use crate::output;

pub(crate) fn settings(
    request: &Request<'_>,
    how: &HowArgs,
    preset: Preset,
    here: &Machine,
) -> Result<Settings> {
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
        value: how.value.into(),
        deadline_s: how.deadline,
        sample,
        events: how
            .events
            .as_ref()
            .map_or_else(Vec::new, |events| events.0.clone()),
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

/// Before what a simulation needs is looked for: who has no emulator reads this, too.
fn refuse_simulated(how: &HowArgs) -> Result<()> {
    let asked = [
        ("--profile", how.profile.is_some(), "time to be sampled"),
        ("--confirm", how.confirm.is_some(), "knobs to turn"),
        ("--predict", how.predict.is_some(), "flows to slow down"),
    ];
    match asked.iter().find(|(_, is_asked, _)| *is_asked) {
        Some((flag, _, what)) => {
            bail!("{flag}: a simulated machine has no {what}; leave --simulate or {flag} out")
        }
        None => Ok(()),
    }
}

fn predicting(asked: &[Predict]) -> Predicting {
    let mut all = Predicting {
        percent: Predicting::USUAL_PERCENT,
        parts: Vec::new(),
    };
    for word in asked {
        match word {
            Predict::Percent(percent) => all.percent = *percent,
            Predict::Part(name) => all.parts.push(name.clone()),
        }
    }
    all
}

fn confirming(asked: &[Confirm]) -> Confirming {
    let mut all = Confirming {
        rounds: Confirming::USUAL,
        knobs: Vec::new(),
    };
    for word in asked {
        match word {
            Confirm::Rounds(rounds) => all.rounds = *rounds,
            Confirm::Knob(name) => all.knobs.push((*name).to_owned()),
        }
    }
    all
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

fn fresh_seed() -> Result<u64> {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .context("the clock stands before 1970")?;
    let mixed = (now.as_nanos() as u64) ^ (u64::from(std::process::id()) << 32);
    Ok(mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44)
}

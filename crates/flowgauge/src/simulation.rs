use anyhow::{Error, Result, anyhow, bail};
use flow::Emulator;
use lab::simulated::AskedSimulation;
use lab::{Preset, Simulation, Study};
use machine::Machine;

pub(crate) fn emulator() -> Result<Emulator> {
    let recorder = flow::library::recorder().map_err(Error::msg)?;
    Emulator::find(recorder).map_err(|message| anyhow!("--simulate: {message}"))
}

pub(crate) fn simulation(
    asked: &AskedSimulation,
    preset: Preset,
    here: &Machine,
) -> Result<Simulation> {
    let simulation = asked.simulation(preset, here);
    let simulation = simulation.map_err(|message| anyhow!("--simulate: {message}"))?;
    emulator()?;
    Ok(simulation)
}

/// The command's flag has priority.
pub(crate) fn asked<'a>(
    flag: Option<&AskedSimulation>,
    studies: impl IntoIterator<Item = &'a Study>,
) -> Result<Option<AskedSimulation>> {
    if let Some(flag) = flag {
        return Ok(Some(flag.clone()));
    }
    let mut studies = studies.into_iter();
    let Some(first) = studies.next() else {
        return Ok(None);
    };
    if let Some(other) = studies.find(|other| other.simulate != first.simulate) {
        bail!(
            "the studies {} and {} are not for one machine: run them apart, or name one with \
             --simulate",
            first.name,
            other.name
        );
    }
    let asked = first.simulate.as_deref().map(str::parse).transpose();
    asked.map_err(|message: String| anyhow!(message))
}

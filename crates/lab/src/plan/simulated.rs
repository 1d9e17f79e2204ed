//! A study on a machine that is simulated: planned for a machine with those cores ([`on`]), so
//! ways, numbers of flows and placements follow as ever; every case compares [`Metric::Simulated`],
//! in one repetition a slot.
//!
//! Flows stay on their hardware thread; several on one take time slices. More free flows than
//! hardware threads would be moved about by a kernel: the case is left out with that reason, as is
//! work that starts other programs or makes a flow for each small thing.

mod asked;
mod host;

use machine::Machine;

pub use asked::{AskedSimulation, HOST, choices};

use crate::data::number::many;
use crate::data::{Case, LabelledVariant, Metric, Outcome, Preset, Settings, Simulation, Study};

/// Default: launches differ little.
const ROUNDS: [usize; 2] = [3, 5];
const QUICK_S: f64 = 40.0;

/// The machine that runs of this simulation are planned for.
#[must_use]
pub fn on(machine: Machine, simulation: Option<&Simulation>) -> Machine {
    match simulation.map(|simulation| &simulation.machine) {
        Some(other) => machine.simulating(&other.name, other.cores, other.threads_per_core),
        None => machine,
    }
}

/// The settings of a run that simulates, over the usual ones.
pub fn settle(settings: &mut Settings, simulation: Simulation, (rounds, budget): (bool, bool)) {
    let quick = settings.preset == Preset::Quick;
    if !rounds {
        settings.max_rounds = ROUNDS[usize::from(!quick)];
    }
    if !budget && quick {
        settings.budget_s = Some(QUICK_S);
    }
    settings.simulate = Some(Box::new(simulation));
}

/// The study with the cases that can be simulated, and what is left out, with its reason.
#[must_use]
pub fn simulated(mut study: Study, simulation: &Simulation) -> (Study, Vec<String>) {
    let mut left_out = Vec::new();
    let mut cases = Vec::new();
    for case in std::mem::take(&mut study.cases) {
        match unfit(&case, simulation) {
            Some(why) => left_out.push(format!("{}: not simulated: {why}", case.name)),
            None => cases.push(Case {
                metric: Metric::Simulated,
                title: format!("{}, simulated on {}", case.title, simulation.machine.name),
                ..case
            }),
        }
    }
    (study.with_cases(cases), left_out)
}

fn unfit(case: &Case, simulation: &Simulation) -> Option<String> {
    let room = simulation.machine.hardware_threads();
    for (place, LabelledVariant { variant, .. }) in case.variants.iter().enumerate() {
        let work = case.work_of(place);
        let flows = variant.carriers();
        if work.program().is_some() {
            return Some("programs that are started by exec are not recorded".to_owned());
        }
        if let Some(why) = work.not_recorded() {
            return Some(why.to_owned());
        }
        if flows > room && !variant.placement.is_one_cpu() {
            let name = &simulation.machine.name;
            let flows = many(flows.into(), "flow");
            return Some(format!("{flows}, and {name} has {room} hardware threads"));
        }
    }
    None
}

/// If both did the same work.
pub(crate) fn with_counts(simulated: Outcome, here: Outcome) -> Outcome {
    let proof = |one: &Outcome| one.answer.done().map(|record| record.proof);
    let launch_ns = simulated.launch_ns + here.launch_ns;
    match proof(&simulated).is_some() && proof(&simulated) == proof(&here) {
        true => Outcome {
            simulated: simulated.simulated,
            launch_ns,
            ..here
        },
        false => Outcome {
            launch_ns,
            ..simulated
        },
    }
}

/// Why events cannot be counted beside what is simulated, if they cannot.
#[must_use]
pub fn no_events(simulation: &Simulation) -> Option<String> {
    let name = &simulation.machine.name;
    (name != HOST).then(|| {
        format!(
            "events are counted on this machine, and {name} is another one: leave them out, or \
             simulate `{HOST}` (or a description of yours in {HOST}.toml) to have both side by side"
        )
    })
}

/// The hardware threads of flows that may run anywhere: one a core first, as a kernel would.
#[must_use]
pub fn anywhere(simulation: &Simulation) -> Vec<u32> {
    let (cores, threads) = (
        simulation.machine.cores,
        simulation.machine.threads_per_core,
    );
    let of_each_core = |thread| (0..cores).map(move |core| core * threads + thread);
    (0..threads).flat_map(of_each_core).collect()
}

//! `flowgauge calibrate`: this machine against itself, in two cases of the same arithmetic. In the
//! first both variants are identical: any verdict but "same" or "cannot tell" is false. In the
//! second one does a planted share of further steps that its proof does not show: a difference that
//! must be found. The smallest visible difference follows from the spread of the first case's
//! paired ratios. Flows are threads, one a core, of about 10 ms.
//!
//! With `--sample`, two more cases tell what a sampler beside one variant's slots costs: with flows
//! on every core (`sampled`), and a single flow on one CPU (`sampled-aside`). Their slots are one
//! repetition of several intervals: the median of many short ones would not show it.

use anyhow::Result;
use flow::{Model, Placement, Variant};
use lab::number::time;
use lab::{Case, LabelledVariant, Metric, Preset, Request, Sampling, Study};
use machine::Machine;
use workload::{Spin, Work};

use crate::args::CalibrateArgs;
use crate::ending::Ending;
use crate::session;

const STEPS: u64 = 10_000_000;
/// In each repetition of the sampled ones.
const SAMPLES: f64 = 5.0;
/// Repetitions beside a sampler are long.
const SAMPLED_BUDGET_S: f64 = 90.0;

pub(crate) fn run(args: &CalibrateArgs, here: &Machine) -> Result<Ending> {
    let mut settings = session::settings(&Request::default(), &args.how, Preset::Quick, here)?;
    let sampling = settings.sample.take();
    if sampling.is_some() {
        settings.budget_s = args.how.budget.or(Some(SAMPLED_BUDGET_S));
    }
    let request = request(args, sampling.as_ref(), here);
    session::run(&request, settings, &args.how, here)
}

pub(super) fn request(
    args: &CalibrateArgs,
    sampling: Option<&Sampling>,
    here: &Machine,
) -> Request<'static> {
    let mut study = study(args.plant, here);
    let sampled = sampling.map(|sampling| sampled(sampling, here));
    study.cases.extend(sampled.into_iter().flatten());
    session::as_written(study)
}

fn study(plant: f64, here: &Machine) -> Study {
    let flows = super::cores(here);
    let planted = (STEPS as f64 * plant).round() as u64;
    let title = format!("A planted difference of {:.1} %", 100.0 * plant);
    Study::new(
        "calibrate",
        "This machine against itself".to_owned(),
        "Identical programs, to learn what this machine's noise makes of them; and a known \
         difference, to see whether it is found.",
        vec![
            case("identical", "Identical programs", flows, 0),
            case("planted", &title, flows, planted),
        ],
    )
}

fn case(name: &str, title: &str, flows: u32, planted: u64) -> Case {
    let spin = |planted| Spin {
        units: u64::from(flows),
        steps: STEPS,
        planted,
    };
    let second = if planted == 0 { "again" } else { "planted" };
    let mut case = pair(name, title, spin(0), Placement::Free, second);
    case.variants[1].work = (planted > 0).then(|| Work::Spin(spin(planted)));
    case
}

/// What a sampler costs, with and (where there is one) without a CPU of its own.
fn sampled(sampling: &Sampling, here: &Machine) -> Vec<Case> {
    let interval = time(sampling.interval_s * 1e9);
    let cpus = lab::cpus(here);
    let aside = !cpus
        .aside(&cpus.allowed[..1.min(cpus.allowed.len())])
        .is_empty();
    let every_core = (
        "sampled",
        format!("A sampler each {interval}, flows on every core"),
        super::cores(here),
        Placement::Free,
    );
    let one_cpu = (
        "sampled-aside",
        format!("A sampler each {interval}, on a CPU of its own"),
        1,
        Placement::One,
    );
    let cases = std::iter::once(every_core).chain(aside.then_some(one_cpu));
    cases
        .map(|(name, title, flows, placement)| {
            let spin = Spin {
                units: u64::from(flows),
                steps: STEPS * repetition_of(sampling.interval_s),
                planted: 0,
            };
            let mut case = pair(name, &title, spin, placement, "sampled");
            case.variants[1].sample = Some(sampling.clone());
            case.reps = Some(1);
            case
        })
        .collect()
}

fn repetition_of(interval_s: f64) -> u64 {
    (SAMPLES * interval_s / 0.01).ceil().clamp(5.0, 1_000.0) as u64
}

fn pair(name: &str, title: &str, spin: Spin, placement: Placement, second: &str) -> Case {
    let variant = Variant {
        placement,
        ..Variant::new(Model::Thread, u32::try_from(spin.units).unwrap_or(1))
    };
    let variants = ["plain", second].map(|label| LabelledVariant::new(label, variant.clone()));
    let work = (Work::Spin(spin), Metric::Steady);
    Case::new(name, title, work, variants.into())
}

//! `flowgauge calibrate`: this machine against itself.
//!
//! # Theory
//!
//! Two cases of the same arithmetic. In the first, both variants are identical in
//! everything: whatever difference shows is noise, and any verdict but "same" or "cannot
//! tell" is false. In the second, one variant does a planted share of further steps that
//! its proof does not show: a difference that must be found. Between the two stands what
//! this machine can tell: the smallest difference that so many rounds would show, derived
//! from the spread of the first case's own paired ratios.
//!
//! The flows are threads, one a core, of about 10 ms: long against the clock and the
//! wake-up, short enough for many rounds.

use anyhow::Result;
use flow::{Channel, Model, Placement, Schedule, Variant};
use lab::{Case, LabelledVariant, Metric, Preset, Study};
use machine::Machine;
use workload::{Spin, Work};

use crate::args::CalibrateArgs;
use crate::ending::Ending;
use crate::launch::CellLauncher;
use crate::result_file::ResultFile;
use crate::session;

/// Steps of a unit: about 10 ms.
const STEPS: u64 = 10_000_000;

/// Compares this machine with itself.
pub(crate) fn run(args: &CalibrateArgs) -> Result<Ending> {
    let settings = session::settings(&args.how, Preset::Quick)?;
    let mut launcher = CellLauncher::new(ResultFile::prepare(None, false)?)?;
    let session = session::begin(vec![study(args.plant)], settings, &args.how)?;
    session::carry_out(session, &mut launcher, &args.how.answer)
}

fn study(plant: f64) -> Study {
    let flows = u32::try_from(Machine::read().cores().len())
        .unwrap_or(1)
        .max(1);
    let planted = (STEPS as f64 * plant).round() as u64;
    Study {
        name: "calibrate".to_owned(),
        title: "This machine against itself".to_owned(),
        stands_for: "Identical programs, to learn what this machine's noise makes of them; and \
                     a known difference, to see whether it is found."
            .to_owned(),
        origin: None,
        cases: vec![
            case("identical", "Identical programs", flows, 0),
            case(
                "planted",
                &format!("A planted difference of {:.1} %", 100.0 * plant),
                flows,
                planted,
            ),
        ],
        headline: "planted".to_owned(),
    }
}

fn case(name: &str, title: &str, flows: u32, planted: u64) -> Case {
    let work = |planted| {
        Work::Spin(Spin {
            units: u64::from(flows),
            steps: STEPS,
            planted,
        })
    };
    let variant = Variant {
        model: Model::Thread,
        flows,
        placement: Placement::Free,
        schedule: Schedule::Static,
        channel: Channel::Fifo,
    };
    let labelled = |label: &str, work| LabelledVariant {
        label: label.to_owned(),
        variant: variant.clone(),
        work,
    };
    let second = if planted == 0 { "again" } else { "planted" };
    Case {
        name: name.to_owned(),
        title: title.to_owned(),
        sweep: None,
        work: work(0),
        metric: Metric::Steady,
        variants: vec![
            labelled("plain", None),
            labelled(second, (planted > 0).then(|| work(planted))),
        ],
        reps: None,
        max_rounds: None,
    }
}

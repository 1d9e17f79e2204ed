//! `flowgauge switch`: the study of context switches with its own options.
//!
//! Two experiments, as in the source: time against the number of flows, and, where several
//! stack uses are given, against those at one number of flows. What a machine has no room
//! for is left out of a sweep and said; a single number is refused. A sweep goes through the
//! largest number of each model that the machine holds with some room to spare, where that is
//! less than what was asked for.

use std::fmt::Display;

use anyhow::{Result, bail, ensure};
use flow::{Channel, HandOver, Model, Placement, Schedule, Stacks, Variant};
use lab::number::count;
use lab::{Case, LabelledVariant, Metric, Preset, Study, SweepPoint};
use machine::Machine;
use workload::turns::LINE;
use workload::{Turns, Work};

use crate::args::SwitchArgs;
use crate::ending::Ending;
use crate::launch::CellLauncher;
use crate::number::{self, Sizes};
use crate::output::tell;
use crate::result_file::ResultFile;
use crate::session;

/// Turns in a repetition, of the kernel's flows and of user-level ones: some tens of ms.
const KERNEL_TURNS: u64 = 20_000;
const USER_TURNS: u64 = 4_000_000;
/// Laps of user-level flows, where their number is large: going to the gate and leaving it
/// is then a small part.
const USER_LAPS: u64 = 20;
/// As many bytes may a repetition of user-level flows touch: again some tens of ms.
const TOUCHED: u64 = 4 << 30;
/// Rounds at the most for each point, where none are asked for.
const ROUNDS: usize = 10;
/// Repetitions of a slot with up to so many flows; creating more takes long, and the pilot
/// chooses.
const REPS: u32 = 3;
const FEW_FLOWS: u64 = 1_000;
/// Flows of the second experiment, where the first is a sweep that goes through so many.
const FLOWS: u64 = 100;
/// Seconds for the study where no budget is given: Ctrl-C or `--budget` end it earlier.
const BUDGET_S: f64 = 900.0;

/// Runs the study as asked.
pub(crate) fn run(args: &SwitchArgs) -> Result<Ending> {
    let machine = Machine::read();
    let study = study(args, &machine)?;
    for case in &study.cases {
        case.work.check()?;
    }
    for line in unsaid(args) {
        tell(&line);
    }
    let (fitted, left_out) = lab::room::fitted(study.clone(), &machine);
    if fitted.cases.len() < study.cases.len() && matches!(args.flows, Sizes::One(_)) {
        bail!("{}", left_out.join("\n"));
    }
    ensure!(!fitted.cases.is_empty(), "{}", left_out.join("\n"));
    let mut settings = session::settings(&args.how, Preset::Full)?;
    settings.budget_s = args.how.budget.or(Some(BUDGET_S));
    let mut launcher = CellLauncher::new(ResultFile::prepare(None, false)?)?;
    let mut session = session::begin(vec![fitted], settings, &args.how)?;
    session.leaves_out("switch", &left_out)?;
    session::carry_out(session, &mut launcher, args.how.watch, &args.how.answer)
}

/// The built-in study with the cases that the flags ask for.
fn study(args: &SwitchArgs, machine: &Machine) -> Result<Study> {
    once("--model", &args.model)?;
    once("--yield", &args.hand_over)?;
    let stack_uses: Vec<u64> = args
        .stack_use
        .iter()
        .map(|&bytes| whole_lines(bytes))
        .collect();
    once("--stack-use", &stack_uses)?;
    let flows = with_tops(args, flows(args)?, machine);
    let mut cases: Vec<Case> = flows
        .iter()
        .map(|&flows| case(args, flows, stack_uses[0], Experiment::Flows))
        .collect();
    if stack_uses.len() > 1 {
        let flows = FLOWS.clamp(flows[0], flows[flows.len() - 1]);
        let uses = stack_uses.iter();
        let second = uses.map(|&bytes| case(args, flows, bytes, Experiment::StackUse));
        if cases.len() == 1 {
            cases.clear();
        }
        cases.extend(second);
    }
    let headline = cases[cases.len() / 2].name.clone();
    Ok(Study {
        cases,
        headline,
        ..lab::builtin("switch", Preset::Full)?
    })
}

/// A stack use in whole cache lines; says so where it was rounded.
fn whole_lines(bytes: u64) -> u64 {
    let whole = bytes.checked_next_multiple_of(LINE).unwrap_or(bytes);
    if whole != bytes {
        tell(&format!(
            "--stack-use {}: {} are touched, whole cache lines",
            count(bytes),
            count(whole)
        ));
    }
    whole
}

/// Each value of a list once.
fn once<T: PartialEq + Display>(flag: &str, values: &[T]) -> Result<()> {
    for (place, value) in values.iter().enumerate() {
        ensure!(
            !values[..place].contains(value),
            "{flag} names {value} twice: once is enough"
        );
    }
    Ok(())
}

/// The numbers of flows, up to `--max-flows`.
fn flows(args: &SwitchArgs) -> Result<Vec<u64>> {
    let most = args.max_flows.unwrap_or(u64::from(u32::MAX));
    let flows = match &args.flows {
        Sizes::One(flows) => vec![*flows],
        Sizes::Sweep(range) => number::one_two_five(range),
    };
    let least = flows.iter().min().copied().unwrap_or(0);
    ensure!(
        least >= 2,
        "--flows {least}: flows take turns with each other, so there must be at least 2"
    );
    ensure!(
        least <= most,
        "--flows begins at {least}, which is more than {most}, the most there may be"
    );
    let mut flows: Vec<u64> = flows.into_iter().map(|flows| flows.min(most)).collect();
    flows.dedup();
    Ok(flows)
}

/// The numbers of a sweep, and those at which models end that end before it.
fn with_tops(args: &SwitchArgs, mut flows: Vec<u64>, machine: &Machine) -> Vec<u64> {
    let (Sizes::Sweep(_), Some(&first), Some(&last)) = (&args.flows, flows.first(), flows.last())
    else {
        return flows;
    };
    let work = Work::Turns(Turns {
        stack_use: args.stack_use[0],
        stack: args.stack,
        ..Turns::idle(first)
    });
    let models = args.model.iter();
    let tops = models.filter_map(|&model| lab::room::top(machine, model, &work));
    flows.extend(tops.filter(|top| (first..last).contains(top)));
    flows.sort_unstable();
    flows.dedup();
    flows
}

/// What flags do that a user might not expect of them.
fn unsaid(args: &SwitchArgs) -> Vec<String> {
    let mut lines = Vec::new();
    let usual = args.hand_over == [HandOver::default()];
    if !usual && args.model.iter().all(|model| model.is_user_level()) {
        lines.push(
            "--yield has no effect on user-level flows, which hand over by themselves: name process \
             or thread as well"
                .to_owned(),
        );
    }
    let guarded = args.model.iter().find(|model| {
        matches!(
            model,
            Model::Fiber {
                stacks: Stacks::Guarded,
                ..
            }
        )
    });
    if let (Some(model), Some(asked)) = (guarded, args.stack) {
        let given = flow::guarded_bytes(asked);
        if given != asked {
            lines.push(format!(
                "--stack {}: those of model {model} are {} bytes, whole pages and 16 KiB at the \
                 least",
                count(asked),
                count(given)
            ));
        }
    }
    lines
}

/// Which of the two experiments a case belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Experiment {
    Flows,
    StackUse,
}

fn case(args: &SwitchArgs, flows: u64, stack_use: u64, experiment: Experiment) -> Case {
    let (name, parameter, value, unit) = match experiment {
        Experiment::Flows => ("flows", "flows", flows, "flows"),
        Experiment::StackUse => ("stack", "stack_use", stack_use, "bytes"),
    };
    let title = match experiment {
        Experiment::Flows => "One turn, against the number of flows".to_owned(),
        Experiment::StackUse => format!("One turn of {flows} flows, against what each touches"),
    };
    let work = |hand_over| {
        Work::Turns(Turns {
            flows,
            kernel_turns: KERNEL_TURNS,
            user_turns: USER_TURNS
                .max(USER_LAPS.saturating_mul(flows))
                .min(TOUCHED / stack_use.max(1))
                .max(1),
            stack_use,
            hand_over,
            stack: args.stack,
        })
    };
    Case {
        name: format!("{name}/{value}"),
        title,
        sweep: Some(SweepPoint {
            sweep: name.to_owned(),
            parameter: parameter.to_owned(),
            value: value as f64,
            unit: unit.to_owned(),
        }),
        work: work(args.hand_over[0]),
        metric: Metric::Switch,
        variants: variants(args, flows, work),
        reps: (flows <= FEW_FLOWS).then_some(REPS),
        max_rounds: args.how.rounds.is_none().then_some(ROUNDS),
        floor: None,
    }
}

/// All on one CPU, as in the source; what has several carriers is there to run in parallel, so
/// each of them is on a core.
fn placement(model: Model) -> Placement {
    match model {
        Model::Fiber { carriers, .. } if carriers > 1 => Placement::Cores,
        _ => Placement::One,
    }
}

/// Each model of the kernel once for each way to hand over, each user-level one once.
fn variants(
    args: &SwitchArgs,
    flows: u64,
    work: impl Fn(HandOver) -> Work,
) -> Vec<LabelledVariant> {
    let ways = |model: Model| match model.is_user_level() {
        true => &args.hand_over[..1],
        false => &args.hand_over[..],
    };
    let named = args.hand_over.len() > 1;
    let variant = |model: Model, way: HandOver| LabelledVariant {
        label: match named && !model.is_user_level() {
            true => format!("{model}, {way}"),
            false => model.to_string(),
        },
        variant: Variant {
            model,
            flows: u32::try_from(flows).unwrap_or(u32::MAX),
            placement: placement(model),
            schedule: Schedule::Static,
            channel: Channel::Fifo,
            ballast: None,
        },
        work: (way != args.hand_over[0]).then(|| work(way)),
        sample: None,
        of_cpus: None,
    };
    let models = args.model.iter();
    models
        .flat_map(|&model| ways(model).iter().map(move |&way| (model, way)))
        .map(|(model, way)| variant(model, way))
        .collect()
}

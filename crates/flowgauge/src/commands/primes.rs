//! `flowgauge primes`: the study of 2010 with its own options.

use anyhow::{Context, Result, ensure};
use flow::{Answer, Model, Outcome, SlotSpec, Variant};
use lab::{Case, Launch, Metric, Preset, Study, SweepPoint};
use machine::Machine;
use workload::primes::Method;
use workload::{Primes, Work};

use crate::args::PrimesArgs;
use crate::ending::Ending;
use crate::launch::CellLauncher;
use crate::number::{self, Sizes};
use crate::output::tell;
use crate::result_file::ResultFile;
use crate::session;

/// Workers where none are asked for: as in the source.
const WORKERS: u64 = 5;
/// Seconds for the study where no budget is given: Ctrl-C or `--budget` end it earlier.
const BUDGET_S: f64 = 300.0;
/// Rounds at the most for each size of a sweep, where none are asked for.
const SWEEP_ROUNDS: usize = 20;

/// Runs the study as asked.
pub(crate) fn run(args: &PrimesArgs) -> Result<Ending> {
    let variants = variants(args)?;
    let study = study(args, &variants)?;
    let mut settings = session::settings(&args.how, Preset::Full)?;
    settings.budget_s = args.how.budget.or(Some(BUDGET_S));
    let seed = settings.seed;
    let results = ResultFile::prepare(args.output.as_deref(), args.force)?;
    let mut launcher = CellLauncher::new(results)?;
    let session = session::begin(vec![study.clone()], settings, &args.how)?;
    for line in options(args, &variants, seed) {
        tell(&line);
    }
    if args.verbose {
        narrate(&mut launcher, &study, args)?;
    }
    session::carry_out(session, &mut launcher, args.how.watch, &args.how.answer)
}

/// The variants that the flags ask for, the reference first.
fn variants(args: &PrimesArgs) -> Result<Vec<Variant>> {
    let models = if args.model.is_empty() {
        models_of_counts(args)
    } else {
        args.model.clone()
    };
    for (place, model) in models.iter().enumerate() {
        ensure!(
            !models[..place].contains(model),
            "--model names {model} twice: once is enough"
        );
    }
    models
        .into_iter()
        .map(|model| variant(args, model))
        .collect()
}

/// `-p` alone or `-t` alone runs only that model.
fn models_of_counts(args: &PrimesArgs) -> Vec<Model> {
    match (args.processes, args.threads) {
        (Some(_), None) => vec![Model::Process],
        (None, Some(_)) => vec![Model::Thread],
        _ => vec![Model::Process, Model::Thread],
    }
}

fn variant(args: &PrimesArgs, model: Model) -> Result<Variant> {
    let (flag, asked) = match model {
        Model::Process | Model::ProcessSharedFiles => ("-p", args.processes.or(args.threads)),
        Model::Thread | Model::ThreadPrivateFiles => ("-t", args.threads.or(args.processes)),
        Model::Mix { .. } => ("--model", model.own_flows()),
        Model::Fiber { .. } | Model::Task => ("-t", args.threads.or(args.processes)),
    };
    let flows = asked.unwrap_or(WORKERS);
    ensure!(flows > 0, "{flag} 0: there must be at least 1 worker");
    let flows = u32::try_from(flows)
        .with_context(|| format!("{flag} {flows}: no machine has so many workers"))?;
    Ok(Variant {
        model,
        flows,
        placement: args.placement.clone(),
        schedule: args.schedule,
        channel: args.channel,
        ballast: None,
    })
}

/// The built-in study with the cases that the flags ask for.
fn study(args: &PrimesArgs, variants: &[Variant]) -> Result<Study> {
    let sizes = match &args.block {
        Sizes::One(size) => vec![*size],
        Sizes::Sweep(range) => number::decades(range),
    };
    let sweeps = sizes.len() > 1;
    ensure!(
        !sweeps || args.output.is_none(),
        "-o keeps the results of one size of blocks, and a sweep has {}: name one size (-b 1e6), \
         or leave out -o",
        sizes.len()
    );
    let method = args
        .method
        .unwrap_or(if sweeps { Method::Sieve } else { Method::Trial });
    let workers = variants
        .iter()
        .map(|variant| u64::from(variant.flows))
        .max()
        .unwrap_or(WORKERS);
    let work = |block| Primes {
        start: args.start,
        block,
        blocks: args.blocks.unwrap_or(workers),
        every: args.every,
        method,
    };
    let cases: Vec<Case> = sizes
        .into_iter()
        .map(|block| case(work(block), variants, sweeps))
        .collect();
    let headline = cases
        .first()
        .map(|case| case.name.clone())
        .unwrap_or_default();
    Ok(Study {
        cases,
        headline,
        ..lab::builtin("primes", Preset::Full)?
    })
}

fn case(work: Primes, variants: &[Variant], sweeps: bool) -> Case {
    let sweep = sweeps.then(|| SweepPoint {
        sweep: "grain".to_owned(),
        parameter: "block".to_owned(),
        value: work.block as f64,
        unit: "numbers".to_owned(),
    });
    let name = match &sweep {
        Some(point) => format!("{}/{}", point.sweep, work.block),
        None => work.method.to_string(),
    };
    Case {
        title: format!(
            "{} blocks of {} numbers from {}, by {}",
            work.blocks, work.block, work.start, work.method
        ),
        name,
        max_rounds: sweep.is_some().then_some(SWEEP_ROUNDS),
        floor: None,
        sweep,
        work: Work::Primes(work),
        metric: Metric::Total,
        variants: lab::labelled(variants.to_vec()),
        reps: None,
    }
}

/// The options, for people.
fn options(args: &PrimesArgs, variants: &[Variant], seed: u64) -> Vec<String> {
    let models: Vec<String> = variants
        .iter()
        .map(|variant| format!("{} {}", variant.flows, variant.model))
        .collect();
    let block = match &args.block {
        Sizes::One(size) => size.to_string(),
        Sizes::Sweep(range) => format!("{} to {}", range.start(), range.end()),
    };
    let results = match args.every {
        1 => "every prime".to_owned(),
        every => format!("1 prime in {every} of each block"),
    };
    let output = args.output.as_ref().map_or_else(
        || "none kept (-o FILE keeps one)".to_owned(),
        |file| file.display().to_string(),
    );
    vec![
        "Using these options (flowgauge primes --help explains them):".to_owned(),
        format!("  workers              {}", models.join(", ")),
        format!("  first number         {}", args.start),
        format!("  numbers in a block   {block}"),
        format!("  results              {results}, by {}", args.channel),
        format!(
            "  blocks handed out    {}, placement {}",
            args.schedule, args.placement
        ),
        format!("  output file          {output}"),
        format!("  seed                 {seed}"),
    ]
}

/// Lets the workers of each variant say what they do, once, in a launch that is no data
/// point.
fn narrate(launcher: &mut CellLauncher, study: &Study, args: &PrimesArgs) -> Result<()> {
    let case = &study.cases[0];
    let cpus = lab::cpus(&Machine::read());
    for labelled in &case.variants {
        let spec = SlotSpec {
            work: case.work.clone(),
            variant: labelled.variant.clone(),
            cpus: args.placement.resolve(&cpus)?,
            warmups: 0,
            reps: 1,
            deadline_s: args.how.deadline.unwrap_or(600.0),
            narrate: true,
            output: None,
            scratch: None,
            sample: None,
            count: Vec::new(),
            timers: false,
        };
        tell(&format!(
            "{}: one launch that is not counted",
            labelled.label
        ));
        match launcher.launch(&spec) {
            Ok(Outcome {
                answer: Answer::Failed { reason, .. },
                ..
            }) => tell(&format!("{}: that launch failed: {reason}", labelled.label)),
            Ok(_) | Err(lab::LaunchError::Interrupted { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

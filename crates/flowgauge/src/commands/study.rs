//! The command of a study, as its file describes it: [`lab::plan::steps`] makes the cases.

use anyhow::Result;
use lab::study::command::OfRun;
use lab::{Preset, Request, Study, Wanted, plural};
use machine::Machine;

use super::limits;
use crate::args::StudyArgs;
use crate::ending::Ending;
use crate::output::tell;
use crate::result_file::ResultFile;
use crate::session::{self, Session};

pub(crate) fn run(args: &StudyArgs, here: &Machine) -> Result<Ending> {
    let how = &args.how;
    let request = request(args)?;
    let mut settings = session::settings(&request, how, args.preset, here)?;
    if settings.simulate.is_none() {
        settings.budget_s = how.budget.or(args.study.command.budget_s);
    }
    settings.deadline_s = how.deadline.or(args.study.command.deadline_s);
    let (seed, budget_s) = (settings.seed, settings.budget_s);
    let results = ResultFile::of(args)?;
    let mut session = Session::begin_into(results, &request, settings, how, here)?;
    if args.study.command.probes {
        return limits::carry_out(args, session, here);
    }
    let study = &session.studies()[0];
    let lines = options(args, study, seed).into_iter();
    let lines: Vec<String> = lines.chain(takes(args, budget_s)).collect();
    lines.iter().for_each(|line| tell(line));
    if args.flags().of_run(OfRun::Verbose).is_some() {
        session.narrate();
    }
    session.carry_out(&how.answer)
}

pub(crate) fn request(args: &StudyArgs) -> Result<Request<'_>> {
    let wanted = Wanted {
        study: args.study.study(args.preset)?,
        flags: Some(args.flags()),
        // How far flows are made has a fence of its own.
        is_fitted: !args.study.command.probes,
    };
    Ok(Request {
        wanted: vec![wanted],
        rounds_asked: args.how.rounds.is_some(),
        ..Request::default()
    })
}

fn options(args: &StudyArgs, study: &Study, seed: u64) -> Vec<String> {
    let mut rows: Vec<(&str, String)> = Vec::new();
    if let [case] = study.cases.as_slice() {
        let variants = case.variants.iter();
        let variants = variants.map(|v| match v.variant.flows {
            1 => format!("1 {}", v.label),
            flows => format!("{flows} {}", plural(&v.label)),
        });
        rows.push(("variants", variants.collect::<Vec<_>>().join(", ")));
    }
    for flag in &args.study.command.flags {
        if let Some(given) = args.given.get(&flag.name) {
            rows.push((&flag.name, given.shown.clone()));
        }
    }
    if args.preset != Preset::Full {
        rows.push(("preset", "quick".to_owned()));
    }
    rows.push(("seed", seed.to_string()));
    super::options(&args.study.name, &rows)
}

fn takes(args: &StudyArgs, budget_s: Option<f64>) -> Option<String> {
    let is_usual = args.preset == Preset::Full && args.how.budget.is_none();
    let takes = match budget_s {
        Some(seconds) => format!("Takes up to {} min", (seconds / 60.0).ceil()),
        None => "Takes as long as its rounds need (--budget 1m bounds it)".to_owned(),
    };
    let is_simulated = args.how.simulate.is_some();
    (is_usual && !is_simulated).then(|| {
        let name = &args.study.name;
        format!("{takes}; an answer in seconds: flowgauge {name} --preset quick")
    })
}

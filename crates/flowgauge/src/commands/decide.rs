//! `flowgauge decide`: a study with a question, a folder of `decisions/`.

use anyhow::Result;
use lab::{Preset, Request, Study, Wanted};
use machine::Machine;

use crate::args::DecideArgs;
use crate::ending::Ending;
use crate::output;
use crate::session;

/// Of a run, where nothing else is asked for: with what comes before and after, a minute.
const BUDGET_S: f64 = 53.0;

pub(crate) fn run(args: &DecideArgs, here: &Machine) -> Result<Ending> {
    let Some(name) = &args.question else {
        list(here)?;
        return Ok(Ending::Answered);
    };
    session::check_out(&args.how)?;
    let request = request(name)?;
    let mut settings = session::settings(&request, &args.how, Preset::Quick, here)?;
    settings.budget_s = Some(args.how.budget.unwrap_or(BUDGET_S));
    session::run(&request, settings, &args.how, here)
}

pub(crate) fn request(name: &str) -> Result<Request<'static>> {
    let study = match super::study_in(name, Preset::Quick) {
        Some(study) => study?,
        None => lab::decision(name)?,
    };
    Ok(Request {
        wanted: vec![Wanted::fitted(study)],
        ..Request::default()
    })
}

fn list(here: &Machine) -> Result<()> {
    let mut text = String::new();
    for name in lab::decision_names() {
        let study = lab::decision(name)?;
        let asked = study.decision.as_ref();
        let question = asked.map_or(study.title.as_str(), |asked| asked.question.as_str());
        text += &format!("{name:<10} {question}\n");
        for line in lacking(study, here) {
            text += &format!("{:<10} {line}\n", "");
        }
    }
    text += "\nOne of them, in a minute: flowgauge decide NAME\n";
    output::print(&text)
}

fn lacking(study: Study, here: &Machine) -> Vec<String> {
    let needs = study
        .decision
        .as_ref()
        .and_then(|asked| asked.needs.clone());
    let (left, why) = lab::fitted(study, here);
    match (left.cases.is_empty(), why.is_empty()) {
        (_, true) => Vec::new(),
        (true, _) => {
            let needs = needs.map(|needs| format!("it needs {needs}"));
            let why = why.into_iter().chain(needs);
            vec![format!("not here: {}", why.collect::<Vec<_>>().join("; "))]
        }
        (false, _) => without(&why),
    }
}

fn without(why: &[String]) -> Vec<String> {
    let first = why.first().map(|first| format!("without: {first}"));
    let more = match why.len().saturating_sub(1) {
        0 => None,
        more => Some(format!(
            "and without {more} more: -v of its answer names them"
        )),
    };
    first.into_iter().chain(more).collect()
}

use std::path::Path;

use anyhow::{Result, bail};
use lab::{Expectation, LaidWork, Preset, Request, ResumeOverrides, Wanted};
use machine::Machine;

use crate::args::{self, Command, RunArgs};
use crate::ending::Ending;
use crate::session::{self, Session};

pub(crate) fn run(args: &RunArgs, here: &Machine) -> Result<Ending> {
    let mut answer = args.how.answer.clone();
    let session = match &args.resume {
        Some(folder) => {
            let overrides = ResumeOverrides {
                budget_s: args.how.budget,
                max_rounds: args.how.rounds.map(usize::try_from).transpose()?,
            };
            let mut session = Session::resume(folder, overrides, (&args.how, args.trust), here)?;
            super::hybrid::again(&mut session)?;
            if answer.expect.is_empty() {
                answer.expect = expectations(&session.journal.header().command);
            }
            answer.check(session.studies())?;
            session
        }
        None => {
            session::check_out(&args.how)?;
            let request = request(args)?;
            let settings = session::settings(&request, &args.how, args.preset, here)?;
            Session::begin(&request, settings, &args.how, here)?
        }
    };
    session.carry_out(&answer)
}

/// `primes,workers` are two studies, unless a file has that name.
fn names(words: &[String]) -> Result<Vec<&str>> {
    let is_file = |word: &str| Path::new(word).exists();
    let names = words.iter().flat_map(|word| match is_file(word) {
        true => word.split('\0'),
        false => word.split(','),
    });
    let names: Vec<&str> = names.collect();
    match ::names::repeated(&names) {
        Some(name) => bail!("{name} is named twice: once is enough"),
        None => Ok(names),
    }
}

pub(crate) fn request(args: &RunArgs) -> Result<Request<'_>> {
    let preset = args.preset;
    let wanted: Vec<Wanted<'_>> = if args.studies.is_empty() {
        let all = lab::builtin_names();
        all.map(|name| Ok(Wanted::fitted(lab::builtin(name, preset)?)))
            .collect::<Result<_>>()?
    } else {
        let names = names(&args.studies)?;
        let all = names.iter();
        all.map(|name| wanted(name, preset))
            .collect::<Result<_>>()?
    };
    let search = |flag, key, value| LaidWork {
        flag,
        key,
        value,
        otherwise: "none of these studies searches files; run the study search with it",
    };
    let tree = args.tree.as_ref();
    let tree = tree.map(|tree| search("tree", "tree", serde_json::json!(tree)));
    let cold = args.cold.then(|| search("cold", "cold", true.into()));
    Ok(Request {
        wanted,
        cases: &args.cases,
        work: tree.into_iter().chain(cold).collect(),
        ..Request::default()
    })
}

fn wanted(name: &str, preset: Preset) -> Result<Wanted<'static>> {
    Ok(match super::study_in(name, preset) {
        Some(study) => Wanted::as_written(study?),
        None => Wanted::fitted(lab::builtin(name, preset)?),
    })
}

fn expectations(command: &[String]) -> Vec<Expectation> {
    let command = args::parsed(command);
    let how = command.as_ref().and_then(Command::how);
    how.map_or_else(Vec::new, |how| how.answer.expect.clone())
}

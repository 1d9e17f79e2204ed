//! `flowgauge search --study`: the built-in study's full preset with given filters.

use std::path::PathBuf;

use anyhow::{Result, anyhow, ensure};
use lab::{LaidWork, Preset, Request, Wanted};
use machine::Machine;
use serde_json::json;

use crate::args::SearchArgs;
use crate::ending::Ending;
use crate::output;
use crate::session::{self, Session};

const BUDGET_S: f64 = 300.0;

pub(crate) fn run(args: &SearchArgs, here: &Machine) -> Result<Ending> {
    let how = &args.how;
    let given = args.of_one_search();
    ensure!(
        given.is_empty(),
        "a study chooses its flows and prints no lines: leave {} out, or --study",
        given.join(" ")
    );
    let request = request(args)?;
    let mut settings = session::settings(&request, how, Preset::Full, here)?;
    settings.budget_s = how.budget.or(Some(BUDGET_S));
    let session = Session::begin(&request, settings, how, here)?;
    if how.budget.is_none() {
        output::tell(&format!(
            "This takes up to {BUDGET_S} s, or as long as --budget says."
        ));
    }
    session.carry_out(&how.answer)
}

pub(crate) fn request(args: &SearchArgs) -> Result<Request<'_>> {
    let [pattern] = args.patterns()?.try_into().map_err(|_| {
        anyhow!("a study searches for one pattern: join several with |, as in 'this|that'")
    })?;
    let paths = args.paths();
    let tree = match paths.is_empty() {
        true => vec![PathBuf::from(".")],
        false => paths,
    };
    let set = [
        ("pattern", json!(pattern)),
        ("literal", json!(args.fixed_strings)),
        ("ignore_case", json!(args.ignore_case)),
        ("word", json!(args.word_regexp)),
        ("tree", json!(tree)),
        ("hidden", json!(args.hidden)),
        ("no_ignore", json!(args.no_ignore)),
        ("text", json!(args.text)),
        ("globs", json!(args.glob)),
        ("cold", json!(args.study.cold)),
    ];
    let laid = set.map(|(key, value)| LaidWork {
        flag: key,
        key,
        value,
        otherwise: "the study search has no such parameter",
    });
    Ok(Request {
        wanted: vec![Wanted::fitted(lab::builtin("search", Preset::Full)?)],
        work: laid.into(),
        ..Request::default()
    })
}

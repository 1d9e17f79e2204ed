//! `flowgauge body`: a function of the user's library, as a study file made of the command line.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use flow::Model;
use lab::{Preset, Request, Wanted};
use machine::Machine;
use serde_json::Value;

use crate::args::{Argument, BodyArgs};
use crate::ending::Ending;
use crate::output;
use crate::result_file::ResultFile;
use crate::session::{self, Session};

/// Units of each flow where the command line does not say.
const UNITS: u64 = 16;

pub(crate) fn run(args: &BodyArgs, here: &Machine) -> Result<Ending> {
    let Some(library) = &args.library else {
        output::print(body::HEADER)?;
        return Ok(Ending::Answered);
    };
    if args.study {
        output::print(&text(args, library, here)?)?;
        return Ok(Ending::Answered);
    }
    let request = request(args, here)?;
    let settings = session::settings(&request, &args.how, Preset::Quick, here)?;
    let results = ResultFile::prepare(None, false)?;
    let session = Session::begin(&request, settings, &args.how, results, here)?;
    session.carry_out(&args.how.answer)
}

pub(super) fn request(args: &BodyArgs, here: &Machine) -> Result<Request<'static>> {
    let library = args.library.as_deref().context("no library is named")?;
    let text = text(args, library, here)?;
    let study = lab::study::parse(&text, "the command line", Preset::Quick)?;
    Ok(Request {
        wanted: vec![Wanted::as_written(study)],
        rounds_asked: args.how.rounds.is_some(),
        ..Request::default()
    })
}

fn text(args: &BodyArgs, library: &Path, here: &Machine) -> Result<String> {
    let path = std::path::absolute(library).context("the library has no path")?;
    let path = path
        .to_str()
        .context("the path of the library is no text")?;
    let name = library
        .file_name()
        .map_or(path.into(), |name| name.to_string_lossy());
    let flows = args.flows.unwrap_or_else(|| cores(here));
    let units = args.units.unwrap_or(UNITS * u64::from(flows));
    let [title, path] = [
        format!("{units} units of {} operations of {name}", args.ops),
        path.to_owned(),
    ]
    .map(|text| Value::String(text).to_string());
    let (fixed, swept) = divided(&args.args)?;
    let case = if swept.is_some() { "sizes" } else { "units" };
    let largest = swept.and_then(|arg| arg.values.iter().max());
    let headline = largest.map_or(case.to_owned(), |value| format!("{case}/{value}"));
    let mut text = format!(
        "schema = 1\nname = \"body\"\ntitle = {title}\nstands_for = \"A function of your own.\"\n\
         headline = \"{headline}\"\n\n[[case]]\nname = \"{case}\"\ntitle = {title}\n\n[case.work]\n\
         kind = \"body\"\nlibrary = {path}\nunits = {units}\nops = {}\n",
        args.ops
    );
    if !fixed.is_empty() {
        text += &format!("args = {{ {} }}\n", fixed.join(", "));
    }
    if let Some(Argument { name, values }) = swept {
        text += &format!(
            "\n[case.sweep]\nname = \"{name}\"\nparameter = \"args.{name}\"\nvalues = {values:?}\nunit = \"{name}\"\n"
        );
    }
    for model in models(args) {
        text += &format!("\n[[case.variant]]\nmodel = \"{model}\"\n");
        // A mix has its own.
        if !matches!(model, Model::Mix { .. }) {
            text += &format!("flows = {flows}\n");
        }
    }
    Ok(text)
}

/// `n = 3` for each argument with one value, and that with several.
fn divided(args: &[Argument]) -> Result<(Vec<String>, Option<&Argument>)> {
    let names: Vec<&str> = args.iter().map(|arg| arg.name.as_str()).collect();
    if let Some(name) = ::names::repeated(&names) {
        anyhow::bail!("--arg {name} is given twice: name its values once, {name}=1,10");
    }
    let (swept, fixed): (Vec<&Argument>, Vec<&Argument>) =
        args.iter().partition(|arg| arg.values.len() > 1);
    ensure!(
        swept.len() <= 1,
        "{} and {} both have several values: of one argument only; write a study file for more \
         (--study begins one)",
        swept[0].name,
        swept[1].name
    );
    let fixed = fixed
        .iter()
        .map(|arg| format!("{} = {}", arg.name, arg.values[0]));
    Ok((fixed.collect(), swept.first().copied()))
}

/// Whether it may run as fibers, only its author knows.
fn models(args: &BodyArgs) -> Vec<Model> {
    match args.model.is_empty() {
        true => vec![Model::Process, Model::Thread],
        false => args.model.clone(),
    }
}

fn cores(here: &Machine) -> u32 {
    u32::try_from(here.cores().len()).unwrap_or(1).max(1)
}

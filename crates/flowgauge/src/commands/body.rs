//! `flowgauge body`: a function of the user's library, as a study file made of the command line.

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use flow::{Model, Placement};
use lab::{Preset, Request, Wanted};
use machine::Machine;
use serde_json::Value;

use crate::args::{Argument, BodyArgs};
use crate::ending::Ending;
use crate::output;
use crate::session;

const UNITS: u64 = 16;

pub(crate) fn run(args: &BodyArgs, here: &Machine) -> Result<Ending> {
    if args.header {
        output::print(body::HEADER)?;
        return Ok(Ending::Answered);
    }
    if args.study {
        output::print(&text(args, here)?)?;
        return Ok(Ending::Answered);
    }
    let request = request(args, here)?;
    let settings = session::settings(&request, &args.how, Preset::Quick, here)?;
    session::run(&request, settings, &args.how, here)
}

pub(super) fn request(args: &BodyArgs, here: &Machine) -> Result<Request<'static>> {
    let text = text(args, here)?;
    let study = lab::study::parse(&text, "the command line", Preset::Quick)?;
    Ok(Request {
        wanted: vec![Wanted::as_written(study)],
        rounds_asked: args.how.rounds.is_some(),
        ..Request::default()
    })
}

struct Build {
    name: String,
    path: String,
}

fn builds(libraries: &[PathBuf]) -> Result<Vec<Build>> {
    let file = |library: &PathBuf| library.file_name().map(|name| name.display().to_string());
    let given = |library: &PathBuf| library.display().to_string();
    let mut names: Vec<String> = libraries
        .iter()
        .map(|library| file(library).unwrap_or_else(|| given(library)))
        .collect();
    if ::names::repeated(&names).is_some() {
        names = libraries.iter().map(given).collect();
    }
    if let Some(twice) = ::names::repeated(&names) {
        bail!("{twice} is named twice: name each build once");
    }
    let absolute = |library: &PathBuf| -> Result<String> {
        let path = std::path::absolute(library).context("the library has no path")?;
        let path = path.into_os_string().into_string().ok();
        path.context("the path of the library is no text")
    };
    let paths = libraries.iter().zip(names);
    let builds = paths.map(|(library, name)| {
        let path = absolute(library)?;
        Ok(Build { name, path })
    });
    builds.collect()
}

fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

struct Written {
    name: String,
    title: String,
    variants: String,
}

/// Models of one library are the variants of a case; of several, the libraries are, in a case for each model.
fn cases(
    builds: &[Build],
    models: &[Model],
    variant: impl Fn(Model) -> String,
    title: impl Fn(&str) -> String,
    is_swept: bool,
) -> Vec<Written> {
    if let [only] = builds {
        return vec![Written {
            name: if is_swept { "sizes" } else { "units" }.to_owned(),
            title: title(&only.name),
            variants: models.iter().map(|model| variant(*model)).collect(),
        }];
    }
    let of = |model: &Model| {
        let variants = builds.iter().map(|Build { name, path }| {
            let (label, library) = (quoted(name), quoted(path));
            let own = format!("label = {label}\nwork = {{ library = {library} }}\n");
            variant(*model) + &own
        });
        Written {
            name: model.to_string().replace('/', "-over-"),
            title: title(&format!("a function as {model}")),
            variants: variants.collect(),
        }
    };
    models.iter().map(of).collect()
}

fn text(args: &BodyArgs, here: &Machine) -> Result<String> {
    let builds = builds(&args.libraries)?;
    let first = builds.first().context("no library is named")?;
    let (fixed, swept) = divided(&args.args)?;
    let flows = args.flows.unwrap_or_else(|| super::cores(here));
    let units = args.units.unwrap_or(UNITS * u64::from(flows));
    let title = |of: &str| quoted(&format!("{units} units of {} operations of {of}", args.ops));
    let variant = |model| variant(model, flows, &args.placement);
    // Whether it may run as fibers, only its author knows.
    let models = super::models(&args.model);
    let cases = cases(&builds, &models, variant, title, swept.is_some());
    let largest = swept.and_then(|arg| arg.values.iter().max());
    let largest = largest.map_or_else(String::new, |value| format!("/{value}"));
    let mut text = format!(
        "schema = 1\nname = \"body\"\ntitle = {}\nstands_for = \"A function of your own.\"\n\
         headline = \"{}{largest}\"\n",
        title(&first.name),
        cases[0].name
    );
    let rows = cases
        .iter()
        .map(|case| format!("{{ case = \"{}\", label = {} }}", case.name, case.title));
    let rows = rows.collect::<Vec<_>>().join(", ");
    if cases.len() > 1 {
        text += &format!("deciding = [{rows}]\n");
    }
    let mut work = format!(
        "library = {}\nunits = {units}\nops = {}\n",
        quoted(&first.path),
        args.ops
    );
    if !fixed.is_empty() {
        work += &format!("args = {{ {} }}\n", fixed.join(", "));
    }
    if let Some(Argument { name, values }) = swept {
        let mut values = values.clone();
        // What a size takes is guessed from those before it.
        values.sort_unstable();
        work += &format!(
            "\n[case.sweep]\nname = \"{name}\"\nparameter = \"args.{name}\"\nvalues = {values:?}\nunit = \"{name}\"\n"
        );
    }
    for Written {
        name,
        title,
        variants,
    } in cases
    {
        text += &format!(
            "\n[[case]]\nname = \"{name}\"\ntitle = {title}\n\n[case.work]\nkind = \"body\"\n{work}{variants}"
        );
    }
    Ok(text)
}

fn variant(model: Model, flows: u32, placement: &Placement) -> String {
    let mut text = format!("\n[[case.variant]]\nmodel = \"{model}\"\n");
    if !matches!(model, Model::Mix { .. }) {
        text += &format!("flows = {flows}\n");
    }
    if *placement != Placement::Free {
        text += &format!("placement = \"{placement}\"\n");
    }
    text
}

/// `n = 3` for each argument with one value, and that with several.
fn divided(args: &[Argument]) -> Result<(Vec<String>, Option<&Argument>)> {
    let names: Vec<&str> = args.iter().map(|arg| arg.name.as_str()).collect();
    if let Some(name) = ::names::repeated(&names) {
        bail!("--arg {name} is given twice: name its values once, {name}=1,10");
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

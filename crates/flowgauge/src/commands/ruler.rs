use anyhow::Result;
use lab::{Preset, Request, Results};
use machine::Machine;

use crate::args::RulerArgs;
use crate::ending::Ending;
use crate::output::tell;
use crate::session::{self, Session, as_written};
use crate::whole_file;

const STUDY: &str = "literature/ruler.toml";
const PLOT: &str = "ruler-ruler";

/// Its picture is a file in the results folder.
pub(crate) fn run(args: &RulerArgs, here: &Machine) -> Result<Ending> {
    session::check_out(&args.how)?;
    let request = request()?;
    let settings = session::settings(&request, &args.how, Preset::Quick, here)?;
    let session = Session::begin(&request, settings, &args.how, here)?;
    let path = session.journal.path().to_owned();
    let ending = session.carry_out(&args.how.answer)?;
    let plots = report::plots::all(&Results::from_journal(&path)?);
    if let Some(plot) = plots.into_iter().find(|plot| plot.name == PLOT) {
        let file = path.with_file_name("ruler.svg");
        whole_file::write(&file, plot.svg)?;
        tell(&format!("As a picture: {}", file.display()));
    }
    Ok(ending)
}

pub(super) fn request() -> Result<Request<'static>> {
    let study = lab::study::parse(&lab::study::text_of(STUDY)?, STUDY, Preset::Quick)?;
    Ok(as_written(study))
}

//! `flowgauge report`: the reports of a results folder, made again from its journal.

use anyhow::{Result, bail};
use lab::Results;

use crate::args::ReportArgs;
use crate::output;
use crate::session::{self, Ending};

/// Makes and prints the reports of a folder.
pub(crate) fn run(args: &ReportArgs) -> Result<Ending> {
    let journal = args.folder.join(lab::journal::FILE_NAME);
    if !journal.is_file() {
        bail!(
            "{} is no results folder: it has no {}; name the folder that a run printed at its end",
            args.folder.display(),
            lab::journal::FILE_NAME
        );
    }
    let results = Results::from_journal(&journal)?;
    session::write_folder(&results, &args.folder)?;
    output::print(&session::shown(&results, args.format))?;
    Ok(Ending::Answered)
}

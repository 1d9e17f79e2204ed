//! `flowgauge report`: the reports of a results folder, made again from its journal.

use anyhow::Result;
use lab::Results;

use crate::args::ReportArgs;
use crate::ending::Ending;
use crate::output;
use crate::session;

/// Makes and prints the reports of a folder.
pub(crate) fn run(args: &ReportArgs) -> Result<Ending> {
    let journal = session::journal_in(&args.folder)?;
    let results = Results::from_journal(&journal)?;
    session::write_folder(&results, &args.folder)?;
    output::print(&session::shown(&results, args.format))?;
    Ok(Ending::Answered)
}

use anyhow::{Result, bail};
use lab::Results;

use crate::answer;
use crate::args::{Format, ReportArgs};
use crate::ending::{self, Ending};
use crate::output;
use crate::session;
use crate::whole_file;

pub(crate) fn run(args: &ReportArgs) -> Result<Ending> {
    let journal = session::journal_in(&args.folder)?;
    let results = Results::from_journal(&journal)?;
    let checks = answer::checks(&args.answer.expect, &results)?;
    let results = results.with_expected(checks);
    write(&results, args)?;
    if let Some(folder) = &args.answer.plots {
        answer::write_plots(&report::plots::all(&results), folder)?;
    }
    let shown = match args.then_and_now {
        true => then_and_now(&results, args.answer.format)?,
        false => session::shown(&results, &args.folder, args.answer.format, args.verbose),
    };
    output::print(&shown)?;
    let ending = ending::answered(&results, args.answer.require_answer);
    Ok(answer::judged(ending, &results.expected))
}

fn then_and_now(results: &Results, format: Format) -> Result<String> {
    let made = match format {
        Format::Text => report::then_and_now::markdown(results),
        Format::Json => report::then_and_now::json(results),
        Format::Csv => report::csv::published(results),
        Format::Jsonl => bail!("--then-and-now has no lines of JSON: use --format json or csv"),
    };
    let names: Vec<&str> = results
        .studies
        .iter()
        .map(|study| study.study.name.as_str())
        .collect();
    let none = format!(
        "no study of this run has a source that it repeats ({})",
        names.join(", ")
    );
    match (made, format) {
        (Some(made), _) => Ok(made),
        (None, Format::Text) => Ok(format!("{none}\n")),
        (None, _) => bail!("--then-and-now: {none}"),
    }
}

/// Results that cannot be written can still be shown.
fn write(results: &Results, args: &ReportArgs) -> Result<()> {
    match session::write_folder(results, &args.folder, args.tables) {
        Err(error) if whole_file::is_forbidden(&error) => {
            output::tell(&format!(
                "warning: the files of {} are as they were: {}",
                args.folder.display(),
                output::whole(&error)
            ));
            Ok(())
        }
        written => written,
    }
}

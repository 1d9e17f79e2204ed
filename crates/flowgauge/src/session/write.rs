//! What is made from a journal: the files of a results folder, and what is printed.

use std::path::Path;

use anyhow::Result;
use lab::Results;

use crate::args::Format;
use crate::output::Paper;
use crate::whole_file;

/// Writes everything that is made from the journal.
pub(crate) fn write_folder(results: &Results, folder: &Path) -> Result<()> {
    whole_file::sweep(folder);
    files(results).try_for_each(|(name, text)| whole_file::write(&folder.join(name), text))
}

/// Names and texts of the files; a table that only some studies have is one of them where there
/// is something in it.
fn files(results: &Results) -> impl Iterator<Item = (&'static str, String)> {
    use report::{csv, html, json};
    let machine = &results.header.machine;
    let all = [
        ("findings.json", Some(json::findings(results))),
        ("slots.csv", Some(csv::slots(results))),
        ("slots.jsonl", Some(csv::slots_lines(results))),
        ("findings.csv", Some(csv::findings(results))),
        ("summary.csv", Some(csv::summary(results))),
        ("quantities.csv", Some(csv::quantities(results))),
        ("shared.csv", csv::shared(results)),
        ("workers.csv", csv::workers(results)),
        ("laws.csv", csv::laws(results)),
        ("published.csv", csv::published(results)),
        ("scaling.csv", csv::scaling(results)),
        ("search.csv", csv::searched(results)),
        ("simulated.csv", csv::simulated(results)),
        ("limits.csv", csv::limits(results)),
        ("probes.csv", csv::probes(results)),
        ("samples.csv", csv::samples(results)),
        ("counters.csv", csv::counters(results)),
        ("machine.json", Some(json::machine(machine))),
        ("report.html", Some(html::page(results))),
        ("then-and-now.html", report::then_and_now::page(results)),
    ];
    all.into_iter()
        .filter_map(|(name, text)| Some((name, text?)))
}

/// Set to anything, every table is printed, as with `-v`.
const VERBOSE: &str = "FLOWGAUGE_VERBOSE";

/// What standard output gets.
pub(crate) fn shown(results: &Results, folder: &Path, format: Format, verbose: bool) -> String {
    match format {
        Format::Text => {
            let is_set = std::env::var_os(VERBOSE).is_some_and(|value| !value.is_empty());
            let style = report::terminal::Style {
                verbose: verbose || is_set,
                ..Paper::of_stdout().style()
            };
            report::terminal::run(results, &style, folder.to_str())
        }
        Format::Json => report::json::findings(results),
        Format::Csv => report::csv::slots(results),
        Format::Jsonl => report::csv::slots_lines(results),
    }
}

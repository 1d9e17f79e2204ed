use std::path::Path;

use anyhow::Result;
use lab::Results;
use report::{csv, html, json};

use crate::args::{self, Command, Format};
use crate::output;
use crate::whole_file;

/// Of a run; `simulated.csv`, `counters.csv` and profiles only where asked for.
const FILES: [csv::File; 12] = [
    ("findings.json", |run| Some(json::findings(run))),
    ("slots.csv", |run| Some(csv::slots(run))),
    ("findings.csv", |run| Some(csv::findings(run))),
    ("summary.csv", |run| Some(csv::summary(run))),
    ("quantities.csv", |run| Some(csv::quantities(run))),
    ("simulated.csv", csv::simulated),
    ("counters.csv", csv::counters),
    ("profile.json", report::profiles::firefox),
    ("profile.folded", report::profiles::folded),
    ("machine.json", |run| {
        Some(json::machine(&run.header.machine))
    }),
    ("report.html", |run| Some(html::page(run))),
    ("then-and-now.html", report::then_and_now::page),
];

/// Also without `--tables`, where `--sample` was given.
const SAMPLES: &str = "samples.csv";

pub(crate) fn write_folder(results: &Results, folder: &Path, tables: bool) -> Result<()> {
    let command = args::parsed(&results.header.command);
    let how = command.as_ref().and_then(Command::how);
    let is_sampled = how.is_some_and(|how| how.sample.is_some());
    let is_asked = |name: &str| tables || is_sampled && name == SAMPLES;
    let more = csv::TABLES
        .iter()
        .filter(|(name, _)| is_asked(name) || folder.join(name).exists());
    let files = FILES.iter().chain(more);
    whole_file::write_all(
        folder,
        files.filter_map(|(name, text)| Some((name, text(results)?))),
    )
}

/// Set: as `-v`.
const VERBOSE: &str = "FLOWGAUGE_VERBOSE";

pub(crate) fn shown(results: &Results, folder: &Path, format: Format, verbose: bool) -> String {
    match format {
        Format::Text => {
            let is_set = std::env::var_os(VERBOSE).is_some_and(|value| !value.is_empty());
            let style = report::terminal::Style {
                verbose: verbose || is_set,
                ..output::style()
            };
            report::terminal::run(results, &style, folder.to_str())
        }
        Format::Json => report::json::findings(results),
        Format::Csv => report::csv::slots(results),
        Format::Jsonl => report::csv::slots_lines(results),
    }
}

//! `flowgauge search --study`: which flows search a tree fastest, how many, and why.
//!
//! The built-in study's full preset with the pattern, the tree and the filters that were given.

use std::path::PathBuf;

use anyhow::{Result, anyhow, ensure};
use lab::{Preset, Study};
use machine::Machine;
use workload::{Searching, Work};

use crate::args::SearchArgs;
use crate::ending::Ending;
use crate::launch::SlotLauncher;
use crate::output;
use crate::result_file::ResultFile;
use crate::session;

/// Seconds for the study where no budget is given: Ctrl-C or `--budget` end it earlier.
const BUDGET_S: f64 = 300.0;

/// Runs the study as asked.
pub(crate) fn run(args: &SearchArgs) -> Result<Ending> {
    let how = &args.how;
    let given = args.of_one_search();
    ensure!(
        given.is_empty(),
        "a study chooses its flows and prints no lines: leave {} out, or --study",
        given.join(" ")
    );
    let study = study(args)?.for_cpus(session::cpus(&Machine::read()));
    let (study, left_out) = lab::capacity::fitted(study, &Machine::read());
    let name = study.name.clone();
    let mut settings = session::settings(how, Preset::Full)?;
    settings.budget_s = how.budget.or(Some(BUDGET_S));
    let mut launcher = SlotLauncher::new(ResultFile::prepare(None, false)?)?;
    let mut session = session::begin(vec![study], settings, how)?;
    session.leaves_out(&name, &left_out)?;
    if how.budget.is_none() {
        output::tell(&format!(
            "This takes up to {BUDGET_S} s, or as long as --budget says."
        ));
    }
    session::carry_out(session, &mut launcher, how.watch, &how.answer)
}

/// The built-in study for that pattern in that tree.
fn study(args: &SearchArgs) -> Result<Study> {
    let mut study = lab::builtin("search", Preset::Full)?;
    for case in &mut study.cases {
        let own = case.variants.iter_mut().filter_map(|v| v.work.as_mut());
        for work in own.chain([&mut case.work]) {
            if let Work::Search(search) = work {
                *search = asked(args, search)?;
            }
        }
        case.work.check()?;
    }
    Ok(study)
}

fn asked(args: &SearchArgs, search: &Searching) -> Result<Searching> {
    let [pattern] = args.patterns()?.try_into().map_err(|_| {
        anyhow!("a study searches for one pattern: join several with |, as in 'this|that'")
    })?;
    let paths = args.paths();
    Ok(Searching {
        pattern,
        literal: args.fixed_strings,
        ignore_case: args.ignore_case,
        word: args.word_regexp,
        tree: match paths.is_empty() {
            true => vec![PathBuf::from(".")],
            false => paths,
        },
        hidden: args.hidden,
        no_ignore: args.no_ignore,
        text: args.text,
        globs: args.glob.clone(),
        cold: args.study.cold,
        ..search.clone()
    })
}

//! `flowgauge workers`: the study of workers on one CPU with its own options.
//!
//! The built-in study's full preset with the kinds, counts, CPUs and amounts of work that the
//! flags ask for. Counts that both models have are compared; beyond them the one that goes on
//! is measured alone. What has no room is refused and not left out: it was asked for by number.

mod cases;
mod counts;
mod options;

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use lab::{Preset, Sampling, Study};
use machine::Machine;

use crate::args::{Kind, WorkersArgs};
use crate::ending::Ending;
use crate::launch::CellLauncher;
use crate::output::tell;
use crate::result_file::ResultFile;
use crate::session;
use cases::Cases;
use counts::Counts;
use options::options;

/// Seconds for the study where no budget is given: Ctrl-C or `--budget` end it earlier.
const BUDGET_S: f64 = 900.0;

/// Runs the study as asked.
pub(crate) fn run(args: &WorkersArgs) -> Result<Ending> {
    let study = study(args)?;
    for case in &study.cases {
        case.work.check()?;
    }
    let study = with_room(study, &Machine::read())?;
    let mut settings = session::settings(&args.how, Preset::Full)?;
    settings.budget_s = args.how.budget.or(Some(BUDGET_S));
    let mut launcher = CellLauncher::new(ResultFile::prepare(None, false)?)?;
    let session = session::begin(vec![study], settings, &args.how)?;
    for line in options(args) {
        tell(&line);
    }
    session::carry_out(session, &mut launcher, args.how.watch, &args.how.answer)
}

/// The study, if the machine has room for all of it.
fn with_room(study: Study, machine: &Machine) -> Result<Study> {
    let (study, left_out) = lab::room::fitted(study, machine);
    ensure!(left_out.is_empty(), "{}", first_of(&left_out));
    Ok(study)
}

/// The first of several reasons that are much alike.
fn first_of(reasons: &[String]) -> String {
    match reasons {
        [] => String::new(),
        [only] => only.clone(),
        [first, others @ ..] => format!("{first} (and so with {} further cases)", others.len()),
    }
}

/// The built-in study with the cases that the flags ask for.
fn study(args: &WorkersArgs) -> Result<Study> {
    for (place, kind) in args.kind.iter().enumerate() {
        let twice = args.kind[..place].contains(kind);
        ensure!(!twice, "--kind names {} twice: once is enough", name(*kind));
    }
    ensure!(args.loops > 0, "--loops 0: there must be at least 1 loop");
    let usual = lab::builtin("workers", Preset::Full)?;
    let cases = Cases {
        args,
        counts: &Counts::of(args)?,
        folder: absolute(args)?,
        sampling: sampling(&usual),
    };
    let cases = cases.all();
    Ok(Study {
        headline: cases[0].name.clone(),
        cases,
        ..usual
    })
}

/// The sampler beside the slots of the built-in study's table.
fn sampling(usual: &Study) -> Option<Sampling> {
    let mut variants = usual.cases.iter().flat_map(|case| &case.variants);
    variants.find_map(|variant| variant.sample.clone())
}

/// The folder from the root, so that a run can be taken up again from anywhere.
fn absolute(args: &WorkersArgs) -> Result<Option<PathBuf>> {
    let Some(folder) = &args.folder else {
        return Ok(None);
    };
    let shown = folder.display();
    let found = folder
        .canonicalize()
        .with_context(|| format!("--folder {shown}: name a folder that is there"))?;
    ensure!(found.is_dir(), "--folder {shown} is no folder: name one");
    Ok(Some(found))
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Cpu => "cpu",
        Kind::Mem => "mem",
        Kind::Io => "io",
    }
}

#[cfg(test)]
mod tests {
    use clap::{Parser, ValueEnum};
    use measure::Measured;

    use super::*;
    use crate::args::{Cli, Command};

    #[test]
    fn every_kind_has_its_name_on_the_command_line() {
        for kind in Kind::value_variants() {
            let named = kind.to_possible_value().map(|v| v.get_name().to_owned());
            assert_eq!(named.as_deref(), Some(name(*kind)));
        }
    }

    fn study_of(line: &str) -> Study {
        let words = format!("flowgauge workers {line}");
        let Command::Workers(args) = Cli::parse_from(words.split_whitespace()).command else {
            panic!("{words}")
        };
        study(&args).unwrap()
    }

    /// The model was dropped from the counts without room, and nobody was told.
    #[test]
    fn a_count_without_room_is_refused_with_the_reason() {
        let mut machine = Machine::read();
        (machine.limits.maps, machine.limits.max_map_count) =
            (Measured::Value(100), Measured::Value(200));
        let study = study_of("--kind cpu --processes 2 --threads 2..400");
        let said = with_room(study, &machine).unwrap_err().to_string();
        assert!(
            said.contains("flows of model thread are more than"),
            "{said}"
        );
        assert!(said.contains("to raise it"), "{said}");
    }

    #[test]
    fn the_table_has_the_sampler_of_the_built_in_study_and_sweeps_have_none() {
        let usual = lab::builtin("workers", Preset::Full).unwrap();
        let sampled = |study: &Study, swept: bool| -> Vec<Option<Sampling>> {
            let cases = study.cases.iter();
            let cases = cases.filter(|case| case.sweep.is_some() == swept);
            let variants = cases.flat_map(|case| &case.variants);
            variants.map(|variant| variant.sample.clone()).collect()
        };
        let study = study_of("");
        assert!(sampling(&usual).is_some());
        for of in [&usual, &study] {
            assert!(
                sampled(of, false)
                    .iter()
                    .all(|one| *one == sampling(&usual))
            );
            assert!(sampled(of, true).iter().all(Option::is_none));
        }
        let asked = study_of("--sample 50ms");
        assert!(sampled(&asked, false).iter().all(Option::is_none));
    }

    #[test]
    fn many_like_reasons_are_told_by_the_first() {
        let reasons = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(first_of(&reasons[..1]), "a");
        assert_eq!(first_of(&reasons), "a (and so with 2 further cases)");
    }
}

pub(crate) mod body;
pub(crate) mod calibrate;
pub(crate) mod compare;
pub(crate) mod decide;
pub(crate) mod doctor;
pub(crate) mod exec;
pub(crate) mod fleet;
pub(crate) mod hybrid;
pub(crate) mod limits;
pub(crate) mod machine;
pub(crate) mod malloc;
pub(crate) mod man;
pub(crate) mod report;
pub(crate) mod ruler;
pub(crate) mod run;
pub(crate) mod search;
mod search_study;
pub(crate) mod simulate;
pub(crate) mod study;
pub(crate) mod wiki;

use std::path::{Path, PathBuf};
use std::time::Duration;

use ::machine::Machine;
use anyhow::{Context, Result};
use flow::Model;
use lab::{Preset, Study};
use program::Program;
use workload::Work;

fn study_in(name: &str, preset: Preset) -> Option<Result<Study>> {
    let is_file = Path::new(name).extension().is_some_and(|end| end == "toml");
    is_file.then(|| {
        let text = lab::study::text_of(name).with_context(|| format!("cannot read {name}"))?;
        Ok(lab::study::parse(&text, name, preset)?)
    })
}

fn of_program(program: Program) -> Work {
    Work::Program(Box::new(program))
}

fn cores(here: &Machine) -> u32 {
    u32::try_from(here.cores().len()).unwrap_or(1).max(1)
}

fn models(asked: &[Model]) -> Vec<Model> {
    match asked {
        [] => vec![Model::Process, Model::Thread],
        models => models.to_vec(),
    }
}

fn options(command: &str, rows: &[(&str, String)]) -> Vec<String> {
    let first = format!("Using these options (flowgauge {command} --help explains them):");
    let rows = rows
        .iter()
        .map(|(name, value)| format!("  {name:<20} {value}"));
    std::iter::once(first).chain(rows).collect()
}

/// The program that was named, that of the environment, or the usual one.
fn ssh(named: Option<&PathBuf>) -> PathBuf {
    let of_environment = || std::env::var_os("FLOWGAUGE_SSH").map(PathBuf::from);
    let named = named.cloned().or_else(of_environment);
    named.unwrap_or_else(|| "ssh".into())
}

fn patience(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds.clamp(0.1, 3_600.0))
}

#[cfg(test)]
mod tests {
    use lab::data::axis::Axis;
    use lab::plan::steps::asked_steps;
    use lab::{AskedParentMemory, Predicting, Settings};

    use super::*;
    use crate::args::{self, Command};

    /// Commands that run studies, bare and with flags that more steps are about.
    const LINES: [(&str, &str, &str); 9] = [
        ("run", "run", "run --case trial --cold"),
        ("FILE", "run mine.toml", "run mine.toml --case small"),
        ("decide", "decide spawn", "decide spawn"),
        ("primes", "primes", "primes -p 2"),
        ("limits", "limits", "limits --probe-to 1e4"),
        ("search", "search --study x", "search --study x"),
        ("exec", "exec true false", "exec true false"),
        ("wiki", "wiki", "wiki --server prefork"),
        ("calibrate", "calibrate", "calibrate"),
    ];

    /// What each step is about: always, with flags, or never.
    fn steps(bare: &str, flags: &str, here: &Machine) -> Vec<(&'static str, &'static str)> {
        let usual = Settings::usual(Preset::Quick, 1);
        let mut all = usual.clone();
        for (_, laid) in Axis::laid() {
            all.axes.lay(laid, vec!["a word".to_owned()]);
        }
        all.parent_memory = Some(AskedParentMemory {
            bytes: 1,
            pages: Vec::new(),
        });
        all.predict = Some(Predicting {
            percent: 20,
            parts: Vec::new(),
        });
        let simulated: lab::simulated::AskedSimulation = "xeon-x5570".parse().unwrap();
        let simulated = simulated.simulation(Preset::Quick, here).unwrap();
        all.simulate = Some(Box::new(simulated));
        let asked = |line: &str, settings: &Settings| {
            let words = line.split(' ');
            let words = ["flowgauge"].into_iter().chain(words);
            let command = args::parsed(words).unwrap_or_else(|| panic!("{line}"));
            let request = match &command {
                Command::Run(args) => run::request(args),
                Command::Decide(args) => decide::request(args.question.as_deref().unwrap_or("")),
                Command::Study(args) => study::request(args),
                Command::Search(args) => search_study::request(args),
                Command::Exec(args) => exec::request(args, here),
                Command::Wiki(args) => wiki::request(args, here),
                Command::Calibrate(args) => Ok(calibrate::request(args, None, here)),
                other => panic!("{other:?}"),
            };
            asked_steps(&request.unwrap(), settings, here)
        };
        let (bare, flags) = (asked(bare, &usual), asked(flags, &all));
        let steps = bare.into_iter().zip(flags);
        steps
            .map(|((name, bare), (_, flags))| match (bare, flags) {
                (true, _) => (name, "x"),
                (false, true) => (name, "flag"),
                (false, false) => (name, "-"),
            })
            .collect()
    }

    /// Commands went through preparation in eight orders; now there is one, and this is it.
    #[test]
    fn every_command_takes_the_steps_that_the_docs_show() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mine.toml");
        let study = include_str!("../../../../docs/writing-a-study.md");
        let study = study
            .split("```")
            .nth(1)
            .unwrap()
            .trim_start_matches("toml");
        std::fs::write(&file, study).unwrap();
        let here = Machine::read();
        let line = |line: &str| line.replace("mine.toml", file.to_str().unwrap());
        let columns = LINES.map(|(_, bare, flags)| steps(&line(bare), &line(flags), &here));
        let names = LINES.map(|(name, ..)| format!("{name:<7}")).concat();
        let mut table = format!("{:<33}{names}", "step").trim_end().to_owned();
        for (at, (name, _)) in columns[0].iter().enumerate() {
            let marks = columns.each_ref().map(|own| format!("{:<7}", own[at].1));
            let row = format!("{name:<33}{}", marks.concat());
            table += &format!("\n{}", row.trim_end());
        }
        let docs = include_str!("../../../../ARCHITECTURE.md");
        assert!(
            docs.contains(&table),
            "ARCHITECTURE.md is to have:\n{table}"
        );
    }
}

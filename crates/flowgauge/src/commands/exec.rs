mod command;
mod export;
mod labels;
mod parameters;
mod placeholders;
mod plans;
mod serve;

use anyhow::{Result, ensure};
use flow::placement::Cpus;
use lab::{Case, Preset, Request, Settings, Study};
use machine::Machine;

use crate::args::ExecArgs;
use crate::ending::Ending;
use crate::session::{self, Session};

const NAME: &str = "exec";

pub(crate) fn run(args: &ExecArgs, here: &Machine) -> Result<Ending> {
    refuse(args)?;
    serve::refuse(args)?;
    flow::cgroup::sweep();
    let request = request(args, here)?;
    let settings = settings(&request, args, here)?;
    let exports = export::Exports::prepare(&args.hyperfine)?;
    let session = Session::begin(&request, settings, &args.how, here)?;
    let journal = session.journal.path().to_owned();
    let ending = session.carry_out(&args.how.answer)?;
    exports.write(&journal, args)?;
    Ok(ending)
}

pub(crate) fn request(args: &ExecArgs, here: &Machine) -> Result<Request<'static>> {
    let study = study(args, &lab::cpus(here))?;
    serve::check_ports(&study)?;
    Ok(session::as_written(study))
}

fn refuse(args: &ExecArgs) -> Result<()> {
    let (how, own) = (&args.how, &args.hyperfine);
    ensure!(
        how.sample.is_none(),
        "--sample looks at a slot's process group, and a command of your own leaves it: its whole \
         tree is looked at without the flag"
    );
    ensure!(
        how.ballast.is_none(),
        "--ballast is held by flows of this program: exec has none"
    );
    ensure!(
        how.events.is_none(),
        "--events counts flows of this program, and exec has none: perf stat counts a command"
    );
    ensure!(
        !own.show_output,
        "--show-output cannot be kept: nothing is shown while a command runs; --output pipe reads \
         its output, and what a failed one wrote last is shown"
    );
    ensure!(
        own.min_runs.is_none(),
        "--min-runs cannot be kept: rounds go on until the answer is sure; --rounds and --max-runs bound them"
    );
    ensure!(
        own.style.is_none() && own.time_unit.is_none(),
        "--style and --time-unit cannot be kept: colours follow the terminal (NO_COLOR turns them \
         off), and each time has the unit that fits it"
    );
    ensure!(
        own.export_asciidoc.is_none() && own.export_orgmode.is_none(),
        "--export-asciidoc and --export-orgmode cannot be kept: --export-markdown and --export-csv \
         write the same table"
    );
    Ok(())
}

fn settings(request: &Request<'_>, args: &ExecArgs, here: &Machine) -> Result<Settings> {
    let usual = session::settings(request, &args.how, Preset::Full, here)?;
    let runs = args.hyperfine.runs.or(args.hyperfine.max_runs);
    let most = runs.map_or(Ok(usize::MAX), usize::try_from)?;
    let max_rounds = match (runs, args.how.rounds) {
        (Some(_), None) => most,
        _ => most.min(usual.max_rounds),
    };
    Ok(Settings {
        max_rounds,
        exact_rounds: args.hyperfine.runs.is_some() && args.how.rounds.is_none(),
        ..usual
    })
}

fn study(args: &ExecArgs, cpus: &Cpus) -> Result<Study> {
    let cases = cases(args, cpus)?;
    for case in &cases {
        case.work.check()?;
    }
    let title = match cases.as_slice() {
        [case] => case.title.clone(),
        [first, ..] => {
            let sweep = first
                .sweep
                .as_ref()
                .map_or("flows", |point| point.sweep.as_str());
            format!("commands by {sweep}")
        }
        [] => String::new(),
    };
    let stands_for = "the work of the commands themselves";
    Ok(Study::new(NAME, title, stands_for, cases))
}

fn cases(args: &ExecArgs, cpus: &Cpus) -> Result<Vec<Case>> {
    let cases = plans::cases(args, cpus)?;
    match args.serve.load.is_empty() {
        true => Ok(cases),
        false => serve::served(&args.serve, cases, cpus),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use lab::BestOf;

    use super::*;
    use crate::args::{Cli, Command};

    fn study_of(words: &[&str]) -> Result<Study> {
        let all = ["flowgauge", "exec"].iter().chain(words);
        let Command::Exec(args) = Cli::parse_from(all).command else {
            panic!("{words:?}")
        };
        let two = Cpus {
            allowed: vec![0, 1],
            cores: vec![0, 1],
            smt: vec![0, 1],
            numa: Vec::new(),
        };
        study(&args, &two)
    }

    fn labels(study: &Study) -> Vec<&str> {
        let variants = study.cases.iter().flat_map(|case| &case.variants);
        variants.map(|variant| variant.label.as_str()).collect()
    }

    fn refused(words: &[&str]) -> String {
        study_of(words).unwrap_err().to_string()
    }

    #[test]
    fn two_commands_are_all_it_takes() {
        let study = study_of(&["true", "true", "sleep  1"]).unwrap();
        assert_eq!(labels(&study), ["true", "true #2", "sleep 1"]);
        assert_eq!(study.headline, "commands");
    }

    #[test]
    fn a_grid_has_every_split() {
        let study = study_of(&["--grid", "echo {processes} {threads}", "--flows", "8"]).unwrap();
        assert_eq!(labels(&study), ["1x2", "1x8", "2x4", "4x2", "8x1"]);
        assert_eq!(study.cases[0].best_of, Some(BestOf::beside(Some(0))));
        let study = study_of(&["--grid", "echo {processes} {threads}", "--flows", "2"]).unwrap();
        assert_eq!(labels(&study), ["1x2", "2x1"]);
    }

    #[test]
    fn a_grid_without_a_number_of_flows_has_every_size_up_to_twice_the_cpus() {
        let study = study_of(&["--grid", "echo {processes} {threads}"]).unwrap();
        let all = ["1x2", "1x1", "2x1", "1x4", "2x2", "4x1"];
        assert_eq!(labels(&study), all);
    }

    #[test]
    fn the_command_of_a_grid_may_be_the_server() {
        let load = ["--load", "http://127.0.0.1:{port}/", "--rate", "10,20"];
        let server = "serve -b {port} -p {processes} -t {threads}";
        let words = ["--serve", server, "--flows", "2", "--grid"];
        let study = study_of(&[&words[..], &load[..]].concat()).unwrap();
        assert_eq!(study.cases.len(), 2);
        assert_eq!(labels(&study), ["1x2", "2x1", "1x2", "2x1"]);
        let without = refused(&["--grid"]);
        assert!(without.contains("one command"), "{without}");
    }

    #[test]
    fn a_sweep_of_one_command_asks_for_the_best_number_and_of_two_for_each() {
        let study = study_of(&["--sweep", "flows=1,2,4", "echo {flows}"]).unwrap();
        assert_eq!((study.cases.len(), labels(&study).len()), (1, 3));
        assert_eq!(study.cases[0].best_of, Some(BestOf::beside(Some(1))));
        let without = study_of(&["--sweep", "flows=1,4", "echo {flows}"]).unwrap();
        assert_eq!(labels(&without), ["flows 1", "flows 2", "flows 4"]);
        let variants = ["--variant=p=echo {flows}", "--variant=t=echo -n {flows}"];
        let study = study_of(&[&["--sweep", "flows=1,2"], &variants[..]].concat()).unwrap();
        assert_eq!(labels(&study), ["p", "t", "p", "t"]);
        let error = refused(&["--sweep", "flows=1,2", "true"]);
        assert!(error.contains("{flows}"), "{error}");
    }

    /// `--sweep` asked for `{flows}` in the server, where only what asks it changed.
    #[test]
    fn the_number_of_a_sweep_may_stand_in_the_load_of_a_server_alone() {
        let sweep = ["--sweep", "flows=1,2", "--serve", "serve -p {port}"];
        let load = "wrk -c {flows} http://127.0.0.1:{port}/";
        let study = study_of(&[&sweep[..], &["--load", load]].concat()).unwrap();
        assert_eq!(labels(&study), ["flows 1", "flows 2"]);
        let none = ["--load", "http://127.0.0.1:{port}/"];
        let error = refused(&[&sweep[..], &none].concat());
        assert!(error.contains("{flows}"), "{error}");
    }

    #[test]
    fn copies_stand_against_one() {
        let study = study_of(&["--copies", "3", "echo {i}", "--against", "echo all"]).unwrap();
        assert_eq!(labels(&study), ["3 copies", "against"]);
    }
}

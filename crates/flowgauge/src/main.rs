//! `flowgauge`: a gauge for flows of control. The command only: arguments in, calls into the
//! crates, text out. What it does is in [`lab`]; what it shows is in [`report`].
//!
//! A process of this program is the command, a slot process (the fresh process of one slot), the
//! load generator of a slot that is a server, a server in one of the compared forms, a rank of an
//! MPI program, a probe (a fresh process behind a lowered limit), a sampler or a profiler beside a
//! slot, a look into a library, or the janitor of a run. Which of them is asked before anything else.

#![forbid(unsafe_code)]

mod answer;
mod args;
mod commands;
mod ending;
mod files;
mod launch;
mod leftovers;
mod number;
mod output;
mod preload;
mod progress;
mod result_file;
mod results_folder;
mod screen;
mod session;
mod simulation;
mod target;
mod watch;
mod whole_file;

use std::cell::LazyCell;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use machine::Machine;
use nix::sys::resource::{Resource, getrlimit};

use crate::args::Command;
use crate::ending::Ending;

fn main() -> ExitCode {
    if flow::is_slot_process() {
        flow::slot_process_main(workload::Work::run);
    }
    if program::load::is_load() {
        program::load::load_main(workload::server::load_in_rounds);
    }
    if program::serve::is_serve() {
        program::serve::serve_main();
    }
    if mpi::is_rank() {
        mpi::rank_main();
    }
    if flow::is_janitor() {
        flow::janitor_main();
    }
    if flow::is_probe() {
        workload::probe_main(|model| lab::probe::predict(&Machine::read(), model));
    }
    if flow::is_sampler() {
        flow::sampler_main();
    }
    if workload::loaded::is_look() {
        workload::loaded::look_main();
    }
    if flow::is_profiler() {
        flow::profiler_main();
    }
    let ending = stack_is_enough()
        .and_then(|()| flow::ignore_file_size_signal().context("SIGXFSZ cannot be ignored"))
        .and_then(|()| command());
    ending
        .unwrap_or_else(|error| {
            output::tell_error(&error);
            Ending::Error
        })
        .into()
}

/// With a margin.
const LEAST_STACK: u64 = if cfg!(debug_assertions) {
    512 << 10
} else {
    128 << 10
};

/// Too small a stack would end command and slots silently.
fn stack_is_enough() -> Result<()> {
    let (bytes, _) = getrlimit(Resource::RLIMIT_STACK).context("RLIMIT_STACK cannot be read")?;
    ensure!(
        bytes >= LEAST_STACK,
        "a stack of {} KiB (RLIMIT_STACK) is too small for this command: use at least {1} KiB, \
         ulimit -s {1}",
        bytes >> 10,
        LEAST_STACK >> 10
    );
    Ok(())
}

fn command() -> Result<Ending> {
    // Read once, and by those alone that ask: it takes some milliseconds.
    let here: LazyCell<Machine> = LazyCell::new(Machine::read);
    match args::asked() {
        Command::Run(args) => commands::run::run(&args, &here),
        Command::Decide(args) => commands::decide::run(&args, &here),
        Command::Study(args) => commands::study::run(&args, &here),
        Command::Exec(args) => commands::exec::run(&args, &here),
        Command::Body(args) => commands::body::run(&args, &here),
        Command::Hybrid(args) => commands::hybrid::run(&args, &here),
        Command::Wiki(args) => commands::wiki::run(&args, &here),
        Command::Search(args) => commands::search::run(&args, &here),
        Command::Calibrate(args) => commands::calibrate::run(&args, &here),
        Command::Ruler(args) => commands::ruler::run(&args, &here),
        Command::Machine(args) => commands::machine::run(&args, &here),
        Command::Report(args) => commands::report::run(&args),
        Command::Malloc(args) => commands::malloc::run(&args),
        Command::Simulate(args) => commands::simulate::run(&args, &here),
        Command::Compare(args) => commands::compare::run(&args),
        Command::Fleet(args) => commands::fleet::run(&args),
        Command::Completions(args) => commands::completions::run(&args),
        Command::Man(args) => commands::man::run(&args),
    }
}

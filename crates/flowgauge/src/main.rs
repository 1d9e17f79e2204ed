//! `flowgauge`: a gauge for flows of control. Arguments in, calls into the crates, text out: what it does is in
//! [`lab`], what it shows in [`report`]. A process of this program is the command, or what [`slot`] lists; which, is
//! asked first.

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
    slot::play_a_role();
    flow::carried::carry(CARRIED);
    let ending = stack_is_enough()
        .and_then(|()| flow::ignore_file_size_signal().context("SIGXFSZ cannot be ignored"))
        .and_then(|()| command());
    flow::carried::remove();
    ending
        .unwrap_or_else(|error| {
            output::tell_error(&error);
            Ending::Error
        })
        .into()
}

// `CARRIED`: what a static program carries; else it is empty.
include!(concat!(env!("OUT_DIR"), "/carried.rs"));

const LEAST_STACK: u64 = if cfg!(debug_assertions) {
    512 << 10
} else {
    128 << 10
};

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
        Command::Doctor(args) => commands::doctor::run(&args, &here),
        Command::Report(args) => commands::report::run(&args),
        Command::Malloc(args) => commands::malloc::run(&args),
        Command::Simulate(args) => commands::simulate::run(&args, &here),
        Command::Compare(args) => commands::compare::run(&args),
        Command::Fleet(args) => commands::fleet::run(&args),
        Command::Completions(args) => commands::man::completions(&args),
        Command::Man(args) => commands::man::run(&args),
    }
}

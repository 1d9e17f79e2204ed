//! `flowgauge`: a gauge for flows of control.
//!
//! The command only: arguments in, calls into the crates, text out. What it does is in
//! [`lab`]; what it shows is in [`report`].
//!
//! A process of this program is one of two things: the command, or a cell (the fresh
//! process of one slot), which is asked for before anything else happens.

#![forbid(unsafe_code)]

mod args;
mod commands;
mod ending;
mod launch;
mod number;
mod output;
mod progress;
mod result_file;
mod results_folder;
mod session;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Command};
use crate::ending::Ending;

fn main() -> ExitCode {
    if flow::is_cell() {
        flow::cell_main(workload::Work::run);
    }
    let ending = match Cli::parse().command {
        Command::Run(args) => commands::run::run(args),
        Command::Primes(args) => commands::primes::run(&args),
        Command::Switch(args) => commands::switch::run(&args),
        Command::Limits(args) => commands::limits::run(&args),
        Command::Search(args) => commands::search::run(&args),
        Command::Calibrate(args) => commands::calibrate::run(&args),
        Command::Machine(args) => commands::machine::run(&args),
        Command::Report(args) => commands::report::run(&args),
    };
    ending
        .unwrap_or_else(|error| {
            output::tell(&format!("error: {}", output::whole(&error)));
            Ending::Error
        })
        .into()
}

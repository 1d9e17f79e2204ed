//! Attacks on flowgauge that are repeated, and counted.
//!
//! ```text
//! cargo run --release -p flowgauge-campaign -- verdict|commands|planted|causes|layout|profile|profile-cost|predict|kill|fuzz|misuse|faults --minutes N --seed S
//! ```
//!
//! Each attacks the `flowgauge` beside this program for as long as it is given, prints a table of what it tried and
//! what fell, adds its figures to `--figures FILE` (a line of JSON each), makes a page (`--page docs/reliability.md`),
//! and exits with 1 where something fell.
//!
//! Each file says what its campaign attacks, and what falls. [`commands`] also has `planted`, which takes minutes for
//! each trial, and [`profiles`] has `profile-cost`. [`causes`], [`layout`], [`profiles`] and [`predict`] stop after
//! `--runs` trials of each row; `--trials FILE` keeps these and continues them.

#![forbid(unsafe_code)]
#![expect(
    clippy::print_stdout,
    reason = "a program of the repository that prints a table"
)]

mod campaign;
mod causes;
mod cc;
mod commands;
mod faults;
mod fuzz;
mod grid;
mod home;
mod kill;
mod layout;
mod misuse;
mod page;
mod predict;
mod profiles;
mod table;
mod trials;
mod verdict;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::{Parser, ValueEnum};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use campaign::Campaign;

#[derive(Debug, Parser)]
struct Args {
    what: What,
    #[arg(long, default_value_t = 1.0)]
    minutes: f64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, value_name = "FILE")]
    figures: Option<PathBuf>,
    #[arg(long, value_name = "PAGE", requires = "figures")]
    page: Option<PathBuf>,
    /// Trials of each row of causes and layout, at most.
    #[arg(long, default_value_t = 20)]
    runs: u64,
    /// Where those are kept.
    #[arg(long, value_name = "FILE")]
    trials: Option<PathBuf>,
    /// Of those of causes, layout, profile, profile-cost and predict, only rows whose name contains this.
    #[arg(long, value_name = "WORDS", default_value = "")]
    row: String,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum What {
    Verdict,
    Commands,
    Planted,
    Causes,
    Layout,
    Profile,
    ProfileCost,
    Predict,
    Kill,
    Fuzz,
    Misuse,
    Faults,
}

fn main() -> Result<ExitCode> {
    if misuse::is_carried_out() {
        return Ok(ExitCode::SUCCESS);
    }
    let args = Args::parse();
    let mut campaign = Campaign {
        until: Instant::now() + Duration::from_secs_f64(args.minutes.clamp(0.0, 1e6) * 60.0),
        random: ChaCha8Rng::seed_from_u64(args.seed),
        runs: args.runs,
        trials: args.trials.clone(),
        row: args.row.clone(),
    };
    let table = match args.what {
        What::Verdict => verdict::run(&mut campaign)?,
        What::Commands => commands::run(&mut campaign, false)?,
        What::Planted => commands::run(&mut campaign, true)?,
        What::Causes => causes::run(&mut campaign)?,
        What::Layout => layout::run(&mut campaign)?,
        What::Profile => profiles::run(&mut campaign)?,
        What::ProfileCost => profiles::cost(&mut campaign)?,
        What::Predict => predict::run(&mut campaign)?,
        What::Kill => kill::run(&mut campaign)?,
        What::Fuzz => fuzz::run(&mut campaign)?,
        What::Misuse => misuse::run(&mut campaign)?,
        What::Faults => faults::run()?,
    };
    print!("{table}");
    if let Some(file) = &args.figures {
        table.add_to(file, &format!("{:?}", args.what), args.seed, args.minutes)?;
        args.page
            .iter()
            .try_for_each(|page| page::write(file, page))?;
    }
    Ok(ExitCode::from(u8::from(table.fell() > 0)))
}

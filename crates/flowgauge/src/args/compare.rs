use std::path::PathBuf;

use clap::Args;

use super::AnswerArgs;
use crate::number;

const COMPARE_EXAMPLES: &str = "\
Examples:
  flowgauge compare before after                     a verdict for each variant
  flowgauge compare laptop server board --out page   machines side by side, as a page
  flowgauge compare main branch --fail-on-regression 3%
  flowgauge compare before after --format csv        one row a variant and run
  flowgauge compare main branch --absolute           times, not ratios to the reference
  flowgauge compare main branch --expect 'primes/thread <= 1.03'
  flowgauge compare main branch --expect 'primes/thread memory <= 1.1'

Exit codes: 0 compared (and all expectations hold), 1 an expectation fails or something \
became slower, 2 error (with --fail-on-regression also: nothing was compared), 3 an expectation \
cannot be decided, or with --fail-on-regression something was not compared (other work, no good \
slot, gone from a later run) or has too few slots to judge what looks slower.";

/// Results of several runs or machines side by side.
///
/// The first folder is the reference: each variant has a verdict against the same variant there, by its
/// ratio to the first variant of its rounds, which a shift of the whole machine between two runs does not change.
/// Cases of one variant are compared by their times, and so are all with --absolute (docs/comparing.md).
#[derive(Debug, Args)]
#[command(after_help = COMPARE_EXAMPLES)]
#[command(override_usage = "flowgauge compare [OPTIONS] <DIR> <DIR>...")]
pub(crate) struct CompareArgs {
    /// Results folders, the reference first
    #[arg(value_name = "DIR", num_args = 1.., required = true)]
    pub(crate) folders: Vec<PathBuf>,
    /// Ignore differences below this [default: from the noise of the runs]
    #[arg(long, value_name = "SHARE", value_parser = number::share)]
    pub(crate) floor: Option<f64>,
    /// Compare times, not ratios to the reference of each round
    #[arg(long)]
    pub(crate) absolute: bool,
    /// Compare ratios to the reference of each round: the default
    #[arg(long, conflicts_with = "absolute")]
    pub(crate) relative: bool,
    /// Exit with 1 if the interval shows a variant slower by at least this; with 3 if a variant was not
    /// compared or is gone, with 2 if none was compared
    #[arg(long, value_name = "SHARE", value_parser = number::share)]
    pub(crate) fail_on_regression: Option<f64>,
    /// Write compare.html, compare.csv and compare.json into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) answer: AnswerArgs,
}

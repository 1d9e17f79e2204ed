use std::path::PathBuf;

use clap::Args;
use lab::Preset;

use super::{HowArgs, words};

const RUN_EXAMPLES: &str = "\
Examples:
  flowgauge run                            every study, quick
  flowgauge run primes --preset full       one study at the size of the original
  flowgauge run sharing                    what threads share and processes do not
  flowgauge run creating --ballast 1G --ballast-pages 4k,huge    what a fork copies of 1 GiB
  flowgauge run workers --sample 50ms      record CPU, memory and disk beside the slots
  flowgauge run my-study.toml              a study of your own
  flowgauge run --budget 30s --seed 7      at most 30 s, in this random order
  flowgauge run --resume DIR               continue a run that was cut
  flowgauge run search --tree ~/src        which flows search that tree fastest
  flowgauge run primes --watch             show what the flows do while they run
  flowgauge run primes --events software    count page faults and switches of the flows
  flowgauge run --resume DIR --budget 5m   continue one that ran out of time
  flowgauge run --format json > out.json   one JSON document and nothing else
  flowgauge run primes --expect 'primes/thread vs process <= 1.05'   a check, for CI";

const FIRST_EXAMPLES: &str = "\
Examples:
  flowgauge run                            every study, quick
  flowgauge run primes --preset full       one study at the size of the original
  flowgauge run my-study.toml              a study of your own
  flowgauge run --resume DIR --budget 5m   continue one that ran out of time
  flowgauge run --help                     every option, and more examples";

/// Run studies and answer.
#[derive(Debug, Args)]
#[command(after_help = FIRST_EXAMPLES, after_long_help = RUN_EXAMPLES)]
pub(crate) struct RunArgs {
    #[arg(value_name = "STUDY", conflicts_with = "resume", help = known_studies())]
    pub(crate) studies: Vec<String>,
    /// How much work: quick answers in seconds, full is the size of the originals
    #[arg(long, value_parser = words::preset(), default_value = "quick", conflicts_with = "resume")]
    pub(crate) preset: Preset,
    /// Only these cases: names, or the part of a name before a slash
    #[arg(
        long = "case",
        hide_short_help = true,
        value_name = "CASE",
        value_delimiter = ',',
        conflicts_with = "resume"
    )]
    pub(crate) cases: Vec<String>,
    /// Continue an interrupted run in this results folder; with a longer --budget or more --rounds also
    /// one that used them up
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "seed", "floor", "value", "deadline", "sample", "sample_folder", "events", "ballast"])]
    pub(crate) resume: Option<PathBuf>,
    /// Continue a run of another user or machine too: run the commands that its journal names
    #[arg(long, hide_short_help = true, requires = "resume")]
    pub(crate) trust: bool,
    /// The tree that the study search uses [default: /usr/include, /usr/share and /usr/lib, as far as
    /// they exist]
    #[arg(
        long,
        hide_short_help = true,
        value_name = "DIR",
        conflicts_with = "resume"
    )]
    pub(crate) tree: Option<PathBuf>,
    /// Empty the page cache before each search of the study search, so that all files come from the
    /// disk (root only)
    #[arg(long, hide_short_help = true, conflicts_with = "resume")]
    pub(crate) cold: bool,
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

fn known_studies() -> String {
    let names: Vec<&str> = lab::builtin_names().collect();
    format!(
        "Built-in studies ({}), or study files (.toml); all built-in ones by default",
        names.join(", ")
    )
}

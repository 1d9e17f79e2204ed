use std::path::PathBuf;

use clap::{Args, ValueEnum};
use flow::Pages;
use lab::knob::{KNOBS, Knob};
use lab::simulated::{AskedSimulation, choices};
use lab::{Expectation, Study, Value};
use measure::counters::Events;

use super::axis::AxisArgs;
use super::words;
use crate::number;

/// How a run is carried out: the same for every study.
#[derive(Debug, Default, PartialEq, Args)]
#[command(next_help_heading = "How to run")]
pub(crate) struct HowArgs {
    /// Print every table and reason too, not only the answers
    #[arg(short = 'v', long)]
    pub(crate) verbose: bool,
    /// Maximum number of rounds; the data is looked at after 7, 10, 14, 20, 28, 40, 56 and 80
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = number::rounds)]
    pub(crate) rounds: Option<u64>,
    /// Maximum time of the run, such as 60s or 5m; a launch that is still running then is cut, but
    /// not before 5 s [default in the quick preset: 20s, and 10s for each further study]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = number::seconds)]
    pub(crate) budget: Option<f64>,
    /// Seed of every random choice; printed [default: random]
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = number::whole)]
    pub(crate) seed: Option<u64>,
    /// Differences below this do not matter [default: 1%, or 2% on a noisy machine]
    #[arg(long, hide_short_help = true, value_name = "SHARE", allow_hyphen_values = true, value_parser = number::share)]
    pub(crate) floor: Option<f64>,
    /// The value of a slot (one launch of a variant): the median of its repetitions, or the fastest one
    #[arg(long, hide_short_help = true, value_parser = words::value(), default_value = "typical")]
    pub(crate) value: Value,
    /// Time after which a slot has failed [default: 20 times what its pilot predicts, at least 10s, and
    /// never beyond the budget]
    #[arg(long, hide_short_help = true, value_name = "TIME", allow_hyphen_values = true, value_parser = number::seconds)]
    pub(crate) deadline: Option<f64>,
    /// Show what each slot's flows do while it runs: on which CPU, in what state, how busy; updated
    /// every INTERVAL, such as 200ms [default: 0.5s on a terminal, 1s elsewhere]
    #[arg(long, value_name = "INTERVAL", num_args = 0..=1, require_equals = true, value_parser = number::seconds)]
    pub(crate) watch: Option<Option<f64>>,
    /// Record CPU, memory and disk use of each slot at this interval, from a separate process
    #[arg(long, hide_short_help = true, value_name = "INTERVAL", allow_hyphen_values = true, value_parser = number::seconds)]
    pub(crate) sample: Option<f64>,
    /// Also record the disk space of this folder
    #[arg(long, hide_short_help = true, value_name = "DIR", requires = "sample")]
    pub(crate) sample_folder: Option<PathBuf>,
    /// Where the difference is: after the timed rounds, ROUNDS of slots of each variant with a profiler
    /// beside them (16, of 8 to 20), by function and by what is waited for. One search: the time in walk,
    /// open, read, search, print, create, wait
    #[arg(long, value_name = "ROUNDS", num_args = 0..=1, require_equals = true, value_parser = clap::value_parser!(u8).range(8..=20))]
    pub(crate) profile: Option<Option<u8>>,
    /// Whether what was seen is the cause: after the rounds (and --profile), take it away from both sides in
    /// ROUNDS of random order (12, of 8 to 20) and say how much of the gap closes; or name what to turn
    /// (docs/profile.md)
    #[arg(long, value_name = "ROUNDS|KNOB,...", num_args = 0.., value_delimiter = ',', require_equals = true, value_parser = confirming)]
    pub(crate) confirm: Option<Vec<Word>>,
    /// What the whole would gain if a part of the work were PERCENT faster (20), or if the named parts were:
    /// after the rounds all else is slowed down instead, in 12 rounds of random order (docs/profile.md)
    #[arg(long, value_name = "PERCENT|PART,...", num_args = 0.., value_delimiter = ',', require_equals = true, value_parser = predicting)]
    pub(crate) predict: Option<Vec<Word>>,
    #[arg(long, value_name = "LIST", help = COUNT, long_help = COUNT_HELP)]
    pub(crate) events: Option<Events>,
    #[arg(long, value_name = "MACHINE", help = simulate_help(), long_help = simulate_long_help())]
    pub(crate) simulate: Option<AskedSimulation>,
    /// Memory that each slot process touches before it creates flows, such as 256M
    #[arg(long, hide_short_help = true, value_name = "BYTES", allow_hyphen_values = true, value_parser = number::some_bytes)]
    pub(crate) ballast: Option<u64>,
    /// How that memory is held: 4k, huge, shared, dontfork; several values: a variant of each process
    /// model for each [default: 4k]
    #[arg(
        long,
        hide_short_help = true,
        value_name = "PAGES",
        value_delimiter = ',',
        requires = "ballast"
    )]
    pub(crate) ballast_pages: Vec<Pages>,
    #[command(flatten)]
    pub(crate) axes: AxisArgs,
    /// Results folder [default: flowgauge-results/TIME-STUDY]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Write the tables of single studies too, and the slots as lines of JSON (docs/results.md)
    #[arg(long, hide_short_help = true)]
    pub(crate) tables: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArgs,
}

impl HowArgs {
    /// But for what is not of a study alone.
    pub(crate) fn is_usual(&self) -> bool {
        let usual = Self {
            verbose: self.verbose,
            profile: self.profile,
            ..Self::default()
        };
        *self == usual
    }
}

/// What becomes of the answer: the same for every command that has results.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "The answer")]
pub(crate) struct AnswerArgs {
    /// Format of standard output
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
    #[arg(long, value_name = "EXPECTATION", help = EXPECT, long_help = expect_help())]
    pub(crate) expect: Vec<Expectation>,
    /// Exit with 3 unless every study's headline (in compare: every comparison) has an answer
    #[arg(long)]
    pub(crate) require_answer: bool,
    /// Write each chart into this folder, as SVG and PNG
    #[arg(long, hide_short_help = true, value_name = "DIR")]
    pub(crate) plots: Option<PathBuf>,
}

/// A word of `--confirm` (rounds, or a knob) or `--predict` (percent, or a part).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Word {
    Number(u32),
    Name(String),
}

fn predicting(word: &str) -> Result<Word, String> {
    match word.trim_end_matches('%').trim_end().parse() {
        Ok(percent @ 1..=90) => Ok(Word::Number(percent)),
        Ok(percent) => Err(format!("{percent} is not in 1..=90")),
        Err(_) if word.is_empty() => Err("a part has a name".to_owned()),
        Err(_) => Ok(Word::Name(word.to_owned())),
    }
}

fn confirming(word: &str) -> Result<Word, String> {
    match word.parse::<usize>() {
        Ok(rounds @ 8..=20) => return Ok(Word::Number(rounds as u32)),
        Ok(rounds) => return Err(format!("{rounds} is not in 8..=20")),
        Err(_) => {}
    }
    match Knob::of(word) {
        Some(knob) => Ok(Word::Name(knob.name.to_owned())),
        None => {
            let names = KNOBS.iter().map(|knob| knob.name.replace(' ', "-"));
            let names: Vec<String> = names.collect();
            Err(format!("there is no such knob: use {}", names.join(", ")))
        }
    }
}

const COUNT: &str = "\
Count events of each slot's flows while they work: all, software, hardware, or names such as \
cycles,dtlb-misses (see --help)";

const COUNT_HELP: &str = "\
Count events of each slot's flows while they work, in the last repetition of each slot:

  all                  every event below
  software             task-clock, page-faults, context-switches, migrations
  hardware             cycles, instructions, cache-references, cache-misses,
                       l1d-misses, dtlb-misses, branch-misses
  cycles,dtlb-misses   some of them

If this machine cannot count an event, the report says why; `flowgauge machine` lists them all.";

fn simulate_help() -> String {
    format!(
        "Run the memory accesses of each slot through a model of that machine's caches and TLBs: \
         {}, or a file (see --help)",
        choices()
    )
}

fn simulate_long_help() -> String {
    format!(
        "\
Run the memory accesses of each slot through a model of another machine's caches and data \
TLBs, with its flows on that machine's cores. Everything shown is simulated.

{}
                   built-in machines; host is made from what this one reports
  ./mine.toml      a file of your own (docs/simulate.md)

After a comma: pages=2M (the size of all pages), turn=100 (accesses of a hardware thread \
before the next one of its core takes its turn), timeslice=256K (accesses of a flow before the \
next one of its hardware thread), window=4M (maximum accesses recorded of a flow), keep=DIR \
(keep the traces there). Needs qemu-user: apt-get install qemu-user",
        listed(choices().split(", "))
    )
}

fn listed(names: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let mut lines: Vec<String> = Vec::new();
    for name in names {
        let name = name.as_ref();
        match lines.last_mut() {
            Some(line) if line.len() + name.len() < 70 => *line += &format!(", {name}"),
            _ => lines.push(format!("  {name}")),
        }
    }
    lines.join(",\n")
}

const EXPECT: &str = "\
Exit with 1 unless this holds: 'primes/thread vs process <= 1.05', 'switch/fiber@1000 <= 2ns' (see \
--help). May be given several times";

fn expect_help() -> String {
    format!(
        "\
Exit with 1 unless this holds. May be given several times.

  'switch/fiber@1000 <= 2ns'           a time, at a value of a sweep
  'primes/trial/thread <= 40ms'        a time, in a case
  'primes/thread <= 40ms'              the same, in the headline case
  'primes/thread vs process <= 1.05'   a ratio of two variants of a case
  'primes/thread memory <= 5MiB'       another quantity

Quantities, where the work has them:
{}

Compare with <=, <, >= or >. Times in ns, us, ms, s; sizes in B, KB, MB, GB, KiB, MiB, GiB. \
An expectation holds if the whole interval is within the bound, and fails if the whole \
interval is beyond it; otherwise it cannot be decided, and the exit code is 3.",
        listed(lab::expect::quantities())
    )
}

impl AnswerArgs {
    pub(crate) fn check(&self, studies: &[Study]) -> Result<(), lab::expect::ExpectError> {
        let mut expectations = self.expect.iter();
        expectations.try_for_each(|expectation| expectation.means(studies))
    }
}

/// Format of standard output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Tables and sentences
    #[default]
    Text,
    /// One JSON document
    Json,
    /// A table: one row a repetition, a fact of the machine, or a variant and run (compare)
    Csv,
    /// The same rows, one JSON object a line
    Jsonl,
}

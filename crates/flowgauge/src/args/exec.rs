use std::path::PathBuf;

use clap::Args;
use flow::Placement;

use super::HowArgs;
use crate::number;

const EXEC_EXAMPLES: &str = "\
Examples:
  flowgauge exec './sort-p big.bin' './sort-t big.bin'      which is faster, by how much, how sure
  flowgauge exec 'gzip -kf f' 'pigz -kf f' --prepare 'rm -f f.gz'
  flowgauge exec --sweep flows=1,2,4,8 'xz -T {flows} -k f'  which number is best
  flowgauge exec --variant 'processes=many -P {flows}' --variant 'threads=many -T {flows}' \\
      --sweep flows=1,2,4
  flowgauge exec --grid 'work -p {processes} -t {threads}' --flows 8    1x8, 2x4, 4x2, 8x1
  flowgauge exec --copies 4 './solve part{i}' --against './solve-threads -t 4 all'
  flowgauge exec --serve './server -p {port} -w 4' './server -p {port} -t 4' \\
      --load http://127.0.0.1:{port}/ --rate 200,400 --slo p99=20ms
  flowgauge exec --what-if './server-test'                  what helps without changing the program
  flowgauge exec -w 3 -r 20 -L jobs 1,2 'make -j {jobs}'    flags of hyperfine

Placeholders: {flows} {processes} {threads} {i} {cpu} {port} {dir}, and the names of -L and -P.";

/// Compare commands of your own: two or more, or one at several numbers of flows.
///
/// In each round every command has one slot, in random order: up to five fresh launches, whose median
/// counts. Its whole tree of processes is measured, and nothing of it is left behind. A command is
/// run without a shell where it is only words, and by /bin/sh where it is more.
#[derive(Debug, Args)]
#[command(after_help = EXEC_EXAMPLES)]
pub(crate) struct ExecArgs {
    /// The commands, each as one word; the others are compared with the first
    #[arg(value_name = "COMMAND")]
    pub(crate) commands: Vec<String>,
    /// A named command, such as 'threads=./sort-t big.bin'
    #[arg(long, value_name = "NAME=COMMAND", value_parser = named)]
    pub(crate) variant: Vec<(String, String)>,
    /// The name of a command, in the order of the commands
    #[arg(
        short = 'n',
        long = "name",
        visible_alias = "command-name",
        value_name = "NAME"
    )]
    pub(crate) names: Vec<String>,
    /// The reference that the other commands are compared with
    #[arg(long, value_name = "COMMAND")]
    pub(crate) reference: Option<String>,
    /// Numbers of flows to try: flows=1,2,4,8
    #[arg(long, value_name = "flows=LIST", value_parser = sweep, conflicts_with_all = ["grid", "copies", "what_if", "flows"])]
    pub(crate) sweep: Option<Sweep>,
    /// Run a command (or that of --serve) as each split of --flows into processes and threads, to find
    /// the best; without --flows, of each power of two up to twice the CPUs
    #[arg(long, value_name = "COMMAND", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["copies", "what_if"])]
    pub(crate) grid: Option<String>,
    /// Total number of flows: {flows}
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub(crate) flows: Option<u32>,
    /// Run N copies of the command at once, each with its own {i}, from 0
    #[arg(long, value_name = "N", requires = "against", conflicts_with_all = ["what_if", "serve"], value_parser = clap::value_parser!(u32).range(1..=4_000))]
    pub(crate) copies: Option<u32>,
    /// The command that the copies are compared with
    #[arg(long, value_name = "COMMAND", requires = "copies")]
    pub(crate) against: Option<String>,
    /// Also try what can be changed from outside: allocators, huge pages, placement, ...
    #[arg(long)]
    pub(crate) what_if: bool,
    #[command(flatten)]
    pub(crate) serve: ServeArgs,
    #[command(flatten)]
    pub(crate) each: EachArgs,
    #[command(flatten)]
    pub(crate) proof: ProofArgs,
    #[command(flatten)]
    pub(crate) hyperfine: HyperfineArgs,
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

/// Servers, and who asks them.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Servers")]
pub(crate) struct ServeArgs {
    /// The commands are servers: each is started, loaded and stopped in every slot; with a value, one
    /// more command
    #[arg(long, value_name = "COMMAND", num_args = 0..=1, default_missing_value = "", requires = "load")]
    pub(crate) serve: Vec<String>,
    /// What sends requests: a URL such as http://127.0.0.1:{port}/ (may be given several times) for the
    /// built-in generator, or a command: wrk, wrk2, hey, ab, redis-benchmark, pgbench, memcaslap
    #[arg(long, value_name = "URL|COMMAND", requires = "serve")]
    pub(crate) load: Vec<String>,
    /// How to tell that a server is ready: tcp, a URL, or a text that it prints
    #[arg(
        long,
        value_name = "tcp|URL|LINE",
        default_value = "tcp",
        requires = "serve"
    )]
    pub(crate) ready: String,
    /// Requests a second; several values: a sweep; without it each connection sends its next request as
    /// soon as it has its answer
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires = "load")]
    pub(crate) rate: Vec<f64>,
    /// Concurrent connections [default: 16]
    #[arg(long, value_name = "N", requires = "load", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) connections: Option<u32>,
    /// Measured time in each slot [default: 1.5s]
    #[arg(long, value_name = "TIME", requires = "load", value_parser = number::seconds)]
    pub(crate) duration: Option<f64>,
    /// Every answer must equal the first one
    #[arg(long, requires = "load")]
    pub(crate) same_body: bool,
    /// CPUs of the load generator, such as 3; best not those of the servers
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires = "load")]
    pub(crate) load_cpus: Vec<u32>,
    /// Latency to keep, such as p99=20ms; finds the highest rate that keeps it
    #[arg(long, value_name = "p99=TIME", value_parser = slo, requires = "rate")]
    pub(crate) slo: Option<f64>,
}

fn slo(text: &str) -> Result<f64, String> {
    let time = text.strip_prefix("p99=").ok_or("write p99=20ms")?;
    match time.parse::<f64>() {
        Ok(_) => Err(format!(
            "{time} has no unit: write p99={time}ms or p99={time}s"
        )),
        Err(_) => number::seconds(time),
    }
}

/// How each command is launched.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Each launch")]
pub(crate) struct EachArgs {
    /// Run before the first launch of each slot
    #[arg(short = 's', long, value_name = "COMMAND")]
    pub(crate) setup: Option<String>,
    /// Run before each launch; given once for all commands, or once for each, in order
    #[arg(short = 'p', long, value_name = "COMMAND")]
    pub(crate) prepare: Vec<String>,
    /// Run after each launch; once for all, or once for each
    #[arg(short = 'C', long, value_name = "COMMAND")]
    pub(crate) conclude: Vec<String>,
    /// Run after the last launch of each slot
    #[arg(short = 'c', long, value_name = "COMMAND")]
    pub(crate) cleanup: Option<String>,
    /// A file that the commands read [default: nothing]
    #[arg(long, visible_alias = "input", value_name = "FILE")]
    pub(crate) stdin: Option<PathBuf>,
    /// An environment variable
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// The shell that runs the commands: sh, bash, none [default: none if possible]
    #[arg(short = 'S', long, value_name = "SHELL", num_args = 0..=1, default_missing_value = "sh", require_equals = false)]
    pub(crate) shell: Option<String>,
    /// No shell
    #[arg(short = 'N', conflicts_with = "shell")]
    pub(crate) no_shell: bool,
    /// CPUs that the commands may use: one, cores, smt, numa, free, or a list such as 0,2
    #[arg(
        long,
        visible_alias = "cpus",
        value_name = "PLACEMENT",
        default_value = "free"
    )]
    pub(crate) placement: Placement,
    /// Maximum time of one launch, or until a server is ready [default for servers: 10s]
    #[arg(long, value_name = "TIME", value_parser = number::seconds)]
    pub(crate) timeout: Option<f64>,
    /// Time between asking a command to end and killing it
    #[arg(long, value_name = "TIME", value_parser = number::seconds, default_value = "2s")]
    pub(crate) grace: f64,
    /// Units of work in one launch
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) work: Option<u64>,
    /// Files that are the same program, for {build} in the command: each launch draws one; given once for all
    /// commands, or once for each
    #[arg(long, value_name = "FILE,FILE")]
    pub(crate) builds: Vec<String>,
    /// Launch with the same size of the environment, not with a random one
    #[arg(long)]
    pub(crate) fixed_environment: bool,
    /// End processes that a command leaves behind, without counting it as a failure
    #[arg(long)]
    pub(crate) leaves_processes: bool,
}

/// What proves that the work was done.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Proof of the work")]
pub(crate) struct ProofArgs {
    /// Run after each launch; if it fails, the launch does not count
    #[arg(long, value_name = "COMMAND")]
    pub(crate) check: Option<String>,
    /// Expected output of each launch: SAME, a file, or a regular expression
    #[arg(long, value_name = "SAME|FILE|REGEX")]
    pub(crate) check_output: Option<String>,
    /// All commands must have the same output
    #[arg(long)]
    pub(crate) same_output: bool,
    /// Do not count a non-zero exit code as a failure: any, or those of a list such as 1,3
    #[arg(short = 'i', long, value_name = "CODES", num_args = 0..=1, require_equals = true, default_missing_value = "all-non-zero", value_parser = codes)]
    pub(crate) ignore_failure: Option<Codes>,
    /// Where the output goes: null, or a pipe that flowgauge reads [default: null]
    #[arg(long, value_name = "WHERE", value_parser = output)]
    pub(crate) output: Option<String>,
}

/// What hyperfine's users know.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Flags of hyperfine")]
pub(crate) struct HyperfineArgs {
    /// Warm-up launches in each slot
    #[arg(short = 'w', long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000))]
    pub(crate) warmup: Option<u32>,
    /// Exactly N launches of each command, one a round
    #[arg(short = 'r', long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000))]
    pub(crate) runs: Option<u64>,
    /// At most N launches of each command, one a round
    #[arg(short = 'M', long, value_name = "N", conflicts_with = "runs", value_parser = clap::value_parser!(u64).range(1..=1_000))]
    pub(crate) max_runs: Option<u64>,
    /// Run the commands once for each value: -L threads 1,2,4 and {threads}
    #[arg(short = 'L', long, value_names = ["VAR", "VALUES"], num_args = 2)]
    pub(crate) parameter_list: Vec<String>,
    /// Run the commands once for each number of a range
    #[arg(short = 'P', long, value_names = ["VAR", "MIN", "MAX"], num_args = 3, allow_hyphen_values = true)]
    pub(crate) parameter_scan: Vec<String>,
    /// The step of that range
    #[arg(
        short = 'D',
        long,
        value_name = "STEP",
        requires = "parameter_scan",
        allow_hyphen_values = true
    )]
    pub(crate) parameter_step_size: Option<String>,
    /// The order of commands in exported files
    #[arg(long, value_name = "ORDER", value_enum, default_value = "auto")]
    pub(crate) sort: ExportOrder,
    /// Write the results as hyperfine's --export-json does; - is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) export_json: Option<PathBuf>,
    /// The same as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) export_csv: Option<PathBuf>,
    /// The same as a Markdown table
    #[arg(long, value_name = "FILE")]
    pub(crate) export_markdown: Option<PathBuf>,
    /// Cannot be kept: output of commands would be between lines of this program
    #[arg(long, hide = true)]
    pub(crate) show_output: bool,
    /// Cannot be kept: colours follow the terminal
    #[arg(long, hide = true, value_name = "TYPE")]
    pub(crate) style: Option<String>,
    /// Cannot be kept: each time has the unit that fits it
    #[arg(short = 'u', long, hide = true, value_name = "UNIT")]
    pub(crate) time_unit: Option<String>,
    /// Cannot be kept: Markdown has the same table
    #[arg(long, hide = true, value_name = "FILE")]
    pub(crate) export_asciidoc: Option<PathBuf>,
    /// Cannot be kept: Markdown has the same table
    #[arg(long, hide = true, value_name = "FILE")]
    pub(crate) export_orgmode: Option<PathBuf>,
    /// Cannot be kept: rounds decide
    #[arg(short = 'm', long, hide = true, value_name = "N")]
    pub(crate) min_runs: Option<u64>,
}

/// The order of commands in exported files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ExportOrder {
    /// As they were given
    Auto,
    /// As they were given
    Command,
    /// The fastest first
    MeanTime,
}

/// Exit codes that are no failure; none: all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Codes(pub(crate) Vec<i32>);

fn codes(text: &str) -> Result<Codes, String> {
    if text == "all-non-zero" {
        return Ok(Codes(Vec::new()));
    }
    let code = |text: &str| {
        text.trim()
            .parse()
            .ok()
            .filter(|code| (1..=255).contains(code))
    };
    let all: Option<Vec<i32>> = text.split(',').map(code).collect();
    all.map(Codes)
        .ok_or_else(|| "write exit codes from 1 to 255, such as -i=1,3, or -i for all".to_owned())
}

fn output(text: &str) -> Result<String, String> {
    match text {
        "null" | "pipe" => Ok(text.to_owned()),
        "inherit" => Err(
            "output of the commands would be between lines of the answer: use pipe, or write it \
             to a file within the command (sh -c '... > FILE')"
                .to_owned(),
        ),
        _ => Err(
            "use null or pipe; for a file write to it within the command (sh -c '... > FILE')"
                .to_owned(),
        ),
    }
}

fn variable(text: &str) -> Result<(String, String), String> {
    named(text)
        .map_err(|_| "write the name of a variable, '=' and its value, such as LC_ALL=C".to_owned())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sweep(pub(crate) Vec<u32>);

fn named(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, rest)) if !name.is_empty() => Ok((name.to_owned(), rest.to_owned())),
        _ => Err("write a name, '=' and the rest, such as threads=./sort-t".to_owned()),
    }
}

fn sweep(text: &str) -> Result<Sweep, String> {
    let numbers = text.strip_prefix("flows=").ok_or("write flows=1,2,4,8")?;
    let mut all: Vec<u32> = Vec::new();
    for number in numbers.split(',') {
        let number = number
            .trim()
            .parse()
            .ok()
            .filter(|number| (1..=65_536).contains(number));
        all.push(number.ok_or("flows are numbers from 1 to 65,536, such as flows=1,2,4,8")?);
    }
    match names::repeated(&all) {
        Some(number) => Err(format!("flows={number} is there twice: once is enough")),
        None => Ok(Sweep(all)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_is_a_list_of_different_numbers() {
        assert_eq!(sweep("flows=1,2, 4"), Ok(Sweep(vec![1, 2, 4])));
        for text in ["1,2", "flows=", "flows=0", "flows=1,1", "flows=x"] {
            assert!(sweep(text).is_err(), "{text}");
        }
    }
}

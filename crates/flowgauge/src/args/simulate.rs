use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use lab::simulated::AskedSimulation;

/// Run a program's memory accesses through a model of another machine.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  flowgauge simulate xeon-x5570 -- sort /etc/passwd
  flowgauge simulate ultrasparc-t1,pages=4M -- ./program    all memory on large pages
  flowgauge simulate ./mine.toml -- python3 script.py       a machine of your own
  flowgauge simulate xeon-x5570 --along smt -- ./threads    its threads on one core first
  flowgauge simulate xeon-x5570,keep=DIR -- ./program       keep what was recorded in DIR ...
  flowgauge simulate ultrasparc-t1 --traces DIR/0000-program     ... for another machine
  flowgauge simulate host --chase                           the model beside the machine, by time

Flows: each thread of the program, and of the processes that it forks, is a flow with a \
hardware thread of its own; if there are more flows, they take time slices. What the program writes \
goes to standard error. Programs that it starts by exec are not recorded. Needs qemu-user (apt-get \
install qemu-user), and a program for x86-64.

Exit codes: 0 counted, whatever the exit code of the program, 2 error, 130/143 interrupted.")]
pub(crate) struct SimulateArgs {
    #[arg(value_name = "MACHINE", help = machine_help())]
    pub(crate) machine: AskedSimulation,
    /// Where flows are placed first: one per core, or on the hardware threads of a core
    #[arg(long, value_enum, default_value = "cores")]
    pub(crate) along: Along,
    /// Count kept traces instead of running a program
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub(crate) traces: Option<PathBuf>,
    /// Chase pointers through the model, over more and more memory, instead of running a program; with
    /// `host`, measured times stand beside it
    #[arg(long, conflicts_with_all = ["command", "traces"])]
    pub(crate) chase: bool,
    /// Format of standard output: a table, JSON, or CSV
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: super::Format,
    /// The program and its arguments
    #[arg(
        value_name = "COMMAND",
        last = true,
        required_unless_present_any = ["traces", "chase"]
    )]
    pub(crate) command: Vec<OsString>,
}

fn machine_help() -> String {
    format!(
        "{}, or a file; after commas pages=2M, turn=100, timeslice=256K, window=64M, keep=DIR (see \
         `flowgauge run --help`)",
        lab::simulated::choices()
    )
}

/// Where flows go first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Along {
    /// One per core, as a kernel places them
    Cores,
    /// All hardware threads of a core, then the next core
    Smt,
}

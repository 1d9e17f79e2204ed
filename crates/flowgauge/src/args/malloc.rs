use std::ffi::OsString;

use clap::Args;
use clap::builder::TypedValueParser;

use super::words;

/// Run a program with the core-aware allocator.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  flowgauge malloc -- python3 server.py             any dynamically linked program
  flowgauge malloc --stats -- sort big.txt          what its heaps hold at the end
  flowgauge malloc --guarded -- ./program           end it at a double free or an overflow
  flowgauge malloc --region 4m --no-huge -- make

Exit codes: that of the program, which replaces this command; 2 if it cannot be started.")]
pub(crate) struct MallocArgs {
    /// Size of the regions that belong to one core
    #[arg(long, value_parser = region(), default_value = "2m")]
    pub(crate) region: &'static str,
    /// Do not ask the kernel for huge pages
    #[arg(long)]
    pub(crate) no_huge: bool,
    /// Check every block when it is freed, and end the program at a double free or an overflow
    #[arg(long)]
    pub(crate) guarded: bool,
    /// Print the contents of each core's heap to standard error when a program ends
    #[arg(long)]
    pub(crate) stats: bool,
    /// The program and its arguments
    #[arg(value_name = "COMMAND", required = true, last = true)]
    pub(crate) command: Vec<OsString>,
}

/// Size of the regions.
fn region() -> impl TypedValueParser<Value = &'static str> {
    words::one_of([
        ("2m", "The large page of most machines", "2m"),
        ("4m", "The large page of the study of 2010", "4m"),
    ])
}

impl MallocArgs {
    pub(crate) fn words(&self) -> String {
        let set = [
            (self.no_huge, "nohuge"),
            (self.guarded, "guarded"),
            (self.stats, "stats"),
        ];
        let set = set.iter().filter(|(is_set, _)| *is_set);
        let words: Vec<&str> = std::iter::once(self.region)
            .chain(set.map(|(_, word)| *word))
            .collect();
        words.join(",")
    }
}

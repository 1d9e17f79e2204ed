//! `flowgauge completions` and `flowgauge man`: what is made from the arguments themselves.

use anyhow::{Context, Result};
use clap::CommandFactory;

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::ending::Ending;
use crate::output;

/// Prints the completions for a shell.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<Ending> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "flowgauge", &mut script);
    output::print(&String::from_utf8(script)?)?;
    Ok(Ending::Answered)
}

/// Prints the manual page, or writes those of all commands.
pub(crate) fn man(args: &ManArgs) -> Result<Ending> {
    let Some(folder) = &args.out else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Cli::command()).render(&mut page)?;
        output::print(&String::from_utf8(page)?)?;
        return Ok(Ending::Answered);
    };
    let cannot = || format!("cannot write manual pages into {}", folder.display());
    std::fs::create_dir_all(folder).with_context(cannot)?;
    clap_mangen::generate_to(Cli::command(), folder).with_context(cannot)?;
    Ok(Ending::Answered)
}

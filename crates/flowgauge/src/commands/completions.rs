use anyhow::Result;

use crate::args::{self, CompletionsArgs};
use crate::ending::Ending;
use crate::output;

pub(crate) fn run(args: &CompletionsArgs) -> Result<Ending> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::all(), "flowgauge", &mut script);
    output::print(&String::from_utf8(script)?)?;
    Ok(Ending::Answered)
}

use ::machine::Machine;
use anyhow::Result;

use crate::args::{Format, MachineArgs};
use crate::ending::Ending;
use crate::output;

pub(crate) fn run(args: &MachineArgs, here: &Machine) -> Result<Ending> {
    let mut machine = here.clone();
    if args.probe {
        output::tell("Trying the memory: a few seconds");
        machine = machine.probed();
    }
    let text = match args.format {
        Format::Text => report::terminal::machine(&machine, &output::style()),
        Format::Json => report::json::machine(&machine),
        Format::Jsonl => report::csv::machine_lines(&machine),
        Format::Csv => report::csv::machine(&machine),
    };
    output::print(&text)?;
    Ok(Ending::Answered)
}

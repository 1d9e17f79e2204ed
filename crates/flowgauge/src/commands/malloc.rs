use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Context, Error, Result};

use crate::args::MallocArgs;
use crate::ending::Ending;
use crate::{output, preload};

/// Execs the program; returns only on failure.
pub(crate) fn run(args: &MallocArgs) -> Result<Ending> {
    // The program would find /dev/null there, and say that all was written.
    output::is_open()?;
    let library = flow::library::own_allocator().map_err(Error::msg)?;
    let (name, arguments) = args.command.split_first().context("no command is given")?;
    let program = preload::find(name)?;
    preload::check(&program)?;
    flow::carried::keep_over_exec().context("what is unpacked cannot be kept")?;
    let error = Command::new(&program)
        .args(arguments)
        .env("LD_PRELOAD", preload::before_others(&library))
        .env(core_alloc::VARIABLE, args.words())
        .exec();
    Err(error).with_context(|| format!("cannot start {}", program.display()))
}

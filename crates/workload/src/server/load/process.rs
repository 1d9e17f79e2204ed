//! The life of a load generator.

use std::io::{self, BufRead, Write};
use std::process::exit;

use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::signal::Signal;
use nix::unistd::{Pid, getppid};

use super::super::listener::say_goodbye;
use super::run::run;
use super::{ARGUMENT, Order, Task};

/// Whether this process was started as a load generator. To be asked in `main` before
/// anything but whether it is a slot process.
#[must_use]
pub fn is_load() -> bool {
    let argument = std::env::args_os().nth(1);
    argument.is_some_and(|argument| argument == ARGUMENT)
}

/// The whole life of a load generator.
pub fn load_main() -> ! {
    let tied = nix::sys::prctl::set_pdeathsig(Signal::SIGKILL);
    let lived = tied.map_err(io::Error::from).and_then(|()| live());
    if let Err(error) = lived {
        let _closed_is_fine = writeln!(io::stderr(), "the load generator: {error}");
        exit(1)
    }
    exit(0)
}

/// Carries out its order at each message, until the other end closes.
fn live() -> io::Result<()> {
    let mut lines = io::stdin().lock().lines();
    let task = lines.next().transpose()?.unwrap_or_default();
    let task: Task<Order> = serde_json::from_str(&task)?;
    if getppid().as_raw() != task.parent {
        return Ok(());
    }
    let order = task.order;
    let bound = order.cpu.map_or(Ok(()), bind);
    for line in lines {
        line?;
        let mut report = match &bound {
            Ok(()) => run(&order),
            Err(error) => super::Report {
                error: Some(format!("cannot be bound to its CPU: {error}")),
                ..super::Report::default()
            },
        };
        if report.error.is_some() {
            report.latencies = flow::Latencies::default();
        }
        let mut said = serde_json::to_vec(&report)?;
        said.push(b'\n');
        let mut out = io::stdout().lock();
        out.write_all(&said)?;
        out.flush()?;
        (0..order.workers).try_for_each(|_| say_goodbye(order.address))?;
    }
    Ok(())
}

fn bind(cpu: u32) -> io::Result<()> {
    let mut set = CpuSet::new();
    set.set(cpu as usize)?;
    Ok(sched_setaffinity(Pid::from_raw(0), &set)?)
}

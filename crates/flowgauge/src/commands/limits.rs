//! `flowgauge limits`: how many flows of each model there can be. [`lab::machine_limits`] plans how
//! far flows may be made; here that is made safe:
//!
//! * **Time.** A slot has a deadline; what still runs then is killed with its group.
//! * **A small proof.** Before that, each prediction is tested behind a lowered limit, with at most
//!   some hundred tasks or 64 MiB at stake (`fenced`).
//! * **Clean-up.** This process adopts orphans while it probes, and reaps them: none may stay.

use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use flow::Model;
use lab::capacity::SHARE;
use lab::machine_limits::{self, Fence};
use lab::number::count;
use lab::study::command::OfRun;
use machine::Machine;
use nix::errno::Errno;
use nix::sys::prctl::set_child_subreaper;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};

mod fenced;

use crate::args::StudyArgs;
use crate::ending::Ending;
use crate::output::tell;
use crate::session::Session;

const PATIENCE: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(2);

pub(super) fn carry_out(
    args: &StudyArgs,
    mut session: Session<'_>,
    here: &Machine,
) -> Result<Ending> {
    let flags = args.flags();
    for line in fence(
        &flags.models(),
        here,
        session.journal.header().settings.deadline_s,
    ) {
        tell(&line);
    }
    set_child_subreaper(true)?;
    let wanted = fenced::wanted(flags.of_run(OfRun::Fence));
    let present = session.studies()[0].limits_of.clone();
    for model in present {
        let Some(probe) = fenced::probe(model, wanted, here, &mut session.launcher)? else {
            break;
        };
        session.probed(probe)?;
    }
    // With the session ends its janitor, which is a child of this command.
    let ending = session.carry_out(&args.how.answer)?;
    match left_behind()? {
        0 => tell("clean-up verified: none of the flows that were made is left"),
        left => bail!("{left} processes of the probe are left, children of this command"),
    }
    Ok(ending)
}

fn fence(models: &[Model], machine: &Machine, deadline_s: Option<f64>) -> Vec<String> {
    let share = (100.0 * SHARE).round();
    let deadline = deadline_s.map_or_else(String::new, |seconds| format!(", {seconds} s a slot"));
    let mut lines = vec![format!(
        "The fence: {share} % of what each limit leaves (and a tenth of all memory is kept free)\
         {deadline}:"
    )];
    let line = |&model: &Model| match machine_limits::fence(machine, model) {
        Some(Fence { most, limit }) => {
            let most = count(most);
            format!("  {model:<14} no more than {most} are made (room: {limit})")
        }
        None => format!("  {model:<14} no limit can be read"),
    };
    lines.extend(models.iter().map(line));
    lines
}

/// Reaps children; returns those that outlive the patience.
fn left_behind() -> Result<usize> {
    let began = Instant::now();
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Err(Errno::ECHILD) => return Ok(0),
            Err(Errno::EINTR) => {}
            Err(errno) => return Err(errno.into()),
            Ok(WaitStatus::StillAlive) if began.elapsed() < PATIENCE => sleep(LOOK),
            Ok(WaitStatus::StillAlive) => return Ok(descendants().len().max(1)),
            Ok(_reaped) => {}
        }
    }
}

fn descendants() -> Vec<i32> {
    program::tree::descendants(std::process::id().cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_seen_until_it_ends() {
        let child = std::process::Command::new("sleep").arg("5").spawn();
        let mut child = child.expect("sleep starts");
        let pid = child.id().cast_signed();
        let is_seen = || descendants().contains(&pid);
        assert!(is_seen());
        child.kill().expect("killed");
        child.wait().expect("reaped");
        assert!(!is_seen());
    }
}

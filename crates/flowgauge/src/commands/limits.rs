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
    for line in fence(&flags.models(), here, session.settings().deadline_s) {
        tell(&line);
    }
    set_child_subreaper(true)?;
    let wanted = fenced::wanted(flags.of_run(OfRun::Fence));
    let present = session.studies()[0].limits_of.clone();
    for model in present {
        let Some(probe) = fenced::probe(model, wanted, here, session.launcher())? else {
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
            Ok(WaitStatus::StillAlive) => return living_children(),
            Ok(_reaped) => {}
        }
    }
}

fn living_children() -> Result<usize> {
    let own = std::process::id();
    let mut count = 0;
    for entry in std::fs::read_dir("/proc")? {
        let Ok(stat) = std::fs::read_to_string(entry?.path().join("stat")) else {
            continue;
        };
        count += usize::from(living_child_of(&stat) == Some(own));
    }
    Ok(count)
}

/// From a line such as `7 (a name) S 1 …`; the name may hold anything. `None` if ended.
fn living_child_of(stat: &str) -> Option<u32> {
    let (_, after) = stat.rsplit_once(") ")?;
    let (state, after) = after.split_once(' ')?;
    let parent = after.split_whitespace().next()?.parse().ok()?;
    (!matches!(state, "Z" | "X")).then_some(parent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_is_found_behind_any_name() {
        assert_eq!(living_child_of("7 (a) b) S 12 7 7 0"), Some(12));
        assert_eq!(living_child_of("7 (a) Z 1) Z 12 7 7 0"), None);
        assert_eq!(living_child_of("nothing"), None);
    }

    #[test]
    fn a_child_is_seen_until_it_ends() {
        let child = std::process::Command::new("sleep").arg("5").spawn();
        let mut child = child.expect("sleep starts");
        let stat = format!("/proc/{}/stat", child.id());
        let parent = || living_child_of(&std::fs::read_to_string(&stat).unwrap_or_default());
        assert_eq!(parent(), Some(std::process::id()));
        assert!(living_children().is_ok_and(|count| count > 0));
        child.kill().expect("killed");
        child.wait().expect("reaped");
        assert_eq!(parent(), None);
    }
}

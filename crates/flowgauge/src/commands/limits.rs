//! `flowgauge limits`: how many flows of each model there can be.
//!
//! # Theory
//!
//! Predicting is reading. Making flows for real is the only proof, and can take a machine
//! down: so it happens in a fence, which is printed before it is used.
//!
//! * **Room.** Of what the limits leave, a model gets [`SHARE`] at the most. Memory keeps a
//!   tenth of each pool besides ([`machine::ceiling`]). What is asked for beyond that is
//!   not tried; where the fence is lower than that, as many as it allows are made, and some
//!   fewer, so that there are two numbers to take the slope of memory from. A model of which
//!   not even [`LEAST_FLOWS`] may be made has its limit reported all the same.
//! * **Time.** A slot has a deadline; what still runs then is killed with its group.
//! * **A small proof.** Before that, each prediction is put to the test behind a lowered
//!   limit, where no more than some hundred tasks or 64 MiB are at stake (`fenced`).
//! * **Clean-up.** This process adopts orphans while it probes, so whatever a slot process left
//!   behind is a child of this process afterwards. Those that were killed with their slot process
//!   are reaped as they end, which may take them a moment; who still lives then is counted, and
//!   there must be none.

use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use flow::{Model, Variant};
use lab::capacity::{SHARE, unavailable};
use lab::data::room::{limit_text, rooms};
use lab::number::count;
use lab::study::command::OfRun;
use lab::written::Steps;
use lab::{Case, Preset, Study, SweepPoint};
use machine::Machine;
use nix::errno::Errno;
use nix::sys::prctl::set_child_subreaper;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use workload::Work;
use workload::turns::LEAST_FLOWS;

mod fenced;

use crate::args::StudyArgs;
use crate::ending::Ending;
use crate::launch::SlotLauncher;
use crate::output::tell;
use crate::result_file::ResultFile;
use crate::session;

/// The smallest number of flows where there is room, and that from which on steps are made.
const LEAST: u64 = 100;
const USUAL: u64 = 1_000;
/// What may be asked for: a packed fiber takes some 256 bytes, so this many take a quarter of a TB.
const MOST_FLOWS: u64 = 1_000_000_000;
/// Seconds for a slot, where no deadline is given.
const DEADLINE_S: f64 = 120.0;
/// Rounds at the most for each number of flows, where none are asked for.
const ROUNDS: usize = 10;
/// The same where flows are made up to a number that was asked for: it may take minutes.
const PROBE_ROUNDS: usize = 2;
/// How long processes that were killed may take to end, and how often they are looked at.
const PATIENCE: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(2);

/// Predicts, makes flows, and says what was found.
pub(crate) fn run(args: &StudyArgs) -> Result<Ending> {
    let machine = Machine::read();
    let study = study(args, &machine)?;
    let models = args.models();
    let mut settings = session::settings(&args.how, Preset::Full)?;
    settings.budget_s = args.how.budget;
    settings.deadline_s = args.how.deadline.or(Some(DEADLINE_S));
    for line in fence(&models, &machine, settings.deadline_s.unwrap_or(DEADLINE_S)) {
        tell(&line);
    }
    set_child_subreaper(true)?;
    let mut launcher = SlotLauncher::new(ResultFile::prepare(None, false)?)?;
    let name = study.name.clone();
    let mut session = session::begin(vec![study], settings, &args.how)?;
    let missing: Vec<String> = models.iter().filter_map(|&m| unavailable(m)).collect();
    session.leaves_out(&name, &missing)?;
    let wanted = fenced::wanted(args.given_for(OfRun::Fence));
    for model in models.iter().filter(|m| unavailable(**m).is_none()) {
        let Some(probe) = fenced::probe(*model, wanted, &machine, &mut launcher)? else {
            break;
        };
        session.probed(&name, probe)?;
    }
    let ending = session::carry_out(session, &mut launcher, args.how.watch, &args.how.answer)?;
    // Its janitor is a child of this command.
    drop(launcher);
    match left_behind()? {
        0 => tell("clean-up verified: none of the flows that were made is left"),
        left => bail!("{left} processes of the probe are left, children of this command"),
    }
    Ok(ending)
}

/// The study with the numbers and models that the flags ask for.
fn study(args: &StudyArgs, machine: &Machine) -> Result<Study> {
    let models = args.models();
    if let Some(model) = names::repeated(&models) {
        bail!("--model names {model} twice: once is enough");
    }
    let asked = args.given_for(OfRun::ProbeTo);
    let most = asked.and_then(|given| given.values.first()?.as_u64());
    let most = most.unwrap_or(USUAL);
    ensure!(
        most <= MOST_FLOWS,
        "--probe-to {most}: no machine holds as many; the maximum is {MOST_FLOWS}"
    );
    let rounds = match asked.is_none_or(|given| given.is_default) {
        true => ROUNDS,
        false => PROBE_ROUNDS,
    };
    let present = || models.iter().filter(|m| unavailable(**m).is_none());
    let ceilings: Vec<(Model, u64)> = present()
        .map(|&model| (model, ceiling(machine, model, most)))
        .collect();
    let mut numbers: Vec<u64> = ceilings.iter().flat_map(|&(_, top)| steps(top)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let usual = args.study.study(Preset::Full)?;
    let written = usual.cases.first().context("the study has no case")?;
    let like = Case {
        reps: Some(1),
        max_rounds: args.how.rounds.is_none().then_some(rounds),
        ..written.clone()
    };
    let cases: Vec<Case> = numbers
        .iter()
        .map(|&flows| case(&like, flows, &ceilings))
        .collect();
    Ok(Study {
        headline: cases
            .last()
            .map_or(usual.headline, |last| last.name.clone()),
        deciding: Vec::new(),
        limits_of: present().copied().collect(),
        simulate: None,
        terms: BTreeMap::new(),
        cases,
        ..usual
    })
}

/// How many flows of a model are made at the most.
fn ceiling(machine: &Machine, model: Model, most: u64) -> u64 {
    most_within(machine, model).map_or(most, |fence| fence.most.min(most))
}

/// The numbers of flows that are made of a model: up to what it may have in steps of 1, 2, 5
/// from [`USUAL`] on, and a smaller one first.
fn steps(top: u64) -> Vec<u64> {
    if top < LEAST_FLOWS {
        return Vec::new();
    }
    let mut numbers = vec![LEAST.min(top / 4).max(LEAST_FLOWS)];
    if top > USUAL {
        numbers.extend(Steps::OneTwoFive.between(USUAL, top));
    }
    numbers.push(top);
    numbers.dedup();
    numbers
}

/// A case as the study writes it, with this number of flows of each model whose steps it is one of.
fn case(like: &Case, flows: u64, ceilings: &[(Model, u64)]) -> Case {
    let variant = |model: Model| Variant::new(model, u32::try_from(flows).unwrap_or(u32::MAX));
    let within = ceilings
        .iter()
        .filter(|(_, top)| steps(*top).contains(&flows));
    let within = within.map(|(model, _)| variant(*model));
    let point = like.sweep.as_ref().map(|point| SweepPoint {
        value: flows as f64,
        ..point.clone()
    });
    let name = point.as_ref().map_or(&like.name, |point| &point.sweep);
    Case {
        name: format!("{name}/{flows}"),
        sweep: point,
        work: work(flows),
        variants: lab::labelled(within.collect()),
        ..like.clone()
    }
}

fn work(flows: u64) -> Work {
    Work::idle(flows)
}

/// How far a model may be probed.
struct Fence {
    most: u64,
    /// The limit with its room.
    limit: String,
}

/// `None` where no limit can be read.
fn most_within(machine: &Machine, model: Model) -> Option<Fence> {
    let rooms = rooms(machine, model, &work(LEAST));
    rooms.first().map(|lowest| Fence {
        most: (lowest.count as f64 * SHARE) as u64,
        limit: limit_text(lowest),
    })
}

/// The fence, for people.
fn fence(models: &[Model], machine: &Machine, deadline_s: f64) -> Vec<String> {
    let share = (100.0 * SHARE).round();
    let mut lines = vec![format!(
        "The fence: {share} % of what each limit leaves (and a tenth of all memory is kept free), \
         {deadline_s} s a slot:"
    )];
    lines.extend(
        models
            .iter()
            .map(|&model| match most_within(machine, model) {
                Some(Fence { most, limit }) => {
                    let most = count(most);
                    format!("  {model:<14} no more than {most} are made (room: {limit})")
                }
                None => format!("  {model:<14} no limit can be read"),
            }),
    );
    lines
}

/// Reaps the children of this process as they end; how many still live when there is no more
/// patience.
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

/// Processes whose parent is this one, and that have not ended.
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

/// The parent in a line such as `7 (a name) S 1 …`, unless the process has ended; the name may
/// hold anything.
fn living_child_of(stat: &str) -> Option<u32> {
    let (_, after) = stat.rsplit_once(") ")?;
    let (state, after) = after.split_once(' ')?;
    let parent = after.split_whitespace().next()?.parse().ok()?;
    (!matches!(state, "Z" | "X")).then_some(parent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{self, Command};

    #[test]
    fn the_parent_is_found_behind_any_name() {
        assert_eq!(living_child_of("7 (a) b) S 12 7 7 0"), Some(12));
        assert_eq!(living_child_of("7 (a) Z 1) Z 12 7 7 0"), None);
        assert_eq!(living_child_of("nothing"), None);
    }

    #[test]
    fn no_model_is_probed_beyond_its_fence() {
        let machine = Machine::read();
        let line = [
            "flowgauge",
            "limits",
            "--model",
            "process,task",
            "--probe-to",
        ];
        let asked = |most| match args::parsed([&line[..], &[most]].concat()) {
            Some(Command::Study(args)) => study(&args, &machine),
            _ => panic!("not the command that was named"),
        };
        assert!(asked("4e9").is_err());
        let study = asked("1e9").expect("a study");
        assert!(study.cases.len() > 2);
        for labelled in study.cases.iter().flat_map(|case| &case.variants) {
            let fence = most_within(&machine, labelled.variant.model).expect("a limit");
            assert!(u64::from(labelled.variant.flows) <= fence.most);
        }
    }

    #[test]
    fn where_fewer_than_100_flows_fit_as_many_are_made_and_some_fewer() {
        assert!(steps(0).is_empty() && steps(1).is_empty());
        assert_eq!(steps(2), [2]);
        assert_eq!(steps(17), [4, 17]);
        assert_eq!(steps(101), [25, 101]);
        assert_eq!(steps(1_000), [100, 1_000]);
        assert_eq!(steps(2_600), [100, 1_000, 2_000, 2_600]);
    }

    #[test]
    fn a_child_is_seen_until_it_ends() {
        let before = living_children().unwrap_or(0);
        let child = std::process::Command::new("sleep").arg("5").spawn();
        let mut child = child.expect("sleep starts");
        assert!(living_children().unwrap_or(0) > before);
        child.kill().expect("killed");
        child.wait().expect("reaped");
    }
}

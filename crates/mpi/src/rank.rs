//! The life of a rank. Its first thread loads MPI, checks with all others that they are what was
//! asked for, and makes the other threads, each bound to one of the rank's CPUs. A repetition:
//! ```text
//!  state of each flow   threads meet, ranks meet │ work │ threads meet, ranks meet
//!  (in no phase)                                 └─ steady: of the slowest rank ─┘
//! ```
//! Ranks come from `MPI_Barrier` within microseconds of each other; each takes the steady phase by
//! its own clock, so clocks need not agree. Rank 0 adds up the notes and reports.

use std::io::Write;
use std::path::Path;
use std::process::exit;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use flow::Proof;
use measure::clock::now_ns;
use measure::usage::{Usage, this_thread};
use program::report::{Report, Reported, Said};
use serde::{Deserialize, Serialize};

use crate::bodies::{self, Exchange};
use crate::task::Task;
use crate::team::{Member, Team};
use crate::world::World;
use crate::{ARGUMENT, ELSEWHERE, checks, elsewhere, nodes, region};

/// Whether this process is a rank.
#[must_use]
pub fn is_rank() -> bool {
    let argument = std::env::args_os().nth(1);
    argument.is_some_and(|argument| argument == ARGUMENT)
}

/// The whole life of a rank.
pub fn rank_main() -> ! {
    std::panic::set_hook(Box::new(|panic| {
        let _closed_is_fine = writeln!(std::io::stderr(), "a rank failed: {panic}");
        // Other threads and ranks would wait for ever.
        exit(101);
    }));
    let said = live().unwrap_or_else(|why| Some(Said::Refused(why)));
    let Some(said) = said else { exit(0) };
    let written = serde_json::to_string(&said).map_err(std::io::Error::other);
    let written = written.and_then(|text| writeln!(std::io::stdout(), "{text}"));
    exit(i32::from(written.is_err()))
}

fn live() -> Result<Option<Said>, String> {
    let (shim, task, says_usage) = arguments()?;
    task.check().map_err(|error| error.0)?;
    if task.over.is_some() {
        nodes::bind_by_environment(&task)?;
    }
    if task.moves() {
        region::at_the_same_addresses()?;
    }
    let mut world = World::begin(Path::new(&shim), task.threads)?;
    if let Some(why) = refusal(&task, &mut world)? {
        let speaks = world.rank == 0;
        world.end();
        return Ok(speaks.then_some(Said::Refused(why)));
    }
    let mut team = Team::new(world, task.threads);
    team.says_usage = says_usage;
    let reps = bodies::run(&task, &team);
    let world = team.into_world();
    let first = world.rank == 0;
    world.end();
    reps.map(|report| first.then_some(Said::Report(report)))
}

fn arguments() -> Result<(String, Task, bool), String> {
    let mut arguments = std::env::args().skip(2);
    match (arguments.next(), arguments.next()) {
        (Some(shim), Some(task)) => {
            let task = serde_json::from_str(&task);
            let task = task.map_err(|error| format!("the task of a rank: {error}"))?;
            let last = arguments.next();
            Ok((shim, task, last.is_some_and(|last| last == ELSEWHERE)))
        }
        _ => Err("a rank is started by flowgauge hybrid".to_owned()),
    }
}

fn refusal(task: &Task, world: &mut World) -> Result<Option<String>, String> {
    if let Some(why) = checks::wrong_size(task, world.size, &world.library()) {
        return Ok(Some(why));
    }
    let all = world.gather_values(&checks::own_cpus()?);
    let wrong = checks::wrong_cpus(task, &all);
    if wrong.is_some() || task.over.is_none() {
        return Ok(wrong);
    }
    let machines = world.gather(&[nodes::this_machine()?]);
    Ok(checks::wrong_nodes(task, &machines))
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Share {
    proof: Proof,
    compute_ns: u64,
    communication_ns: u64,
    moves: u64,
    steady_ns: u64,
    usage: Usage,
}

impl Share {
    fn add(&mut self, other: Self) {
        self.proof += other.proof;
        self.compute_ns += other.compute_ns;
        self.communication_ns += other.communication_ns;
        self.moves += other.moves;
        self.steady_ns = self.steady_ns.max(other.steady_ns);
        self.usage += other.usage;
    }
}

/// What threads of a rank have together; the first begins its clock, as another may be late.
struct Sums {
    share: Mutex<Share>,
    /// `u64::MAX` between repetitions.
    began_ns: AtomicU64,
}

impl Default for Sums {
    fn default() -> Self {
        Self {
            share: Mutex::default(),
            began_ns: AtomicU64::new(u64::MAX),
        }
    }
}

pub(crate) fn repetitions<B: Exchange>(
    task: &Task,
    team: &Team,
    body: &B,
) -> Result<Report, String> {
    let sums = Sums::default();
    let mut report = Report::default();
    std::thread::scope(|scope| {
        for thread in 1..team.threads {
            let (sums, body) = (&sums, &*body);
            let name = std::thread::Builder::new().name(format!("flow {thread}"));
            let made = name.spawn_scoped(scope, move || {
                let member = Member::new(team, thread);
                bind(task, team, thread);
                for _ in 0..task.warmups + task.reps {
                    repetition(body, &member, sums, || ());
                }
            });
            made.map_err(|error| format!("a rank cannot have {} threads: {error}", team.threads))?;
        }
        let member = Member::new(team, 0);
        bind(task, team, 0);
        for number in 0..task.warmups + task.reps {
            let is_last = number + 1 == task.warmups + task.reps;
            let ready_ns = repetition(body, &member, &sums, || {
                if is_last && team.says_usage {
                    report.elsewhere = Some(elsewhere::of_all(&mut team.world(), task));
                }
            });
            if number == 0 {
                report.ready_ns = ready_ns;
            }
            let own = std::mem::take(&mut *lock(&sums.share));
            let rep = gathered(team, own, body.units());
            if number >= task.warmups {
                report.reps.push(rep);
            }
        }
        Ok::<(), String>(())
    })?;
    report.done_ns = now_ns();
    Ok(report)
}

fn bind(task: &Task, team: &Team, thread: u32) {
    let cpu = task.cpus_of(team.rank).get(thread as usize).copied();
    let bound = cpu.map(|cpu| sys::bind(&[cpu]));
    assert!(
        matches!(bound, Some(Ok(()))),
        "thread {thread} cannot be bound to its CPU: {bound:?}"
    );
}

fn lock(shares: &Mutex<Share>) -> std::sync::MutexGuard<'_, Share> {
    shares
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Returns its beginning by its rank's clock. Calls `look` while all flows still have their state.
fn repetition<B: Exchange>(body: &B, member: &Member<'_>, sums: &Sums, look: impl FnOnce()) -> u64 {
    let Member { team, thread, .. } = *member;
    let mut state = body.state(member);
    all_meet(team, thread);
    let (began_ns, before) = (now_ns(), this_thread());
    let proof = body.run(&mut state, member);
    let usage = this_thread().since(before);
    let (compute_ns, communication_ns, moves) = member.take();
    sums.began_ns.fetch_min(began_ns, Ordering::Relaxed);
    all_meet(team, thread);
    let ended_ns = now_ns();
    look();
    let proof = body.settle(&mut state, proof);
    let steady_ns = match thread {
        0 => ended_ns - sums.began_ns.swap(u64::MAX, Ordering::Relaxed),
        _ => 0,
    };
    lock(&sums.share).add(Share {
        proof,
        compute_ns,
        communication_ns,
        moves,
        steady_ns,
        usage,
    });
    team.meet();
    began_ns
}

fn all_meet(team: &Team, thread: u32) {
    team.meet();
    if thread == 0 {
        team.world().barrier();
    }
    team.meet();
}

fn gathered(team: &Team, own: Share, units: u64) -> Reported {
    let all = team.world().gather_values(&own);
    let mut sum = Share::default();
    let mut longest_ns = 0;
    for rank in all {
        longest_ns = longest_ns.max(rank.compute_ns);
        sum.add(rank);
    }
    let steady_ns = sum.steady_ns;
    let flows = u64::from(team.flows());
    let (compute, communication) = (sum.compute_ns / flows, sum.communication_ns / flows);
    let counts = [
        ("compute_ns", compute),
        ("communication_ns", communication),
        (
            "waiting_ns",
            steady_ns.saturating_sub(compute + communication),
        ),
        ("ranks", team.ranks.into()),
        ("threads_each", team.threads.into()),
        ("moves", sum.moves),
        ("longest_ns", longest_ns),
        ("mean_ns", sum.compute_ns / u64::from(team.ranks)),
        // Waiting costs CPU too, which is no cost of the awaited thing.
        ("beside_work_ns", sum.communication_ns),
    ];
    Reported {
        steady_ns,
        units,
        proof: sum.proof,
        usage: sum.usage,
        counts: counts.map(|(name, count)| (name.to_owned(), count)).into(),
    }
}

//! `--watch`: what a slot's flows do while it runs, as one would check with `top`. Who looks takes
//! time from what is looked at, unless there is a CPU to spare. So:
//!
//! * Looks are only at `/proc` ([`measure::tasks`]): no flow is stopped, traced or asked anything.
//! * Beside flows that are bound, this process keeps to the CPUs that they leave free, from after
//!   the slot's process was made, which would inherit it.
//! * A look is never more than a twentieth of the time: where looks are dear, they become rarer.
//! * Their cost is said at the end: CPU time, looks, and how many were on a CPU of the flows.
//!
//! The first look comes after a tenth of a second, as most slots are short; shorter ones are named.

mod cost;
mod table;
mod view;

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use flow::placement::Cpus;
use flow::{Onlooker, SlotSpec};
use measure::clock::thread_cpu_ns;
use measure::tasks::{Process, Reader, Task};
use nix::sched::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use nix::unistd::Pid;
use workload::Work;

use crate::screen::Screen;
use cost::Cost;
use view::{Seen, View};

const ON_TERMINAL: Duration = Duration::from_millis(500);
const ELSEWHERE: Duration = Duration::from_secs(1);
const FIRST: Duration = Duration::from_millis(100);
const REST: u32 = 20;
const MOST: usize = 256;

#[derive(Debug)]
pub(crate) struct Watch {
    every: Duration,
    screen: Screen,
    reader: Reader,
    cpus: Cpus,
    home: CpuSet,
    slot: Option<Slot>,
    cost: Cost,
    processes: Vec<Process>,
    tasks: Vec<Task>,
    blind: bool,
}

#[derive(Debug)]
struct Slot {
    group: i32,
    model: String,
    flows: String,
    carried: bool,
    measured: Vec<u32>,
    began: Instant,
    next: Instant,
    looks: u32,
    seen: Seen,
}

impl Watch {
    pub(crate) fn new(interval_s: Option<f64>, screen: Screen, cpus: Cpus) -> Result<Self> {
        let usual = match screen.is_terminal() {
            true => ON_TERMINAL,
            false => ELSEWHERE,
        };
        Ok(Self {
            every: interval_s.map_or(usual, Duration::from_secs_f64),
            screen,
            reader: Reader::new().context("--watch needs /proc")?,
            cpus,
            home: sched_getaffinity(Pid::from_raw(0))?,
            slot: None,
            cost: Cost::default(),
            processes: Vec::new(),
            tasks: Vec::new(),
            blind: false,
        })
    }

    pub(crate) fn comes(&mut self, spec: &SlotSpec<Work>) {
        // Makes the first walk cheaper.
        let _is_seen_at_the_first_look = self.reader.before();
        let now = Instant::now();
        self.slot = Some(Slot {
            group: 0,
            model: spec.variant.model.to_string(),
            flows: view::flows(&spec.variant),
            carried: spec.variant.model.is_user_level(),
            measured: spec.measured_cpus().to_vec(),
            began: now,
            next: now,
            looks: 0,
            seen: Seen::default(),
        });
    }

    pub(crate) fn cost(&self) -> Vec<String> {
        self.cost.lines(self.first_look())
    }

    fn first_look(&self) -> Duration {
        self.every.min(FIRST)
    }

    /// Off the flows' CPUs if allowed; the cost says so.
    fn step_aside(&self, measured: &[u32]) {
        let aside = self.cpus.aside(measured);
        let mut set = CpuSet::new();
        let all_fit = aside.iter().all(|&cpu| set.set(cpu as usize).is_ok());
        if all_fit && !aside.is_empty() {
            let _refused_is_seen = sched_setaffinity(Pid::from_raw(0), &set);
        }
    }

    fn try_look(&mut self) -> std::io::Result<()> {
        let Some(slot) = &mut self.slot else {
            return Ok(());
        };
        let now = Instant::now();
        self.reader.processes(slot.group, &mut self.processes)?;
        self.tasks.clear();
        for process in &self.processes {
            self.reader.tasks(process, MOST, &mut self.tasks)?;
        }
        let view = View {
            what: &self.screen.runs(&slot.model),
            flows: &slot.flows,
            carried: slot.carried,
            group: slot.group,
            age: now - slot.began,
            processes: &self.processes,
            tasks: &self.tasks,
            most: MOST,
        };
        let rows = view.rows(&mut slot.seen, now);
        let (columns, lines) = self.screen.size();
        self.screen
            .below(&table::lines(&view, rows, columns, lines));
        slot.looks += 1;
        Ok(())
    }

    fn stop_looking(&mut self, error: &std::io::Error) {
        self.blind = true;
        self.screen
            .say(&format!("--watch: cannot look any more: {error}"));
    }
}

impl Onlooker for Watch {
    fn slot_began(&mut self, group: i32) {
        let first = self.first_look();
        if let Some(slot) = &mut self.slot {
            slot.group = group;
            slot.began = Instant::now();
            slot.next = slot.began + first;
            slot.seen = Seen::from(slot.began);
            let measured = slot.measured.clone();
            self.step_aside(&measured);
        }
    }

    fn next_look(&self) -> Option<Instant> {
        let slot = self.slot.as_ref()?;
        (!self.blind).then_some(slot.next)
    }

    fn look(&mut self) {
        let (began, cpu_ns) = (Instant::now(), thread_cpu_ns());
        if let Err(error) = self.try_look() {
            self.stop_looking(&error);
        }
        let used_ns = thread_cpu_ns() - cpu_ns;
        let took = began.elapsed();
        if let Some(slot) = &mut self.slot {
            let here = sched_getcpu().ok().and_then(|cpu| u32::try_from(cpu).ok());
            let beside =
                here.is_some_and(|cpu| !slot.measured.is_empty() && !slot.measured.contains(&cpu));
            slot.next = Instant::now() + self.every.max(took * REST);
            self.cost.look(used_ns, beside);
        }
    }

    fn slot_ends(&mut self) {
        if let Some(slot) = self.slot.take() {
            let _was_allowed_before = sched_setaffinity(Pid::from_raw(0), &self.home);
            let lasted = slot.began.elapsed();
            self.cost.slot(lasted, slot.looks > 0);
            if slot.looks == 0 && !self.blind {
                let line =
                    table::too_short(&self.screen.runs(&slot.model), lasted, self.first_look());
                self.screen.below(&[line]);
            }
        }
    }
}

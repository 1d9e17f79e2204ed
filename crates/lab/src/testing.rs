//! Scripted slots for tests: exact times, no processes and no clock.

mod says;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::OnceLock;

use flow::placement::Cpus;
use flow::{Answer, Failure, FlowRecord, Proof, Rep, SlotRecord, SlotSpec};
use machine::Machine;
use measure::Measured;
use measure::memory::{Memory, Reading};
use measure::usage::Usage;
use stats::Estimate;
use workload::{Spin, Work};

use crate::data::{
    Case, Deciding, Header, Metric, Outcome, Preset, SCHEMA, Settings, Simulated, Study, labelled,
};
use crate::plan::{Plan, PlanError, Request, Wanted, cpus, lay_out};
use crate::run::progress::{Event, Observer};
use crate::run::{Clock, Launch, LaunchError};

pub(crate) use says::Says;

pub(crate) const MS: u64 = 1_000_000;

/// A study of cases that compare processes with threads.
pub(crate) fn study(cases: Vec<Case>) -> Study {
    let first = cases[0].name.clone();
    Study {
        headline: first,
        ..Study::new("mock", "Mock".to_owned(), "nothing", cases)
    }
}

/// The labels of all variants, case by case.
pub(crate) fn labels(study: &Study) -> Vec<&str> {
    let variants = study.cases.iter().flat_map(|case| &case.variants);
    variants.map(|one| one.label.as_str()).collect()
}

/// Gives a case a row on the first screen.
pub(crate) fn decides(case: &str) -> Deciding {
    Deciding {
        case: case.to_owned(),
        label: case.to_owned(),
        subject: None,
        alone: false,
    }
}

/// A study as a run of these settings here would have it.
pub(crate) fn planned(study: Study, settings: &Settings) -> Result<Plan, PlanError> {
    let request = Request {
        wanted: vec![Wanted::as_written(study)],
        ..Request::default()
    };
    lay_out(&request, settings, &Machine::read())
}

/// What 20 rounds estimate.
pub(crate) fn estimate(ratio: f64, low: f64, high: f64) -> Estimate {
    Estimate {
        rounds: 20,
        ratio,
        low: Some(low),
        high: Some(high),
        alpha: 0.016,
    }
}

/// A case with one variant for each model. Its name goes into its work, so that the mock
/// knows it again.
pub(crate) fn case(name: &str, units: u64, models: &[&str]) -> Case {
    let variant = |model: &&str| flow::Variant::new(model.parse().unwrap(), 2);
    let spin = Work::Spin(Spin {
        units,
        steps: 1,
        planted: 0,
    });
    let variants = labelled(models.iter().map(variant).collect());
    Case {
        reps: Some(5),
        ..Case::new(name, name, (spin, Metric::Total), variants)
    }
}

/// 20 ms; with noise, in every ten rounds as much less as more.
pub(crate) fn noise_of_round(noisy: bool, n: usize) -> u64 {
    const TENTHS: [u64; 10] = [205, 195, 225, 175, 155, 245, 185, 215, 235, 165];
    match noisy {
        true => TENTHS[n % 10] * MS / 10,
        false => 20 * MS,
    }
}

pub(crate) fn header(studies: Vec<Study>) -> Header {
    static MACHINE: OnceLock<Machine> = OnceLock::new();
    Header {
        schema: SCHEMA,
        version: "0".to_owned(),
        began_unix_s: 0,
        command: vec!["flowgauge".to_owned()],
        settings: Settings {
            budget_s: None,
            ..Settings::usual(Preset::Quick, 1)
        },
        machine: MACHINE.get_or_init(Machine::read).clone(),
        files_on: Vec::new(),
        studies,
    }
}

/// A repetition that takes `ns`, a tenth of it to create and a tenth to tear down.
pub(crate) fn rep(ns: u64, proof: Proof) -> Rep {
    let flow = |end_ns, proof| FlowRecord {
        pid: 1,
        tid: 1,
        end_ns,
        steady: Usage {
            cpu_ns: end_ns,
            ..Usage::default()
        },
        units: 1,
        proof,
        ..FlowRecord::default()
    };
    let steady_ns = ns - 2 * (ns / 10);
    Rep {
        create_ns: ns / 10,
        steady_ns,
        teardown_ns: ns / 10,
        flows: vec![
            flow(steady_ns, proof),
            flow(steady_ns / 2, Proof::default()),
        ],
        ..Rep::default()
    }
}

/// What every slot holds.
pub(crate) const MEMORY: Memory = Memory {
    pss: 1000,
    page_tables: 100,
    kernel_stacks: 10,
    rss: 2000,
    processes: 1,
    tasks: 2,
    peak_rss: None,
    slab: None,
    sharing: measure::memory::Sharing::Everyone,
    heap: None,
    first_rss: None,
};

pub(crate) fn done(spec: &SlotSpec<Work>, ns: u64, proof: Proof) -> Answer {
    let reps = |count: u32| (0..count).map(|_| rep(ns, proof)).collect();
    Answer::Done(SlotRecord {
        warmups: reps(spec.warmups),
        reps: reps(spec.reps),
        memory: Reading::Honest(MEMORY),
        timed: None,
        proof,
    })
}

pub(crate) fn lost() -> Answer {
    Answer::failed(Failure::SlotLost {
        flows: 2,
        how: "SIGSEGV".to_owned(),
        stderr: String::new(),
    })
}

/// A slot that was cut at its deadline.
pub(crate) fn hanging() -> Answer {
    Answer::failed(Failure::Hung {
        hung: 2,
        flows: 2,
        deadline_s: "2".to_owned(),
        at: String::new(),
    })
}

fn hung(answer: &Answer) -> bool {
    use Answer::Failed;
    matches!(
        answer,
        Failed {
            reason: Failure::Hung { .. },
            ..
        }
    )
}

/// What a slot answers: the case's units, the variant's model, how many slots of this
/// kind came before, and the spec.
type Script = dyn FnMut(u64, &str, usize, &SlotSpec<Work>) -> Answer;

/// Launches nothing: answers as scripted, and moves the clock by what a slot takes.
pub(crate) struct Mock {
    script: Box<Script>,
    counts: BTreeMap<(u64, String, bool), usize>,
    /// Launches until a signal comes.
    pub(crate) signal_after: Option<usize>,
    pub(crate) specs: Vec<SlotSpec<Work>>,
    now_s: Rc<Cell<f64>>,
}

pub(crate) struct MockClock(Rc<Cell<f64>>);

impl Clock for MockClock {
    fn elapsed_s(&self) -> f64 {
        self.0.get()
    }
}

impl Mock {
    pub(crate) fn new(
        script: impl FnMut(u64, &str, usize, &SlotSpec<Work>) -> Answer + 'static,
    ) -> Self {
        Self {
            script: Box::new(script),
            counts: BTreeMap::new(),
            signal_after: None,
            specs: Vec::new(),
            now_s: Rc::default(),
        }
    }

    /// A mock whose slots take what `ns` says of model and number, all with one proof.
    pub(crate) fn timed(ns: impl Fn(&str, usize) -> u64 + 'static) -> Self {
        Self::new(move |_, model, n, spec| done(spec, ns(model, n), PROOF))
    }

    pub(crate) fn clock(&self) -> MockClock {
        MockClock(Rc::clone(&self.now_s))
    }

    /// Forgets the slots of a run that was cut at a whole number of slots, and its clock:
    /// the next run is another process.
    pub(crate) fn again(&mut self) {
        self.signal_after = None;
        self.now_s.set(0.0);
    }
}

pub(crate) const PROOF: Proof = Proof {
    count: 7,
    checksum: 42,
};

impl Launch for Mock {
    fn launch(&mut self, spec: &SlotSpec<Work>) -> Result<Outcome, LaunchError> {
        match &mut self.signal_after {
            Some(0) => return Err(LaunchError::Interrupted { signal: 2 }),
            Some(left) => *left -= 1,
            None => {}
        }
        let units = spec.work.units();
        let model = spec.variant.model.to_string();
        let pilot = spec.warmups == 0 && spec.reps == 1;
        let count = self
            .counts
            .entry((units, model.clone(), pilot))
            .or_default();
        let answer = (self.script)(units, &model, *count, spec);
        *count += 1;
        self.specs.push(spec.clone());
        let launch_ns = match answer.done() {
            Some(record) => {
                let all = record.warmups.iter().chain(&record.reps);
                all.map(Rep::total_ns).sum()
            }
            // It takes a little to be cut.
            None if hung(&answer) => (spec.deadline_s * 1e9) as u64 + MS,
            None => 5 * MS,
        };
        self.now_s.set(self.now_s.get() + launch_ns as f64 / 1e9);
        Ok(Outcome {
            simulated: spec.record.is_some().then(simulated),
            ..Outcome::new(answer, launch_ns)
        })
    }

    fn cpus(&self) -> Cpus {
        cpus(&Machine::read())
    }
}

/// What a model counted of a slot: of 700 accesses 70 missed the first level, and 14 the data TLB.
fn simulated() -> Measured<Simulated> {
    let counts = simulate::Counts {
        accesses: 700,
        l1d: 70,
        dtlb: 14,
        base: 700,
        stall: 1 << 20,
        ..simulate::Counts::default()
    };
    let merged = simulate::Merged {
        flows: vec![simulate::Flow {
            on: 0,
            counts,
            accesses: 700,
        }],
        lines: simulate::Shared::default(),
        pages: simulate::Shared::default(),
        time_ns: 1e6,
        traces: "1".to_owned(),
    };
    Measured::Value(Simulated {
        merged,
        with_longer_turns: None,
        in_other_orders: Vec::new(),
        in_parts: Vec::new(),
        left_out_exec: false,
    })
}

/// Keeps a line for every event.
#[derive(Default)]
pub(crate) struct Heard(pub(crate) Vec<String>);

impl Observer for Heard {
    fn event(&mut self, event: &Event<'_>) {
        self.0.push(match event {
            Event::RunBegins { slots_done, .. } => format!("run after {slots_done}"),
            Event::StudyBegins { study } => format!("study {}", study.name),
            Event::PilotBegins { .. } => "pilot".to_owned(),
            Event::PilotEnded { chosen, .. } => {
                format!("chosen {}+{}", chosen.warmups, chosen.reps)
            }
            Event::BudgetTooShort {
                place,
                rounds,
                enough_s,
                ..
            } => format!("{}: {rounds} rounds with {enough_s} s", place.case.name),
            Event::CaseBegins { place, rounds_done } => {
                format!("case {} after {rounds_done}", place.case.name)
            }
            Event::SlotBegins { slot } => format!("slot {} {}", slot.round, slot.variant),
            Event::SlotEnded { value_ns, .. } => format!("value {value_ns:?}"),
            Event::LookTaken { rounds, .. } => format!("look {rounds}"),
            Event::Expected { first_s, most_s } => format!("expected {first_s:.3} {most_s:.3}"),
            Event::Remaining { next_look_s, run_s } => {
                let run_s = run_s.map_or("?".to_owned(), |run_s| format!("{run_s:.3}"));
                format!("remaining {next_look_s:.3} {run_s}")
            }
            Event::RoundAside { what, at, .. } => format!("{what} {}", at.0),
            Event::CaseEnded { because, .. } => format!("{because:?}"),
            Event::RunEnded { interrupted } => format!("end {interrupted:?}"),
        });
    }
}

/// A machine of this many cores with this many threads each. Hardware threads of one core lie
/// as far apart as there are cores, as firmware often numbers them.
pub(crate) fn machine(cores: u32, threads: u32) -> Machine {
    let root = tempfile::tempdir().unwrap();
    let file = |path: &str, text: String| {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text + "\n").unwrap();
    };
    let cpus = std::path::Path::new("sys/devices/system/cpu");
    file(
        "sys/devices/system/cpu/online",
        format!("0-{}", cores * threads - 1),
    );
    for cpu in 0..cores * threads {
        let core = cpu % cores;
        let siblings: Vec<String> = (0..threads)
            .map(|t| (core + t * cores).to_string())
            .collect();
        let of_cpu = cpus.join(format!("cpu{cpu}/topology"));
        let of_cpu = of_cpu.to_str().unwrap();
        file(&format!("{of_cpu}/core_id"), core.to_string());
        file(&format!("{of_cpu}/core_cpus_list"), siblings.join(","));
    }
    Machine::read_below(root.path())
}

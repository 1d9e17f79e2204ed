//! Slots with times that look measured and are the same at every run.

use flow::record::ParentRecord;
use flow::record::kernel_counters::{KernelCounters, OfFlow, OfParent, PerPhase};
use flow::{Answer, Failure, FlowRecord, FlowState, Proof, Rep, SlotRecord};
use lab::Outcome;
use measure::Measured;
use measure::memory::{Memory, Reading};
use measure::task::Io;
use measure::usage::Usage;

/// Noise from a seed: Knuth's MMIX generator.
pub(super) struct Noise(pub(super) u64);

impl Noise {
    /// Between 0 and 1.
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// About 1, with a spread of some percent and now and then a spike.
    fn factor(&mut self) -> f64 {
        let bell: f64 = (0..6).map(|_| self.next() - 0.5).sum();
        let spike = if self.next() < 0.03 { 1.15 } else { 1.0 };
        (1.0 + 0.012 * bell) * spike
    }
}

/// What a slot is like, in ns and bytes.
#[derive(Clone, Copy)]
pub(super) struct Like {
    pub(super) create: f64,
    pub(super) steady: f64,
    pub(super) teardown: f64,
    pub(super) pss: u64,
    pub(super) processes: u32,
    pub(super) faults: u64,
}

/// Flows of most slots.
pub(super) const FLOWS: usize = 5;

/// A good slot of 3 repetitions.
pub(super) fn done(like: Like, flows: usize, noise: &mut Noise, rss_only: bool) -> Outcome {
    let one = |factor| rep(like, flows, factor);
    let mut reps: Vec<Rep> = (0..3).map(|_| one(noise.factor())).collect();
    reps[2].kernel_counters = Some(Box::new(told(like, flows, rss_only)));
    let launch_ns = reps.iter().map(Rep::total_ns).sum::<u64>() + 3_000_000;
    let record = SlotRecord {
        warmups: vec![reps[0].clone()],
        proof: reps[0].proof(),
        reps,
        memory: memory(like, rss_only),
        timed: None,
    };
    Outcome::new(Answer::Done(record), launch_ns)
}

/// A slot that failed.
pub(super) fn failed(reason: Failure) -> Outcome {
    Outcome::new(
        Answer::Failed {
            reason,
            kept: None,
            begun: None,
        },
        40_000_000,
    )
}

fn rep(like: Like, flows: usize, factor: f64) -> Rep {
    let ns = |value: f64| (value * factor) as u64;
    let steady_ns = ns(like.steady);
    Rep {
        create_ns: ns(like.create),
        steady_ns,
        teardown_ns: ns(like.teardown),
        skew_ns: 40_000,
        parent: ParentRecord {
            pid: 100,
            end_ns: steady_ns,
            received: 5,
            ..ParentRecord::default()
        },
        flows: (0..flows as u64)
            .map(|place| flow(place, steady_ns, like))
            .collect(),
        turns: None,
        latencies: None,
        kernel_counters: None,
        counted: None,
        self_managed: None,
        throttled: None,
        marks: None,
        paused: None,
    }
}

fn flow(place: u64, steady_ns: u64, like: Like) -> FlowRecord {
    let end_ns = steady_ns * (75 + 6 * place) / 100;
    FlowRecord {
        pid: 101 + place as i32,
        tid: 101 + place as i32,
        state: FlowState::Done,
        start_ns: 20_000 * place,
        end_ns,
        create: Usage {
            cpu_ns: 90_000,
            minor_faults: like.faults,
            ..Usage::default()
        },
        steady: Usage {
            cpu_ns: end_ns * 2 / 5,
            voluntary_switches: 3,
            involuntary_switches: 9,
            ..Usage::default()
        },
        units: 1,
        sent: 1,
        proof: Proof {
            count: 12_345,
            checksum: 0xfeed + place,
        },
        carried: 0,
    }
}

/// Where memory is denied, so are the bytes that were moved.
fn told(like: Like, flows: usize, denied: bool) -> KernelCounters {
    let io = Io {
        read: 8,
        written: 72,
        storage_read: 0,
        storage_written: 4_096,
    };
    KernelCounters {
        migrations: Measured::Value(per_phase(flows, 0, u64::from(like.processes))),
        io: match denied {
            true => Measured::not_available("reading io is forbidden", "be root"),
            false => Measured::Value(per_phase(flows, Io::default(), io)),
        },
        footprint: None,
        shootdowns: None,
    }
}

/// Nothing while flows are created and end.
fn per_phase<T: Copy>(flows: usize, nothing: T, steady: T) -> PerPhase<T> {
    PerPhase {
        parent: OfParent {
            create: nothing,
            steady,
            teardown: nothing,
        },
        flows: vec![
            OfFlow {
                create: nothing,
                steady,
            };
            flows
        ],
    }
}

fn memory(like: Like, rss_only: bool) -> Reading {
    let rss = like.pss * u64::from(like.processes);
    if rss_only {
        return Reading::RssOnly {
            rss,
            reason: "smaps_rollup is denied".into(),
            remedy: "run as the same user".into(),
        };
    }
    Reading::Honest(Memory {
        pss: like.pss,
        page_tables: 60_000 * u64::from(like.processes),
        kernel_stacks: 6 * 16_384,
        rss,
        processes: like.processes,
        tasks: 6,
        peak_rss: Some(rss + 4096),
        slab: None,
        sharing: measure::memory::Sharing::Everyone,
        heap: None,
        first_rss: (like.processes > 1).then_some(like.pss * 2),
    })
}

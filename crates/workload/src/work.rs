//! A workload with its parameters.

use std::path::Path;

use flow::{Answer, Body, Failure, Model, NoSink, Proof, Schedule, SlotProcess, Variant};
use program::{Program, Served};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::searching::changed;
use crate::turns::{LEAST_FLOWS, WithBody};
use crate::{
    Cpu, FaultInjection, Handoff, Io, Mem, Numeric, Operations, Primes, Searching, Server, Spin,
    Turns, Warehouse, Wiki,
};

/// A workload with its parameters, as studies and journals write it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Work {
    /// Search blocks of numbers for primes.
    Primes(Primes),
    /// A fixed amount of arithmetic: what `calibrate` compares with itself.
    Spin(Spin),
    /// Work with a fault in it, to see what isolation is worth.
    #[serde(rename = "drill")]
    FaultInjection(FaultInjection),
    /// Flows that take turns and hand over to each other.
    Turns(Turns),
    /// An operation of the kernel that every flow repeats.
    Operation(Operations),
    /// Workers that compute.
    Cpu(Cpu),
    /// Workers that take, fill and free memory.
    Mem(Mem),
    /// Workers that write to a disk and wait for it.
    Io(Io),
    /// Transactions over trees of objects in memory.
    Warehouse(Warehouse),
    /// Kernels that compute and hardly allocate.
    Numeric(Numeric),
    /// Flows in pairs: one allocates blocks, the other frees them.
    Handoff(Handoff),
    /// Pages from a store, parsed and made into HTML.
    Wiki(Wiki),
    /// The same, served over HTTP on the loopback.
    WikiServer(Server),
    /// A tree of files that is searched, by flows that the work itself makes.
    Search(Searching),
    /// A command of the user's.
    Program(Box<Program>),
    /// A server of the user's, and who asks it.
    Served(Box<Served>),
}

/// Parameters that no run can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WorkError(pub String);

impl Work {
    /// Units of work in one repetition.
    #[must_use]
    pub fn units(&self) -> u64 {
        match self {
            Self::Primes(primes) => primes.blocks,
            Self::Spin(spin) => spin.units,
            Self::FaultInjection(drill) => drill.units,
            Self::Turns(turns) => turns.flows,
            Self::Operation(operation) => operation.flows,
            Self::Cpu(cpu) => cpu.workers,
            Self::Mem(mem) => mem.workers,
            Self::Io(io) => io.workers,
            Self::Warehouse(warehouse) => warehouse.workers,
            Self::Numeric(numeric) => numeric.units,
            Self::Handoff(handoff) => handoff.flows(),
            Self::Wiki(wiki) => wiki.requests,
            Self::WikiServer(server) => server.workers,
            Self::Search(_) => 1,
            Self::Program(program) => program.units.unwrap_or(1),
            Self::Served(_) => 1,
        }
    }

    /// Checks the parameters.
    ///
    /// # Errors
    /// A parameter out of range: the message names the value and what to use.
    pub fn check(&self) -> Result<(), WorkError> {
        match self {
            Self::Primes(primes) => primes.check(),
            Self::Spin(spin) => spin.check(),
            Self::FaultInjection(drill) => drill.check(),
            Self::Turns(turns) => turns.check(),
            Self::Operation(operation) => operation.check(),
            Self::Cpu(cpu) => cpu.check(),
            Self::Mem(mem) => mem.check(),
            Self::Io(io) => io.check(),
            Self::Warehouse(warehouse) => warehouse.check(),
            Self::Numeric(numeric) => numeric.check(),
            Self::Handoff(handoff) => handoff.check(),
            Self::Wiki(wiki) => wiki.check(),
            Self::WikiServer(server) => server.check(),
            Self::Search(search) => search.check(),
            Self::Program(program) => program.check().map_err(WorkError),
            Self::Served(served) => served.check().map_err(WorkError),
        }
    }

    /// Whether a unit is a worker who does what comes, and not what is counted: so many things
    /// as the proofs count were done.
    #[must_use]
    pub fn is_counted_by_proof(&self) -> bool {
        matches!(self, Self::WikiServer(_))
    }

    /// Whether the work makes its own flows ([`flow::SelfManaged`]).
    #[must_use]
    pub fn makes_own_flows(&self) -> bool {
        matches!(self, Self::Search(_) | Self::Program(_) | Self::Served(_))
    }

    /// Whether it can tell by timers where the time of its flows goes.
    #[must_use]
    pub fn has_timers(&self) -> bool {
        matches!(self, Self::Search(_))
    }

    /// The user's own command or server, if that is what it is.
    #[must_use]
    pub fn program(&self) -> Option<&Program> {
        match self {
            Self::Program(program) => Some(program),
            Self::Served(served) => Some(&served.server),
            _ => None,
        }
    }

    /// What a repetition must prove, where that can be known without running it.
    #[must_use]
    pub fn expected(&self) -> Option<Proof> {
        match self {
            Self::Primes(primes) => primes.expected(),
            Self::Mem(mem) => Some(mem.expected()),
            Self::Io(io) => Some(io.expected()),
            Self::Handoff(handoff) => handoff.expected(),
            _ => None,
        }
    }

    /// Why a slot that proved `got` is no data point beside those that proved `expected`.
    #[must_use]
    pub fn differs(&self, expected: Proof, got: Proof) -> Failure {
        match self {
            Self::Search(_) => changed(expected, got),
            Self::Program(_) | Self::Served(_) => program::differs(),
            _ => Failure::DifferentWork {
                expected: expected.to_string(),
                got: got.to_string(),
            },
        }
    }

    /// How many flows the work is for, where that is part of it.
    #[must_use]
    pub fn flows(&self) -> Option<u64> {
        match self {
            Self::Turns(_)
            | Self::Operation(_)
            | Self::Cpu(_)
            | Self::Mem(_)
            | Self::Io(_)
            | Self::Warehouse(_)
            | Self::Handoff(_)
            | Self::WikiServer(_) => Some(self.units()),
            Self::Program(program) => program.flows,
            Self::Served(served) => served.server.flows,
            Self::Primes(_)
            | Self::Spin(_)
            | Self::FaultInjection(_)
            | Self::Numeric(_)
            | Self::Search(_)
            | Self::Wiki(_) => None,
        }
    }

    /// The work for another number of flows, where that is part of it and can be any.
    #[must_use]
    pub fn for_flows(mut self, flows: u64) -> Self {
        match &mut self {
            Self::Turns(turns) => turns.flows = flows,
            Self::Operation(operation) => operation.flows = flows,
            Self::Cpu(cpu) => cpu.workers = flows,
            Self::Mem(mem) => mem.workers = flows,
            Self::Io(io) => io.workers = flows,
            Self::Warehouse(warehouse) => warehouse.workers = flows,
            Self::WikiServer(server) => server.workers = flows,
            Self::Program(program) => program.flows = Some(flows),
            Self::Served(served) => served.server.flows = Some(flows),
            Self::Handoff(_)
            | Self::Primes(_)
            | Self::Spin(_)
            | Self::FaultInjection(_)
            | Self::Numeric(_)
            | Self::Search(_)
            | Self::Wiki(_) => {}
        }
        self
    }

    /// How many flows do the work where a variant does not say: one a unit, where each unit is
    /// as much as any other.
    #[must_use]
    pub fn usual_flows(&self) -> Option<u64> {
        match self {
            Self::Numeric(numeric) => Some(numeric.units),
            _ => self.flows(),
        }
    }

    /// Why flows of that variant cannot do this work, if they cannot.
    #[must_use]
    pub fn unsuited(&self, variant: &Variant) -> Option<String> {
        match self {
            Self::Search(search) => return search.model(variant).err().map(|error| error.0),
            Self::WikiServer(server) => return server.unsuited(variant),
            Self::Program(program) => return program.unsuited(variant),
            Self::Served(served) => return served.unsuited(variant),
            Self::Handoff(_) => {}
            _ => return None,
        }
        if variant.model.is_user_level() {
            return Some(format!(
                "handoff has flows that wait for each other, and {} would wait for ever: its \
                 flows share a carrier; use process, thread or a mix such as 2x2",
                variant.model
            ));
        }
        (variant.schedule == Schedule::Queue).then(|| {
            "handoff needs to know which flow hands over to which: use schedule = \"static\""
                .to_owned()
        })
    }

    /// Bytes of memory that each flow takes, where that is more than a flow usually does.
    #[must_use]
    pub fn bytes_a_flow(&self) -> Option<u64> {
        match self {
            Self::Warehouse(warehouse) => Some(warehouse.bytes_a_worker()),
            Self::Numeric(numeric) => numeric.bytes_a_flow(),
            Self::Handoff(handoff) => handoff.bytes_a_flow(),
            Self::Mem(mem) => Some(mem.bytes),
            _ => None,
        }
    }

    /// Whether its slots need a folder for files ([`flow::SlotSpec::scratch`]).
    #[must_use]
    pub fn needs_folder(&self) -> bool {
        match self {
            Self::FaultInjection(drill) => drill.files > 0,
            Self::Operation(operation) => operation.operation.facts().needs_folder,
            Self::Io(_) | Self::Wiki(_) | Self::WikiServer(_) => true,
            Self::Program(program) => program.asks_for("dir"),
            Self::Served(served) => served.asks_for("dir"),
            _ => false,
        }
    }

    /// The folder that the files of slots are asked to be made in; `None` for that of the
    /// results.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::Io(io) => io.folder.as_deref(),
            _ => None,
        }
    }

    /// Bytes of files that exist at once at the most.
    #[must_use]
    pub fn file_bytes(&self) -> u64 {
        match self {
            Self::Io(io) => io.file_bytes(),
            Self::Wiki(wiki) => wiki.file_bytes(),
            Self::WikiServer(server) => server.wiki().file_bytes(),
            _ => 0,
        }
    }

    /// The store of somebody's own that pages are read from, if there is one.
    #[must_use]
    pub fn store(&self) -> Option<&Path> {
        match self {
            Self::Wiki(wiki) => wiki.store.as_deref(),
            Self::WikiServer(server) => server.store.as_deref(),
            _ => None,
        }
    }

    /// The kind of workers, where each flow is one worker with a unit of its own.
    #[must_use]
    pub fn worker_kind(&self) -> Option<&'static str> {
        match self {
            Self::Cpu(_) => Some("cpu"),
            Self::Mem(_) => Some("mem"),
            Self::Io(_) => Some("io"),
            _ => None,
        }
    }

    /// Runs the slot of `slot` with the body of its work: the one place where a name
    /// becomes a type, and each body is compiled into the flow loop.
    #[must_use]
    pub fn run(slot: &SlotProcess<Self>) -> Answer {
        match &slot.spec().work {
            Self::Primes(primes) => {
                slot.run(primes, &mut primes.sink(slot.spec().output.as_deref()))
            }
            Self::Spin(spin) => slot.run(spin, &mut NoSink),
            Self::FaultInjection(drill) => slot.run(&drill.body(slot.scratch()), &mut NoSink),
            Self::Turns(turns) => turns.with_body(TakeTurns(slot)),
            Self::Operation(work) => operation::run(slot, work.operation, work.flows, work.ops()),
            Self::Cpu(cpu) => slot.run(cpu, &mut NoSink),
            Self::Mem(mem) => slot.run(mem, &mut NoSink),
            Self::Io(io) => slot.run(&io.body(slot.scratch()), &mut NoSink),
            Self::Warehouse(warehouse) => slot.run(warehouse, &mut NoSink),
            Self::Numeric(numeric) => slot.run(numeric, &mut NoSink),
            Self::Handoff(handoff) => match handoff.pairs(&slot.spec().variant) {
                Ok(pairs) => slot.run(&pairs, &mut NoSink),
                Err(error) => Answer::from_error(&error),
            },
            Self::Wiki(wiki) => match wiki.prepared(slot.scratch()) {
                Ok(prepared) => slot.run(&prepared, &mut NoSink),
                Err(error) => Answer::from_error(&std::io::Error::other(error)),
            },
            Self::WikiServer(server) => {
                let spec = slot.spec();
                match server.open(slot.scratch(), &spec.variant, spec.cpus.is_empty()) {
                    Ok(serving) => slot.run(&serving, &mut NoSink),
                    Err(error) => Answer::from_error(&error),
                }
            }
            Self::Search(search) => search.run(slot),
            Self::Program(program) => program.run(slot),
            Self::Served(served) => served.run(slot),
        }
    }
}

/// The whole life of a probe, whose flows do nothing ([`Turns::idle`]); `predict` is asked
/// for how many of them there is room.
pub fn probe_main<P: Serialize + DeserializeOwned>(
    predict: impl FnOnce(Model) -> Option<(u64, P)>,
) -> ! {
    flow::probe_main(&Turns::idle(LEAST_FLOWS).untouched(), predict)
}

/// A slot of flows that take turns.
struct TakeTurns<'a>(&'a SlotProcess<Work>);

impl WithBody for TakeTurns<'_> {
    type Out = Answer;

    fn with<B: Body>(self, body: &B) -> Answer {
        self.0.run(body, &mut NoSink)
    }
}

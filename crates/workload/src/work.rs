//! A workload with its parameters.

use std::path::Path;

use flow::placement::Cpus;
use flow::{Answer, Failure, Model, Proof, SlotProcess, Variant};
use program::{Program, Served};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::turns::LEAST_FLOWS;
use crate::workload::Workload;
use crate::{
    Balanced, Cpu, FaultInjection, Handoff, Io, Mem, Migrate, Numeric, Operations, Primes,
    Searching, Server, Spin, Turns, Warehouse, Wiki,
};

/// Makes [`Work`] of the list of workloads.
macro_rules! works {
    ($($(#[$doc:meta])* $name:ident($parameters:ty),)*) => {
        /// A workload with its parameters, as studies and journals write it.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "kebab-case")]
        pub enum Work {
            $($(#[$doc])* $name($parameters),)*
        }

        impl Work {
            /// The workload, whichever it is.
            #[must_use]
            pub fn get(&self) -> &dyn Workload {
                match self {
                    $(Self::$name(work) => work,)*
                }
            }

            fn get_mut(&mut self) -> &mut dyn Workload {
                match self {
                    $(Self::$name(work) => work,)*
                }
            }
        }
    };
}

// A workload is a line here, a module of the crate, and its file.
works! {
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
    /// Flows that take memory and free it, and nothing else.
    Allocate(crate::allocate::Allocate),
    /// Pages from a store, parsed and made into HTML.
    Wiki(Wiki),
    /// The same, served over HTTP on the loopback.
    WikiServer(Server),
    /// A tree of files that is searched, by flows that the work itself makes.
    Search(Searching),
    /// State that moves between processes, in flows or by other means.
    Migrate(Migrate),
    /// Uneven work over several processes, and what evens it out.
    #[serde(rename = "balance")]
    Balanced(Balanced),
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
    /// Flows that do nothing but take a few turns in a ring, which proves that each is there.
    #[must_use]
    pub fn idle(flows: u64) -> Self {
        Self::Turns(Turns::idle(flows))
    }

    /// Checks the parameters.
    ///
    /// # Errors
    /// A parameter out of range: the message names the value and what to use.
    pub fn check(&self) -> Result<(), WorkError> {
        self.get().check()
    }

    /// Whether the work can be done on this machine, as far as looking tells.
    ///
    /// # Errors
    /// What it needs is not there, in words.
    pub fn check_here(&self, cpus: &Cpus) -> Result<(), WorkError> {
        self.get().check_here(cpus)
    }

    /// The work for another number of flows, where that is part of it and can be any.
    #[must_use]
    pub fn for_flows(mut self, flows: u64) -> Self {
        self.get_mut().set_flows(flows);
        self
    }

    /// The share of further work that this one does and does not prove, beside `plain`: work that
    /// stands for nothing but time.
    #[must_use]
    pub fn planted_beside(&self, plain: &Self) -> Option<f64> {
        let own = self.get();
        let more = own.planted() - plain.get().planted();
        (own.is_calibration() && more > 0.0).then_some(more)
    }

    /// Whether its slots need a folder for files ([`flow::SlotSpec::scratch`]).
    #[must_use]
    pub fn needs_folder(&self) -> bool {
        self.get().files().is_some()
    }

    /// The folder that the files of slots are asked to be made in; `None` for that of the
    /// results.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        self.get().files()?.folder
    }

    /// Bytes of files that exist at once at the most.
    #[must_use]
    pub fn file_bytes(&self) -> u64 {
        self.get().files().map_or(0, |files| files.bytes)
    }

    /// Every word that a parameter may be, where a study may ask for all of them.
    #[must_use]
    pub fn words_of(parameter: &str) -> Option<Vec<&'static str>> {
        (parameter == "operation").then(|| crate::operations::names().collect())
    }

    /// Units of work in one repetition.
    #[must_use]
    pub fn units(&self) -> u64 {
        self.get().units()
    }

    /// Whether a unit is a worker who does what comes, and not what is counted: the proofs count it.
    #[must_use]
    pub fn is_counted_by_proof(&self) -> bool {
        self.get().is_counted_by_proof()
    }

    /// Whether the work makes its own flows ([`flow::SelfManaged`]).
    #[must_use]
    pub fn makes_own_flows(&self) -> bool {
        self.get().makes_own_flows()
    }

    /// Whether it can tell by timers where the time of its flows goes.
    #[must_use]
    pub fn has_timers(&self) -> bool {
        self.get().has_timers()
    }

    /// The user's own command or server, if that is what it is.
    #[must_use]
    pub fn program(&self) -> Option<&Program> {
        self.get().program()
    }

    /// What a repetition must prove, where that can be known without running it.
    #[must_use]
    pub fn expected(&self) -> Option<Proof> {
        self.get().expected()
    }

    /// Why a slot that proved `got` is no data point beside those that proved `expected`.
    #[must_use]
    pub fn differs(&self, expected: Proof, got: Proof) -> Failure {
        self.get().differs(expected, got)
    }

    /// How many flows the work is for, where that is part of it.
    #[must_use]
    pub fn flows(&self) -> Option<u64> {
        self.get().flows()
    }

    /// How many flows do the work where a variant does not say: one a unit, where each is alike.
    #[must_use]
    pub fn usual_flows(&self) -> Option<u64> {
        self.get().usual_flows()
    }

    /// Why flows of that variant cannot do this work, if they cannot.
    #[must_use]
    pub fn unsuited(&self, variant: &Variant) -> Option<String> {
        self.get().unsuited(variant)
    }

    /// Bytes of memory that each flow takes, where that is more than a flow usually does.
    #[must_use]
    pub fn bytes_a_flow(&self) -> Option<u64> {
        self.get().bytes_a_flow()
    }

    /// How many do it side by side, where it means nothing if they take turns.
    #[must_use]
    pub fn processes_side_by_side(&self) -> Option<u32> {
        self.get().processes_side_by_side()
    }

    /// The store of somebody's own that pages are read from, if there is one.
    #[must_use]
    pub fn store(&self) -> Option<&Path> {
        self.get().store()
    }

    /// The kind of workers, where each flow is one worker with a unit of its own.
    #[must_use]
    pub fn worker_kind(&self) -> Option<&'static str> {
        self.get().worker_kind()
    }

    /// Runs a slot with the body of its work: where a name becomes a type, and each
    /// body is compiled into the flow loop.
    #[must_use]
    pub fn run(slot: &SlotProcess<Self>) -> Answer {
        slot.spec().work.get().run(slot)
    }
}

/// The whole life of a probe, whose flows do nothing ([`Turns::idle`]); `predict` is asked
/// for how many of them there is room.
pub fn probe_main<P: Serialize + DeserializeOwned>(
    predict: impl FnOnce(Model) -> Option<(u64, P)>,
) -> ! {
    flow::probe_main(&Turns::idle(LEAST_FLOWS).untouched(), predict)
}

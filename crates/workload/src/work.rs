//! A workload with its parameters.

use std::path::Path;

use flow::{Answer, Model, SlotProcess};
use program::{Program, Served};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::turns::LEAST_FLOWS;
use crate::workload::Workload;
use crate::{
    Balanced, Cpu, FaultInjection, Handoff, Io, Loaded, Mem, Migrate, Numeric, Operations, Primes,
    Searching, Server, Spin, Turns, Warehouse, Wiki,
};

macro_rules! works {
    ($($(#[$doc:meta])* $name:ident($parameters:ty),)*) => {
        /// A workload with its parameters, as studies and journals write it.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "kebab-case")]
        pub enum Work {
            $($(#[$doc])* $name($parameters),)*
        }

        impl std::ops::Deref for Work {
            type Target = dyn Workload;

            fn deref(&self) -> &Self::Target {
                match self {
                    $(Self::$name(work) => work,)*
                }
            }
        }

        impl std::ops::DerefMut for Work {
            fn deref_mut(&mut self) -> &mut Self::Target {
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
    /// A function of the user's, from a shared library.
    #[serde(rename = "body")]
    Loaded(Loaded),
    /// A command of the user's.
    Program(Box<Program>),
    /// A server of the user's, and who asks it.
    Served(Box<Served>),
}

/// Parameters that no run can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WorkError(pub String);

pub(crate) fn refused<T>(why: impl Into<String>) -> Result<T, WorkError> {
    Err(WorkError(why.into()))
}

/// Refuses parameters that are not right, in these words.
pub(crate) fn require<W: Into<String>>(
    is_right: bool,
    why: impl FnOnce() -> W,
) -> Result<(), WorkError> {
    match is_right {
        true => Ok(()),
        false => refused(why()),
    }
}

/// Refuses the first of these parameters that is 0, by its name.
pub(crate) fn at_least_1(parameters: &[(&str, u64)]) -> Result<(), WorkError> {
    let mut parameters = parameters.iter();
    parameters.try_for_each(|(name, value)| {
        require(*value > 0, || format!("{name} is 0: use at least 1"))
    })
}

impl Work {
    /// Flows that do nothing but take a few turns in a ring, which proves that each is there.
    #[must_use]
    pub fn idle(flows: u64) -> Self {
        Self::Turns(Turns::idle(flows))
    }

    /// The work for another number of flows, where that is part of it and can be any.
    #[must_use]
    pub fn for_flows(mut self, flows: u64) -> Self {
        self.set_flows(flows);
        self
    }

    /// The share of further, unproved work beside `plain`: work that stands for nothing but time.
    #[must_use]
    pub fn planted_beside(&self, plain: &Self) -> Option<f64> {
        let more = self.planted() - plain.planted();
        (self.is_calibration() && more > 0.0).then_some(more)
    }

    /// Whether its slots need a folder for files ([`flow::SlotSpec::scratch`]).
    #[must_use]
    pub fn needs_folder(&self) -> bool {
        self.files().is_some()
    }

    /// The folder that slots' files are asked to be made in; `None` for that of the results.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        self.files()?.folder
    }

    /// Bytes of files that exist at once at the most.
    #[must_use]
    pub fn file_bytes(&self) -> u64 {
        self.files().map_or(0, |files| files.bytes)
    }

    /// Every word that a parameter may be, where a study may ask for all of them.
    #[must_use]
    pub fn words_of(parameter: &str) -> Option<Vec<&'static str>> {
        (parameter == "operation").then(|| crate::operations::names().collect())
    }

    /// Runs a slot with the body of its work: each is compiled into the flow loop.
    #[must_use]
    pub fn run(slot: &SlotProcess<Self>) -> Answer {
        slot.spec().work.run(slot)
    }
}

/// The whole life of a probe of idle flows ([`Turns::idle`]); `predict` says how many fit.
pub fn probe_main<P: Serialize + DeserializeOwned>(
    predict: impl FnOnce(Model) -> Option<(u64, P)>,
) -> ! {
    flow::probe_main(&Turns::idle(LEAST_FLOWS).untouched(), predict)
}

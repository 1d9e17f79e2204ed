//! The interface of a workload: a struct of its parameters with a [`flow::Body`] (or [`flow::SelfManaged`]) and an
//! implementation of [`Workload`] for what is special. `works!` lists the workloads and makes the enum of studies and
//! journals. [`Work`] dereferences to `dyn Workload`; bodies are never called through it: `run` has the type.

use std::path::Path;

use flow::placement::Cpus;
use flow::{Answer, Failure, Proof, SlotProcess, Variant};
use program::{Program, Served};

use crate::searching::{Searching, Trees};
use crate::{Allocates, Bytes, Scaled, Work, WorkError};

/// For an implementation of [`Workload`]: there are as many flows, with a unit each, as this parameter says, and it can
/// be any number.
macro_rules! flows_are {
    ($parameter:ident) => {
        fn units(&self) -> u64 {
            self.$parameter
        }

        fn flows(&self) -> Option<u64> {
            Some(self.$parameter)
        }

        fn set_flows(&mut self, flows: u64) {
            self.$parameter = flows;
        }
    };
}

/// What can be asked about a workload.
pub trait Workload: std::fmt::Debug {
    /// Units of work in one repetition.
    fn units(&self) -> u64;

    /// Checks the parameters; the error names the value out of range and what to use.
    fn check(&self) -> Result<(), WorkError>;

    /// Runs a slot with the body: `slot.run(self, &mut NoSink)`, as a rule.
    fn run(&self, slot: &SlotProcess<Work>) -> Answer;

    /// Number of flows, if it is part of the work.
    fn flows(&self) -> Option<u64> {
        None
    }

    /// Changes the number of flows, if it is part of the work and can be any.
    fn set_flows(&mut self, _flows: u64) {}

    /// Number of flows if a variant does not say.
    fn usual_flows(&self) -> Option<u64> {
        self.flows()
    }

    /// Proof of a repetition, if it can be known without running it.
    fn expected(&self) -> Option<Proof> {
        None
    }

    /// Why a slot that proved `got` is no data point beside those that proved `expected`.
    fn differs(&self, expected: Proof, got: Proof) -> Failure {
        Failure::different_work(expected, got)
    }

    /// Why flows of that variant cannot do the work.
    fn unsuited(&self, _variant: &Variant) -> Option<String> {
        None
    }

    /// Checks what the work needs here (CPUs, ports, stores); the error says what is missing.
    fn check_here(&self, _cpus: &Cpus) -> Result<(), WorkError> {
        Ok(())
    }

    /// Finds what it reads on this machine, where its parameters leave that open.
    fn find_input(&mut self, _trees: &mut Trees) -> Result<(), WorkError> {
        Ok(())
    }

    /// What the work needs and this machine lacks, and the command that gets it.
    fn missing(&self) -> Option<String> {
        None
    }

    /// Whether a unit is a worker and the counted things are in the proofs.
    fn is_counted_by_proof(&self) -> bool {
        false
    }

    /// Whether it makes its own flows ([`flow::SelfManaged`]).
    fn makes_own_flows(&self) -> bool {
        false
    }

    /// Why its flows cannot be recorded for a simulated machine.
    fn not_recorded(&self) -> Option<&'static str> {
        None
    }

    /// Whether it has timers of its flows' classes of work.
    fn has_timers(&self) -> bool {
        false
    }

    /// The user's own command or server.
    fn program(&self) -> Option<&Program> {
        None
    }

    /// The user's own library, which is loaded into slots.
    fn library(&self) -> Option<&Path> {
        None
    }

    /// Where it comes in builds: the work as that of any build, and the name of this one.
    fn build(&self) -> Option<(Work, String)> {
        None
    }

    /// Names of its parts ([`flow::pace::part`]), by their places: what a faster one brings can be predicted.
    fn parts(&self) -> Vec<String> {
        Vec::new()
    }

    /// The user's own server with its load, if that is what it is.
    fn served(&self) -> Option<&Served> {
        None
    }

    /// The search of a tree, if that is what it is.
    fn search(&self) -> Option<&Searching> {
        None
    }

    /// Whether its units are all alike by construction: turns, or repetitions of one operation.
    fn is_even(&self) -> bool {
        false
    }

    /// Whether it stands for time only, to compare a machine with itself.
    fn is_calibration(&self) -> bool {
        false
    }

    /// Extra unproved work, as a fraction (calibration only).
    fn planted(&self) -> f64 {
        0.0
    }

    /// Whether it only computes: its CPU should be busy all the time.
    fn only_computes(&self) -> bool {
        false
    }

    /// Whether it answers requests over a network.
    fn is_served(&self) -> bool {
        false
    }

    /// Kind of workers, if each flow is one worker with a unit of its own.
    fn worker_kind(&self) -> Option<&'static str> {
        None
    }

    /// Whether its first repetition differs however long it takes: later ones find files in memory.
    fn warms_up(&self) -> bool {
        false
    }

    /// What it takes beside its flows.
    fn beside(&self, _variant: &Variant) -> Option<Beside> {
        None
    }

    /// Memory of each flow, if more than usual, in bytes.
    fn bytes_a_flow(&self) -> Option<u64> {
        None
    }

    /// Number of flows that must run side by side: taking turns would mean nothing.
    fn processes_side_by_side(&self) -> Option<u32> {
        None
    }

    /// Memory of a user-level flow, if known to the byte.
    fn user_level_bytes(&self) -> Option<UserLevelBytes> {
        None
    }

    /// Pipes of each flow.
    fn pipes_a_flow(&self) -> u64 {
        0
    }

    /// Files that its slots make.
    fn files(&self) -> Option<Files<'_>> {
        None
    }

    /// The user's own store of pages.
    fn store(&self) -> Option<&Path> {
        None
    }

    /// Allocations of one counted thing, if constant.
    fn allocates(&self) -> Option<Allocates> {
        None
    }

    /// How it grows with its flows; `None` if it cannot be done by any number of them.
    fn scaled(&self) -> Option<Scaled> {
        None
    }

    /// The work of `parts` parts, each as one of `now` flows; asked if [`Workload::scaled`].
    fn with_parts(&self, _now: u32, _parts: u64) -> Option<Work> {
        None
    }

    /// The work with another live heap for each flow; `None` if it has none to choose.
    fn with_heap(&self, _heap: Bytes) -> Option<Work> {
        None
    }
}

/// What a work takes beside its flows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beside {
    /// Owner, in words: `64 connections and 1 worker`.
    pub who: String,
    /// Processes and threads.
    pub tasks: u64,
    /// Open files of the process with most of them.
    pub open_files: u64,
    /// Connections that may wait at one socket.
    pub waiting: u64,
}

/// Memory of a user-level flow, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserLevelBytes {
    /// Touched memory.
    pub kept: u64,
    /// Stack, if it has one.
    pub stack: u64,
    /// The task itself, if it is stackless.
    pub task: u64,
}

/// The files that slots make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Files<'a> {
    /// The folder asked for; `None`: that of the results.
    pub folder: Option<&'a Path>,
    /// Upper bound on bytes at one time; 0 if negligible.
    pub bytes: u64,
    /// Words for messages.
    pub words: FileWords,
}

impl Files<'_> {
    /// Small files in the folder of the results.
    pub const SMALL: Self = Self {
        folder: None,
        bytes: 0,
        words: FileWords::SMALL,
    };
}

/// How messages name the files, and what to do where they do not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileWords {
    /// `a page store`.
    pub whose: &'static str,
    /// `the page store needs`.
    pub what: &'static str,
    /// How to need less.
    pub fewer: &'static str,
    /// How to put them elsewhere.
    pub elsewhere: &'static str,
}

impl FileWords {
    /// Small files in the folder of the results.
    pub const SMALL: Self = Self {
        whose: "its files",
        what: "its files need",
        fewer: "use fewer of them",
        elsewhere: "name a folder of results on another disk: --out DIR",
    };
}

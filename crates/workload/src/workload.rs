//! What a workload is to the rest of the program.
//!
//! A workload is a struct of its parameters with a [`flow::Body`] (or [`flow::SelfManaged`]) and an
//! implementation of [`Workload`]: what can be asked about it without knowing which one it is.
//! Nearly every question has an answer that holds for most of them, so an implementation says
//! what is special about its workload and nothing else. Outside this crate nobody names one:
//! they ask [`Work`], which passes the question on.
//!
//! `works!` lists them: a line each, from which the enum that studies and journals write is made.
//! Questions go through a table of functions ([`Work::get`]); the body itself never does: `run`
//! hands it to the slot as the type that it is.

use std::path::Path;

use flow::placement::Cpus;
use flow::{Answer, Failure, Proof, SlotProcess, Variant};
use program::Program;

use crate::{Allocates, Bytes, Scaled, Work, WorkError};

/// What can be asked about a workload.
pub trait Workload: std::fmt::Debug {
    /// Units of work in one repetition.
    fn units(&self) -> u64;

    /// Checks the parameters.
    ///
    /// # Errors
    /// A parameter out of range: the message names the value and what to use.
    fn check(&self) -> Result<(), WorkError>;

    /// Runs a slot with the body: `slot.run(self, &mut NoSink)`, as a rule.
    fn run(&self, slot: &SlotProcess<Work>) -> Answer;

    /// How many flows the work is for, where that is part of it.
    fn flows(&self) -> Option<u64> {
        None
    }

    /// Makes it work for another number of flows, where that is part of it and can be any.
    fn set_flows(&mut self, flows: u64) {
        let _ = flows;
    }

    /// How many flows do it where a variant does not say.
    fn usual_flows(&self) -> Option<u64> {
        self.flows()
    }

    /// What a repetition must prove, where that can be known without running it.
    fn expected(&self) -> Option<Proof> {
        None
    }

    /// Why a slot that proved `got` is no data point beside those that proved `expected`.
    fn differs(&self, expected: Proof, got: Proof) -> Failure {
        Failure::DifferentWork {
            expected: expected.to_string(),
            got: got.to_string(),
        }
    }

    /// Why flows of that variant cannot do it, if they cannot.
    fn unsuited(&self, variant: &Variant) -> Option<String> {
        let _ = variant;
        None
    }

    /// Whether it can be done on this machine, as far as looking tells: its CPUs, ports, stores.
    ///
    /// # Errors
    /// What it needs is not there, in words.
    fn check_here(&self, cpus: &Cpus) -> Result<(), WorkError> {
        let _ = cpus;
        Ok(())
    }

    /// What it needs that is not on this machine, and the command that gets it.
    fn missing(&self) -> Option<String> {
        None
    }

    /// Whether a unit is a worker who does what comes: what is counted is in the proofs.
    fn is_counted_by_proof(&self) -> bool {
        false
    }

    /// Whether it makes its own flows.
    fn makes_own_flows(&self) -> bool {
        false
    }

    /// Why its flows cannot be recorded for a machine that is simulated, where they cannot.
    fn not_recorded(&self) -> Option<&'static str> {
        None
    }

    /// Whether it can tell by timers where the time of its flows goes.
    fn has_timers(&self) -> bool {
        false
    }

    /// The user's own command or server, if that is what it is.
    fn program(&self) -> Option<&Program> {
        None
    }

    /// Whether nothing about it could be uneven, or large or small: flows that take turns, or
    /// repeat one operation.
    fn is_even(&self) -> bool {
        false
    }

    /// Whether it stands for nothing but time: a machine is compared with itself by it.
    fn is_calibration(&self) -> bool {
        false
    }

    /// The share of further work that it does and does not prove.
    fn planted(&self) -> f64 {
        0.0
    }

    /// Whether it only computes, so that its CPU should be busy all the time.
    fn only_computes(&self) -> bool {
        false
    }

    /// Whether it answers requests over a network.
    fn is_served(&self) -> bool {
        false
    }

    /// The kind of workers, where each flow is one worker with a unit of its own.
    fn worker_kind(&self) -> Option<&'static str> {
        None
    }

    /// Whether its first repetition is another one than those after it, however long it takes,
    /// because those find files in memory.
    fn warms_up(&self) -> bool {
        false
    }

    /// What it takes beside its flows, where that is more than nothing.
    fn beside(&self, variant: &Variant) -> Option<Beside> {
        let _ = variant;
        None
    }

    /// Bytes of memory that each flow takes, where that is more than a flow usually does.
    fn bytes_a_flow(&self) -> Option<u64> {
        None
    }

    /// How many do it side by side, where it means nothing if they take turns.
    fn processes_side_by_side(&self) -> Option<u32> {
        None
    }

    /// What a user-level flow of it keeps, where that is known to the byte.
    fn user_level_bytes(&self) -> Option<UserLevelBytes> {
        None
    }

    /// Pipes that each flow takes.
    fn pipes_a_flow(&self) -> u64 {
        0
    }

    /// The files that its slots make, where they make any.
    fn files(&self) -> Option<Files<'_>> {
        None
    }

    /// The store of somebody's own that pages are read from, if there is one.
    fn store(&self) -> Option<&Path> {
        None
    }

    /// What one of what it counts allocates, where that is always the same.
    fn allocates(&self) -> Option<Allocates> {
        None
    }

    /// How it grows with its flows; `None` where it is not for any number of them.
    fn scaled(&self) -> Option<Scaled> {
        None
    }

    /// The same for `parts` parts of it, each as much as one of the `now` flows does; asked
    /// only of what is [`Workload::scaled`].
    fn with_parts(&self, now: u32, parts: u64) -> Option<Work> {
        let _ = (now, parts);
        None
    }

    /// The same with another live heap for each flow; `None` where it has none to choose.
    fn with_heap(&self, heap: Bytes) -> Option<Work> {
        let _ = heap;
        None
    }
}

/// What a work takes beside its flows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beside {
    /// Who takes it: `64 connections and 1 worker`.
    pub who: String,
    /// Processes and threads.
    pub tasks: u64,
    /// Open files of the process that has most of them.
    pub open_files: u64,
    /// Connections that may wait at one socket.
    pub waiting: u64,
}

/// What a user-level flow keeps, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserLevelBytes {
    /// Of memory that it touches.
    pub kept: u64,
    /// Of its stack, where it has one.
    pub stack: u64,
    /// Of itself, where it has none.
    pub task: u64,
}

/// The files that slots make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Files<'a> {
    /// The folder that is asked for; `None` for that of the results.
    pub folder: Option<&'a Path>,
    /// Bytes that exist at once at the most; 0 where they are next to nothing.
    pub bytes: u64,
    /// What they are, and what to do about a folder that will not do.
    pub words: FileWords,
}

/// What files are called, and what to do where there is no room for them.
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

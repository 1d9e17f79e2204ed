//! Uneven work over several processes or threads, and what evens it out ([`Balance`]).
//!
//! Work is cut into pieces of different length, and each piece into a few steps. Process 0 gets the
//! first block of pieces: where later ones are longer the last process has most. `Greedy` deals
//! anew at each barrier, the longest piece so far first, to the process that has least.
//!
//! What a piece keeps between its steps ([`Uneven::State`]) lies in the arena of its flow, which
//! moves with it; with a queue, on the ordinary heap. What all know (the [`board`]) is mapped
//! before the processes are forked: one address in all of them.
//!
//! **Imbalance** is the longest CPU time of a process in pieces over the mean. Moving and waiting
//! show in the time of the whole alone. A flow that does not yield cannot move.

mod board;
mod flows;
mod queue;

use std::io;
use std::sync::atomic::Ordering;

use allocator_api2::alloc::Allocator;
use measure::clock::thread_cpu_ns;
use serde::{Deserialize, Serialize};
use sys::Pages;

use super::Words;
use super::forked::Spent;
use super::times::Times;
use crate::{Proof, SelfManagedRep};
use board::Board;

/// What evens out work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Balance {
    /// Nothing.
    #[default]
    None,
    /// Dealing anew at barriers.
    Greedy,
    /// Asking for some of the others' work.
    Stealing,
    /// A common queue.
    Queue,
}

/// Work that is cut into pieces of different length.
pub trait Uneven: Sync {
    /// What a piece keeps from one step to the next, in memory of `A` alone.
    type State<A: Allocator + Copy>;

    /// Bytes of memory that the state of a piece needs at the most.
    fn state_bytes(&self) -> usize;

    /// Begins piece `piece`.
    fn begin<A: Allocator + Copy>(&self, piece: u64, memory: A) -> Self::State<A>;

    /// Does step `step` of piece `piece`. It must hold nothing of a process when it returns.
    fn step<A: Allocator + Copy>(&self, state: &mut Self::State<A>, piece: u64, step: u64)
    -> Proof;
}

/// How it is done, and by how many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Balancing {
    /// What evens it out.
    pub balance: Balance,
    /// Threads take from a queue, not processes.
    pub threads: bool,
    /// Processes or threads.
    pub processes: usize,
    /// Pieces.
    pub pieces: usize,
    /// Steps of each.
    pub steps: u64,
    /// CPUs to which they are bound in turn; none for free.
    pub cpus: Vec<u32>,
}

impl Balancing {
    /// Does all of the work. Errors: no room for it, or a process ended before its time.
    pub fn run(&self, work: &impl Uneven) -> io::Result<SelfManagedRep> {
        let before = Spent::now()?;
        let words = Words::new(Board::words(self.processes, self.pieces), Pages::AtOnce)?;
        let order = Order {
            board: Board::over(words.rows(), self.processes),
            plan: self,
            work,
        };
        let (made, times) = match (self.balance, self.threads) {
            (Balance::Queue, true) => (self.processes, order.by_threads()?),
            (Balance::Queue, false) => (self.processes, order.by_processes()?),
            _ => (self.pieces, order.by_flows()?),
        };
        let (usage, mut own) = Spent::now()?.since(before, made as u64, self.processes)?;
        own.counts = order.board.counts(usage.cpu_ns);
        let [create, steady, tear_down] = times.spans();
        Ok(SelfManagedRep {
            create,
            steady,
            tear_down,
            usage,
            units: self.pieces as u64,
            proof: order.board.proof(),
            own,
            ..SelfManagedRep::default()
        })
    }
}

struct Order<'w, U> {
    board: Board<'w>,
    plan: &'w Balancing,
    work: &'w U,
}

impl<U: Uneven> Order<'_, U> {
    fn begin<A: Allocator + Copy>(&self, process: usize, piece: usize, memory: A) -> U::State<A> {
        self.timed(process, piece, || self.work.begin(piece as u64, memory))
    }

    fn step<A: Allocator + Copy>(
        &self,
        process: usize,
        state: &mut U::State<A>,
        piece: usize,
        step: u64,
    ) {
        let proof = self.timed(process, piece, || self.work.step(state, piece as u64, step));
        self.board.found.fetch_add(proof.count, Ordering::Relaxed);
        self.board
            .checksum
            .fetch_add(proof.checksum, Ordering::Relaxed);
    }

    fn timed<R>(&self, process: usize, piece: usize, act: impl FnOnce() -> R) -> R {
        let began = thread_cpu_ns();
        let result = act();
        let ns = thread_cpu_ns() - began;
        self.board.worked(process).fetch_add(ns, Ordering::Relaxed);
        self.board.cost(piece).fetch_add(ns, Ordering::Relaxed);
        result
    }
}

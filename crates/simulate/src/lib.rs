//! Caches and data TLBs of a machine one does not have, counted from recorded memory accesses
//! (docs/simulate.md). The accesses of every flow are recorded once ([`trace`]), and run through a
//! model of a machine ([`Machine`]): a first-level cache for each core, a second level, a shared
//! last level, and data TLBs of two levels.
//! ```text
//!   flow 0's trace ─┐
//!   flow 1's trace ─┼─▶ merge ─▶ address ─▶ TLBs ─▶ caches ─▶ counts of each flow
//!   flow 2's trace ─┘   (who is   ─▶ frame            ▲       lines and pages that cores share
//!                        next?)     (who shares?)     └ stores take lines from other cores
//! ```
//! [`merge()`] is a pure function of traces, machine and rule: the same traces, the same counts.
//!
//! **The time model** is of first order: a base for each access and its instructions, and a penalty
//! for each level that was missed, from the machine's file. It gives relative throughput, not
//! cycles.
//!
//! **Not modelled**: instruction caches and TLBs, branches, execution units; accesses by the
//! kernel; prefetching, write-back, queues: bandwidth is no limit; misses that overlap; pages of
//! several sizes. A trace of x86-64 stands for machines whose registers and spills differ.
//!
//! **Sources.** Hill and Smith, *Evaluating Associativity in CPU Caches*, IEEE ToC 1989 (what
//! associativity does; the tests have its cases). Al-Zoubi and others, *Performance Evaluation of
//! Cache Replacement Policies*, 2004 (pseudo-LRU by used bits). Inoue and Nakatani, IISWC 2010: the
//! question.

#![forbid(unsafe_code)]

mod chase;
mod counts;
mod machine;
mod machines;
mod memory;
mod merge;
mod model;
mod sets;
mod sharing;
mod tlb;
pub mod trace;

pub use chase::{Chase, Step};
pub use counts::Counts;
pub use machine::{
    Cache, Machine, MachineError, Origin, Policy, Tags, Time, Tlb, read_bytes, show_bytes,
};
pub use machines::{builtin, names};
pub use memory::Backing;
pub use merge::{Flow, MergeError, Merged, Rule, Trace, merge};
pub use sharing::Shared;

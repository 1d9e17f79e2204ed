//! Caches and data TLBs of a machine one does not have, counted from recorded memory accesses
//! ([`trace`]) by a model of a machine ([`Machine`]); docs/simulate.md says what is not simulated.
//! ```text
//!   flow 0's trace ─┐
//!   flow 1's trace ─┼─▶ merge ─▶ address ─▶ TLBs ─▶ caches ─▶ counts of each flow
//!   flow 2's trace ─┘   (who is   ─▶ frame            ▲       lines and pages that cores share
//!                        next?)     (who shares?)     └ stores take lines from other cores
//! ```
//! [`merge()`] is a pure function of traces, machine and rule: the same traces, the same counts.
//! The time model is of first order: a base for each access and its instructions, and a penalty for
//! each level that was missed, from the machine's file: relative throughput, not cycles.
//!
//! **Sources.** Hill and Smith, *Evaluating Associativity in CPU Caches*, IEEE ToC 1989
//! (associativity; tests have its cases). Al-Zoubi and others, *Performance Evaluation of Cache
//! Replacement Policies*, 2004 (pseudo-LRU by used bits). Inoue and Nakatani, IISWC 2010 (why).

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

//! Caches and data TLBs of a machine one does not have, counted from recorded memory accesses.
//!
//! **What.** Whether threads or processes are better depends on what their cores share: caches,
//! translations, lines that go to and fro. Most machines do not let one count that, and none has
//! another machine's cores. So the accesses of every flow are recorded once ([`trace`]), and then
//! run through a model of the machine that is asked about ([`Machine`]): a first-level cache for
//! each core, a second level, a last level that is shared, and data TLBs of two levels.
//!
//! **How.**
//!
//! ```text
//!   flow 0's trace ─┐
//!   flow 1's trace ─┼─▶ merge ─▶ address ─▶ TLBs ─▶ caches ─▶ counts of each flow
//!   flow 2's trace ─┘   (who is   ─▶ frame            ▲       lines and pages that cores share
//!                        next?)     (who shares?)     └ stores take lines from other cores
//! ```
//!
//! [`merge()`] is a pure function of the traces, the machine and the rule: the same traces give the
//! same counts, to the last one. It reads no clock and no file but what it is given.
//!
//! **The time model** is one of first order: a base for each access and its instructions, and a
//! penalty for each level that was missed, both from the machine's file. It gives relative
//! throughput. It is no count of cycles and is never called one.
//!
//! **What it deliberately does not do.** Instructions are not fetched: instruction caches and TLBs,
//! branches and execution units are not there. Accesses by the kernel are not recorded. Nothing is
//! prefetched, written back or queued: bandwidth is no limit. Misses do not overlap. All memory
//! is on pages of one size. A trace of x86-64 instructions stands for what the same program does
//! elsewhere: its registers, and so its spills, are not that machine's.
//!
//! **Sources.** Hill and Smith, *Evaluating Associativity in CPU Caches*, IEEE ToC 1989 (what
//! associativity does; the tests have its cases). Al-Zoubi and others, *Performance Evaluation of
//! Cache Replacement Policies*, 2004 (pseudo-LRU by used bits). Inoue and Nakatani, IISWC 2010:
//! the question. Machines: each figure names its own.

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

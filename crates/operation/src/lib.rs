//! The kernel operations that flows repeat, each with a check of its effect.
//!
//! Threads of one process share their address space, their file table and their signal
//! handlers; processes share none of them. Each shared thing has a lock in the kernel, and a
//! flow that changes the thing, or only looks at it, may have to wait for the others. So the
//! question "processes or threads" has another answer for each operation. This crate has one
//! small body for each: a flow repeats one operation a fixed number of times and does nothing
//! else.
//!
//! ```text
//!  Name ──▶ registry ──▶ Operation::prepare   what all flows share; in the slot process, before any flow
//!                           └▶ own            what one flow keeps; made by the flow, before the gate
//!                                └▶ repeat    the operations, timed; a checksum of their effects
//! ```
//!
//! * **The same calls under every model.** What flows share on purpose (the one file, the
//!   mutex) lies in a file or in shared memory, so that it is shared by processes too. All
//!   else is a flow's own. What is then still shared is what the model shares.
//! * **Verified.** A call that answers "done" is not believed: bytes are read back, the mapped
//!   page is written, a freed name or address must come again, who waits is counted. A check
//!   that would cost more than the operation is made once in [`check::EVERY`] operations. A
//!   check that fails is a panic, which fails the slot: a flow has no other way to say it.
//! * **Proved.** The count of operations and a checksum over what they brought; it depends on
//!   the number of operations and flows alone, so it is equal under every model.
//! * **Nothing stays.** Memory is anonymous, flows are waited for, files lie in the slot's
//!   folder, which the launcher removes. Nothing has a name in System V or POSIX tables.
//!
//! [`Facts`] of each operation say what it does, what its flows share and how it is checked;
//! [`all`] lists them.
//!
//! # What it deliberately does not do
//!
//! * **Measure the operation alone.** Loop and checks are in the time, the same for every
//!   model. Ratios are meant; nanoseconds an operation are an upper bound.
//! * **Cancel threads, or rely on end-of-file.** Partners of a flow get a message to end.
//!
//! This crate contains `unsafe`: it is system calls, and memory that the kernel hands out. The
//! calls are wrapped in `sys`; bodies above it have no `unsafe` but where the wrapping
//! would be the operation.

pub mod check;
mod context;
mod facts;
mod registry;
mod repeat;
mod sys;

mod barrier;
mod beside;
mod brk;
mod caller;
mod dup;
mod fallocate;
mod file_data;
mod file_lock;
mod futex;
mod group;
mod ledger;
mod lock;
mod make_flow;
mod malloc;
mod mapping;
mod message;
mod name;
mod open;
mod page_fault;
mod partner;
mod preempt;
mod protect;
mod ready;
mod seek;
mod signal;
mod switch;

pub use facts::{Facts, Name, NameError};
pub use registry::{all, run};

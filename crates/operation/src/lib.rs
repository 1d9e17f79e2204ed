//! The kernel operations that flows repeat, each with a check of its effect. Threads share address space, file table
//! and signal handlers, each with a lock in the kernel; processes share none. So "processes or threads" has another
//! answer for each operation. Here each has one small body, repeated a fixed number of times.
//! ```text
//!  Name ──▶ registry ──▶ Operation::prepare   what all flows share; in the slot process, before any flow
//!                           └▶ own            what one flow keeps; made by the flow, before the gate
//!                                └▶ repeat    the operations, timed; a checksum of their effects
//! ```
//! * **The same calls under every model.** What flows share on purpose (the one file, the mutex) lies in a file or in
//!   shared memory, for processes too. All else is a flow's own, but for what the model shares.
//! * **Verified.** Bytes are read back, the mapped page is written, a freed name or address must come again, who waits
//!   is counted; a dear check is made once in [`check::EVERY`] operations. A failed check panics and fails the slot.
//! * **Proved.** The count of operations and a checksum over what they brought: equal under every model.
//! * **Nothing stays.** Memory is anonymous, flows are waited for, files lie in the slot's folder.
//!
//! [`Facts`] say what an operation does, what its flows share and how it is checked ([`all`]). Loop and checks are in
//! the time: ratios are meant; nanoseconds an operation are an upper bound. The crate's `unsafe` is system calls, and
//! memory that the kernel hands out, in `sys`; bodies above it have some only where the wrapping would be the
//! operation.

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

use context::OperationContext;
use facts::either;
use repeat::{EachFlow, Operation, PerFlow, Repeat};

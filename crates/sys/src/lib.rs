//! What the other crates stand on: mapped memory, and processes that share. Others have most of it:
//!
//! | need | who has it |
//! |---|---|
//! | sleeping on a word, and waking who sleeps | `rustix::thread::futex`, safe |
//! | handlers of signals | `nix::sys::signal::sigaction` |
//! | a descriptor of a process | `rustix::process::pidfd_open`, safe |
//! | a plain fork | `nix::unistd::fork`, unsafe |
//! | a file that is only read | `memmap2` |
//!
//! Here is what they lack:
//!
//! * [`Mapping`]: memory with an owner (nix gives an address, memmap2 none that forks share).
//! * [`pages_fit`]: whether the kernel's pages are those that all this is built for.
//! * [`Shared`]: a header and rows of atomics for forked processes, of [`Shareable`] types.
//! * [`Alone`]: that this process has one thread, so that it may fork.
//! * [`fork_sharing`], [`clone_on`]: forks that share more with their parent than a fork does.
//! * [`clone_into`]: one that begins in a control group.
//! * [`MakerName`]: what a process is called while it forks.
//! * [`bind`]: a thread on some CPUs.
//! * [`refused`], [`succeeded`]: an error that names the call that a sandbox refuses.
//! * [`is_ignored`]: what a signal does.
//! * [`mark`]: a call that no kernel has, by which recorded flows say that they begin and end.
//!
//! Not here: the calls of `alloc`, which must do without anything that might allocate; mappings at
//! fixed addresses by which stacks move (`fiber`) and files that shrink are mended (`search`).

mod alone;
mod begin;
mod bind;
mod fork;
mod maker;
mod mapping;
pub mod mark;
mod refused;
mod shared;
mod signal;

pub use alone::Alone;
pub use begin::clone_into;
pub use bind::bind;
pub use fork::{clone_on, fork_sharing};
pub use maker::{MAKER, MakerName};
pub use mapping::{Access, Advice, Mapping, Of, PAGE, pages_fit};
pub use refused::{refused, succeeded};
pub use shared::{CachePadded, Pages, Shareable, Shared};
pub use signal::is_ignored;

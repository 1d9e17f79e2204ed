//! Flows that move between processes, and what else can take state from one to another.
//!
//! # Theory
//!
//! Elsewhere in this crate a flow stays where it was made. Here it is the work itself to move, so
//! such work makes its own flows ([`crate::SelfManaged`]):
//!
//! * [`travel`]: state goes around a ring of processes, in flows that move or by other means.
//! * [`balance`]: pieces of uneven work, dealt anew among processes while they run, or taken from
//!   a queue.
//!
//! The slot process is process 0 of both, and forks the others ([`forked`]), which die with it as
//! forked flows do, and the region of addresses with all of them. [`region_members`] are processes
//! between which flows move.
//!
//! Deliberately not here: the bodies of other work. What they keep lies on the ordinary heap,
//! which does not move.

mod balance;
mod forked;
mod region_members;
mod times;
mod travel;

pub use balance::{Balance, Balancing, Uneven};
pub use travel::{By, Trips};

/// Words shared by all processes of a group, zero at first.
type Words = sys::Shared<(), std::sync::atomic::AtomicU64>;

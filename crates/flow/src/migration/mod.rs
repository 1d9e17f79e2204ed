//! Flows that move between processes, and what else can take state from one to another. Moving is
//! the work itself here, so it makes its own flows ([`crate::SelfManaged`]). The slot process is
//! process 0, and forks the others ([`forked`]), which die with it; the region of addresses dies
//! with all ([`region_members`]). Bodies of other work do not move.

mod balance;
mod forked;
mod region_members;
mod times;
mod travel;

pub use balance::{Balance, Balancing, Uneven};
pub use travel::{By, Trips};

type Words = sys::Shared<(), std::sync::atomic::AtomicU64>;

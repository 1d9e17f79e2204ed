//! The bodies that every model runs unchanged, each with its self-check.
//!
//! [`Work`] names a workload with its parameters; it is what studies, journals and
//! cells carry. One file a workload.

#![forbid(unsafe_code)]

pub mod drill;
pub mod primes;
pub mod spin;
pub mod work;

pub use drill::Drill;
pub use primes::Primes;
pub use spin::Spin;
pub use work::{Work, WorkError};

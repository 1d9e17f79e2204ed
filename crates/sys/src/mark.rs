//! Begins and ends of flows, recorded by a system call that no kernel has: else a harmless error.

/// Number of the call.
pub const CALL: i64 = 0x666c_6f77;
/// First argument of a flow that begins; the second is its number.
pub const BEGIN: u64 = 1;
/// First argument of a flow that has done its work.
pub const END: u64 = 2;

/// First argument from which on the caller and every new thread are flows, in order of birth.
pub const EACH: u64 = 3;
/// First argument that ends [`EACH`], and the caller.
pub const NO_MORE: u64 = 4;

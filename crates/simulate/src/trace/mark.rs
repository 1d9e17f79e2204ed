//! How a recorded program says where its flows begin and end, and what the recorder leaves beside
//! the traces.
//!
//! By a system call that no kernel has. Outside of the emulator nobody makes it, and there it is an
//! error without consequences; the recorder sees its number and arguments.

/// The number of the call.
pub const CALL: i64 = 0x666c_6f77;
/// The first argument of a flow that begins; the second one is its number.
pub const BEGIN: u64 = 1;
/// The first argument of a flow that has done its work.
pub const END: u64 = 2;

/// The first argument where every thread that is born from here on is a flow, and the caller is one:
/// of work that makes its own flows. Their numbers are the order in which threads are born.
pub const EACH: u64 = 3;
/// The first argument where they are no longer; the caller ends.
pub const NO_MORE: u64 = 4;

/// The file beside the traces that says that a program was started by exec, and not recorded.
pub const EXEC: &str = "exec";

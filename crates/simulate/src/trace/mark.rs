//! How a recorded program says where its flows begin and end.
//!
//! By a system call that no kernel has. Outside of the emulator nobody makes it, and there it is an
//! error without consequences; the recorder sees its number and arguments.

/// The number of the call.
pub const CALL: i64 = 0x666c_6f77;
/// The first argument of a flow that begins; the second one is its number.
pub const BEGIN: u64 = 1;
/// The first argument of a flow that has done its work.
pub const END: u64 = 2;

/// The file beside the traces that says that a program was started by exec, and not recorded.
pub const EXEC: &str = "exec";

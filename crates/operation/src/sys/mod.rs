//! System calls and the memory they hand out, as safe functions of errors and values.

pub(crate) mod block;
pub(crate) mod child;
pub(crate) mod descriptor;
pub(crate) mod file;
pub(crate) mod futex;
pub(crate) mod lock;
pub(crate) mod memory;
pub(crate) mod own_file;
pub(crate) mod pipe;
pub(crate) mod signal;

use std::io;

/// For system calls: -1 is failure.
#[inline]
pub(crate) fn answer(code: impl Into<i64>) -> io::Result<u64> {
    u64::try_from(code.into()).map_err(|_negative| io::Error::last_os_error())
}

/// For library calls that return an error number.
#[inline]
pub(crate) fn no_error(code: libc::c_int) -> io::Result<()> {
    match code {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

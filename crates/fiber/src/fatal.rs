//! The end of the program. The stack is lost: the message is written from a buffer in one call.

use std::fmt;
use std::io::{Cursor, Write};

#[cold]
#[inline(never)]
pub(crate) fn end(why: fmt::Arguments<'_>) -> ! {
    say(format_args!("{why}; the program ends"));
    std::process::abort()
}

pub(crate) fn say(why: fmt::Arguments<'_>) {
    let mut line = Cursor::new([0_u8; 320]);
    // A cut message is still one.
    let _ = writeln!(line, "fiber: {why}");
    let (bytes, length) = (line.get_ref(), line.position() as usize);
    // SAFETY: the buffer is valid for the length given.
    unsafe { libc::write(2, bytes.as_ptr().cast(), length) };
}

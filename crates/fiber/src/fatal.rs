//! The end of the program, with a message that needs little stack and no memory.
//!
//! # Theory
//!
//! Whatever ends here has lost its stack or somebody else's, so nothing is unwound and
//! nothing allocated: the message is made in a buffer, written to standard error in one
//! call, and the program aborts.

use std::fmt::{self, Write};

#[cold]
#[inline(never)]
pub(crate) fn end(why: fmt::Arguments<'_>) -> ! {
    say(format_args!("{why}; the program ends"));
    std::process::abort()
}

pub(crate) fn say(why: fmt::Arguments<'_>) {
    let mut line = Line::default();
    // A cut message is still one.
    let _ = writeln!(line, "fiber: {why}");
    // SAFETY: the buffer is valid for the length given.
    unsafe { libc::write(2, line.bytes.as_ptr().cast(), line.len) };
}

#[derive(Debug)]
struct Line {
    bytes: [u8; 320],
    len: usize,
}

impl Default for Line {
    fn default() -> Line {
        Line {
            bytes: [0; 320],
            len: 0,
        }
    }
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.bytes.get_mut(self.len..).unwrap_or_default();
        let part = text.len().min(room.len());
        room[..part].copy_from_slice(&text.as_bytes()[..part]);
        self.len += part;
        Ok(())
    }
}

//! The end of the program. The stack is lost: the message is written from a buffer in one call.

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

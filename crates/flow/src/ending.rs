//! How a process of this program ends: with an answer, with a code, or with its whole group.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::sync::OnceLock;

use nix::unistd::dup2_stdout;
use serde::Serialize;

const EXIT_PANIC: i32 = 101;

static ANSWERS: OnceLock<File> = OnceLock::new();

/// From here on standard output is standard error, for whatever the work prints.
pub(crate) fn keep_answers_apart() -> io::Result<()> {
    let answers = io::stdout().as_fd().try_clone_to_owned()?;
    dup2_stdout(io::stderr())?;
    ANSWERS.get_or_init(|| File::from(answers));
    Ok(())
}

pub(crate) fn answer_and_exit(answer: &impl Serialize) -> ! {
    exit(i32::from(write_line(answer).is_err()))
}

pub(crate) fn write_line(value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value).map_err(io::Error::other)?;
    line.push(b'\n');
    match ANSWERS.get() {
        Some(mut answers) => answers.write_all(&line),
        None => {
            let mut out = io::stdout().lock();
            out.write_all(&line)?;
            out.flush()
        }
    }
}

/// For a signal handler.
pub(crate) fn answers() -> RawFd {
    ANSWERS.get().map_or(libc::STDOUT_FILENO, File::as_raw_fd)
}

pub(crate) fn exit(code: i32) -> ! {
    // SAFETY: `_exit` ends the process and has no preconditions.
    unsafe { libc::_exit(code) }
}

pub(crate) fn end_on_panic() {
    std::panic::set_hook(Box::new(|panic| {
        let text = match panic.payload_as_str() {
            Some(words) if measure::gives_up() => format!("{words}\n"),
            _ => format!("{panic}\n"),
        };
        // One write: other flows may panic at the same time.
        let _closed_is_fine = io::stderr().write_all(text.as_bytes());
        exit(EXIT_PANIC)
    }));
}

pub(crate) fn end_group() {
    // SAFETY: `kill` is async-signal-safe; 0 is the group that this slot process leads.
    unsafe { libc::kill(0, libc::SIGKILL) };
}

//! The janitor: a process that removes what a slot has on disk when nobody else is left to do it.
//!
//! # Theory
//!
//! Files and a named pipe outlive processes, so somebody must remove them however a slot ends:
//!
//! | who is left               | who removes                                                  |
//! |---------------------------|--------------------------------------------------------------|
//! | the main process          | it does, after it has killed the slot's group                |
//! | the janitor               | it does, when the pipe from the main process ends            |
//! | nobody                    | the next run that looks there ([`tidy::slot_folder::sweep`]) |
//!
//! The janitor is this same binary, in a session of its own, where no signal to the group of the
//! run and no Ctrl-C reaches it, and it ignores those that ask to end. It sleeps in a read. Before
//! anything of a slot is made it is told the names, on one line; a line without names says that
//! all is removed. When the main process is gone, however it went, the read ends. The slot's
//! processes are dying then by their parent-death signals, stopped ones included, and need no
//! help. The janitor removes what is left at the names it was told last, and what is
//! provably ours there ([`tidy`]), and ends.
//!
//! What it deliberately does not do: kill anybody. It is no parent of theirs, so it could hit a
//! stranger who got their number.

use std::io::{self, BufRead, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};

use nix::sys::signal::{SigHandler, Signal, signal};

use crate::slot_process::exit;

/// The first argument of a janitor.
const ARGUMENT: &str = "__janitor";

/// A janitor that waits. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Janitor {
    child: Child,
    told: Option<ChildStdin>,
}

impl Janitor {
    /// Starts this program again, as a janitor.
    fn start() -> io::Result<Self> {
        let mut child = Command::new("/proc/self/exe")
            .arg0("flowgauge")
            .arg(ARGUMENT)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let told = child.stdin.take();
        Ok(Self { child, told })
    }

    fn tell(&mut self, line: &[u8]) -> io::Result<()> {
        let told = self.told.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        told.write_all(line)
    }
}

impl Drop for Janitor {
    fn drop(&mut self) {
        drop(self.told.take());
        let _gone_is_fine = self.child.wait();
    }
}

/// Tells the janitor what a slot is about to have on disk, and starts one where there is none. A
/// run without a janitor is one that the next run may have to clean up behind.
pub(crate) fn tell(janitor: &mut Option<Janitor>, names: &[&PathBuf]) {
    let Ok(mut line) = serde_json::to_vec(names) else {
        return;
    };
    line.push(b'\n');
    if janitor.as_mut().is_some_and(|one| one.tell(&line).is_ok()) {
        return;
    }
    *janitor = Janitor::start().ok().filter(|_| !names.is_empty());
    if let Some(one) = janitor {
        let _swept_by_the_next_run = one.tell(&line);
    }
}

/// Whether this process was started as a janitor. To be asked in `main` before anything but
/// [`crate::is_slot_process`].
#[must_use]
pub fn is_janitor() -> bool {
    let argument = std::env::args_os().nth(1);
    argument.is_some_and(|argument| argument == ARGUMENT)
}

/// The whole life of a janitor.
pub fn janitor_main() -> ! {
    let _leads_one_already = nix::unistd::setsid();
    for ends in [
        Signal::SIGHUP,
        Signal::SIGINT,
        Signal::SIGQUIT,
        Signal::SIGTERM,
    ] {
        // SAFETY: ignoring a signal installs no handler that could do anything unsafe.
        let _valid_signal = unsafe { signal(ends, SigHandler::SigIgn) };
    }
    let mut last: Vec<PathBuf> = Vec::new();
    for line in io::stdin().lock().lines() {
        // A line that was cut says nothing of what was made: names are told before.
        match line.ok().and_then(|line| serde_json::from_str(&line).ok()) {
            Some(names) => last = names,
            None => break,
        }
    }
    tidy::slot_folder::remove_left(&last);
    exit(0)
}

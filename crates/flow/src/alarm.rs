//! The deadline of a slot whose work makes its own flows, or does something where there are none.
//! Other slots are watched by the thread that made their flows ([`crate::watch`]); here that thread
//! is at work, and a second one would keep the work from forking. So a kernel timer signals this
//! process, and the handler writes the answer, made ready before, and ends the group
//! ([`crate::slot_process`]). Forks do not inherit the timer; an answer takes it away.

use std::io;
use std::os::fd::RawFd;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::Duration;

use nix::sys::signal::{SaFlags, SigAction, SigEvent, SigHandler, SigSet, SigevNotify, Signal};
use nix::sys::timer::{Expiration, Timer, TimerSetTimeFlags};
use nix::time::ClockId;

use crate::ending::{answers, end_group};
use crate::record::{Answer, Failure};

struct LastWords {
    line: Vec<u8>,
    to: RawFd,
}

/// Leaked for the handler: a slot process has one.
static LAST_WORDS: AtomicPtr<LastWords> = AtomicPtr::new(ptr::null_mut());

pub(crate) struct Alarm {
    _timer: Timer,
}

impl Alarm {
    pub(crate) fn set(deadline_s: String, left: Duration, at: String) -> io::Result<Self> {
        let answer = Answer::failed(Failure::Overdue {
            deadline_s,
            said: String::new(),
            at,
        });
        let mut line = serde_json::to_vec(&answer)?;
        line.push(b'\n');
        let words = LastWords {
            line,
            to: answers(),
        };
        LAST_WORDS.store(Box::into_raw(Box::new(words)), Ordering::Release);
        let action = SigAction::new(
            SigHandler::Handler(too_late),
            SaFlags::SA_RESTART,
            SigSet::empty(),
        );
        // SAFETY: the handler only makes async-signal-safe calls, on memory that is never freed.
        unsafe { nix::sys::signal::sigaction(Signal::SIGALRM, &action) }?;
        let mut timer = Timer::new(
            ClockId::CLOCK_MONOTONIC,
            SigEvent::new(SigevNotify::SigevSignal {
                signal: Signal::SIGALRM,
                si_value: 0,
            }),
        )?;
        let left = left.max(Duration::from_nanos(1));
        timer.set(Expiration::OneShot(left.into()), TimerSetTimeFlags::empty())?;
        Ok(Self { _timer: timer })
    }
}

extern "C" fn too_late(_signal: libc::c_int) {
    // SAFETY: the pointer is null, or of a leaked value that nobody changes.
    if let Some(LastWords { line, to }) = unsafe { LAST_WORDS.load(Ordering::Acquire).as_ref() } {
        // SAFETY: `write` is async-signal-safe; the bytes are the line's, and all fit the pipe,
        // which is empty.
        unsafe { libc::write(*to, line.as_ptr().cast(), line.len()) };
    }
    end_group();
}

//! By which policy of the kernel's scheduler the flows of a slot get their CPUs, where more can run
//! than there are CPUs (`sched(7)`). A slice is a request to the EEVDF scheduler (Linux 6.12 and
//! later take it): a shorter one has an earlier deadline, and waits less. The slot process sets the
//! policy before it makes anything, and reads it back; threads, forks and commands inherit it. None
//! needs a privilege. Source: Linux's scheduler/sched-eevdf.rst.

use std::io;

use serde::{Deserialize, Serialize};
use sys::succeeded;

use crate::word::words;

/// By which policy flows get their CPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// In turn with all others.
    Other,
    /// As work that computes: who wakes interrupts nobody.
    Batch,
    /// Where nobody else wants the CPU.
    Idle,
    /// In turn, by slices of 0.1 ms.
    Short,
    /// In turn, by slices of 100 ms.
    Long,
}

words!(Policy, "policy of the scheduler", "other, batch, idle, short or long", [
    "other" => Self::Other,
    "batch" => Self::Batch,
    "idle" => Self::Idle,
    "short" => Self::Short,
    "long" => Self::Long
]);

impl Policy {
    /// The policy's number, and the slice that is asked for, in ns.
    fn asks(self) -> (u32, Option<u64>) {
        match self {
            Self::Other => (libc::SCHED_OTHER as u32, None),
            Self::Batch => (libc::SCHED_BATCH as u32, None),
            Self::Idle => (libc::SCHED_IDLE as u32, None),
            Self::Short => (libc::SCHED_OTHER as u32, Some(100_000)),
            Self::Long => (libc::SCHED_OTHER as u32, Some(100_000_000)),
        }
    }

    /// Checks that this kernel has it: this thread takes it, and has its own again.
    pub fn check(self) -> Result<(), String> {
        let tried = current().and_then(|(own, _)| {
            let tried = self.prepare();
            set(own, 0).and(tried)
        });
        tried.map_err(|error| format!("{error}: leave the policy {self} out"))
    }

    pub(crate) fn prepare(self) -> io::Result<()> {
        let (policy, slice) = self.asks();
        set(policy, slice.unwrap_or(0))?;
        let (found, granted) = current()?;
        match (found == policy, slice) {
            (true, None) => Ok(()),
            (true, Some(slice)) if granted == slice => Ok(()),
            (true, Some(_)) => Err(io::Error::other(
                "this kernel takes no request for a slice, as Linux 6.12 and later do",
            )),
            (false, _) => Err(io::Error::other(format!(
                "the policy {self} was set, and the kernel says that it is number {found}"
            ))),
        }
    }
}

const SIZE: u32 = size_of::<libc::sched_attr>() as u32;

fn attributes(policy: u32, slice: u64) -> libc::sched_attr {
    libc::sched_attr {
        size: SIZE,
        sched_policy: policy,
        sched_flags: 0,
        sched_nice: 0,
        sched_priority: 0,
        sched_runtime: slice,
        sched_deadline: 0,
        sched_period: 0,
    }
}

fn set(policy: u32, slice: u64) -> io::Result<()> {
    let asked = attributes(policy, slice);
    // SAFETY: the kernel reads the attributes, no more bytes than they say.
    let done = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const asked, 0) };
    succeeded("sched_setattr", done)
}

fn current() -> io::Result<(u32, u64)> {
    let mut found = attributes(u32::MAX, 0);
    // SAFETY: the kernel writes at most SIZE bytes, of attributes that outlive the call.
    let done = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut found, SIZE, 0) };
    succeeded("sched_getattr", done).map(|()| (found.sched_policy, found.sched_runtime))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a thread of its own, since the policy is that of a thread; another one that it makes has it.
    #[test]
    fn a_policy_is_set_inherited_and_read_back() {
        for &(_, policy) in Policy::WORDS {
            let checked = std::thread::spawn(move || (policy.check(), current().unwrap().0));
            let (checked, own) = checked.join().unwrap();
            assert_eq!(own, libc::SCHED_OTHER as u32, "its own again");
            if let Err(why) = checked {
                skipped::skipped(why);
                continue;
            }
            let made = std::thread::spawn(move || {
                policy.prepare().unwrap();
                std::thread::spawn(current).join().unwrap().unwrap()
            });
            let (number, slice) = made.join().unwrap();
            let (asked, asked_slice) = policy.asks();
            assert_eq!(number, asked);
            assert!(asked_slice.is_none_or(|asked| asked == slice));
        }
    }
}

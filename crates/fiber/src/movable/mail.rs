//! How fibers are handed from one process to another.
//!
//! A fiber on its way is a **parcel**: its control block, copied to shared memory, in the place of
//! its slot. Who has parcels for a process puts the whole chain into its mailbox with one
//! compare-and-swap; the owner takes all with one swap. So a mailbox is never full, nobody holds a
//! lock, and a round costs one contended access. A process without work sleeps on its mailbox; one
//! of the two sees what the other wrote, so no wake is lost:
//! ```text
//!  owner                                  sender
//!  asleep = 1                             put chain in
//!  ── fence ──                            ── fence ──
//!  mailbox empty? then sleep on asleep    asleep was 1? then 0, and wake
//! ```
//! **Whereabouts** say which process has a fiber, and to which it is on its way, for when one has
//! died. The sender writes them *before* the chain is put in, the receiver on arrival.

use std::sync::atomic::{AtomicU32, Ordering, fence};

use rustix::io::Errno;
use rustix::thread::futex::{self, Flags, Timespec};

use crate::control::{Control, NOBODY};
use crate::memory::Table;

const SHARED: Flags = Flags::empty();

#[derive(Debug)]
#[repr(C, align(128))]
pub(crate) struct Header {
    closed: AtomicU32,
}

impl Header {
    pub(crate) fn close(&self) {
        self.closed.store(1, Ordering::SeqCst);
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst) == 1
    }
}

/// All-zero bytes are an empty one.
#[derive(Debug)]
#[repr(C, align(128))]
pub(crate) struct Mailbox {
    /// Last slot put in, plus one.
    head: AtomicU32,
    asleep: AtomicU32,
    looks: AtomicU32,
    /// Process id, once joined.
    owner: AtomicU32,
}

/// Linked, the last one first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chain {
    pub(crate) first: u32,
    pub(crate) last: u32,
}

impl Mailbox {
    pub(crate) fn owner(&self) -> u32 {
        self.owner.load(Ordering::Acquire)
    }

    pub(crate) fn set_owner(&self, process: u32) {
        self.owner.store(process, Ordering::Release);
    }

    pub(crate) fn looks(&self) -> u32 {
        self.looks.load(Ordering::Acquire)
    }

    pub(crate) fn put(&self, parcels: &Table<Control>, chain: Chain) {
        let last = &parcels.at(chain.last as usize).link;
        let mut head = self.head.load(Ordering::Relaxed);
        loop {
            last.set(head.wrapping_sub(1));
            let put = self.head.compare_exchange_weak(
                head,
                chain.first + 1,
                Ordering::Release,
                Ordering::Relaxed,
            );
            match put {
                Ok(_) => break,
                Err(now) => head = now,
            }
        }
        self.wake();
    }

    #[inline]
    pub(crate) fn take_all(&self) -> u32 {
        let looks = self.looks.load(Ordering::Relaxed);
        self.looks.store(looks.wrapping_add(1), Ordering::Release);
        if self.head.load(Ordering::Relaxed) == 0 {
            return NOBODY;
        }
        self.head.swap(0, Ordering::Acquire).wrapping_sub(1)
    }

    pub(crate) fn wake(&self) {
        fence(Ordering::SeqCst);
        if self.asleep.load(Ordering::Relaxed) == 1 {
            self.asleep.store(0, Ordering::Relaxed);
            let _never_fails = futex::wake(&self.asleep, SHARED, 1);
        }
    }

    /// True if `milliseconds` have passed without mail.
    pub(crate) fn sleep(&self, milliseconds: u32, is_over: impl Fn() -> bool) -> bool {
        let mut timed_out = false;
        self.asleep.store(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        if self.head.load(Ordering::Relaxed) == 0 && !is_over() {
            let milliseconds = i64::from(milliseconds);
            let timeout = Timespec {
                tv_sec: milliseconds / 1_000,
                tv_nsec: milliseconds % 1_000 * 1_000_000,
            };
            let woken = futex::wait(&self.asleep, SHARED, 1, Some(&timeout));
            timed_out = woken == Err(Errno::TIMEDOUT);
        }
        self.asleep.store(0, Ordering::Relaxed);
        timed_out
    }
}

#[derive(Debug)]
pub(crate) struct Whereabouts(AtomicU32);

impl Whereabouts {
    pub(crate) fn get(&self) -> (usize, usize) {
        let both = self.0.load(Ordering::Acquire);
        ((both >> 16) as usize, (both & 0xFFFF) as usize)
    }

    #[inline]
    pub(crate) fn set(&self, at: usize, to: usize) {
        let both = (at as u32) << 16 | to as u32;
        self.0.store(both, Ordering::Release);
    }
}

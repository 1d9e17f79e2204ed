//! A flow sends another as many messages as it can: the loop of the OSU micro-benchmark for
//! bandwidth. One side starts a window of messages, all from one buffer, and waits until they are
//! gone; the other receives each into its own buffer, and answers with an empty message. Between
//! threads of one rank the window is a counter of ready messages: the receiver copies the sender's
//! buffer for each. Each message begins with its window's number; their sum is the proof.

use std::sync::atomic::{AtomicU64, Ordering};

use flow::Proof;
use sys::CachePadded;

use super::exchange::{Exchange, Shared, seen, written};
use super::ping_pong::{read, stamp};
use crate::team::{Member, spin_until};

#[derive(Debug)]
pub(super) struct Bandwidth {
    bytes: usize,
    window: u64,
    windows: u64,
    out: Shared<u8>,
    sent: CachePadded<AtomicU64>,
    received: CachePadded<AtomicU64>,
}

impl Bandwidth {
    pub(super) fn new(bytes: u64, window: u64, windows: u64) -> Self {
        Self {
            bytes: bytes as usize,
            window,
            windows,
            out: Shared::default(),
            sent: CachePadded::default(),
            received: CachePadded::default(),
        }
    }

    fn messages(&self, buffers: &mut [u8], member: &Member<'_>) -> u64 {
        let mut world = member.team.world();
        let mut sum = 0;
        for number in 1..=self.windows {
            if world.rank == 0 {
                stamp(buffers, number);
                world.send_window(buffers, self.window, 1);
            } else {
                world.receive_window(buffers, self.window, 0);
                sum += self.stamps(buffers);
            }
        }
        sum
    }

    fn shared(&self, buffers: &mut [u8], member: &Member<'_>) -> u64 {
        match member.thread {
            0 => self.put(),
            _ => self.take(buffers),
        }
    }

    fn put(&self) -> u64 {
        for number in 1..=self.windows {
            stamp(&mut written(&self.out), number);
            for _ in 0..self.window {
                self.sent.0.fetch_add(1, Ordering::Release);
            }
            spin_until(|| self.received.0.load(Ordering::Acquire) == number);
        }
        0
    }

    fn take(&self, buffers: &mut [u8]) -> u64 {
        let (mut taken, mut sum) = (0, 0);
        for number in 1..=self.windows {
            for into in buffers.chunks_exact_mut(self.bytes) {
                taken += 1;
                spin_until(|| self.sent.0.load(Ordering::Acquire) >= taken);
                into.copy_from_slice(&seen(&self.out));
            }
            sum += self.stamps(buffers);
            self.received.0.store(number, Ordering::Release);
        }
        sum
    }

    fn stamps(&self, window: &[u8]) -> u64 {
        window.chunks_exact(self.bytes).map(read).sum()
    }
}

impl Exchange for Bandwidth {
    type State = Vec<u8>;

    fn units(&self) -> u64 {
        self.window * self.windows
    }

    fn state(&self, member: &Member<'_>) -> Vec<u8> {
        let sends = member.flow() == 0;
        if sends {
            self.sent.0.store(0, Ordering::Relaxed);
            self.received.0.store(0, Ordering::Relaxed);
            *written(&self.out) = vec![1; self.bytes];
        }
        let messages = if sends { 1 } else { self.window as usize };
        vec![if sends { 1 } else { 2 }; self.bytes * messages]
    }

    fn run(&self, buffers: &mut Vec<u8>, member: &Member<'_>) -> Proof {
        let sum = member.communicate(|| match member.team.ranks {
            1 => self.shared(buffers, member),
            _ => self.messages(buffers, member),
        });
        // The receiver proves both sides: what it has was sent.
        let receives = member.flow() == 1;
        Proof {
            count: if receives { self.units() } else { 0 },
            checksum: sum,
        }
    }

    fn settle(&self, buffers: &mut Vec<u8>, proof: Proof) -> Proof {
        let mut messages = buffers.chunks_exact(self.bytes);
        let whole = messages.all(|message| message.iter().skip(8).all(|byte| *byte == 1));
        assert!(whole, "a message came broken");
        proof
    }
}

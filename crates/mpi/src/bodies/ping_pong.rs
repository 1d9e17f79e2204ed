//! Two flows send a message back and forth (docs/hybrid.md): the loop of the OSU micro-benchmark
//! for latency, with a buffer each way. In a rank the sender says that its buffer is full, and the
//! receiver copies it. Each message begins with its number; their sum is the proof.

use std::sync::atomic::{AtomicU64, Ordering};

use flow::Proof;
use sys::CachePadded;

use super::exchange::{Exchange, Shared, seen, written};
use crate::team::{Member, spin_until};

#[derive(Debug, Default)]
#[repr(align(128))]
struct Mailbox {
    buffer: Shared<u8>,
    ready: CachePadded<AtomicU64>,
}

#[derive(Debug)]
pub(super) struct PingPong {
    bytes: usize,
    rounds: u64,
    boxes: [Mailbox; 2],
}

pub(super) struct Buffers {
    out: Vec<u8>,
    into: Vec<u8>,
}

impl PingPong {
    pub(super) fn new(bytes: u64, rounds: u64) -> Self {
        Self {
            bytes: bytes as usize,
            rounds,
            boxes: Default::default(),
        }
    }

    fn messages(&self, buffers: &mut Buffers, member: &Member<'_>) -> u64 {
        let mut world = member.team.world();
        let other = 1 - world.rank;
        let mut sum = 0_u64;
        for number in 1..=self.rounds {
            stamp(&mut buffers.out, number);
            if other == 1 {
                world.send(&buffers.out, other);
                world.receive(&mut buffers.into, other);
            } else {
                world.receive(&mut buffers.into, other);
                world.send(&buffers.out, other);
            }
            sum += read(&buffers.into);
        }
        sum
    }

    fn shared(&self, buffers: &mut Buffers, member: &Member<'_>) -> u64 {
        let own = member.thread as usize;
        let (out, into) = (&self.boxes[own], &self.boxes[1 - own]);
        let mut sum = 0_u64;
        for number in 1..=self.rounds {
            if own == 0 {
                put(out, number);
                take(into, number, &mut buffers.into);
            } else {
                take(into, number, &mut buffers.into);
                put(out, number);
            }
            sum += read(&buffers.into);
        }
        sum
    }
}

fn put(to: &Mailbox, number: u64) {
    stamp(&mut written(&to.buffer), number);
    to.ready.0.store(number, Ordering::Release);
}

fn take(from: &Mailbox, number: u64, into: &mut [u8]) {
    spin_until(|| from.ready.0.load(Ordering::Acquire) == number);
    into.copy_from_slice(&seen(&from.buffer));
}

pub(super) fn stamp(buffer: &mut [u8], number: u64) {
    if let Some(first) = buffer.first_chunk_mut() {
        *first = number.to_ne_bytes();
    }
}

pub(super) fn read(buffer: &[u8]) -> u64 {
    buffer
        .first_chunk()
        .map_or(0, |first| u64::from_ne_bytes(*first))
}

impl Exchange for PingPong {
    type State = Buffers;

    fn units(&self) -> u64 {
        2 * self.rounds
    }

    fn state(&self, member: &Member<'_>) -> Buffers {
        let mailbox = &self.boxes[member.thread as usize % 2];
        mailbox.ready.0.store(0, Ordering::Relaxed);
        *written(&mailbox.buffer) = vec![1; self.bytes];
        Buffers {
            out: vec![1; self.bytes],
            into: vec![2; self.bytes],
        }
    }

    fn run(&self, buffers: &mut Buffers, member: &Member<'_>) -> Proof {
        let sum = member.communicate(|| match member.team.ranks {
            1 => self.shared(buffers, member),
            _ => self.messages(buffers, member),
        });
        Proof {
            count: self.rounds,
            checksum: sum,
        }
    }

    fn settle(&self, buffers: &mut Buffers, proof: Proof) -> Proof {
        let rest = buffers.into.get(8..).unwrap_or_default();
        assert!(rest.iter().all(|byte| *byte == 1), "a message came broken");
        proof
    }
}

//! `turns`: flows that take turns and hand over to each other.
//!
//! # What it stands for
//!
//! The context switch itself, as in the study of Zheng, Lawlor and Kale (2006): N flows that
//! do nothing but let the next one run, or touch so many bytes of their own memory before
//! they do. On its own a switch is a few registers; what it costs in a program is what the
//! flow then finds no longer in the caches, and that grows with the number of flows and
//! with what each of them keeps.
//!
//! The bytes lie in the future of the body: on a flow's own stack under the kernel's models
//! and on a fiber, in the task itself for stackless ones. They are touched once a cache
//! line, read and written.
//!
//! Flows of the kernel and user-level ones take turns of very different length. So each
//! kind has its own number of turns, and what is compared is the time of one.
//!
//! # Self-check
//!
//! Every line is counted up once a turn. At the end each must hold its first value and the
//! number of turns: bytes that a switch lost or mixed up show in the proof. Whether the
//! switches happened at all is recorded beside it ([`flow::turn`]).

use std::hint::black_box;

use flow::{Body, HandOver, Outlet, Proof, Turn};
use serde::{Deserialize, Serialize};

use crate::WorkError;

/// Parameters of `turns`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turns {
    /// How many flows take turns.
    pub flows: u64,
    /// Turns of all flows together in one repetition, for flows of the kernel; rounded up to
    /// whole laps, of which there are at least [`LEAST_LAPS`].
    pub kernel_turns: u64,
    /// The same for user-level flows.
    pub user_turns: u64,
    /// Bytes that a flow touches in each turn: one of [`STACK_USES`].
    #[serde(default)]
    pub stack_use: u64,
    /// How flows of the kernel hand over.
    #[serde(default, rename = "yield")]
    pub hand_over: HandOver,
    /// Bytes of a fiber's stack; what it needs and no more, if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<u64>,
}

/// Turns that each flow takes at the least.
pub const LEAST_LAPS: u64 = 3;

/// What a flow may touch in a turn, in bytes. Each is a program of its own, so that the
/// bytes are a plain array.
pub const STACK_USES: [u64; 6] = [0, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10];

/// Bytes of stack that a flow needs beside those that it touches: without any, and with.
/// Programs that are not optimised take far more.
const FRAMES: [u64; 2] = if cfg!(debug_assertions) {
    [16_384; 2]
} else {
    [448, 1_024]
};
/// Stacks are multiples of this.
const ALIGNMENT: u64 = 64;

impl Turns {
    pub(crate) fn check(&self) -> Result<(), WorkError> {
        if self.flows < 2 {
            return Err(WorkError(format!(
                "{} flows cannot take turns: use at least 2",
                self.flows
            )));
        }
        if self.kernel_turns == 0 || self.user_turns == 0 {
            return Err(WorkError(
                "kernel_turns and user_turns must be at least 1".to_owned(),
            ));
        }
        if !STACK_USES.contains(&self.stack_use) {
            return Err(WorkError(format!(
                "{} bytes of stack use is none of 0, 1024, 4096, 16384, 65536 and 262144",
                self.stack_use
            )));
        }
        self.stack.map_or(Ok(()), |stack| self.check_stack(stack))
    }

    fn check_stack(&self, stack: u64) -> Result<(), WorkError> {
        let least = self.least_stack();
        if stack >= least && stack.is_multiple_of(ALIGNMENT) {
            return Ok(());
        }
        Err(WorkError(format!(
            "a stack of {stack} bytes will not do: flows that touch {} bytes need at least \
             {least}, and a multiple of {ALIGNMENT}",
            self.stack_use
        )))
    }

    /// The smallest stack that holds what is touched and the frames around it, in bytes.
    #[must_use]
    pub fn least_stack(&self) -> u64 {
        let frames = FRAMES[usize::from(self.stack_use > 0)];
        (self.stack_use + frames).next_multiple_of(ALIGNMENT)
    }

    /// Turns that each flow takes in a repetition.
    #[must_use]
    pub fn laps(&self, user_level: bool) -> u64 {
        let turns = if user_level {
            self.user_turns
        } else {
            self.kernel_turns
        };
        turns.div_ceil(self.flows.max(1)).max(LEAST_LAPS)
    }

    /// The body, with the bytes as an array of `LINES` lines.
    pub(crate) fn body<const LINES: usize>(&self) -> Touching<'_, LINES> {
        Touching(self)
    }
}

/// A cache line's worth of bytes.
type Line = [u64; 8];

/// Flows that touch `LINES` cache lines in each turn.
#[derive(Debug)]
pub(crate) struct Touching<'a, const LINES: usize>(&'a Turns);

impl<const LINES: usize> Body for Touching<'_, LINES> {
    type State = ();
    const SENDS: bool = false;
    const TURNS: bool = true;

    fn units(&self) -> u64 {
        self.0.flows
    }

    fn stack_bytes(&self) -> usize {
        let stack = self.0.stack.unwrap_or(self.0.least_stack());
        usize::try_from(stack).unwrap_or(usize::MAX)
    }

    fn hand_over(&self) -> HandOver {
        self.0.hand_over
    }

    fn laps(&self, user_level: bool) -> u64 {
        self.0.laps(user_level)
    }

    fn state(&self, _flow: usize) {}

    fn unit(&self, _state: &mut (), _unit: u64, _outlet: &mut Outlet<'_>) -> Proof {
        Proof::default()
    }

    async fn turns<T: Turn>(&self, _state: &mut (), unit: u64, turn: &mut T) -> Proof {
        let laps = self.0.laps(T::USER_LEVEL);
        let mut lines = [[unit; 8]; LINES];
        for _ in 0..laps {
            touch(&mut lines);
            turn.next().await;
        }
        prove(&lines, unit, laps)
    }
}

/// Counts every line up by one.
#[inline]
fn touch(lines: &mut [Line]) {
    if !lines.is_empty() {
        for line in black_box(lines) {
            line[0] += 1;
        }
    }
}

/// One flow that took all of its turns, and whose lines say so too.
fn prove(lines: &[Line], unit: u64, laps: u64) -> Proof {
    let lost = lines.iter().filter(|line| line[0] != unit + laps).count();
    Proof {
        count: 1,
        checksum: unit + ((lost as u64) << 32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    fn turns() -> Turns {
        Turns {
            flows: 10,
            kernel_turns: 95,
            user_turns: 1_000,
            stack_use: 1024,
            hand_over: HandOver::SchedYield,
            stack: None,
        }
    }

    /// Counts hand-overs and comes back at once.
    struct Alone(u64);

    impl Turn for Alone {
        const USER_LEVEL: bool = false;

        async fn next(&mut self) {
            self.0 += 1;
        }
    }

    #[test]
    fn every_flow_takes_whole_laps_and_at_least_three() {
        assert_eq!((turns().laps(false), turns().laps(true)), (10, 100));
        let few = Turns {
            kernel_turns: 1,
            ..turns()
        };
        assert_eq!(few.laps(false), LEAST_LAPS);
    }

    #[test]
    fn the_body_hands_over_once_a_lap_and_proves_its_lines() {
        let (turns, mut turn, mut state) = (turns(), Alone(0), ());
        let body = turns.body::<16>();
        let proof = {
            let mut future = pin!(body.turns(&mut state, 7, &mut turn));
            let poll = future
                .as_mut()
                .poll(&mut Context::from_waker(Waker::noop()));
            match poll {
                Poll::Ready(proof) => proof,
                Poll::Pending => panic!("waits for nobody"),
            }
        };
        assert_eq!(turn.0, 10);
        assert_eq!((proof.count, proof.checksum), (1, 7));
    }

    #[test]
    fn a_line_that_was_not_touched_shows_in_the_proof() {
        let whole = [[12; 8]; 4];
        let mut torn = whole;
        torn[2][0] = 11;
        assert_eq!(prove(&whole, 2, 10), prove(&[], 2, 10));
        assert_ne!(prove(&torn, 2, 10), prove(&whole, 2, 10));
    }

    #[test]
    fn bad_parameters_are_refused_with_what_would_do() {
        let say = |turns: Turns| turns.check().unwrap_err().to_string();
        assert!(
            say(Turns {
                flows: 1,
                ..turns()
            })
            .contains("at least 2")
        );
        let odd = Turns {
            stack_use: 1000,
            ..turns()
        };
        assert!(say(odd).contains("none of 0, 1024"));
        let least = turns().least_stack();
        for stack in [512, 1024, least + 32] {
            let error = say(Turns {
                stack: Some(stack),
                ..turns()
            });
            let advice = format!("at least {least}, and a multiple of 64");
            assert!(error.contains(&advice), "{error}");
        }
        let enough = Turns {
            stack: Some(least + 64),
            ..turns()
        };
        assert_eq!(enough.check(), Ok(()));
    }
}

//! `turns`: flows that take turns (docs/switch.md): N flows only let the next one run, or first
//! touch this many bytes of their own memory. The bytes lie in the future of the body: on a flow's
//! own stack under the kernel's models and on a fiber, in the task itself for stackless ones.
//! Kernel and user-level flows have their own numbers of turns; one's time is compared. Self-check:
//! every line is counted up once a turn, so the proof shows bytes that a switch lost or mixed up.
//! Whether the switches happened at all is recorded beside it ([`flow::turn`]).

mod readiness;
mod touching;

use flow::{Answer, Body, HandOver, NoSink, SlotProcess};
use serde::{Deserialize, Serialize};

use crate::work::require;
use crate::workload::UserLevelBytes;
use crate::{Work, WorkError, Workload};
pub(crate) use touching::WithBody;

/// Parameters of `turns`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turns {
    /// Flows that take turns.
    pub flows: u64,
    /// Turns of all kernel flows in a repetition, in whole laps; at least [`LEAST_LAPS`].
    pub kernel_turns: u64,
    /// The same for user-level flows.
    pub user_turns: u64,
    /// Minimum of laps of user-level flows: it makes the way to and from the gate a small part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_laps: Option<u64>,
    /// Upper bound on the bytes that all turns of user-level flows touch; turns are cut to meet it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub touched_at_most: Option<u64>,
    /// Bytes that a flow touches in each turn, in whole lines, up to [`MOST_TOUCHED`].
    #[serde(default)]
    pub stack_use: u64,
    /// How kernel flows hand over.
    #[serde(default, rename = "yield")]
    pub hand_over: HandOver,
    /// User-level flows hand over by a byte in a pipe and a watcher that says that it is there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_readiness: bool,
    /// Bytes of a fiber's stack; if not given, no more than it needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<u64>,
}

/// Minimum of flows.
pub const LEAST_FLOWS: u64 = 2;

/// Minimum of turns of each flow.
pub const LEAST_LAPS: u64 = 3;

/// Maximum of touched bytes per turn.
pub const MOST_TOUCHED: u64 = 1 << 20;

/// Maximum of a fiber's stack, in bytes.
pub const MOST_STACK: u64 = 1 << 29;

const LEAST_KEPT: u64 = 256;

/// Stack bytes of a flow that touches nothing, and of one that touches. Unoptimised: far more.
const FRAMES: [u64; 2] = if cfg!(debug_assertions) {
    [16_384; 2]
} else if cfg!(target_arch = "aarch64") {
    [512, 1_280] // a call keeps twice as many bytes
} else {
    [256, 1_024]
};

/// Stack bytes of a flow that makes calls.
const CALLING: u64 = 16_384;

/// Bytes of a cache line. Stacks and touched bytes are multiples of it.
pub const LINE: u64 = 64;

impl Turns {
    /// Flows that only take a few turns in a ring: that proves each of them exists.
    #[must_use]
    pub fn idle(flows: u64) -> Self {
        Self {
            flows,
            kernel_turns: 1,
            user_turns: 1,
            user_laps: None,
            touched_at_most: None,
            stack_use: 0,
            hand_over: HandOver::Futex,
            by_readiness: false,
            stack: None,
        }
    }

    /// Bytes of a fiber's stack.
    #[must_use]
    pub fn stack_bytes(&self) -> u64 {
        self.stack.unwrap_or(self.least_stack())
    }

    fn check_stack(&self, stack: u64) -> Result<(), WorkError> {
        let least = self.least_stack();
        require(stack <= MOST_STACK, || {
            format!("a stack of {stack} bytes will not do: at most {MOST_STACK}")
        })?;
        require(stack >= least && stack.is_multiple_of(LINE), || {
            format!(
                "a stack of {stack} bytes will not do: flows that touch {} bytes need at least \
                 {least}, and a multiple of {LINE}",
                self.stack_use
            )
        })
    }

    /// The smallest stack for the touched array and the frames around it, in bytes.
    #[must_use]
    pub fn least_stack(&self) -> u64 {
        match self.by_readiness {
            true => CALLING,
            false => self.kept() + FRAMES[usize::from(self.stack_use > 0)],
        }
    }

    /// Bytes that a flow touches in each turn: whole lines.
    #[must_use]
    pub fn touched(&self) -> u64 {
        self.stack_use.next_multiple_of(LINE)
    }

    /// Bytes of the touched array: there is a program for each power of two.
    #[must_use]
    pub fn kept(&self) -> u64 {
        match self.stack_use {
            0 => 0,
            bytes => bytes.next_power_of_two().max(LEAST_KEPT),
        }
    }

    /// Bytes of a stackless task.
    #[must_use]
    pub fn task_bytes(&self) -> u64 {
        struct Size;
        impl WithBody for Size {
            type Out = u64;
            fn with<B: Body>(self, body: &B) -> u64 {
                flow::task_bytes(body)
            }
        }
        self.with_body(Size)
    }

    fn user_turns_taken(&self) -> u64 {
        let laps = self.user_laps.unwrap_or(0);
        let turns = self.user_turns.max(laps.saturating_mul(self.flows));
        let most = self
            .touched_at_most
            .map(|bytes| bytes / self.stack_use.max(1));
        most.map_or(turns, |most| turns.min(most).max(1))
    }

    /// Turns of each flow in a repetition.
    #[must_use]
    pub fn laps(&self, user_level: bool) -> u64 {
        let turns = if user_level {
            self.user_turns_taken()
        } else {
            self.kernel_turns
        };
        turns.div_ceil(self.flows.max(1)).max(LEAST_LAPS)
    }
}

impl Workload for Turns {
    flows_are!(flows);

    fn check(&self) -> Result<(), WorkError> {
        let (flows, stack_use) = (self.flows, self.stack_use);
        require(flows >= LEAST_FLOWS, || {
            format!("{flows} flows cannot take turns: use at least {LEAST_FLOWS}")
        })?;
        require(
            self.kernel_turns > 0 && self.user_turns > 0,
            || "kernel_turns and user_turns must be at least 1",
        )?;
        require(stack_use <= MOST_TOUCHED, || {
            format!(
                "{stack_use} bytes of stack use are more than {MOST_TOUCHED}, the most that a flow \
                 may touch"
            )
        })?;
        require(
            !self.by_readiness || stack_use == 0,
            || "flows that hand over by readiness touch nothing: leave stack_use out",
        )?;
        self.stack.map_or(Ok(()), |stack| self.check_stack(stack))
    }

    fn run(&self, slot: &SlotProcess<Work>) -> Answer {
        self.with_body(TakeTurns(slot))
    }

    fn is_even(&self) -> bool {
        true
    }

    fn user_level_bytes(&self) -> Option<UserLevelBytes> {
        Some(UserLevelBytes {
            kept: self.kept(),
            stack: self.stack_bytes(),
            task: self.task_bytes(),
        })
    }

    fn pipes_a_flow(&self) -> u64 {
        u64::from(self.hand_over == HandOver::Pipe) + 2 * u64::from(self.by_readiness)
    }
}

struct TakeTurns<'a>(&'a SlotProcess<Work>);

impl WithBody for TakeTurns<'_> {
    type Out = Answer;

    fn with<B: Body>(self, body: &B) -> Answer {
        self.0.run(body, &mut NoSink)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    fn turns() -> Turns {
        Turns {
            kernel_turns: 95,
            user_turns: 1_000,
            stack_use: 1024,
            hand_over: HandOver::SchedYield,
            ..Turns::idle(10)
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
    fn bad_parameters_are_refused_with_what_would_do() {
        let least = turns().least_stack();
        let advice = format!("at least {least}, and a multiple of 64");
        let enough = Turns {
            stack: Some(least + 64),
            ..turns()
        };
        testing::refused(
            &enough,
            &[
                (|turns| turns.flows = 1, "at least 2"),
                (
                    |turns| turns.stack_use = MOST_TOUCHED + 1,
                    "more than 1048576",
                ),
                (|turns| turns.stack = Some(512), &advice),
                (|turns| turns.stack = Some(1024), &advice),
                (
                    |turns| turns.stack = Some(turns.least_stack() + 32),
                    &advice,
                ),
                (
                    |turns| turns.stack = Some(u64::MAX - 63),
                    "at most 536870912",
                ),
            ],
        );
    }
}

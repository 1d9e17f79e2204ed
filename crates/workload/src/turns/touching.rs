use std::hint::black_box;

use flow::{Body, HandOver, Outlet, Proof, Turn};

use super::Turns;
use super::readiness::ByReadiness;

pub(crate) trait WithBody {
    type Out;

    fn with<B: Body>(self, body: &B) -> Self::Out;
}

impl Turns {
    /// The one place where a number of bytes becomes a type.
    pub(crate) fn with_body<V: WithBody>(&self, visitor: V) -> V::Out {
        match self.kept() {
            0 if self.by_readiness => visitor.with(&ByReadiness(self)),
            0 => visitor.with(&Touching::<0>(self)),
            0x100 => visitor.with(&Touching::<0x4>(self)),
            0x200 => visitor.with(&Touching::<0x8>(self)),
            0x400 => visitor.with(&Touching::<0x10>(self)),
            0x800 => visitor.with(&Touching::<0x20>(self)),
            0x1000 => visitor.with(&Touching::<0x40>(self)),
            0x2000 => visitor.with(&Touching::<0x80>(self)),
            0x4000 => visitor.with(&Touching::<0x100>(self)),
            0x8000 => visitor.with(&Touching::<0x200>(self)),
            0x1_0000 => visitor.with(&Touching::<0x400>(self)),
            0x2_0000 => visitor.with(&Touching::<0x800>(self)),
            0x4_0000 => visitor.with(&Touching::<0x1000>(self)),
            0x8_0000 => visitor.with(&Touching::<0x2000>(self)),
            _ => visitor.with(&Touching::<0x4000>(self)),
        }
    }
}

impl Turns {
    pub(crate) fn untouched(&self) -> impl Body {
        Touching::<0>(self)
    }
}

type Line = [u64; 8];

/// `LINES` cache lines are kept, those asked for are touched.
#[derive(Debug)]
struct Touching<'a, const LINES: usize>(&'a Turns);

impl<const LINES: usize> Touching<'_, LINES> {
    fn touched(&self) -> usize {
        let lines = self.0.touched() / super::LINE;
        LINES.min(usize::try_from(lines).unwrap_or(LINES))
    }
}

impl<const LINES: usize> Body for Touching<'_, LINES> {
    type State = ();
    const SENDS: bool = false;
    const TURNS: bool = true;

    fn units(&self) -> u64 {
        self.0.flows
    }

    fn stack_bytes(&self) -> usize {
        usize::try_from(self.0.stack_bytes()).unwrap_or(usize::MAX)
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
        let touched = self.touched();
        for _ in 0..laps {
            touch(&mut lines[..touched]);
            turn.next().await;
        }
        prove(&lines[..touched], unit, laps)
    }
}

#[inline]
fn touch(lines: &mut [Line]) {
    if !lines.is_empty() {
        for line in black_box(lines) {
            line[0] += 1;
        }
    }
}

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

    /// Counts hand-overs and comes back at once.
    struct OneCounter(u64);

    impl Turn for OneCounter {
        const USER_LEVEL: bool = false;

        async fn next(&mut self) {
            self.0 += 1;
        }
    }

    /// One flow alone: its hand-overs and its proof.
    struct Flow(u64);

    impl WithBody for Flow {
        type Out = (u64, Proof);

        fn with<B: Body>(self, body: &B) -> (u64, Proof) {
            let (mut turn, mut state) = (OneCounter(0), body.state(0));
            let proof = {
                let mut future = pin!(body.turns(&mut state, self.0, &mut turn));
                let poll = future
                    .as_mut()
                    .poll(&mut Context::from_waker(Waker::noop()));
                match poll {
                    Poll::Ready(proof) => proof,
                    Poll::Pending => panic!("waits for nobody"),
                }
            };
            (turn.0, proof)
        }
    }

    #[test]
    fn the_body_hands_over_once_a_lap_and_proves_its_lines_whatever_their_number() {
        for stack_use in [0, 1, 64, 1_000, 1_024, 5_000, 200_000] {
            let turns = Turns {
                kernel_turns: 95,
                stack_use,
                ..Turns::idle(10)
            };
            let (handed, proof) = turns.with_body(Flow(7));
            assert_eq!(handed, 10);
            assert_eq!((proof.count, proof.checksum), (1, 7), "{stack_use}");
        }
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
    fn what_is_touched_is_kept_and_a_task_is_as_large_as_that() {
        for bytes in [0, 1, 64, 65, 1_000, 4_096, 4_097, 1 << 20] {
            let turns = Turns {
                stack_use: bytes,
                ..Turns::idle(10)
            };
            let (touched, kept) = (turns.touched(), turns.kept());
            assert!(bytes <= touched && touched < bytes + 64 && touched <= kept);
            assert!((kept..kept + 512).contains(&turns.task_bytes()), "{bytes}");
        }
    }
}

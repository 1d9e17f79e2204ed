//! `spin`: a fixed amount of integer arithmetic that touches no memory. `calibrate` runs it against
//! itself, to learn what noise makes of identical programs, and with a planted share of further
//! steps. Each step is a multiplication that needs the one before (about 4 cycles): neither
//! compiler nor CPU can shorten the chain. The proof is the last value.

use std::hint::black_box;

use flow::{Answer, Body, NoSink, Outlet, Proof, SlotProcess};
use serde::{Deserialize, Serialize};

use crate::work::require;
use crate::{Work, WorkError, Workload};

/// Parameters of `spin`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spin {
    /// Units of work.
    pub units: u64,
    /// Steps of the generator in each unit (about 1 to 2 ns each).
    pub steps: u64,
    /// Further steps that are done and not proved: a planted difference.
    #[serde(default)]
    pub planted: u64,
}

/// `steps` steps of a linear congruential generator (Knuth's MMIX constants).
pub(crate) fn spin(seed: u64, steps: u64) -> u64 {
    (0..steps).fold(seed, |value, _| {
        black_box(value)
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407)
    })
}

impl Body for Spin {
    type State = ();
    const SENDS: bool = false;

    fn units(&self) -> u64 {
        self.units
    }

    fn state(&self, _flow: usize) {}

    fn unit(&self, _state: &mut (), unit: u64, _outlet: &mut Outlet<'_>) -> Proof {
        let checksum = spin(unit, self.steps);
        black_box(spin(checksum, self.planted));
        Proof {
            count: self.steps,
            checksum,
        }
    }
}

impl Workload for Spin {
    fn units(&self) -> u64 {
        self.units
    }

    fn check(&self) -> Result<(), WorkError> {
        require(
            self.units > 0 && self.steps > 0,
            || "spin needs units and steps of at least 1",
        )
    }

    fn run(&self, slot: &SlotProcess<Work>) -> Answer {
        slot.run(self, &mut NoSink)
    }

    fn is_calibration(&self) -> bool {
        true
    }

    fn planted(&self) -> f64 {
        self.planted as f64 / self.steps as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    const PLAIN: Spin = Spin {
        units: 1,
        steps: 1_000,
        planted: 0,
    };

    #[test]
    fn planted_steps_do_not_show_in_the_proof() {
        let planted = Spin {
            planted: 500,
            ..PLAIN
        };
        let prove = |spin: &Spin, unit| testing::prove(spin, &mut (), unit);
        assert_eq!(prove(&PLAIN, 3), prove(&planted, 3));
        assert_ne!(prove(&PLAIN, 3), prove(&PLAIN, 4));
    }

    #[test]
    fn nothing_to_do_is_refused() {
        let needs = "spin needs units and steps";
        testing::refused(
            &PLAIN,
            &[
                (|spin| spin.units = 0, needs),
                (|spin| spin.steps = 0, needs),
            ],
        );
    }
}

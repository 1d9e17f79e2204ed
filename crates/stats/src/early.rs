//! Whether few rounds found too large a difference (docs/method.md, "What few rounds overstate"):
//! ```text
//!              truth   needed at this look     estimates of many runs
//!   -----|-------|------------|------------->
//!        0     . : ' ' : . . .|. .             left of the line a run goes on,
//!                             ^^^^^^            right of it, it stops and shows these
//! ```
//! An estimate below what a look finds in 95 of 100 runs ([`detectable`]) is in doubt. Rounds that
//! decided early spread less than the machine does, so half of their noise is added, fitted by
//! simulation (`tests/early.rs`). The estimate is not shrunk.

use crate::estimate::Estimate;
use crate::noise::detectable;

const FEW: usize = 20;
/// Noise of a machine over that of rounds that decided early; fitted, see above.
const MORE_NOISE: f64 = 1.5;

/// The smallest difference, as a fraction, that so few rounds find reliably, where a decided
/// estimate is below; `noise` is that of its rounds.
pub fn overstates(estimate: &Estimate, noise: f64) -> Option<f64> {
    let reliable = detectable(MORE_NOISE * noise, estimate.rounds, estimate.alpha);
    let found = estimate.ratio.ln().abs().exp() - 1.0;
    (estimate.rounds <= FEW && found < reliable && reliable.is_finite()).then_some(reliable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::looks::LOOK_ALPHA;

    #[test]
    fn a_small_difference_of_few_rounds_is_in_doubt_in_either_direction() {
        let found = |ratio, rounds| {
            let ends = Some((ratio - 0.01, ratio + 0.01));
            Estimate::new(rounds, ratio, ends, LOOK_ALPHA)
        };
        // Ten rounds in a noise of 1 % find 1.55 %, in one of half as much more 2.3 %.
        assert!(overstates(&found(1.022, 10), 0.01).is_some_and(|least| least > 0.022));
        assert!(overstates(&found(1.0 / 1.022, 10), 0.01).is_some());
        assert_eq!(overstates(&found(1.025, 10), 0.01), None);
        assert_eq!(overstates(&found(1.001, 40), 0.01), None);
        assert_eq!(overstates(&found(1.001, 3), 0.01), None);
    }
}

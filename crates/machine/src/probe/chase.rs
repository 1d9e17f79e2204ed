use std::hint::black_box;

use measure::Measured;
use measure::clock::thread_cpu_ns;

use crate::memory::binary;

pub(super) const PASSES: usize = 7;

#[derive(Debug)]
pub(super) struct Chase<'a> {
    words: &'a [u64],
    start: u64,
}

/// Splitmix64: the same numbers at every run.
#[derive(Debug)]
pub(super) struct Random(pub(super) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }
}

impl<'a> Chase<'a> {
    /// Sattolo 1986.
    pub(super) fn link(words: &'a mut [u64], mut places: Vec<u64>, random: &mut Random) -> Self {
        for last in (1..places.len()).rev() {
            places.swap(last, random.below(last as u64) as usize);
        }
        let next = places.iter().cycle().skip(1);
        for (&place, &next) in places.iter().zip(next) {
            words[place as usize] = next;
        }
        Self {
            start: places.first().copied().unwrap_or(0),
            words,
        }
    }

    /// CPU time per step: waiting for a load is CPU time; other tasks' time is not.
    pub(super) fn ns_a_step(&self, steps: u64) -> f64 {
        let mut at = self.start;
        let begin = thread_cpu_ns();
        for _ in 0..steps {
            at = self.words[at as usize];
        }
        let end = thread_cpu_ns();
        black_box(at);
        (end - begin) as f64 / steps.max(1) as f64
    }
}

pub(super) fn too_little<T>(takes: u64, room: u64) -> Measured<T> {
    Measured::not_available(
        format!(
            "it takes {}, and {} may be used",
            binary(takes),
            binary(room)
        ),
        "free some memory, or raise the limit of the control group or of addresses",
    )
}

pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_visited_once_before_any_is_visited_again() {
        let mut words = vec![u64::MAX; 1000];
        let places: Vec<u64> = (0..100).map(|n| n * 10 + n % 7).collect();
        let chase = Chase::link(&mut words, places.clone(), &mut Random(1));
        let mut seen = Vec::new();
        let mut at = chase.start;
        for _ in 0..places.len() {
            seen.push(at);
            at = chase.words[at as usize];
        }
        assert_eq!(at, chase.start, "the cycle closes");
        assert_ne!(seen, places, "in another order");
        seen.sort_unstable();
        assert_eq!(seen, places);
    }

    #[test]
    fn a_step_takes_time() {
        let mut words = vec![0; 64];
        let chase = Chase::link(&mut words, (0..64).collect(), &mut Random(1));
        assert!(chase.ns_a_step(10_000) > 0.0);
    }
}

//! How long requests took: a histogram of fixed size, as single times would fill caches in the
//! middle of the work. Buckets are 1 ns wide up to [`STEPS`] ns, and from there each power of two
//! has [`STEPS`]: the middle of one is at most 1.6 % away from what was noted. A quantile takes the
//! times of its bucket as spread evenly. Times beyond [`LONGEST_NS`] count as that.
//!
//! Histograms are added bucket by bucket: those of flows when they are done, outside of the timed
//! part, in shared memory; those of repetitions by their reader.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use sys::{Shareable, Shared};

const STEPS: u64 = 32;
const STEPS_LOG: u32 = STEPS.trailing_zeros();
/// The longest time with a bucket of its own, some 18 minutes.
pub const LONGEST_NS: u64 = (1 << 40) - 1;
pub(crate) const BUCKETS: usize = bucket(LONGEST_NS) + 1;

const fn bucket(ns: u64) -> usize {
    if ns < STEPS {
        return ns as usize;
    }
    let power = ns.ilog2() - STEPS_LOG;
    ((power as u64) * STEPS + (ns >> power)) as usize
}

/// Lowest time and width, in ns.
fn extent(bucket: usize) -> (u64, u64) {
    let bucket = bucket as u64;
    if bucket < 2 * STEPS {
        return (bucket, 1);
    }
    let power = bucket / STEPS - 1;
    ((bucket % STEPS + STEPS) << power, 1 << power)
}

fn middle(bucket: usize) -> u64 {
    let (low, wide) = extent(bucket);
    low + wide / 2
}

/// Times of requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Written", from = "Written")]
pub struct Latencies {
    counts: Vec<u64>,
    most_ns: u64,
}

#[derive(Serialize, Deserialize)]
struct Written {
    most_ns: u64,
    buckets: Vec<(usize, u64)>,
}

impl Default for Latencies {
    fn default() -> Self {
        Self {
            counts: vec![0; BUCKETS],
            most_ns: 0,
        }
    }
}

impl Latencies {
    /// Notes a time in ns.
    #[inline]
    pub fn add(&mut self, ns: u64) {
        self.add_many(ns, 1);
    }

    /// Notes a time in ns that as many requests took.
    #[inline]
    pub fn add_many(&mut self, ns: u64, requests: u64) {
        self.counts[bucket(ns.min(LONGEST_NS))] += requests;
        self.most_ns = self.most_ns.max(ns);
    }

    /// Adds another histogram.
    pub fn merge(&mut self, other: &Self) {
        for (own, others) in self.counts.iter_mut().zip(&other.counts) {
            *own += others;
        }
        self.most_ns = self.most_ns.max(other.most_ns);
    }

    /// How many times were noted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The longest, in ns; 0 where none was noted.
    #[must_use]
    pub fn most_ns(&self) -> u64 {
        self.most_ns
    }

    /// The times in ns that were noted, ascending and within 1.6 %, with their number.
    pub fn counts_ns(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let noted = self.counts.iter().enumerate();
        let noted = noted.filter(|&(_, &count)| count > 0);
        noted.map(|(bucket, &count)| (middle(bucket).min(self.most_ns), count))
    }

    /// The ns that this share of the requests did not exceed, within 3.1 %; `None` of none.
    #[must_use]
    pub fn quantile_ns(&self, share: f64) -> Option<u64> {
        let count = self.count();
        let rank = ((count as f64 * share).ceil() as u64).clamp(1, count.max(1));
        if count > 0 && rank == count {
            return Some(self.most_ns);
        }
        let mut up_to = 0;
        let bucket = self.counts.iter().position(|&count| {
            up_to += count;
            up_to >= rank
        })?;
        let (low, wide) = extent(bucket);
        let of_bucket = self.counts[bucket];
        let nth = (rank - (up_to - of_bucket)) as f64 - 0.5;
        let within = (wide as f64 * nth / of_bucket as f64) as u64;
        Some((low + within).min(self.most_ns))
    }
}

impl From<Latencies> for Written {
    fn from(latencies: Latencies) -> Self {
        let counts = latencies.counts.into_iter().enumerate();
        Self {
            most_ns: latencies.most_ns,
            buckets: counts.filter(|&(_, count)| count > 0).collect(),
        }
    }
}

impl From<Written> for Latencies {
    fn from(written: Written) -> Self {
        let mut latencies = Self::default();
        for (bucket, count) in written.buckets {
            latencies.counts[bucket.min(BUCKETS - 1)] += count;
        }
        latencies.most_ns = written.most_ns;
        latencies
    }
}

#[derive(Debug)]
pub(crate) struct Together(Shared<Cells>);

#[repr(C)]
#[derive(Debug)]
struct Cells {
    most_ns: AtomicU64,
    counts: [AtomicU64; BUCKETS],
}

// SAFETY: atomics.
unsafe impl Shareable for Cells {}

impl Together {
    pub(crate) fn new() -> io::Result<Self> {
        Shared::value().map(Self)
    }

    pub(crate) fn merge(&self, latencies: &Latencies) {
        let most_ns = &self.0.most_ns;
        most_ns.fetch_max(latencies.most_ns, Ordering::Relaxed);
        for (own, &count) in self.0.counts.iter().zip(&latencies.counts) {
            if count > 0 {
                own.fetch_add(count, Ordering::Relaxed);
            }
        }
    }

    pub(crate) fn read(&self) -> Latencies {
        let counts = self.0.counts.iter();
        Latencies {
            counts: counts.map(|count| count.load(Ordering::Relaxed)).collect(),
            most_ns: self.0.most_ns.load(Ordering::Relaxed),
        }
    }

    pub(crate) fn clear(&self) {
        for word in self.0.counts.iter().chain([&self.0.most_ns]) {
            word.store(0, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quantiles_are_those_of_the_nearest_rank() {
        let mut latencies = Latencies::default();
        assert_eq!(latencies.quantile_ns(0.5), None);
        (1..=100).for_each(|n| latencies.add(n * 1_000));
        let near = |share, wanted: f64| {
            let got = latencies.quantile_ns(share).unwrap() as f64;
            assert!((got / wanted - 1.0).abs() < 0.016, "{got} for {wanted}");
        };
        near(0.5, 50_000.0);
        near(0.95, 95_000.0);
        near(0.0, 1_000.0);
        // A bucket of 90 ms is 2 ms wide, and its middle was said of all that was in it.
        let mut even = Latencies::default();
        (0..100_000).for_each(|n| even.add(n * 1_000));
        let got = even.quantile_ns(0.9).unwrap();
        assert!(got.abs_diff(90_000_000) < 50_000, "{got}");
        assert_eq!(latencies.quantile_ns(1.0), Some(100_000));
        assert_eq!((latencies.count(), latencies.most_ns()), (100, 100_000));
    }

    #[test]
    fn times_beyond_all_buckets_count_in_the_last() {
        let mut latencies = Latencies::default();
        latencies.add(u64::MAX);
        assert_eq!(latencies.count(), 1);
        assert_eq!(latencies.most_ns(), u64::MAX);
        assert!(latencies.quantile_ns(0.5).unwrap() > LONGEST_NS / 100 * 98);
    }

    #[test]
    fn what_flows_noted_is_one_in_shared_memory_until_it_is_cleared() {
        let together = Together::new().unwrap();
        let mut whole = Latencies::default();
        for flow in 1..=3 {
            let mut own = Latencies::default();
            (0..flow).for_each(|n| own.add(1_000 * flow + n));
            together.merge(&own);
            whole.merge(&own);
        }
        assert_eq!(together.read(), whole);
        assert_eq!((whole.count(), whole.most_ns()), (6, 3_002));
        together.clear();
        assert_eq!(together.read(), Latencies::default());
    }

    proptest! {
        #[test]
        fn the_middle_of_a_bucket_is_near_what_was_noted(ns in 0..=LONGEST_NS, shift in 0_u32..40) {
            let ns = ns >> shift;
            let middle = middle(bucket(ns));
            prop_assert_eq!(bucket(middle), bucket(ns));
            prop_assert!(middle.abs_diff(ns) as f64 <= 0.016 * ns as f64);
        }

        #[test]
        fn what_is_read_is_what_was_written(times: Vec<u64>) {
            let mut latencies = Latencies::default();
            times.iter().for_each(|&ns| latencies.add(ns));
            let text = serde_json::to_string(&latencies).unwrap();
            prop_assert_eq!(serde_json::from_str::<Latencies>(&text).unwrap(), latencies);
        }
    }
}

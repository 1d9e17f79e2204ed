//! All methods against a naive reference, against known values and against
//! each other.

use std::ops::Range;

use proptest::prelude::*;

use flow::Proof;

use super::{Method, Searcher, Sieve, Tally, Tuning};

fn naive(n: u64) -> bool {
    n > 1
        && (2..)
            .take_while(|d| d * d <= n)
            .all(|d| !n.is_multiple_of(d))
}

fn primes(method: Method, range: Range<u64>) -> Vec<u64> {
    let mut primes = Vec::new();
    Searcher::new(method, range.end).search(range, 1, |ordinal, prime| {
        primes.push(prime);
        assert_eq!(ordinal, primes.len() as u64);
    });
    primes
}

#[test]
fn every_small_range_is_exact() {
    let reference: Vec<u64> = (0..400).filter(|&n| naive(n)).collect();
    for method in Method::ALL {
        let mut searcher = Searcher::new(method, 400);
        for start in 0..200 {
            for end in 0..200 {
                let range = start..end;
                let expected = reference.iter().filter(|p| range.contains(*p)).count();
                let count = searcher.count(range.clone());
                assert_eq!(count, expected as u64, "{method} {range:?}");
            }
        }
        assert_eq!(primes(method, 0..400), reference, "{method}");
    }
}

#[test]
fn the_first_hundred_thousand_numbers_are_exact() {
    let reference: Vec<u64> = (0..100_000).filter(|&n| naive(n)).collect();
    for method in Method::ALL {
        assert_eq!(primes(method, 0..100_000), reference, "{method}");
    }
}

#[test]
fn known_counts() {
    let mut sieve = Searcher::new(Method::Sieve, 2_000_000_000);
    assert_eq!(sieve.count(0..10_000_001), 664_579);
    assert_eq!(sieve.count(10_000_001..60_000_001), 2_897_536);
    assert_eq!(sieve.count(1_000_000_000..2_000_000_001), 47_374_753);
}

#[test]
fn the_highest_numbers() {
    let range = u64::MAX - 400..u64::MAX;
    let by_test = primes(Method::MillerRabin, range.clone());
    assert_eq!(by_test.last(), Some(&18_446_744_073_709_551_557));
    assert_eq!(primes(Method::Sieve, range), by_test);
}

#[test]
fn squares_and_products_of_base_primes() {
    for p in [
        7_u64,
        163,
        167,
        8_191,
        32_749,
        131_071,
        1_048_573,
        1_048_583,
        4_294_967_291,
    ] {
        for n in [p * p, p * (p - 2), p.saturating_mul(p + 2)] {
            let range = n.saturating_sub(100)..n.saturating_add(100);
            let expected = primes(Method::MillerRabin, range.clone());
            assert_eq!(primes(Method::Sieve, range), expected, "around {n}");
        }
    }
}

#[test]
fn segment_and_chunk_borders() {
    for border in [1024, 32 << 10, 128 << 10, 256 << 10].map(|bytes| bytes * 30_u64) {
        let mut sieve = Searcher::new(Method::Sieve, 20_000_000);
        for start in [0, border - 31, border - 1, border, border + 1] {
            let whole = sieve.count(start..start + border + 100);
            let parts = sieve.count(start..start + border) + {
                let tail = start + border..start + border + 100;
                tail.filter(|&n| naive(n)).count() as u64
            };
            assert_eq!(whole, parts, "{start} + {border}");
        }
    }
}

#[test]
fn empty_and_reversed_ranges_hold_nothing() {
    for method in Method::ALL {
        let mut searcher = Searcher::new(method, 100);
        #[expect(clippy::reversed_empty_ranges, reason = "that is what is tested")]
        let reversed = 50..40;
        for range in [0..0, 7..7, reversed, u64::MAX..u64::MAX] {
            assert_eq!(searcher.count(range.clone()), 0);
            assert_eq!(
                searcher.search(range, 1, |_, _| unreachable!()),
                Proof::default()
            );
        }
    }
}

#[test]
fn any_tuning_finds_the_same() {
    let expected = primes(Method::Sieve, 0..3_000_000);
    for (chunk, stored) in [
        (1 << 10, 1 << 22),
        (40 << 10, 500),
        (2 << 10, 200),
        (16 << 10, 7),
    ] {
        let tuning = Tuning {
            chunk,
            stored,
            ..Tuning::default()
        };
        let mut sieve = Sieve::with(3_000_000, tuning);
        for range in [
            0..3_000_000,
            0..500_000,
            123_456..2_345_678,
            2_999_000..2_999_900,
        ] {
            let mut found = Vec::new();
            let mut tally = Tally::after(0, 1, |_, prime| found.push(prime));
            sieve.search(range.clone(), &mut tally);
            let expected = expected.iter().filter(|p| range.contains(p));
            assert!(found.iter().eq(expected), "{chunk} {stored} {range:?}");
        }
    }
}

#[test]
fn far_primes_strike_where_the_test_agrees() {
    for start in [100_000_000_000_000, 10_000_000_000_000_000_u64] {
        let range = start..start + start.isqrt() / 50;
        let expected = Searcher::new(Method::MillerRabin, 0).count(range.clone());
        assert_eq!(
            Searcher::new(Method::Sieve, range.end).count(range),
            expected
        );
    }
}

/// Counts of primesieve 11.
#[test]
fn large_primes_strike_from_buckets_over_many_segments() {
    for (exponent, primes) in [(14, 9_305_737), (16, 8_146_165), (18, 7_240_715)] {
        let start = 10_u64.pow(exponent);
        let range = start..start + 300_000_000;
        assert_eq!(Searcher::new(Method::Sieve, range.end).count(range), primes);
    }
}

#[test]
fn stretches_with_primes_of_their_own_find_the_same() {
    let range = 1_000_000_007..6_000_000_000;
    let tuning = Tuning {
        stored: 1 << 13,
        at_once: 0,
        ..Tuning::default()
    };
    let expected = Searcher::new(Method::Sieve, range.end).count(range.clone());
    assert_eq!(Sieve::with(range.end, tuning).count(range), expected);
}

#[test]
fn a_searcher_goes_beyond_its_maximum() {
    let mut sieve = Searcher::new(Method::Sieve, 10);
    assert_eq!(sieve.count(0..10_000_000), 664_579);
    assert_eq!(sieve.count(0..10), 4);
}

#[test]
fn names_go_both_ways() {
    for method in Method::ALL {
        let text = serde_json::to_string(&method).unwrap();
        assert_eq!(text, format!("\"{method}\""));
        assert_eq!(serde_json::from_str::<Method>(&text).unwrap(), method);
    }
}

/// Ranges of up to 3,000 numbers that begin near places where something changes.
fn narrow_range(highest: u64) -> impl Strategy<Value = Range<u64>> {
    let places = [
        0,
        27_000,
        10_000_000,
        1 << 31,
        1 << 32,
        1 << 40,
        1_000_000_000_000,
        u64::MAX,
    ];
    let places: Vec<u64> = places.into_iter().filter(|&p| p <= highest).collect();
    (proptest::sample::select(places), 0..6_000_u64, 0..3_000_u64).prop_map(|(place, back, len)| {
        let start = place.saturating_sub(3_000).saturating_add(back);
        start..start.saturating_add(len)
    })
}

/// Ranges of up to 2 * 10^7 numbers below 10^10: several segments.
fn wide_range() -> impl Strategy<Value = Range<u64>> {
    (0..10_000_000_000_u64, 0..20_000_000_u64).prop_map(|(start, len)| start..start + len)
}

fn search(method: Method, range: &Range<u64>, every: u64) -> (Proof, Vec<(u64, u64)>) {
    let mut emitted = Vec::new();
    let mut searcher = Searcher::new(method, range.end);
    let found = searcher.search(range.clone(), every, |o, p| emitted.push((o, p)));
    assert_eq!(searcher.count(range.clone()), found.count);
    (found, emitted)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn sieve_and_test_agree(range in narrow_range(u64::MAX), every in 1..40_u64) {
        let sieve = search(Method::Sieve, &range, every);
        prop_assert_eq!(sieve, search(Method::MillerRabin, &range, every));
    }

    #[test]
    fn trial_agrees_too(range in narrow_range(1 << 32), every in 1..40_u64) {
        let trial = search(Method::Trial, &range, every);
        prop_assert_eq!(trial, search(Method::MillerRabin, &range, every));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn emitted_are_each_nth_of_all(range in wide_range(), every in 1..5_000_u64) {
        let all = primes(Method::Sieve, range.clone());
        let expected: Vec<(u64, u64)> = (1..).zip(all).filter(|(o, _)| o % every == 0).collect();
        prop_assert_eq!(search(Method::Sieve, &range, every).1, expected);
    }

    #[test]
    fn parts_sum_up(range in wide_range(), cuts in proptest::collection::vec(0.0..1.0, 0..6)) {
        let mut sieve = Searcher::new(Method::Sieve, range.end);
        let len = range.end - range.start;
        let mut ends: Vec<u64> =
            cuts.iter().map(|cut: &f64| range.start + (cut * len as f64) as u64).collect();
        ends.extend([range.start, range.end]);
        ends.sort_unstable();
        let parts: u64 = ends.windows(2).map(|ends| sieve.count(ends[0]..ends[1])).sum();
        prop_assert_eq!(parts, sieve.count(range));
    }
}

//! Whether what one and two flows take says what more of them would: two laws, scored against the two
//! tables of a source that has both (G. Greer, 2012; seconds with 1, 2, 3, 4, 8 and 16 threads).
//!
//! A forecast may be shown if its interval holds the published ratio in four of five and its ends are
//! within a factor of 2. Neither law may; what each of them reaches is in docs/method.md.

const NUMBERS: [f64; 6] = [1.0, 2.0, 3.0, 4.0, 8.0, 16.0];
const OS_X: [f64; 6] = [1.536, 1.392, 1.471, 1.767, 2.677, 4.713];
const UBUNTU: [f64; 6] = [1.419, 1.358, 1.848, 1.894, 2.025, 2.066];

/// Least and most of the time with `n` flows over that with one, where two take `two` of it.
type Law = fn(two: f64, n: f64) -> (f64, f64);

/// One part of the work is done one at a time, under a lock. With service times that do not vary a share
/// of `2 two - 1` of the work is under it; with exponential ones (mean value analysis) its root.
fn queue(two: f64, n: f64) -> (f64, f64) {
    let share = (2.0 * two - 1.0).max(0.0);
    let under = |share: f64| share + (1.0 - share) / n;
    (under(share), under(share.sqrt()))
}

/// The least is that of the queue. At most all that two flows lose is the cost of each flow to each other
/// one, as where a line of a cache goes from core to core (N. Gunther's law of scalability).
fn coherence(two: f64, n: f64) -> (f64, f64) {
    let each = (2.0 * two - 1.0).max(0.0) / 2.0;
    (queue(two, n).0, (1.0 + each * n * (n - 1.0)) / n)
}

/// Of forecasts from two flows: how many there are, hold, and are narrow, and how many are both.
fn score(law: Law) -> [usize; 4] {
    let mut counts = [0; 4];
    for table in [OS_X, UBUNTU] {
        let two = table[1] / table[0];
        for (n, seconds) in NUMBERS.into_iter().zip(table).skip(2) {
            let (least, most) = law(two, n);
            let holds = (least..=most).contains(&(seconds / table[0]));
            let is_narrow = most <= 2.0 * least;
            let each = [true, holds, is_narrow, holds && is_narrow];
            for (count, own) in counts.iter_mut().zip(each) {
                *count += usize::from(own);
            }
        }
    }
    counts
}

#[test]
fn no_law_from_one_and_two_flows_may_be_shown() {
    assert_eq!(score(queue), [8, 0, 8, 0]);
    assert_eq!(score(coherence), [8, 7, 4, 3]);
}

#[test]
fn both_laws_say_what_two_flows_took_and_that_nothing_is_lost_without_a_lock() {
    for law in [queue as Law, coherence] {
        assert!((law(0.9, 2.0).0 - 0.9).abs() < 1e-12);
        assert!((law(0.5, 64.0).1 - 1.0 / 64.0).abs() < 1e-12);
    }
}

//! When the requests of an open loop are due. Request k is planned for `k / rate` after the
//! beginning: the backlog is what lies between the next one to send and the last one whose time has
//! come. It has no list, so each step takes the same time and memory, however long it is. What was
//! never sent is noted in one walk at the end, those whose waits differ by less than one part in
//! 128 as one group: finer than the buckets of a histogram.

use flow::Latencies;

/// Waits in a group differ by at most one part in this many.
const ALIKE: f64 = 128.0;

#[derive(Debug, Clone)]
pub(super) struct Plan {
    began_ns: u64,
    until_ns: u64,
    gap_ns: f64,
    next: u64,
}

impl Plan {
    pub(super) fn new(rate: f64, began_ns: u64, until_ns: u64) -> Self {
        Self {
            began_ns,
            until_ns,
            gap_ns: 1e9 / rate,
            next: 0,
        }
    }

    fn at(&self, number: u64) -> u64 {
        self.began_ns + (number as f64 * self.gap_ns) as u64
    }

    fn first_from(&self, ns: u64) -> u64 {
        let near = (ns.saturating_sub(self.began_ns) as f64 / self.gap_ns) as u64;
        // Rounding moves it by at most one.
        let from = near.saturating_sub(1);
        (from..)
            .find(|&number| self.at(number) >= ns)
            .unwrap_or(from)
    }

    pub(super) fn next_ns(&self) -> Option<u64> {
        Some(self.at(self.next)).filter(|&at| at < self.until_ns)
    }

    pub(super) fn due(&self, now: u64) -> u64 {
        let end = self.first_from(self.until_ns.min(now.saturating_add(1)));
        end.saturating_sub(self.next)
    }

    pub(super) fn take(&mut self, now: u64) -> Option<u64> {
        let at = self.next_ns().filter(|&at| at <= now)?;
        self.next += 1;
        Some(at)
    }

    pub(super) fn skip_to(&mut self, ns: u64) {
        self.next = self.next.max(self.first_from(ns));
    }

    /// Notes how long unsent requests have waited; returns their number.
    pub(super) fn note_waits(&self, now: u64, latencies: &mut Latencies) -> u64 {
        let end = self.first_from(self.until_ns.min(now));
        let mut number = self.next;
        while number < end {
            let wait = now - self.at(number);
            let alike = (wait as f64 / ALIKE / self.gap_ns) as u64;
            let count = alike.clamp(1, end - number);
            latencies.add_many(wait, count);
            number += count;
        }
        end.saturating_sub(self.next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const S: u64 = 1_000_000_000;

    /// Each request took as many steps as others were overdue, and the server got no CPU.
    #[test]
    fn what_is_due_is_what_can_be_taken() {
        let mut plan = Plan::new(1_000.0, S, 2 * S);
        assert_eq!(
            (plan.due(S - 1), plan.due(S), plan.due(S + 2_500_000)),
            (0, 1, 3)
        );
        plan.take(S + 1);
        assert_eq!((plan.due(S + 2_500_000), plan.due(9 * S)), (2, 999));
    }

    #[test]
    fn a_backlog_of_a_hundred_thousand_costs_what_was_sent_and_no_memory() {
        let mut plan = Plan::new(100_000.0, S, 2 * S);
        let sent: Vec<u64> = (0..10).filter_map(|_| plan.take(9 * S)).collect();
        // They are the oldest ones, each once, and each keeps the time at which it was planned.
        let planned: Vec<u64> = (0..10).map(|k| S + k * 10_000).collect();
        assert_eq!(sent, planned);
        let mut waits = Latencies::default();
        assert_eq!(plan.note_waits(9 * S, &mut waits), 99_990);
        assert_eq!(waits.count(), 99_990);
        // They stand for seven to eight seconds of waiting, in few groups.
        assert_eq!(waits.most_ns(), 8 * S - 100_000);
        let median = waits.quantile_ns(0.5).unwrap() as f64;
        assert!((median / 7.5e9 - 1.0).abs() < 0.03, "{median}");
        assert!(!std::mem::needs_drop::<Plan>(), "it holds no list");
    }

    #[test]
    fn nothing_is_sent_before_its_time_or_planned_for_the_end() {
        let mut plan = Plan::new(4.0, 0, S);
        let quarter = S / 4;
        assert_eq!(plan.take(0), Some(0));
        assert_eq!(plan.take(quarter - 1), None);
        assert_eq!(plan.next_ns(), Some(quarter));
        assert_eq!(plan.take(quarter), Some(quarter));
        plan.skip_to(3 * quarter);
        assert_eq!(plan.take(9 * S), Some(3 * quarter));
        assert_eq!((plan.take(9 * S), plan.next_ns()), (None, None));
        assert_eq!(plan.note_waits(9 * S, &mut Latencies::default()), 0);
    }

    #[test]
    fn what_was_left_out_to_warm_up_does_not_count() {
        let mut plan = Plan::new(1_000.0, 0, 2 * S);
        plan.skip_to(S);
        let mut waits = Latencies::default();
        assert_eq!(plan.note_waits(3 * S, &mut waits), 1_000);
        assert_eq!((waits.count(), waits.most_ns()), (1_000, 2 * S));
        let before = plan.next_ns();
        plan.skip_to(S / 2);
        assert_eq!(plan.next_ns(), before, "it never goes back");
    }

    proptest! {
        #[test]
        fn each_request_is_sent_or_left_and_none_twice(
            rate in 0.1_f64..1e7, began in 0..S, span in 1..S / 100, steps: Vec<u32>,
        ) {
            let mut plan = Plan::new(rate, began, began + span);
            let whole = plan.note_waits(9 * S, &mut Latencies::default());
            let (mut now, mut sent, mut last) = (began, 0, None);
            for step in steps.into_iter().take(100) {
                now += u64::from(step) % (span / 8 + 1);
                if let Some(at) = plan.take(now) {
                    prop_assert!(at <= now && last < Some(at));
                    (last, sent) = (Some(at), sent + 1);
                }
            }
            let mut waits = Latencies::default();
            prop_assert_eq!(sent + plan.note_waits(9 * S, &mut waits), whole);
            prop_assert_eq!(sent + waits.count(), whole);
        }
    }
}

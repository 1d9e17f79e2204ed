use std::time::Duration;

use report::number::{count, many, percent, time};

#[derive(Debug, Default)]
pub(super) struct Cost {
    looks: u64,
    cpu_ns: u64,
    /// Off the flows' CPUs, while all were bound.
    beside: u64,
    slots: u64,
    too_short: u64,
    watched: Duration,
}

impl Cost {
    pub(super) fn look(&mut self, cpu_ns: u64, beside: bool) {
        self.looks += 1;
        self.cpu_ns += cpu_ns;
        self.beside += u64::from(beside);
    }

    pub(super) fn slot(&mut self, lasted: Duration, was_seen: bool) {
        self.slots += 1;
        self.watched += lasted;
        self.too_short += u64::from(!was_seen);
    }

    pub(super) fn lines(&self, first_look: Duration) -> Vec<String> {
        let share = self.cpu_ns as f64 / self.watched.as_nanos().max(1) as f64;
        let mut lines = vec![format!(
            "Watching: {} at {} took {} of CPU time, {} of one CPU; {}",
            many(self.looks, "look"),
            many(self.slots, "slot"),
            time(self.cpu_ns as f64),
            percent(share),
            self.whereabouts()
        )];
        if self.too_short > 0 {
            lines.push(format!(
                "Watching: {} of {} over before the first look, {} after the beginning \
                 (--watch=10ms looks sooner)",
                count(self.too_short),
                match self.slots {
                    1 => "1 slot was".to_owned(),
                    slots => format!("{} slots were", count(slots)),
                },
                time(first_look.as_nanos() as f64)
            ));
        }
        lines
    }

    fn whereabouts(&self) -> String {
        match (self.looks - self.beside, self.looks) {
            (_, 0) => "nothing was seen".to_owned(),
            (0, _) => "all on CPUs of no flow".to_owned(),
            (all, looks) if all == looks => {
                "all on CPUs that flows may use, so it disturbed them".to_owned()
            }
            (some, _) => format!(
                "{} of them on CPUs that flows may use, so it disturbed these",
                count(some)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_charged_to_the_time_of_the_slots() {
        let mut cost = Cost::default();
        cost.look(3_000_000, true);
        cost.look(1_000_000, false);
        cost.slot(Duration::from_secs(2), true);
        cost.slot(Duration::from_millis(5), false);
        assert_eq!(
            cost.lines(Duration::from_millis(100)),
            [
                "Watching: 2 looks at 2 slots took 4.00 ms of CPU time, 0.20 % of one CPU; 1 of \
                 them on CPUs that flows may use, so it disturbed these",
                "Watching: 1 of 2 slots were over before the first look, 100 ms after the \
                 beginning (--watch=10ms looks sooner)",
            ]
        );
    }

    #[test]
    fn where_it_looked_from_is_said() {
        let mut cost = Cost::default();
        assert!(cost.lines(Duration::ZERO)[0].ends_with("nothing was seen"));
        cost.look(1, true);
        assert!(cost.lines(Duration::ZERO)[0].ends_with("all on CPUs of no flow"));
        let mut cost = Cost::default();
        cost.look(1, false);
        assert!(cost.lines(Duration::ZERO)[0].contains("all on CPUs that flows may use"));
    }
}

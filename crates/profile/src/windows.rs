//! When switches are recorded. The kernel needs 1.5 to 6 us for each, so where they are too many it records
//! them in one turn of N: windows of some ten milliseconds, one at a place drawn by the clock in each N turns. What a
//! thread waited for in them stands for the rest.

use measure::clock::now_ns;

/// Spans of time, in ns: ascending, apart from each other.
pub(crate) type Windows = Vec<(u64, u64)>;

pub(crate) struct Turns {
    of: u64,
    next: u64,
    chosen: u64,
    is_on: bool,
    since: Option<u64>,
    windows: Windows,
}

impl Turns {
    /// Events record from the beginning.
    pub(crate) fn one_of(turns: u64) -> Self {
        Self {
            of: turns.max(1),
            next: 0,
            chosen: 0,
            is_on: true,
            since: Some(now_ns()),
            windows: Vec::new(),
        }
    }

    /// Whether switches are recorded in the turn that begins, where that changes.
    pub(crate) fn begins(&mut self) -> Option<bool> {
        if self.next == 0 {
            self.chosen = now_ns() % self.of;
        }
        let is_chosen = self.next == self.chosen;
        self.next = (self.next + 1) % self.of;
        if !is_chosen {
            self.closes();
        }
        let changes = is_chosen != std::mem::replace(&mut self.is_on, is_chosen);
        changes.then_some(is_chosen)
    }

    pub(crate) fn are_on(&self) -> bool {
        self.is_on
    }

    pub(crate) fn opened(&mut self) {
        self.since = Some(now_ns());
    }

    fn closes(&mut self) {
        let since = self.since.take();
        self.windows.extend(since.map(|since| (since, now_ns())));
    }

    pub(crate) fn windows(mut self) -> Windows {
        self.closes();
        match self.of {
            1 => vec![(0, u64::MAX)],
            _ => self.windows,
        }
    }
}

/// What is in both.
pub(crate) fn within(spans: &[(u64, u64)], windows: &[(u64, u64)]) -> Windows {
    let both = |&(from, to): &(u64, u64)| {
        let first = windows.partition_point(|window| window.1 <= from);
        let those = windows[first..]
            .iter()
            .take_while(move |window| window.0 < to);
        those.map(move |window| (window.0.max(from), window.1.min(to)))
    };
    spans.iter().flat_map(both).collect()
}

/// How much of a stretch of time they are.
pub(crate) fn counted(spans: &[(u64, u64)], from: u64, to: u64) -> u64 {
    let first = spans.partition_point(|span| span.1 <= from);
    let within = spans[first..].iter().take_while(|span| span.0 < to);
    within.map(|span| span.1.min(to) - span.0.max(from)).sum()
}

/// Where the window ends that a moment is in.
pub(crate) fn end(windows: &[(u64, u64)], ns: u64) -> u64 {
    let at = windows.partition_point(|window| window.1 < ns);
    let window = windows.get(at).filter(|window| window.0 <= ns);
    window.map_or(ns, |window| window.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_turn_of_n_is_chosen_in_each_n() {
        let mut turns = Turns::one_of(5);
        for _ in 0..20 {
            turns.begins();
            let first = turns.is_on;
            let more = (1..5).filter(|_| {
                turns.begins();
                turns.is_on
            });
            assert_eq!(more.count() + usize::from(first), 1);
        }
        let mut all = Turns::one_of(0);
        assert_eq!((all.begins(), all.begins()), (None, None));
        assert_eq!(all.windows(), [(0, u64::MAX)]);
    }

    #[test]
    fn spans_and_windows_meet() {
        let both = within(&[(0, 20), (30, 50)], &[(5, 8), (15, 35), (60, 70)]);
        assert_eq!(both, [(5, 8), (15, 20), (30, 35)]);
        assert_eq!(counted(&both, 6, 32), 2 + 5 + 2);
        assert_eq!((end(&both, 6), end(&both, 10)), (8, 10));
    }
}

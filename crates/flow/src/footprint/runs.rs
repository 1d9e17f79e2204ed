/// First page, and the one after the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Run {
    pub(crate) first: u64,
    pub(crate) end: u64,
}

impl Run {
    pub(crate) fn of(page: u64) -> Self {
        let end = page + 1;
        Self { first: page, end }
    }
}

/// In order; no two touch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Runs(Vec<Run>);

impl FromIterator<Run> for Runs {
    fn from_iter<I: IntoIterator<Item = Run>>(runs: I) -> Self {
        let mut all: Vec<Run> = runs.into_iter().collect();
        all.sort_unstable();
        all.dedup_by(|next, run| {
            let touches = next.first <= run.end;
            if touches {
                run.end = run.end.max(next.end);
            }
            touches
        });
        Self(all)
    }
}

impl Runs {
    pub(crate) fn iter(&self) -> impl Iterator<Item = Run> + '_ {
        self.0.iter().copied()
    }

    pub(crate) fn pages(&self) -> u64 {
        self.iter().map(|run| run.end - run.first).sum()
    }

    pub(crate) fn ranges(&self, pages: u64) -> Self {
        let range = |run: Run| Run {
            first: run.first / pages,
            end: run.end.div_ceil(pages),
        };
        self.iter().map(range).collect()
    }

    pub(crate) fn contains(&self, page: u64) -> bool {
        let behind = self.0.partition_point(|run| run.end <= page);
        self.0.get(behind).is_some_and(|run| run.first <= page)
    }
}

pub(crate) fn common<'a>(sets: impl IntoIterator<Item = &'a Runs>) -> Runs {
    let edges = |run: Run| [(run.first, 1), (run.end, -1)];
    let sets = sets.into_iter().flat_map(Runs::iter);
    let mut edges: Vec<(u64, i64)> = sets.flat_map(edges).collect();
    edges.sort_unstable();
    let (mut covered, mut since, mut common) = (0, 0, Vec::new());
    for (at, step) in edges {
        if covered > 1 && at > since {
            let (first, end) = (since, at);
            common.push(Run { first, end });
        }
        covered += step;
        since = at;
    }
    common.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn runs() -> impl Strategy<Value = Vec<Run>> {
        let run = (0_u64..200, 1_u64..20).prop_map(|(first, pages)| Run {
            first,
            end: first + pages,
        });
        prop::collection::vec(run, 0..12)
    }

    fn set(runs: &[Run]) -> BTreeSet<u64> {
        runs.iter().flat_map(|run| run.first..run.end).collect()
    }

    proptest! {
        #[test]
        fn runs_are_the_pages_they_were_made_of(some in runs(), pages in 1_u64..9) {
            let (runs, set): (Runs, _) = (some.iter().copied().collect(), set(&some));
            prop_assert_eq!(runs.pages(), set.len() as u64);
            prop_assert!((0..230).all(|page| runs.contains(page) == set.contains(&page)));
            let ranges: BTreeSet<u64> = set.iter().map(|page| page / pages).collect();
            prop_assert_eq!(runs.ranges(pages).pages(), ranges.len() as u64);
        }

        #[test]
        fn what_is_common_is_in_more_than_one(all in prop::collection::vec(runs(), 0..5)) {
            let sets: Vec<_> = all.iter().map(|runs| set(runs)).collect();
            let holders = |page: &u64| sets.iter().filter(|set| set.contains(page)).count();
            let runs: Vec<Runs> = all.iter().map(|runs| runs.iter().copied().collect()).collect();
            let common = common(&runs);
            prop_assert!((0..230).all(|page| common.contains(page) == (holders(&page) > 1)));
        }
    }
}

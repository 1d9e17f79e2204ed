//! Which cases are one question: one that stands alone, or all cases of a sweep.

use super::Case;

/// The questions of some cases, by their places.
#[derive(Debug)]
pub(crate) struct Questions {
    /// For each case, the place of the first case of the same question.
    first: Vec<usize>,
}

impl Questions {
    pub(crate) fn of<'a>(cases: impl IntoIterator<Item = &'a Case>) -> Self {
        let sweep = |case: &'a Case| case.sweep.as_ref().map(|point| &point.sweep);
        let sweeps: Vec<_> = cases.into_iter().map(sweep).collect();
        let first = |(place, own): (usize, &Option<&String>)| match own {
            Some(_) => sweeps.iter().position(|sweep| sweep == own),
            None => Some(place),
        };
        Self {
            first: sweeps.iter().enumerate().filter_map(first).collect(),
        }
    }

    /// The place of the first case of the question that the case at `place` is of.
    pub(crate) fn first(&self, place: usize) -> usize {
        self.first[place]
    }

    /// Whether the case at `place` is the first of its question.
    pub(crate) fn begins(&self, place: usize) -> bool {
        self.first[place] == place
    }

    /// Whether two cases are of one question.
    pub(crate) fn are_one(&self, place: usize, other: usize) -> bool {
        self.first[place] == self.first[other]
    }
}

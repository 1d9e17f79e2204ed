//! Questions: a single case, or all cases of a sweep, by the places of cases.

use super::Case;

#[derive(Debug)]
pub(crate) struct Questions {
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

    pub(crate) fn first(&self, place: usize) -> usize {
        self.first[place]
    }

    pub(crate) fn begins(&self, place: usize) -> bool {
        self.first[place] == place
    }

    pub(crate) fn are_one(&self, place: usize, other: usize) -> bool {
        self.first[place] == self.first[other]
    }
}

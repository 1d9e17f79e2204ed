//! Which cases of a study have a row on the first screen, by the study alone.

use super::{Case, Deciding, Metric, Study};
use crate::data::gathered::distinct;

impl Study {
    /// Places of the cases with a row, in order; `alone`: of its run. Studies of limits have none.
    #[must_use]
    pub fn rows(&self, alone: bool) -> Vec<usize> {
        if self.is_of_limits() {
            return Vec::new();
        }
        let deciding = self.deciding.iter().filter(|one| !one.alone || alone);
        let mut rows: Vec<usize> = deciding.filter_map(|one| self.row_of(one)).collect();
        let mut cases = self.cases.iter();
        let headline = cases.position(|case| case.name == self.headline);
        if let Some(headline) = headline.filter(|headline| !rows.contains(headline)) {
            rows.insert(0, headline);
        }
        distinct(rows)
    }

    fn is_of_limits(&self) -> bool {
        let makes = |case: &Case| case.metric == Metric::Create && case.work.flows().is_some();
        !self.limits_of.is_empty() || self.cases.iter().any(makes)
    }

    /// Of a case that is spread out the headline, or else the last of its parts.
    pub(crate) fn row_of(&self, one: &Deciding) -> Option<usize> {
        let own = |case: &Case| one.has(&case.name);
        let headline = |case: &Case| own(case) && case.name == self.headline;
        let mut cases = self.cases.iter();
        cases
            .position(headline)
            .or_else(|| self.cases.iter().rposition(own))
    }

    pub(crate) fn subject_of(&self, case: &Case) -> Option<usize> {
        let named = self.deciding.iter().find(|one| one.has(&case.name))?;
        let subject = named.subject.as_ref()?;
        let place = case.variants.iter().position(|own| own.label == *subject);
        place.filter(|&place| place > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{case, decides, study};

    #[test]
    fn rows_are_those_that_decide_and_the_headline() {
        let two = ["process", "thread"];
        let names = ["first/1", "first/2", "second", "third", "map"];
        let mut study = study(names.map(|name| case(name, 1, &two)).to_vec());
        assert_eq!(study.rows(false), [0], "the headline alone");
        let decides = |case: &str, alone| Deciding {
            subject: Some("thread".to_owned()),
            alone,
            ..decides(case)
        };
        study.deciding = vec![
            decides("third", false),
            decides("first", false),
            decides("second", true),
        ];
        assert_eq!(study.rows(false), [3, 0]);
        assert_eq!(study.rows(true), [3, 0, 2]);
        study.headline = "map".to_owned();
        assert_eq!(study.rows(false), [4, 3, 1], "the last of its parts");
        assert_eq!(study.subject_of(&study.cases[2]), Some(1));
        assert_eq!(study.subject_of(&study.cases[4]), None);
        study.limits_of = vec![flow::Model::Thread];
        assert_eq!(study.rows(true), [0; 0]);
    }
}

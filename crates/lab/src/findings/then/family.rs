//! The level at which the claims of a source, a family, are judged. Of m claims k get a verdict;
//! each interval of two variants is at the level of its case times k / m, so at most 5 % of
//! verdicts are false on average (the false coverage rate of Y. Benjamini and D. Yekutieli, 2005,
//! found by stepping down from k = m). A claim with too few rounds for any interval counts for
//! none. Claims on single workers share the level of one claim besides. No verdict goes further
//! than the one beside it in the run. Intervals of amounts, slopes and throughput are 95 %.

use super::{Run, Standing, Then, then};
use crate::data::Study;

pub(in crate::findings) fn then_and_now(study: &Study, run: Run<'_>) -> Vec<Then> {
    let found = study.published();
    let at = |stricter: f64| -> Vec<(Then, bool)> {
        let run = Run { stricter, ..run };
        found.iter().map(|one| then(study, one, run)).collect()
    };
    let claims = |all: &[(Then, bool)]| {
        let own = all.iter().zip(&found);
        let own = own.filter(|((then, _), one)| one.claim.is_some() && is_known(then.verdict));
        own.count()
    };
    let mut all = at(1.0);
    let own = all.iter().zip(&found);
    let own = own.filter(|((_, is_judged), one)| one.claim.is_some() && *is_judged);
    let family = own.count();
    let mut known = claims(&all);
    while known > 0 && known < family {
        all = at(family as f64 / known as f64);
        let still = claims(&all);
        if still >= known {
            break;
        }
        known = still;
    }
    all.into_iter().map(|(then, _)| then).collect()
}

fn is_known(verdict: Standing) -> bool {
    use Standing::{Differs, Refuted, Reproduced, SameDirection};
    matches!(verdict, Reproduced | SameDirection | Refuted | Differs)
}

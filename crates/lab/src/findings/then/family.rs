//! The level at which the claims of a source are judged.
//!
//! The claims of a source are a family. Of m of them k get a verdict, and each interval of
//! two variants is at the level of its case times k / m (a claim that has too few rounds for any
//! interval counts for none): so of the verdicts, on average at most 5 % are
//! false (the false coverage rate of Y. Benjamini and D. Yekutieli, 2005, found by stepping down
//! from k = m). Claims on single workers share the level of one claim besides. A pair that the run
//! compares more strictly is judged as there: no verdict here goes further than the one that stands
//! beside it. Intervals of single amounts, of slopes and of throughput are 95 % each.

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

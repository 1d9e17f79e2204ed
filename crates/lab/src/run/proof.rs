//! No ratio without the same proof on both sides: a slot that proved other work is a failure.

use flow::{Answer, Proof};
use workload::Work;

use crate::data::Outcome;

pub(crate) fn checked(outcome: Outcome, reference: Option<Proof>, work: &Work) -> Outcome {
    let answer = match (outcome.answer, reference) {
        (Answer::Done(mut record), Some(expected)) if record.proof != expected => Answer::Failed {
            reason: work.differs(expected, record.proof),
            begun: None,
            kept: record.reps.pop(),
        },
        (answer, _) => answer,
    };
    Outcome { answer, ..outcome }
}

use serde::{Deserialize, Serialize};
use stats::{Across, Verdict};

use super::{Agreement, OnMachine, SetApart, Tally};
use crate::data::Metric;
use crate::data::words::{percent, plural};
use crate::findings::{Compared, compared};

/// A comparison over all machines that made it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Study by name.
    pub study: String,
    /// Case by name.
    pub case: String,
    /// What is judged.
    pub subject: String,
    /// What it is compared with.
    pub reference: String,
    /// Which time.
    pub metric: Metric,
    /// Whether it answers its study on most machines.
    pub is_headline: bool,
    /// The verdict of each machine.
    pub each: Vec<OnMachine>,
    /// How many machines have each verdict.
    pub tally: Tally,
    /// What they say together.
    pub agreement: Agreement,
    /// How large it is; `None` where no machine has an interval.
    pub across: Option<Across>,
    /// The verdict on the mean of machines like these.
    pub verdict: Verdict,
    /// By what the machines differ, the largest share first.
    pub apart: Vec<SetApart>,
    /// Machines that did other work, and are left out.
    pub left_out: Vec<String>,
    /// The answer in a sentence.
    pub sentence: String,
}

impl Comparison {
    /// The mean as any estimate is written, with the interval of the mean.
    #[must_use]
    pub fn mean(&self) -> Compared {
        let estimate = self.across.map(|across| across.mean_estimate());
        compared(estimate.as_ref(), &self.verdict)
    }

    /// `primes/trial: thread vs process`.
    #[must_use]
    pub fn name(&self) -> String {
        let (study, case) = (&self.study, &self.case);
        format!("{study}/{case}: {} vs {}", self.subject, self.reference)
    }
}

pub(super) fn sentence(one: &Comparison) -> String {
    let all = one.tally.machines();
    let (subject, reference) = (plural(&one.subject), plural(&one.reference));
    let tally = one.tally.in_words();
    let said = match one.agreement {
        Agreement::All { verdict } if all == 1 => {
            format!("{} on the one machine", verdict.in_words())
        }
        Agreement::All { verdict } => format!("{} on all {all} machines", verdict.in_words()),
        Agreement::Most { verdict } => {
            format!("{} on most of {all} machines ({tally})", verdict.in_words())
        }
        Agreement::Flips => format!("the verdict flips between machines ({tally})"),
        Agreement::Mixed | Agreement::CannotTell if all == 1 => {
            "no verdict on the one machine".to_owned()
        }
        Agreement::Mixed | Agreement::CannotTell => {
            format!("no verdict holds on most of {all} machines ({tally})")
        }
    };
    let head = format!("{subject} against {reference}: {said}");
    let apart = one.apart.first().map(SetApart::in_words);
    let parts = [Some(head), size(one), next(one), spread(one), apart];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// `the mean of machines like these is 5.4 % faster [4.1 … 6.6 %]`.
fn size(one: &Comparison) -> Option<String> {
    one.across?.mean?;
    let Compared { word, interval } = one.mean();
    Some(format!(
        "the mean of machines like these: {word} {interval}"
    ))
}

fn next(one: &Comparison) -> Option<String> {
    let next = one.across?.next_estimate();
    next.interval()?;
    let open = Verdict::CannotTell { more_rounds: None };
    Some(format!(
        "one more machine: {}",
        compared(Some(&next), &open).interval
    ))
}

/// `machines differ by 2.1 %, rounds of one by 0.4 %`.
fn spread(one: &Comparison) -> Option<String> {
    let across = one.across.filter(|across| across.machines > 1)?;
    Some(format!(
        "machines differ by {}, the estimate of one is uncertain by {} (standard deviations)",
        percent(across.between),
        percent(across.within)
    ))
}

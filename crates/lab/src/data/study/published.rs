//! What a publication found, one finding an entry, and what of ours stands beside it. Every table row, figure,
//! conclusion and advice of a study's source is one `[[published]]`:
//! ```toml
//! [[published]]
//! finding = "Threads finish sooner"             # what, in our words
//! theirs = "1.43 % faster overall"              # the figure or the words of the source
//! place = "Findings, first table"               # where in its text
//! claim = "faster"                              # what that says of ours
//! ours.pair = { case = "trial", subject = "thread", reference = "process", quantity = "time" }
//! ```
//! `quotes` has the words of the source, which `studies/check-quotes FOLDER` looks up; `from` says what is from
//! elsewhere or inferred, `not_here` why nothing of ours can stand beside it. A claim may have a `size` (subject over
//! reference), a bound (`value`), and `seconds`, the reference's time there. `machine` names the source's machine,
//! beside which no other is simulated; `unlike` says in what ours is another thing. `findings::then` judges.

use serde::{Deserialize, Serialize};

use super::is_within;
use crate::data::{Case, Metric, Topology, base};

/// One finding of a publication.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// What was found, in our words.
    pub finding: String,
    /// The figure or the words of the source.
    pub theirs: String,
    /// Where in the source's text it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Words of the source's text, as they stand there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<String>,
    /// Where `theirs` is from, where it is not in the source's own text, or inferred from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What the finding says of ours; without one the two are laid side by side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
    /// The year of the figure, where it is another source's: with a `value` in ns it is drawn on a ruler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<u32>,
    /// The best number, or another figure that ours is held against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// The subject's figure over the reference's, in the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<f64>,
    /// Seconds that the reference took in the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// The name of the machine to simulate that is the source's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// In what ours is another thing than the source's: then it refutes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unlike: Option<String>,
    /// Figures of the source by a number (workers, flows), drawn beside ours over their first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<[f64; 2]>,
    /// What of ours stands beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ours: Option<Ours>,
    /// What the finding says besides, of something else: it holds where both do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub and: Option<Half>,
    /// Why nothing of ours can; with `ours`, why nothing can in a run that does not have that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_here: Option<String>,
    /// What ours is made of: each step takes this much more than the one before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// What is known to explain ours, and where that is shown; for runs that measured no cause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// What the reader must know of the two, whatever the run says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The command that answers it, where it is not that of the study.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

impl Published {
    /// Whether rounds of a case say something of the finding: where flows must be made, enough.
    #[must_use]
    pub fn is_about(&self, case: &Case) -> bool {
        let mut steps = self.steps.iter();
        steps.any(|step| case.is_called(&step.case))
            || self.halves().any(|ours| self.half_is_about(ours, case))
    }

    pub(crate) fn halves(&self) -> impl Iterator<Item = &Ours> {
        let second = self.and.iter().map(|half| &half.ours);
        self.ours.iter().chain(second)
    }

    fn half_is_about(&self, ours: &Ours, case: &Case) -> bool {
        if let Some(named) = ours.case() {
            return case.is_called(named);
        }
        match ours {
            Ours::Law(of) => case.sweep.as_ref().is_some_and(|own| own.sweep == of.sweep),
            Ours::Throughput(of) | Ours::TlbMisses(of) | Ours::SharedPages(of) => {
                is_within(base(case), &of.workload)
            }
            Ours::Limit(_) => self.claim == Some(Claim::AtLeast) && case.makes(self.value),
            _ => false,
        }
    }
}

impl Case {
    fn makes(&self, flows: Option<f64>) -> bool {
        let enough = |own: u32| flows.is_some_and(|flows| f64::from(own) >= flows);
        let mut variants = self.variants.iter();
        self.metric == Metric::Create && variants.any(|one| enough(one.variant.flows))
    }
}

/// The second half of a finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Half {
    /// What it says of ours.
    pub claim: Claim,
    /// What of ours stands beside it.
    pub ours: Ours,
}

/// What a finding says of a quantity of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// The subject takes less time.
    Faster,
    /// It takes more.
    Slower,
    /// The subject has less; where there is a `value`, at most that share of the other's.
    Less,
    /// It has more; where there is a `value`, at least that many times as much.
    More,
    /// Nothing sets the two apart; of one amount, that it is `value`.
    Same,
    /// It grows in a line with the parameter of the sweep.
    Linear,
    /// It does not change with it.
    Flat,
    /// It jumps and stays by turns as it grows.
    Steps,
    /// It grows with it, in whatever shape.
    Grows,
    /// It grows by much less than in proportion.
    GrowsSlowly,
    /// `value` is the best number of flows.
    Best,
    /// At least `value`.
    AtLeast,
    /// At most `value`.
    AtMost,
}

/// What of ours stands beside a finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ours {
    /// A quantity of two variants.
    Pair(Pair),
    /// A quantity of one variant.
    Amount(OfVariant),
    /// A quantity of each worker of a variant.
    Workers(OfVariant),
    /// Which worker differs most between two variants.
    Farthest(Pair),
    /// Whether what was counted can explain the difference; `value`: most ns that one costs.
    Explains(Pair),
    /// How much of the time of all flows of a variant these take, by timers.
    TimeIn(TimeIn),
    /// The best number of flows of a case.
    Best(OfCase),
    /// How a quantity of a variant changes along a sweep.
    Law(OfSweep),
    /// How many flows of a model there can be.
    Limit(OfModel),
    /// Throughput of threads over that of processes.
    Throughput(OfWork),
    /// Misses of the data TLB by threads over those by processes.
    TlbMisses(OfWork),
    /// How much of the memory of threads, as ranges that a huge page maps, several cores work on.
    SharedPages(OfWork),
    /// How many flows go on where one of them crashes, as the failed slots of a case tell.
    Survivors(OfPair),
    /// Hand-overs that the system ignored, as the refused slots of any case tell.
    NotSwitched,
}

impl Ours {
    pub(crate) fn case(&self) -> Option<&str> {
        Some(match self {
            Self::Pair(of) | Self::Farthest(of) | Self::Explains(of) => &of.case,
            Self::Amount(of) | Self::Workers(of) => &of.case,
            Self::TimeIn(of) => &of.case,
            Self::Best(of) => &of.case,
            Self::Survivors(of) => &of.case,
            Self::Law(_) | Self::Limit(_) | Self::NotSwitched => return None,
            Self::Throughput(_) | Self::TlbMisses(_) | Self::SharedPages(_) => return None,
        })
    }

    pub(crate) fn quantity(&self) -> Option<&str> {
        match self {
            Self::Pair(of) | Self::Farthest(of) | Self::Explains(of) => Some(&of.quantity),
            Self::Amount(of) | Self::Workers(of) => Some(&of.quantity),
            Self::Law(of) => Some(&of.quantity),
            _ => None,
        }
    }

    /// The labels of variants that it names.
    pub fn labels_mut(&mut self) -> Vec<&mut String> {
        match self {
            Self::Pair(of) | Self::Farthest(of) | Self::Explains(of) => {
                vec![&mut of.subject, &mut of.reference]
            }
            Self::Survivors(of) => vec![&mut of.subject, &mut of.reference],
            Self::Amount(of) | Self::Workers(of) => vec![&mut of.variant],
            Self::TimeIn(of) => vec![&mut of.variant],
            Self::Law(of) => vec![&mut of.variant],
            _ => Vec::new(),
        }
    }
}

/// A quantity of two variants of a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// The case by its name.
    pub case: String,
    /// Label of the variant that the finding is about.
    pub subject: String,
    /// Label of the one that it is held against.
    pub reference: String,
    /// The quantity by its name; `worker-done` and `worker-cpu` are of one worker.
    pub quantity: String,
    /// Which worker, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<u32>,
}

/// Two variants of a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfPair {
    /// The case by its name.
    pub case: String,
    /// Label of the variant that the finding is about.
    pub subject: String,
    /// Label of the one that it is held against.
    pub reference: String,
}

/// A quantity of a variant of a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfVariant {
    /// The case by its name.
    pub case: String,
    /// Label of the variant.
    pub variant: String,
    /// The quantity by its name.
    pub quantity: String,
    /// Which worker, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<u32>,
}

/// A part of a quantity: what this variant has beyond that of the step before it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// What it is for.
    pub what: String,
    /// The case by its name.
    pub case: String,
    /// Label of the variant.
    pub variant: String,
    /// The quantity by its name.
    pub quantity: String,
}

/// Classes of time of a variant whose work makes its own flows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeIn {
    /// The case by its name.
    pub case: String,
    /// Label of the variant.
    pub variant: String,
    /// The classes by their names.
    pub classes: Vec<String>,
}

/// A case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfCase {
    /// By its name.
    pub case: String,
}

/// A quantity of a variant along a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfSweep {
    /// The sweep by its name.
    pub sweep: String,
    /// Label of the variant.
    pub variant: String,
    /// The quantity by its name.
    pub quantity: String,
    /// The smallest number of which the law is said: below it another one may hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
}

/// A model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfModel {
    /// Which.
    pub model: flow::Model,
}

/// Work along a way through the machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfWork {
    /// The beginning of the names of its cases.
    pub workload: String,
    /// Where the flows are.
    pub along: Topology,
}

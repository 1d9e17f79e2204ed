use flow::FlowRecord;
use measure::Measured;
use measure::load::Load;
use measure::memory::Memory;
use serde::{Deserialize, Serialize};
use stats::{Estimate, Noise, Summary, Tail, Verdict};

use super::expect::Checked;
use super::profile::Phases;
use super::simulated::SimulatedCase;
use super::{
    ByCpu, Counts, Law, Limit, Optimum, Quantity, QuantityFinding, Requests, Role, Scaling,
    SelfManaged, Shared, Then, Workers, counted::Events,
};
use crate::data::{Case, CaseEnd, Header, Metric, Probe, RawSlot, Study};

/// A whole run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// The journal's first line.
    pub header: Header,
    /// One entry a study.
    pub studies: Vec<StudyResult>,
    /// The signal that cut the run, if one did.
    pub interrupted: Option<i32>,
    /// Whether the run ended by itself.
    pub finished: bool,
    /// Seconds from its beginning to its end, or to its last entry so far.
    pub took_s: f64,
    /// In which share of runs an answer is wrong at most: 5 %, more after a resumption.
    pub error: f64,
    /// How busy the machine was; `None` where that was not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Load>,
    /// What the reader must know (a torn last line dropped, a noisy machine).
    pub warnings: Vec<String>,
    /// What was left out, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What came of the expectations of the command line; the journal has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected: Vec<Checked>,
}

impl Results {
    /// With what came of expectations.
    #[must_use]
    pub fn with_expected(self, expected: Vec<Checked>) -> Self {
        Self { expected, ..self }
    }
}

/// One study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyResult {
    /// What was asked.
    pub study: Study,
    /// Answers, case by case.
    pub cases: Vec<CaseResult>,
    /// What its analyses give.
    #[serde(flatten)]
    pub parts: Parts,
    /// Sentences: the headline first, then crossovers, laws and other remarks.
    pub sentences: Vec<String>,
}

/// The part of each analysis of a study; JSON has those in which there is something.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Parts {
    /// How many flows there can be, for a study of limits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
    /// Fenced probes, for a study of limits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub probes: Vec<Probe>,
    /// How time grows with the number of workers, in sweeps over it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub laws: Vec<Law>,
    /// Throughput against the number of flows, for a study of scaling.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scaling: Vec<Scaling>,
    /// What a model of another machine counted, where one was simulated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub simulated: Vec<SimulatedCase>,
    /// What the source found, held against this run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub then_and_now: Vec<Then>,
}

/// One case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseResult {
    /// What was compared.
    pub case: Case,
    /// Rounds in which every variant has a data point.
    pub rounds: usize,
    /// Repetitions in each slot; 0 before the pilot.
    pub reps: u32,
    /// Warm-ups in each slot.
    pub warmups: u32,
    /// Why no more rounds were run; `None` if the run was cut before.
    pub ended: Option<CaseEnd>,
    /// Slot-to-slot noise, the largest of the variants'.
    pub noise: Option<Noise>,
    /// One entry a variant, in the case's order.
    pub variants: Vec<VariantSummary>,
    /// Every variant but the first against the first.
    pub findings: Vec<Finding>,
    /// Every quantity of every variant: time, memory, CPU time, counts, rates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quantities: Vec<Quantity>,
    /// Every quantity of every variant but the first against the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contrasts: Vec<QuantityFinding>,
    /// What sharing does, where processes, threads and the models between them were run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<Shared>,
    /// How many flows are best, where the variants differ in nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimum: Option<Optimum>,
    /// What faster parts of the work would bring, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicted: Option<super::Prediction>,
    /// Raw slots in time order.
    pub slots: Vec<RawSlot>,
    /// Slots that were recorded for their films, beside the rounds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub films: Vec<RawSlot>,
}

/// One variant of a case, over all its good slots.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VariantSummary {
    /// Its label.
    pub label: String,
    /// Values of the slots in ns; `None` when no slot is good.
    pub value: Option<Summary>,
    /// Fastest repetition of all, in ns.
    pub undisturbed_ns: Option<f64>,
    /// CPU time of all flows and the parent in one repetition, median, in ns.
    pub cpu_ns: Option<f64>,
    /// Median phases in ns.
    pub phases: Option<Phases>,
    /// Median counts of one repetition.
    pub counts: Option<Counts>,
    /// What could not be counted, with the reason.
    pub not_counted: Vec<String>,
    /// Events of the flows, where they were to be counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<Events>,
    /// The memory of the median slot.
    pub memory: Option<Memory>,
    /// RSS alone, where honest memory could not be read; with the reason.
    pub memory_not_available: Option<String>,
    /// Medians per flow in flow order (times from the release); at most the first 64 flows.
    pub flows: Vec<FlowRecord>,
    /// When the parent had the last result, median, in ns after the release.
    pub parent_end_ns: Option<f64>,
    /// What each flow and all of them used, where they are workers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workers: Option<Workers>,
    /// Requests a second and how long they took, where flows answer some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<Requests>,
    /// What the flows used, where the work made them itself.
    #[serde(default, rename = "self_made", skip_serializing_if = "Option::is_none")]
    pub self_managed: Option<SelfManaged>,
    /// Latest flow's end over the mean flow's end: 1 = even work.
    pub imbalance: Option<f64>,
    /// Good slots.
    pub good: usize,
    /// Launches that were begun and that failed, of a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launches: Option<super::Launches>,
    /// Failed slots, with their reasons (each reason once, with its count).
    pub failures: Vec<(usize, String)>,
    /// Why the rounds went on without it, or none of its slots is good: its last failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<String>,
}

/// Where a cause is seen in what flows do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seen {
    /// While flows are made and ended.
    Making,
    /// While the last flow works on alone.
    LastFlow,
    /// In waits for the address space.
    AddressSpace,
    /// In waits for the table of files.
    FileTable,
    /// In switches by the kernel.
    Switches,
}

impl Finding {
    /// Whether one side was found to be faster.
    #[must_use]
    pub fn is_difference(&self) -> bool {
        self.verdict.is_difference()
    }
}

/// The verdict on two variants of a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Label of the subject.
    pub subject: String,
    /// Label of the reference.
    pub reference: String,
    /// Which time was compared.
    pub metric: Metric,
    /// Ratio of times, subject over reference, with its interval.
    pub estimate: Option<Estimate>,
    /// The verdict.
    pub verdict: Verdict,
    /// What CPU time decides, where wall time decides nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_cpu: Option<ByCpu>,
    /// The floor that was used.
    pub floor: f64,
    /// What the finding is in its run: with how many others it shares the 5 %.
    pub role: Role,
    /// The exact p-value over all looks of this comparison alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_value: Option<f64>,
    /// That fewer rounds decided it than its case has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub early: Option<String>,
    /// Why it may be overstated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overstated: Option<String>,
    /// Differences of the median phases, subject minus reference, in ns.
    pub phases: Option<Phases>,
    /// Slow ends.
    pub tail: Option<Tail>,
    /// The ratio of means; `None` where no round has both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub average: Option<super::Average>,
    /// What part of the launches the verdict is not of, since they failed or were killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// The whole answer in one sentence.
    pub sentence: String,
    /// The clause that explains most of an established difference; `None` where nothing does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// Where in a film that cause is seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<Seen>,
    /// Where the difference is, by profiles of both sides; `None` where none was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profiled: Option<Box<Measured<super::Profiled>>>,
    /// Whether the gap closes where its causes are taken away; `None` where that was not tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<Box<super::Confirmation>>,
    /// Reasons from counts, of a difference that was established.
    pub why: Vec<String>,
    /// What else was measured, where no difference was established.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_measured: Vec<String>,
}

impl CaseResult {
    /// A quantity of a variant; `None` where the work cannot have it.
    #[must_use]
    pub fn quantity(&self, name: &str, label: &str) -> Option<&Quantity> {
        let mut all = self.quantities.iter();
        all.find(|quantity| quantity.name == name && quantity.of == label)
    }

    /// How a quantity of a variant compares with that of the case's reference.
    #[must_use]
    pub fn contrast(&self, name: &str, label: &str) -> Option<&QuantityFinding> {
        let mut all = self.contrasts.iter();
        all.find(|finding| finding.name == name && finding.subject == label)
    }
}

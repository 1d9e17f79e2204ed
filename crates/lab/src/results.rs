//! What a run found: made from the journal alone.

mod asked;
mod beside;
mod calibration;
mod cheapest;
pub mod counted;
pub mod counts;
mod crossover;
mod fenced;
mod generator;
mod growth;
mod launching;
mod laws;
mod levels;
mod limits;
mod make;
mod moved;
mod noisy;
mod operation_matrix;
mod optimum;
mod outside;
mod paired;
mod profile;
pub mod quantity;
mod recommended;
mod remarks;
mod requests;
pub mod sampled;
mod scaling;
mod self_managed;
mod sentence;
mod series;
mod served;
mod shared;
pub mod simulated;
mod sweep;
mod switched;
#[cfg(test)]
mod tests;
mod then;
mod unanswered;
mod ways;
mod why;
mod winner;
mod workers;

pub use counts::Counts;
use flow::{FlowRecord, Outcome};
use measure::memory::Memory;
use serde::{Deserialize, Serialize};
use stats::{Estimate, Noise, Summary, Tail, Verdict};

pub use asked::{latencies_in_words, load_in_words, rates_in_words};
pub use calibration::detects_in_words;
pub use growth::Shape;
pub use laws::Law;
pub use levels::Role;
pub use limits::{Limit, at_most};
pub(crate) use make::Depth;
pub use operation_matrix::{OperationMatrix, is_compared};
pub use optimum::{AtNumber, Choice, Optimum};
pub use quantity::{Amount, Basis, Contrast, Quantity, QuantityFinding, Unit, Word};
pub use requests::{Requests, latency_ns};
pub use scaling::{Ratio, Scaling, ScalingPoint, Throughput, threads_over_processes};
pub use self_managed::SelfManaged;
pub use shared::{Cause, Effect, Shared};
pub use sweep::crossovers;
pub use then::{ByNumber, Standing, Then};
pub use workers::{Used, Workers};

use crate::{Case, CaseEnd, Header, Metric, Probe, Study};

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
    #[serde(default)]
    pub took_s: f64,
    /// In which share of runs an answer is wrong at most: 5 %, and more where the run was resumed
    /// after its results were shown.
    #[serde(default = "planned_error")]
    pub error: f64,
    /// What the reader must know (a torn last line dropped, a noisy machine).
    pub warnings: Vec<String>,
    /// What was left out, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

fn planned_error() -> f64 {
    stats::PLAN_ALPHA
}

/// One study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyResult {
    /// What was asked.
    pub study: Study,
    /// Answers, case by case.
    pub cases: Vec<CaseResult>,
    /// How many flows there can be, for a study of limits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
    /// Fenced probes, for a study of limits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub probes: Vec<Probe>,
    /// How time grows with the number of workers, in sweeps over it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub laws: Vec<Law>,
    /// Throughput against the number of flows, for a study of scaling.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scaling: Vec<Scaling>,
    /// What a model of another machine counted, where one was simulated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub simulated: Vec<simulated::SimulatedCase>,
    /// What the source found, held against this run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then_and_now: Vec<Then>,
    /// Sentences: the headline first, then crossovers, laws and other remarks.
    pub sentences: Vec<String>,
}

impl StudyResult {
    /// The finding that answers the study: of its headline case the one whose subject is
    /// fastest, or that of threads against processes where none is faster than the
    /// reference, or else the first.
    #[must_use]
    pub fn headline(&self) -> Option<&Finding> {
        headline(&self.study, &self.cases)
    }

    /// The finding on the variant that the study names for a case, or else its first.
    #[must_use]
    pub fn finding_of<'a>(&self, case: &'a CaseResult) -> Option<&'a Finding> {
        named_finding(&self.study, case).or(case.findings.first())
    }

    /// The case that answers the study: the one that it names, or of a sweep that was cut the
    /// one that tells the most.
    #[must_use]
    pub fn headline_case(&self) -> Option<&CaseResult> {
        headline_case(&self.study, &self.cases)
    }
}

/// The case that answers a study: the one that it names; where that was not compared, or in
/// too few rounds, the one of the same sweep that was in the most.
pub(crate) fn headline_case<'a>(study: &Study, cases: &'a [CaseResult]) -> Option<&'a CaseResult> {
    let is_head = |case: &&CaseResult| {
        let mut findings = case.findings.iter();
        findings.any(|finding| matches!(finding.role, Role::Headline { .. }))
    };
    if let Some(head) = cases.iter().find(is_head) {
        return Some(head);
    }
    let named = cases.iter().find(|case| case.case.name == study.headline)?;
    let Some(point) = &named.case.sweep else {
        return Some(named);
    };
    let of_sweep = |case: &&CaseResult| {
        let own = case.case.sweep.as_ref();
        own.is_some_and(|own| own.sweep == point.sweep)
    };
    let order = |case: &&CaseResult| (telling(case), case.case.name == study.headline, case.rounds);
    cases.iter().filter(of_sweep).max_by_key(order)
}

/// The place of the case that answers a study, by the rounds that each of its cases has: chosen
/// before anything is judged.
fn headline_place(study: &Study, rounds: &[usize]) -> Option<usize> {
    let cases = || study.cases.iter().enumerate();
    let (named, case) = cases().find(|(_, case)| case.name == study.headline)?;
    let Some(point) = &case.sweep else {
        return Some(named);
    };
    let of_sweep = cases().filter(|(_, case)| {
        let own = case.sweep.as_ref();
        own.is_some_and(|own| own.sweep == point.sweep)
    });
    let order = |place: usize| (rounds[place] >= TELLING, place == named, rounds[place]);
    let places = of_sweep.map(|(place, _)| place);
    places.max_by_key(|&place| order(place))
}

/// Rounds that tell something: as many as an interval of one comparison needs.
const TELLING: usize = 7;

/// How much a case tells: 2 with an interval, or with what was measured where nothing is
/// compared; 1 with an estimate; 0.
fn telling(case: &CaseResult) -> u8 {
    if case.findings.is_empty() {
        return 2 * u8::from(case.variants.iter().any(|variant| variant.value.is_some()));
    }
    let estimates = case.findings.iter().filter_map(|finding| finding.estimate);
    let tells = estimates.map(|estimate| 1 + u8::from(estimate.interval().is_some()));
    tells.max().unwrap_or(0)
}

pub(crate) fn headline<'a>(study: &Study, cases: &'a [CaseResult]) -> Option<&'a Finding> {
    let case = headline_case(study, cases)?;
    let ratio = |finding: &Finding| finding.estimate.map_or(f64::INFINITY, |e| e.ratio);
    let faster = |finding: &&Finding| matches!(finding.verdict, Verdict::Faster { .. });
    let findings = between_models(case);
    if let Some(named) = named_finding(study, case) {
        return Some(named);
    }
    let fastest = findings.iter().copied().filter(faster);
    fastest
        .min_by(|a, b| ratio(a).total_cmp(&ratio(b)))
        .or_else(|| operation_matrix::thread(case).map(|(_, finding)| finding))
        .filter(|finding| finding.estimate.is_some())
        .or_else(|| {
            let mut findings = findings.iter().copied();
            findings.find(|finding| finding.estimate.is_some())
        })
        .or(findings.first().copied())
}

/// The finding on the variant that the study names for this case, where it was measured.
fn named_finding<'a>(study: &Study, case: &'a CaseResult) -> Option<&'a Finding> {
    let mut deciding = study.deciding.iter();
    let named = deciding.find(|one| one.has(&case.case.name))?;
    let subject = named.subject.as_ref()?;
    let mut findings = case.findings.iter();
    findings.find(|finding| finding.subject == *subject && finding.estimate.is_some())
}

/// The findings of a case; of switches those on two models, if there are any: that one model
/// hands over in several ways is not what the study asks. Of servers those between servers:
/// that the network costs something is not what it asks either.
fn between_models(case: &CaseResult) -> Vec<&Finding> {
    let forms = served::forms(case);
    if !forms.is_empty() {
        return forms;
    }
    let model = |label: &str| {
        let mut variants = case.case.variants.iter();
        variants
            .find(|labelled| labelled.label == label)
            .map(|labelled| labelled.variant.model)
    };
    let is_between = |finding: &&Finding| {
        finding.metric == Metric::Switch && model(&finding.subject) != model(&finding.reference)
    };
    let between: Vec<&Finding> = case.findings.iter().filter(is_between).collect();
    if between.is_empty() {
        return case.findings.iter().collect();
    }
    between
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
    /// Raw slots in time order.
    pub slots: Vec<RawSlot>,
}

/// A slot as the charts need it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RawSlot {
    /// Round, from 0.
    pub round: usize,
    /// Variant by its place in the case.
    pub variant: usize,
    /// Seconds after the beginning of the run.
    pub at_s: f64,
    /// The slot's value in ns; `None` for a failed slot.
    pub value_ns: Option<f64>,
    /// All that was recorded.
    pub outcome: Outcome,
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
    pub counted: Option<counted::Events>,
    /// The memory of the median slot.
    pub memory: Option<Memory>,
    /// RSS alone, where honest memory could not be read; with the reason.
    pub memory_not_available: Option<String>,
    /// Medians per flow in flow order (times from the release, CPU, proof of the first
    /// good slot); at most the first 64 flows.
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
    /// Failed slots, with their reasons (each reason once, with its count).
    pub failures: Vec<(usize, String)>,
}

/// Times of the three phases, in ns.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Phases {
    /// Create.
    pub create_ns: f64,
    /// Steady.
    pub steady_ns: f64,
    /// Tear-down.
    pub teardown_ns: f64,
}

impl Phases {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.create_ns + self.steady_ns + self.teardown_ns
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
    /// The floor that was used.
    pub floor: f64,
    /// What the finding is in its run: with how many others it shares the 5 %.
    #[serde(default)]
    pub role: Role,
    /// The exact p-value over all looks of this comparison alone: the smallest level at which
    /// they name a difference.
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
    /// The whole answer in one sentence.
    pub sentence: String,
    /// What explains most of an established difference, in one clause; `None` where nothing that
    /// was measured does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// Reasons from counts, of a difference that was established.
    pub why: Vec<String>,
    /// What else was measured, where no difference was established.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_measured: Vec<String>,
}

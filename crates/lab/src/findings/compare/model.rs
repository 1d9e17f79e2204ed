use serde::{Deserialize, Serialize};
use stats::{Estimate, Verdict};

use crate::data::{Metric, SweepPoint};
use crate::findings::{Limit, Results, VariantSummary, Word};

/// A run with the name that it has among others.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    /// Unique among the runs.
    pub name: &'a str,
    /// What it found.
    pub results: &'a Results,
}

/// What is compared between runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The times of slots.
    #[default]
    Times,
    /// The ratio of each slot to that of the reference variant in its round.
    Relative,
}

/// How runs are compared.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct How {
    /// What is compared.
    pub basis: Basis,
    /// Differences within this fraction are none; `None`: by the runs.
    pub floor: Option<f64>,
}

/// Runs side by side.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SideBySide {
    /// What was compared.
    pub basis: Basis,
    /// The runs, the reference first.
    pub runs: Vec<ComparedRun>,
    /// Studies that the first run and another one hold.
    pub studies: Vec<ComparedStudy>,
    /// What differs between the runs and matters, and what was not compared.
    pub warnings: Vec<String>,
    /// What only some of them hold.
    pub left_out: Vec<String>,
    /// What the first run holds and another one does not, a sentence a run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<String>,
    /// One entry a run: how all its variants differ from the first; none for the first, and of few.
    #[serde(default, skip_serializing_if = "no_common")]
    pub common: Vec<Option<Common>>,
    /// The rows of the first run over all runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<Series>,
}

/// A row over the runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// The row's label.
    pub label: String,
    /// Study by name.
    pub study: String,
    /// Case by name.
    pub case: String,
    /// What is judged.
    pub subject: String,
    /// What it is compared with.
    pub reference: String,
    /// Differences within this fraction do not matter, in the first run.
    pub floor: f64,
    /// One entry a run that has the row, in the order of time.
    pub points: Vec<SeriesPoint>,
    /// Where its level changes; `None` where chance explains what differs.
    pub change: Option<SeriesChange>,
    /// What the series says.
    pub sentence: String,
}

/// A run of a series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SeriesPoint {
    /// The run by its place among those that are compared.
    pub run: usize,
    /// Subject over reference.
    pub ratio: f64,
    /// Its interval in that run.
    pub interval: Option<(f64, f64)>,
    /// Number of the round, time of the reference and of the subject, in ns.
    pub rounds: Vec<(usize, f64, f64)>,
}

/// A change of level.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SeriesChange {
    /// Points before it.
    pub at: usize,
    /// The same, at the earliest and at the latest.
    pub between: (usize, usize),
    /// After over before.
    pub estimate: Estimate,
    /// In which share of orders chance goes as far.
    pub p_value: f64,
}

fn no_common(common: &[Option<Common>]) -> bool {
    common.iter().all(Option::is_none)
}

/// By how much all variants of a run differ from the first run together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Common {
    /// Time in this run over time in the first: the median of all variants.
    pub ratio: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
    /// Variants that were compared.
    pub variants: usize,
}

impl Common {
    /// Whether everything is slower together, by more than chance makes of it.
    #[must_use]
    pub fn is_slower(&self) -> bool {
        self.low > 1.0
    }
}

/// A run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedRun {
    /// Its name among the others.
    pub name: String,
    /// Host, CPU and kernel, in words.
    pub machine: Vec<String>,
    /// CPUs that its flows could use.
    pub usable_cpus: usize,
    /// Version of flowgauge.
    pub version: String,
    /// When it began, in seconds since 1970.
    pub began_unix_s: u64,
    /// Seed of its random choices.
    pub seed: u64,
    /// Whether it ended by itself.
    pub finished: bool,
}

/// A study of several runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedStudy {
    /// Its name.
    pub name: String,
    /// Its title in the first run.
    pub title: String,
    /// Its cases, in the order of the first run.
    pub cases: Vec<ComparedCase>,
    /// How many flows there can be, for a study of limits: laid side by side, without a verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<ComparedLimit>,
}

/// How many flows of a model there can be in several runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedLimit {
    /// The model's label.
    pub label: String,
    /// One entry a run; none where it did not ask for the model.
    pub sides: Vec<Option<Limit>>,
}

/// A case of several runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedCase {
    /// Its name.
    pub name: String,
    /// Its title in the first run.
    pub title: String,
    /// Where it stands in a sweep.
    pub sweep: Option<SweepPoint>,
    /// Which time is compared.
    pub metric: Metric,
    /// What is compared of it: its time, where it has no second variant to lay it against.
    pub basis: Basis,
    /// One entry a run: the floor of its comparison with the first; none for the first.
    pub floors: Vec<Option<Floor>>,
    /// Its variants, in the order of the first run.
    pub variants: Vec<ComparedVariant>,
}

/// Below which fraction differences are none, and why.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Floor {
    /// The fraction.
    pub fraction: f64,
    /// Where it comes from.
    pub because: FloorFrom,
}

/// Where a floor comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FloorFrom {
    /// It was asked for.
    Asked,
    /// It is the larger floor of the two runs.
    Runs,
    /// So far one of the runs wandered.
    Wander,
    /// The larger floor of the two runs; with too few slots no difference is established.
    Unseen,
}

/// A variant in several runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedVariant {
    /// Its label.
    pub label: String,
    /// One entry a run: its summary there.
    pub sides: Vec<Option<VariantSummary>>,
    /// One entry a run: how it compares with the first; none for the first, and where missing.
    pub changes: Vec<Option<Change>>,
}

/// A variant in one run compared with the same in the first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Time in this run over time in the first (or ratio over ratio), with its interval.
    pub estimate: Option<Estimate>,
    /// Faster, slower, same or cannot tell: this run against the first.
    pub verdict: Verdict,
    /// Values of the first run, and of this one.
    pub values: (usize, usize),
    /// Why there is no comparison.
    pub not_compared: Option<String>,
    /// The whole answer in one sentence.
    pub sentence: String,
}

impl Change {
    /// What it is, in a word.
    #[must_use]
    pub fn word(&self) -> Word {
        match self.not_compared {
            Some(_) => Word::NotCompared,
            None => Word::of_time(self.verdict),
        }
    }
}

/// A change with its place: study, case, variant, and the place of its run.
pub type Placed<'a> = (
    &'a ComparedStudy,
    &'a ComparedCase,
    &'a ComparedVariant,
    usize,
    &'a Change,
);

pub(super) fn in_words((study, case, _, _, change): Placed<'_>) -> String {
    format!("{}/{}: {}", study.name, case.name, change.sentence)
}

impl SideBySide {
    /// Every change with its place.
    pub fn changes(&self) -> impl Iterator<Item = Placed<'_>> {
        self.studies.iter().flat_map(|study| {
            study.cases.iter().flat_map(move |case| {
                case.variants.iter().flat_map(move |variant| {
                    let changes = variant.changes.iter().enumerate();
                    changes.filter_map(move |(run, change)| {
                        Some((study, case, variant, run, change.as_ref()?))
                    })
                })
            })
        })
    }

    /// Comparisons that neither show nor rule out a regression by `fraction`.
    #[must_use]
    pub fn undecided(&self, fraction: f64) -> usize {
        let compared = self
            .changes()
            .filter_map(|(.., change)| Some((change, change.estimate?)));
        let open = compared.filter(|(_, estimate)| {
            let bar = 1.0 + fraction;
            let interval = estimate.interval();
            interval.is_none_or(|(low, high)| low < bar && high >= bar)
        });
        open.count()
    }

    /// How many are slower by `fraction` with their whole interval, but within their floor.
    #[must_use]
    pub fn within_floor(&self, fraction: f64) -> usize {
        self.open_beyond(fraction, |floor| floor.because != FloorFrom::Unseen)
            .count()
    }

    /// What is slower by at least `fraction` and no regression, as the wander of runs is unseen.
    #[must_use]
    pub fn unseen(&self, fraction: f64) -> Vec<String> {
        self.open_beyond(fraction, |floor| floor.because == FloorFrom::Unseen)
            .collect()
    }

    /// Beyond a bar with its whole interval, but not called slower by its floor.
    fn open_beyond(
        &self,
        fraction: f64,
        of: impl Fn(Floor) -> bool,
    ) -> impl Iterator<Item = String> {
        let beyond = self.changes().filter(move |(_, case, _, run, change)| {
            let interval = change.estimate.and_then(|estimate| estimate.interval());
            let slower = matches!(change.verdict, Verdict::Slower { .. });
            interval.is_some_and(|(low, _)| low >= 1.0 + fraction)
                && !slower
                && case.floors[*run].is_some_and(&of)
        });
        beyond.map(in_words)
    }

    /// What was not compared, each in a sentence with its reason.
    pub fn not_compared(&self) -> impl Iterator<Item = String> {
        let lost = self
            .changes()
            .filter(|(.., change)| change.not_compared.is_some());
        lost.map(in_words)
    }
}

mod decision;
mod labels;
mod published;
mod questions;
mod rows;
mod topology;

use std::collections::BTreeMap;

use flow::{Placement, Variant};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use workload::Work;

use super::number::{count, plain};
use super::settings::Sampling;

pub use decision::{Decision, Thread};
pub use labels::labelled;
pub(crate) use labels::{differ_in_flows_alone, unique};
pub use published::{
    Claim, Half, OfCase, OfModel, OfPair, OfSweep, OfVariant, OfWork, Ours, Pair, Published, Step,
    TimeIn,
};
pub(crate) use questions::Questions;
pub use topology::{Topology, along, base};

/// A study with its cases, as it is run (presets applied, sweeps spread out).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Study {
    /// Its name on the command line.
    pub name: String,
    /// One line for headings.
    pub title: String,
    /// What the work stands for, one or two sentences.
    pub stands_for: String,
    /// The published study that it descends from.
    pub origin: Option<Origin>,
    /// What is compared, in the order of running.
    pub cases: Vec<Case>,
    /// Which case's first finding is the study's headline (its name).
    pub headline: String,
    /// The cases with a row on the first screen, and their names there; else the headline alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deciding: Vec<Deciding>,
    /// The models whose limits are asked for, whether or not there is room to make any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits_of: Vec<flow::Model>,
    /// The machine that it is simulated on, as `--simulate` takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulate: Option<String>,
    /// What labels of its variants mean, in a few words: shown where they first stand.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub terms: BTreeMap<String, String>,
    /// What people argue about, where that is what it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
}

/// A case that has a row on the first screen of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deciding {
    /// Its name in the study's file: of a case that is spread out, the part that tells the most.
    pub case: String,
    /// A few words for it: `Primes, even work`.
    pub label: String,
    /// The variant that its row compares with the reference; else the best of this run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Whether it has its row only where its study is the only one of a run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
}

impl Deciding {
    /// Whether it is the case of this name, or the case that this one is a part of.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        is_within(name, &self.case)
    }
}

/// Whether a name is this one, or begins with it up to a slash.
fn is_within(name: &str, whole: &str) -> bool {
    let rest = name.strip_prefix(whole);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// One piece of work under several variants. The first variant is the reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// Its name within the study (`trial`, `grain/1000`).
    pub name: String,
    /// One line for headings.
    pub title: String,
    /// Where in a sweep this case stands, if it is part of one.
    pub sweep: Option<SweepPoint>,
    /// The work of one repetition.
    pub work: Work,
    /// Which time is compared.
    pub metric: Metric,
    /// At least two to compare; with one the case only measures.
    pub variants: Vec<LabelledVariant>,
    /// Repetitions in each slot; `None`: the pilot's (5, down to 1 of some hundred ms or more).
    pub reps: Option<u32>,
    /// Rounds at the most, where the case wants fewer than the settings.
    pub max_rounds: Option<usize>,
    /// Differences below this fraction do not matter here; `None` leaves it to the noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<f64>,
    /// Set where the question is which variant is best: rounds drop others ([`stats::Halving`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best_of: Option<BestOf>,
}

pub(crate) fn parameters_of(work: &Work) -> Map<String, Value> {
    match serde_json::to_value(work) {
        Ok(Value::Object(parameters)) => parameters,
        _ => Map::new(),
    }
}

/// The text with each `{PARAMETER}` filled in, as it is shown.
pub(crate) fn with_parameters(text: &str, work: &Work, shown: fn(&Value) -> String) -> String {
    let known = parameters_of(work).into_iter();
    known.fold(text.to_owned(), |text, (key, value)| {
        text.replace(&format!("{{{key}}}"), &shown(&value))
    })
}

const CPUS: &str = "{cpus}";

/// The question which variant of a case is best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BestOf {
    /// The place of the variant that is taken by those who do not ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<usize>,
    /// Its variants are the same work on more and more nodes, with as many flows on each.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub over_nodes: bool,
}

impl BestOf {
    /// The best of several of which nobody takes one unasked, or the one at this place.
    #[must_use]
    pub fn beside(default: Option<usize>) -> Self {
        Self {
            default,
            over_nodes: false,
        }
    }
}

impl LabelledVariant {
    /// A variant that does the work of its case.
    #[must_use]
    pub fn new(label: impl Into<String>, variant: Variant) -> Self {
        Self {
            label: label.into(),
            variant,
            work: None,
            sample: None,
            of_cpus: None,
        }
    }
}

impl Case {
    /// A case that stands alone, with rounds and repetitions as the run chooses.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        title: impl Into<String>,
        (work, metric): (Work, Metric),
        variants: Vec<LabelledVariant>,
    ) -> Self {
        Self {
            name: name.into(),
            title: title.into(),
            sweep: None,
            work,
            metric,
            variants,
            reps: None,
            max_rounds: None,
            floor: None,
            best_of: None,
        }
    }

    /// The text with parameters of the work filled in: `{flows} flows`; `{cpus}` is `one CPU`.
    #[must_use]
    pub fn filled(&self, text: &str) -> String {
        let text = match text.contains(CPUS) {
            true => text.replace(CPUS, &self.cpus()),
            false => text.to_owned(),
        };
        with_parameters(&text, &self.work, |value| {
            match (value.as_u64(), value.as_str()) {
                (Some(number), _) => count(number),
                (_, Some(word)) => word.to_owned(),
                _ => value.to_string(),
            }
        })
    }

    /// The value of its parameter in its sweep: from the work, as floats lack large numbers.
    #[must_use]
    pub fn point_value(&self) -> String {
        let Some(point) = &self.sweep else {
            return String::new();
        };
        let work = parameters_of(&self.work);
        let exact = work.get(&point.parameter).and_then(Value::as_u64);
        match exact.filter(|exact| *exact as f64 == point.value) {
            Some(exact) => count(exact),
            None => plain(point.value),
        }
    }

    /// Keeps those variants, and the place of the default among them.
    pub fn retain(&mut self, keep: impl FnMut(&LabelledVariant) -> bool) {
        let place = self.best_of.and_then(|best| best.default);
        let default = place.and_then(|place| Some(self.variants.get(place)?.label.clone()));
        self.variants.retain(keep);
        if let Some(best) = &mut self.best_of {
            let own = |one: &LabelledVariant| Some(&one.label) == default.as_ref();
            best.default = self.variants.iter().position(own);
        }
    }

    fn cpus(&self) -> String {
        let mut placements = self.variants.iter().map(|own| &own.variant.placement);
        let first = placements.next();
        match first.filter(|first| placements.all(|other| other == *first)) {
            None => "different CPUs".to_owned(),
            Some(Placement::Free) => "any CPU".to_owned(),
            Some(Placement::One) => "one CPU".to_owned(),
            Some(Placement::Cores) => "a core each".to_owned(),
            Some(Placement::Smt) => "hardware threads".to_owned(),
            Some(Placement::Numa) => "memory nodes in turn".to_owned(),
            Some(Placement::List(list)) if list.len() == 1 => format!("CPU {}", list[0]),
            Some(list) => format!("CPUs {list}"),
        }
    }

    /// Whether it is meant by a name: its own, or the beginning of it up to a slash.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        is_within(&self.name, name)
    }
}

impl Study {
    /// A study of no published one, whose headline is its last case.
    #[must_use]
    pub fn new(name: &str, title: String, stands_for: &str, cases: Vec<Case>) -> Self {
        let headline = cases.last().map(|case| case.name.clone());
        Self {
            name: name.to_owned(),
            title,
            stands_for: stands_for.to_owned(),
            origin: None,
            headline: headline.unwrap_or_default(),
            cases,
            deciding: Vec::new(),
            limits_of: Vec::new(),
            simulate: None,
            terms: BTreeMap::new(),
            decision: None,
        }
    }

    /// The study with the cases of these names alone, or `None` where it has none of them.
    #[must_use]
    pub fn only(self, names: &[String]) -> Option<Self> {
        let cases = self.cases.iter();
        let own = |case: &&Case| names.iter().any(|name| case.is_called(name));
        let cases: Vec<Case> = cases.filter(own).cloned().collect();
        (!cases.is_empty()).then(|| self.with_cases(cases))
    }

    /// What its source found, finding by finding.
    #[must_use]
    pub fn published(&self) -> Vec<Published> {
        let origin = self.origin.as_ref();
        origin.map_or_else(Vec::new, |origin| origin.published.clone())
    }

    /// How many claims its source has, where one of them is about this case.
    pub(crate) fn claims_with(&self, case: &Case) -> usize {
        let published = self.origin.iter().flat_map(|origin| &origin.published);
        let claims = published.filter(|one| one.claim.is_some());
        match claims.clone().any(|one| one.is_about(case)) {
            true => claims.count(),
            false => 0,
        }
    }

    /// The study with only these cases: where its headline is none of them, the first is.
    #[must_use]
    pub fn with_cases(mut self, cases: Vec<Case>) -> Self {
        let has_headline = cases.iter().any(|case| case.name == self.headline);
        if let Some(first) = cases.first().filter(|_| !has_headline) {
            self.headline.clone_from(&first.name);
        }
        Self { cases, ..self }
    }
}

impl Case {
    /// The work of the variant at that place: its own, or that of the case.
    #[must_use]
    pub fn work_of(&self, variant: usize) -> &Work {
        let own = self.variants.get(variant).and_then(|v| v.work.as_ref());
        own.unwrap_or(&self.work)
    }
}

/// A point of a sweep: cases of one sweep differ in one parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepPoint {
    /// The sweep's name (`grain`).
    pub sweep: String,
    /// The parameter (`block`).
    pub parameter: String,
    /// Its value.
    pub value: f64,
    /// Unit of the value for axes (`numbers`).
    pub unit: String,
}

/// A variant with the name it has in tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabelledVariant {
    /// Unique within its case: the model, and what else sets it apart.
    pub label: String,
    /// What is launched.
    pub variant: Variant,
    /// Its work, where it is not the case's (a planted difference, say); it must prove the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<Work>,
    /// How its slots are sampled, where it is not as the settings say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<Sampling>,
    /// Its flows are this many times the CPUs, until [`Study::for_cpus`]; no run has any.
    #[serde(skip)]
    pub of_cpus: Option<u32>,
}

/// Which time of a repetition is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Create + steady + tear-down.
    #[default]
    Total,
    /// From the release to the last result.
    Steady,
    /// Create alone.
    Create,
    /// One turn: steady over the turns that were taken, for flows that take turns.
    Switch,
    /// One unit of work: steady over the units that were done.
    Unit,
    /// One request: steady over the requests that were answered.
    Request,
    /// The latency that 99 of 100 requests did not exceed.
    P99,
    /// The steady phase on a machine that is simulated, by its time model.
    Simulated,
}

impl Metric {
    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Total => "total",
            Self::Steady => "steady",
            Self::Create => "create",
            Self::Switch => "switch",
            Self::Unit => "time per unit",
            Self::Request => "time per request",
            Self::P99 => "p99 latency",
            Self::Simulated => "simulated time",
        }
    }
}

/// The published study that ours descends from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// Who.
    pub author: String,
    /// The title of the text.
    pub title: String,
    /// When.
    pub year: u32,
    /// Its headline in our words.
    pub finding: String,
    /// Its machines and software, as far as its text names them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setup: Option<String>,
    /// What it is about, in a word or two each: pages can be asked for one of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topics: Vec<String>,
    /// All that it found: `[[published]]` of a study file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<Published>,
}

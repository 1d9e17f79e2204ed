use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stats::{Estimate, Verdict};

use crate::data::Metric;
use crate::findings::{CaseResult, Finding, Results, StudyResult};

/// One machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Its name in the fleet.
    pub name: String,
    /// Version of flowgauge that ran there.
    pub version: String,
    /// What may set it apart.
    pub traits: Vec<(String, String)>,
    /// Whether its run ended by itself, in words.
    pub state: String,
    /// What the reader must know.
    pub warnings: Vec<String>,
    /// Its verdicts.
    pub findings: Vec<NodeFinding>,
}

/// A verdict of one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeFinding {
    #[serde(skip)]
    pub(super) study: Arc<str>,
    #[serde(skip)]
    pub(super) case: Arc<str>,
    #[serde(skip)]
    pub(super) subject: Arc<str>,
    #[serde(skip)]
    pub(super) reference: Arc<str>,
    #[serde(skip)]
    pub(super) metric: Metric,
    #[serde(skip)]
    pub(super) is_headline: bool,
    /// A digest: equal for equal work.
    #[serde(skip)]
    pub(super) work: u64,
    /// The ratio in its rounds.
    pub estimate: Option<Estimate>,
    /// The machine's own verdict.
    pub verdict: Verdict,
    /// Its floor.
    pub floor: f64,
    /// Its exact p-value.
    pub p_value: Option<f64>,
    /// Noise of a round, as a fraction.
    pub noise: Option<f64>,
}

/// The verdict of one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OnMachine {
    /// The machine by its place.
    pub machine: usize,
    /// Its estimate and verdict.
    pub finding: NodeFinding,
    /// Whether its difference stands when those of all machines are adjusted together.
    pub established: bool,
}

pub(super) type Key<'a> = (&'a str, &'a str, &'a str, &'a str);

impl Node {
    /// The machine of these runs, the best first, which counts for a study that several hold.
    #[must_use]
    pub fn of(name: &str, runs: &[Results]) -> Option<Self> {
        let header = &runs.first()?.header;
        let mut node = Self {
            name: name.to_owned(),
            version: header.version.clone(),
            traits: traits(&header.machine),
            state: state(runs),
            warnings: Vec::new(),
            findings: Vec::new(),
        };
        let mut studies: Vec<&str> = Vec::new();
        for run in runs {
            let new = run.studies.iter();
            let new = new.filter(|study| !studies.contains(&study.study.name.as_str()));
            let new: Vec<&StudyResult> = new.collect();
            node.findings
                .extend(new.iter().flat_map(|study| findings(study)));
            studies.extend(new.iter().map(|study| study.study.name.as_str()));
            if !new.is_empty() {
                node.warnings.extend(run.warnings.iter().cloned());
            }
        }
        Some(node)
    }
}

impl NodeFinding {
    pub(super) fn key(&self) -> Key<'_> {
        (&self.study, &self.case, &self.subject, &self.reference)
    }

    pub(super) fn p(&self) -> f64 {
        self.p_value.unwrap_or(1.0)
    }
}

fn traits(machine: &machine::Machine) -> Vec<(String, String)> {
    let traits = machine::traits(machine).into_iter();
    traits
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn state(runs: &[Results]) -> String {
    let cut = runs.iter().find_map(|run| run.interrupted);
    match (cut, runs.iter().all(|run| run.finished)) {
        (Some(signal), _) => format!("cut by signal {signal}"),
        (None, true) => "finished".to_owned(),
        (None, false) => "did not come to its end".to_owned(),
    }
}

fn findings(study: &StudyResult) -> Vec<NodeFinding> {
    let headline = study.headline_case().map(|case| case.case.name.as_str());
    let name: Arc<str> = study.study.name.as_str().into();
    let cases = study.cases.iter();
    cases
        .flat_map(|case| {
            let is_headline = headline == Some(case.case.name.as_str());
            let names = (name.clone(), case.case.name.as_str().into());
            let findings = case.findings.iter();
            findings.map(move |finding| of(names.clone(), case, finding, is_headline))
        })
        .collect()
}

fn of(
    (study, name): (Arc<str>, Arc<str>),
    case: &CaseResult,
    finding: &Finding,
    headline: bool,
) -> NodeFinding {
    NodeFinding {
        study,
        case: name,
        subject: finding.subject.as_str().into(),
        reference: finding.reference.as_str().into(),
        metric: finding.metric,
        is_headline: headline,
        work: work(case, finding),
        estimate: finding.estimate,
        verdict: finding.verdict,
        floor: finding.floor,
        p_value: finding.p_value,
        noise: case.noise.and_then(|noise| noise.pair),
    }
}

/// Of work, models and numbers of flows; placement follows from the machine.
fn work(case: &CaseResult, finding: &Finding) -> u64 {
    let side = |label: &str| {
        let variant = case.labelled(label);
        variant.map(|one| (one.variant.model, one.variant.flows, one.work.clone()))
    };
    let of = (
        &case.case.work,
        finding.metric,
        side(&finding.subject),
        side(&finding.reference),
    );
    let mut digest = DefaultHasher::new();
    serde_json::to_string(&of)
        .unwrap_or_default()
        .hash(&mut digest);
    digest.finish()
}

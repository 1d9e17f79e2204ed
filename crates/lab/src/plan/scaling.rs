//! Scaling: one piece of work by more and more flows, which depends on *where* N threads of one
//! process or N processes are (Inoue and Nakatani, 2010):
//! ```text
//!   SMT     ▣▣ ··  ··  ··     the hardware threads of one core, and then of the next
//!   cores   ▣· ▣·  ▣·  ▣·     one flow a core
//!   all     ▣▣ ▣▣  ▣▣  ▣▣     every hardware thread there is
//! ```
//! A case of work for any number of flows ([`workload::Scaled`]) is a template: it becomes a case
//! for each way and number of flows (1, 2, 4, ...), in which only the model differs. A way that the
//! machine does not have, or that comes to the same as another, is left out with its reason. Beyond
//! the CPUs flows take turns, and the results say so.

use flow::{Model, Placement, Variant};
use machine::Machine;

use crate::data::number::many;
use crate::data::{Case, LabelledVariant, Study, SweepPoint, Topology, along, base, labelled};

/// How a study is spread over a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spread {
    /// The ways, in order.
    pub along: Vec<Topology>,
    /// Numbers of flows; `None` for 1, 2, 4 and so on to what the machine has.
    pub flows: Option<Vec<u32>>,
    /// Whether mixes of processes and threads are run too.
    pub grid: bool,
}

impl Default for Spread {
    fn default() -> Self {
        Self {
            along: Topology::EVERY.to_vec(),
            flows: None,
            grid: false,
        }
    }
}

/// Fewer flows have no mixes.
const LEAST_GRID: u32 = 4;

impl Spread {
    /// The study with templates spread over ways and numbers of flows; what is left out, and why.
    #[must_use]
    pub fn over(&self, study: Study, machine: &Machine) -> (Study, Vec<String>) {
        if study.cases.iter().all(|case| !is_template(case)) {
            return (study, Vec::new());
        }
        let mut left_out = Vec::new();
        let mut ways = Vec::new();
        for &along in &self.along {
            let missing = along.missing(machine);
            let same = along.same_as(machine);
            let instead = same.filter(|way| !self.along.contains(way));
            ways.extend(missing.is_none().then_some(along).or(instead));
            left_out.extend(match instead {
                Some(way) => missing.map(|why| format!("{why}; run {}", way.spoken())),
                None => missing,
            });
        }
        let mut cases = Vec::new();
        for case in &study.cases {
            match is_template(case) {
                true => cases.extend(self.cases(case, &ways, machine, &mut left_out)),
                false => cases.push(case.clone()),
            }
        }
        let headline = headline(&cases).unwrap_or_else(|| study.headline.clone());
        let study = Study {
            cases,
            headline,
            ..study
        };
        (study, left_out)
    }

    fn cases(
        &self,
        template: &Case,
        ways: &[Topology],
        machine: &Machine,
        left_out: &mut Vec<String>,
    ) -> Vec<Case> {
        let mut cases = Vec::new();
        for &along in ways {
            for flows in self.numbers(template, along, machine) {
                let now = template.variants[0].variant.flows;
                let Some(work) = template.work.with_flows(now, flows) else {
                    left_out.push(format!(
                        "{}: {}: its flows come in pairs: use an even number",
                        template.name,
                        many(flows.into(), "flow")
                    ));
                    continue;
                };
                cases.push(Case {
                    work,
                    ..self.case(template, along, flows)
                });
            }
        }
        cases
    }

    fn numbers(&self, template: &Case, along: Topology, machine: &Machine) -> Vec<u32> {
        let least = template.work.scaled().map_or(1, |scaled| scaled.flows_each);
        let room = along.room(machine).max(least);
        let whole = |flows: u32| flows - flows % least;
        match (&self.flows, along) {
            (Some(flows), Topology::All) => vec![flows.iter().copied().max().unwrap_or(room)],
            (Some(flows), _) => flows.clone(),
            (None, Topology::All) => vec![whole(room)],
            (None, _) if self.grid => doubled(least, whole(room.max(LEAST_GRID))),
            (None, _) => doubled(least, whole(room)),
        }
    }

    fn case(&self, template: &Case, along: Topology, flows: u32) -> Case {
        let base = &template.name;
        let (name, sweep) = match along {
            Topology::All => (format!("{base}/{along}"), None),
            Topology::Smt | Topology::Cores => (
                format!("{base}/{along}/{flows}"),
                Some(SweepPoint {
                    sweep: format!("{base}/{along}"),
                    parameter: "flows".to_owned(),
                    value: flows.into(),
                    unit: "flows".to_owned(),
                }),
            ),
        };
        Case {
            name,
            title: format!("{}, {}", template.title, along.spoken()),
            sweep,
            variants: self.variants(template, along, flows),
            ..template.clone()
        }
    }

    /// The template's, with a grid's mixes after the first.
    fn variants(&self, template: &Case, along: Topology, flows: u32) -> Vec<LabelledVariant> {
        let own = template.variants.iter().map(|labelled| Variant {
            flows,
            placement: along.placement(),
            ..labelled.variant.clone()
        });
        let mut variants: Vec<Variant> = own.collect();
        if self.grid {
            let first = variants[0].clone();
            let mixed = mixes(flows).map(|model| Variant {
                model,
                ..first.clone()
            });
            variants.splice(1..1, mixed);
        }
        labelled(variants)
    }
}

/// Whether a case is for any number of flows. Not those of variants with their own work, or of
/// allocators under flows that may move.
#[must_use]
pub fn is_template(case: &Case) -> bool {
    let mut variants = case.variants.iter();
    let alike = variants.all(|LabelledVariant { variant, work, .. }| {
        work.is_none() && (variant.allocator.is_none() || variant.placement != Placement::Free)
    });
    case.work.scaled().is_some() && case.sweep.is_none() && !case.variants.is_empty() && alike
}

/// `least`, twice as many, and so on, and `most`.
#[must_use]
pub fn doubled(least: u32, most: u32) -> Vec<u32> {
    let doubling = std::iter::successors(Some(least), |flows| flows.checked_mul(2));
    let mut numbers: Vec<u32> = doubling.take_while(|flows| *flows < most).collect();
    numbers.push(most.max(least));
    numbers
}

fn mixes(flows: u32) -> impl Iterator<Item = Model> {
    let processes = (2..flows)
        .rev()
        .filter(move |processes| flows.is_multiple_of(*processes));
    processes.map(move |processes| Model::Mix {
        processes,
        threads: flows / processes,
    })
}

fn headline(cases: &[Case]) -> Option<String> {
    let first = base(cases.first()?);
    let own = || cases.iter().filter(|case| base(case) == first);
    let along_cores = own().rfind(|case| along(case) == Some(Topology::Cores));
    let case = along_cores.or(own().next_back())?;
    Some(case.name.clone())
}

#[cfg(test)]
mod tests;

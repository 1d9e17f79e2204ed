//! The source's figures beside simulated counts, also where ours were not run.

use lab::findings::simulated::{Count, SimulatedCase, conclusion};
use lab::{Ours, Published, StudyResult, Topology};

use crate::charts::gains::Gains;
use crate::charts::lines::{Point, Series};
use crate::document::figures::{Figure, of_gains};
use crate::document::then::year;

pub(super) struct Drawn {
    pub(super) word: &'static str,
    pub(super) counts: &'static [Count],
}

pub(super) fn published(
    study: &StudyResult,
    group: &[&SimulatedCase],
    drawn: &Drawn,
) -> Vec<Published> {
    let has = |count| drawn.counts.contains(&count);
    let is_of = |published: &Published| match &published.ours {
        Some(Ours::TlbMisses(of)) => {
            let one = group[0];
            has(Count::Dtlb) && of.workload == one.workload && Some(of.along) == one.along
        }
        Some(Ours::Pair(of)) => {
            let named = match of.quantity.as_str() {
                "cache-misses" => has(Count::Llc),
                "dtlb-misses" => has(Count::Dtlb),
                _ => false,
            };
            let mut cases = group.iter();
            named && cases.any(|one| one.case == of.case && one.subject == of.subject)
        }
        _ => false,
    };
    let all = study.study.published().into_iter();
    all.filter(is_of).collect()
}

pub(super) fn marks(study: &StudyResult, one: &Published) -> Option<(String, Vec<Point>)> {
    let points = one.points.iter().map(|&[x, y]| Point::alone(x, y));
    let label = format!("in {}: {}", year(study), one.theirs);
    (!one.points.is_empty()).then(|| (label, points.collect()))
}

pub(super) struct NotRun {
    workload: String,
    along: Topology,
    published: Published,
}

impl NotRun {
    pub(super) fn all(study: &StudyResult, room: u32) -> Vec<Self> {
        let published = study.study.published().into_iter();
        let not_run = published.filter_map(|published| match &published.ours {
            Some(Ours::TlbMisses(of)) => Some(Self {
                workload: of.workload.clone(),
                along: of.along,
                published: published.clone(),
            }),
            _ => None,
        });
        not_run.filter(|one| one.belongs(study, room)).collect()
    }

    fn belongs(&self, study: &StudyResult, room: u32) -> bool {
        let Self {
            workload, along, ..
        } = self;
        let (all, one_of) = (
            format!("{workload}/{along}"),
            format!("{workload}/{along}/"),
        );
        let mut cases = study.cases.iter().map(|one| &one.case.name);
        let was_to_run = cases.any(|name| *name == all || name.starts_with(&one_of));
        let mut done = study.parts.simulated.iter();
        let was_run = done.any(|one| one.workload == *workload && one.along == Some(*along));
        let mut points = self.published.points.iter();
        let has_room = points.any(|[flows, _]| *flows <= room.into());
        was_to_run && !was_run && has_room
    }

    /// `In 2010, wiki on all hardware threads: reduced by only 19 %; ours was not run`.
    pub(super) fn said(&self, study: &StudyResult) -> String {
        format!(
            "In {}, {} {}: DTLB misses of threads {}; ours was not run",
            year(study),
            self.workload,
            self.along.spoken(),
            self.published.theirs
        )
    }

    pub(super) fn remedy(&self) -> String {
        let Self {
            workload, along, ..
        } = self;
        format!("There was no time for it: add --workload {workload} --along {along}")
    }

    pub(super) fn figure(&self, id: &str, study: &StudyResult) -> Option<Figure> {
        let (label, points) = marks(study, &self.published)?;
        let series = vec![Series::new(0, label, points.into_iter())];
        let id = format!("{id}_{}_{}", self.workload, self.along);
        let desc = "The source's marks over the number of flows, threads over processes = 1.0.";
        Some(over_flows(&id, desc.to_owned(), self.said(study), series))
    }
}

pub(super) fn over_flows(id: &str, desc: String, title: String, series: Vec<Series>) -> Figure {
    Figure {
        desc,
        data: None,
        ..of_gains(id, title, Gains::over_flows(series))
    }
}

pub(super) struct Said {
    pub(super) sentence: Option<String>,
    pub(super) more: Vec<String>,
}

pub(super) fn said(study: &StudyResult, group: &[&SimulatedCase], drawn: &Drawn) -> Said {
    let ours = conclusion(group, drawn.counts);
    let (sentence, cause) = ours.map_or((None, None), |one| (Some(one.said), one.cause));
    let year = year(study);
    let theirs = published(study, group, drawn).into_iter();
    let theirs = theirs.map(|one| format!("Beside it, in {year}: {}: {}", one.finding, one.theirs));
    Said {
        sentence,
        more: cause.into_iter().chain(theirs).collect(),
    }
}

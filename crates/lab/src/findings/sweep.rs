//! What a sweep says as a whole: from which values on one kind of flow costs more than so much.

use super::crossover::{Crossing, Part, Point, Side, Span, crossing};
use super::winner::{self, Winners};
use super::{CaseResult, Finding};
use crate::data::SweepPoint;
use crate::data::gathered::distinct;
use crate::data::number::{DOTS, bytes, plain, ratio_interval};
use crate::data::words::{listed, plural};

const LEVELS: [(f64, &str); 3] = [(1.01, "1 %"), (1.10, "10 %"), (2.0, "2x")];

/// Of two variants; nothing where flows take turns or scale: making them is not the cost.
#[must_use]
pub fn crossovers(cases: &[&CaseResult], subject: &str, reference: &str) -> Vec<String> {
    let is_of_making = |case: &&CaseResult| {
        let work = &case.case.work;
        !work.is_even() && work.scaled().is_none()
    };
    let cases: Vec<&CaseResult> = cases.iter().copied().filter(is_of_making).collect();
    let pair = Pair::of(&cases, (subject, reference));
    pair.map_or_else(Vec::new, |pair| pair.sentences())
}

pub(crate) fn all_crossovers(cases: &[&CaseResult]) -> Vec<String> {
    let points = cases.iter().filter_map(|case| case.case.sweep.as_ref());
    let sweeps = distinct(points.map(|point| point.sweep.as_str()));
    let said = sweeps.into_iter();
    said.flat_map(|sweep| sweep_crossovers(cases, sweep))
        .collect()
}

fn sweep_crossovers(cases: &[&CaseResult], sweep: &str) -> Vec<String> {
    let own = cases.iter().copied().filter(|case| case.is_of_sweep(sweep));
    let mut cases: Vec<&CaseResult> = own.collect();
    let at = |case: &CaseResult| case.case.sweep.as_ref().map_or(0.0, |point| point.value);
    cases.sort_by(|a, b| at(a).total_cmp(&at(b)));
    let findings = cases.iter().flat_map(|case| &case.findings);
    let pairs = distinct(findings.map(|one| (one.subject.as_str(), one.reference.as_str())));
    let pairs = pairs.into_iter().filter_map(|pair| Pair::of(&cases, pair));
    let sentences = pairs.flat_map(|pair| pair.sentences());
    sentences.map(|said| format!("{sweep}: {said}")).collect()
}

struct Pair<'a> {
    point: &'a SweepPoint,
    /// Each flow adds work: the sweep is not over the cost of flows.
    of_workers: bool,
    subject: &'a str,
    reference: &'a str,
    findings: Vec<(f64, &'a Finding)>,
}

impl<'a> Pair<'a> {
    fn of(cases: &[&'a CaseResult], (subject, reference): (&'a str, &'a str)) -> Option<Self> {
        let found = |case: &&'a CaseResult| {
            let finding = case.finding(subject, reference)?;
            finding.estimate?.interval()?;
            Some((case.case.sweep.as_ref()?.value, finding))
        };
        let findings: Vec<(f64, &Finding)> = cases.iter().filter_map(found).collect();
        let first = cases.first()?;
        (findings.len() > 1).then_some(Self {
            point: first.case.sweep.as_ref()?,
            of_workers: first.case.work.worker_kind().is_some(),
            subject,
            reference,
            findings,
        })
    }

    fn sentences(&self) -> Vec<String> {
        let winners = Winners::along(&self.findings);
        let said =
            (self.of_workers || winners.change()).then(|| winners.sentence(&self.point.unit));
        let levels = match self.of_workers {
            true => None,
            false => self.levels(),
        };
        levels.into_iter().chain(said).collect()
    }

    fn levels(&self) -> Option<String> {
        let subject_dearer = self.subject_dearer()?;
        let points = self.findings.iter();
        let points = points.filter_map(|(at, finding)| Point::of(*at, finding.estimate.as_ref()?));
        let points: Vec<Point> = points.collect();
        let (points, dearer, other) = match subject_dearer {
            true => (points, self.subject, self.reference),
            false => (
                points.iter().map(Point::inverse).collect(),
                self.reference,
                self.subject,
            ),
        };
        let levels = LEVELS
            .iter()
            .filter_map(|(level, name)| Some((*name, crossing(&points, *level)?)));
        let mut levels: Vec<(&str, Crossing)> = levels.collect();
        let count = |wanted: Crossing| levels.iter().filter(|(_, at)| *at == wanted).count();
        let (above, below) = (count(Crossing::Everywhere), count(Crossing::Nowhere));
        levels.truncate(levels.len() - below.saturating_sub(1));
        levels.drain(..above.saturating_sub(1));
        let levels = levels.iter();
        let levels =
            levels.map(|(name, crossing)| self.level_words(name, crossing, !subject_dearer));
        Some(format!(
            "{} instead of {} cost {}",
            plural(dearer),
            plural(other),
            levels.collect::<Vec<_>>().join(", ")
        ))
    }

    /// Decided by the first decided point, else by the estimate farthest from 1.
    fn subject_dearer(&self) -> Option<bool> {
        let mut winners = self.findings.iter();
        let told = winners.find_map(|(_, finding)| winner::of(finding));
        let ratios = self
            .findings
            .iter()
            .filter_map(|(_, f)| Some(f.estimate?.ratio));
        let farthest = ratios.max_by(|a, b| a.ln().abs().total_cmp(&b.ln().abs()))?;
        Some(told.map_or(farthest > 1.0, |winner| winner != self.subject))
    }

    /// "more than 10 % below about 110,000 numbers [90,000 ... 160,000]".
    fn level_words(&self, level: &str, crossing: &Crossing, inverse: bool) -> String {
        let unit = &self.point.unit;
        let ends = [self.findings.first(), self.findings.last()];
        let [from, to] = ends.map(|end| plain(end.map_or(0.0, |(at, _)| *at)));
        let seen = |point| self.seen(point, inverse);
        match crossing {
            Crossing::Everywhere => {
                format!("more than {level} everywhere from {from} to {to} {unit}")
            }
            Crossing::Nowhere => format!("more than {level} nowhere from {from} to {to} {unit}"),
            Crossing::Below(span) => format!("more than {level} below about {}", about(span, unit)),
            Crossing::Above(span) => format!("more than {level} above about {}", about(span, unit)),
            Crossing::UpTo(side, most, last) => format!(
                "{} than {level} up to {} {unit} (unclear above that: {})",
                side_words(*side),
                plain(*most),
                seen(last)
            ),
            Crossing::From(side, least, first) => format!(
                "{} than {level} from {} {unit} on (unclear below that: {})",
                side_words(*side),
                plain(*least),
                seen(first)
            ),
            Crossing::Parts(parts) => parts_words(level, parts, unit),
            Crossing::Unclear(last) => {
                format!("more or less than {level}: unclear ({})", seen(last))
            }
        }
    }

    /// "threads 2.0 % faster … 2.0 % slower at 5": the subject against the reference, as in tables.
    fn seen(&self, point: &Point, inverse: bool) -> String {
        let point = match inverse {
            true => point.inverse(),
            false => *point,
        };
        let interval = ratio_interval(point.low, point.high);
        let at = plain(point.at);
        format!("{} {interval} at {at}", plural(self.subject))
    }
}

/// "110,000 numbers [90,000 … 160,000]"; bytes are said as bytes.
fn said_in(unit: &str) -> (fn(f64) -> String, &str) {
    match unit.strip_prefix("bytes") {
        Some(of) => (bytes, of.trim_start()),
        None => (plain, unit),
    }
}

pub(super) fn value(at: f64, unit: &str) -> String {
    said_in(unit).0(at)
}

pub(super) fn about(span: &Span, unit: &str) -> String {
    let (say, unit) = said_in(unit);
    format!(
        "{} {unit} [{}{DOTS}{}]",
        say(rounded(span.at, f64::round)),
        say(rounded(span.low, f64::floor)),
        say(rounded(span.high, f64::ceil))
    )
}

fn side_words(side: Side) -> &'static str {
    match side {
        Side::More => "more",
        Side::Less => "less",
        Side::Unclear => "more or less",
    }
}

fn range(part: &Part) -> String {
    match part.from == part.to {
        true => plain(part.from),
        false => format!("{} to {}", plain(part.from), plain(part.to)),
    }
}

/// "more than 10 % at 2 and less at 3 to 5 workers (unclear at 8)".
fn parts_words(level: &str, parts: &[Part], unit: &str) -> String {
    let of_side = |side| {
        let own = parts.iter().filter(move |part| part.side == side);
        listed(&own.map(range).collect::<Vec<_>>())
    };
    let [more, less, unclear] = [Side::More, Side::Less, Side::Unclear].map(of_side);
    let told = match (more.is_empty(), less.is_empty()) {
        (false, false) => format!("more than {level} at {more} {unit} and less at {less}"),
        (true, _) => format!("less than {level} at {less} {unit}"),
        (false, true) => format!("more than {level} at {more} {unit}"),
    };
    match unclear.is_empty() {
        true => told,
        false => format!("{told} (unclear at {unclear})"),
    }
}

/// Two significant digits: interpolation knows no more.
fn rounded(value: f64, round: fn(f64) -> f64) -> f64 {
    if value <= 0.0 {
        return value;
    }
    let scale = 10f64.powf(value.log10().floor() - 1.0);
    // Rounded to a billionth first: stored values may be a hair less.
    round((value / scale * 1e9).round() / 1e9) * scale
}

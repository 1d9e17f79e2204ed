//! The rows of runs over time, in the order in which runs began: what each says of one question (a
//! row of the first run, found by study, case and two sides), and where that changes. Each run
//! gives one ratio; a change of level is sought among them ([`stats::change_point`]), at 5 % for
//! all rows together. Runs of several machines are no series.

use stats::{FEWEST_FOR_CHANGE, Verdict, change_point};

use super::model::{Named, Series, SeriesChange, SeriesPoint};
use crate::data::number::DOTS;
use crate::data::words::plural;
use crate::findings::answers::Rounds;
use crate::findings::{Answer, compared};

pub(super) fn series(runs: &[Named<'_>]) -> Vec<Series> {
    let Some(first) = runs.first() else {
        return Vec::new();
    };
    let machine = |run: &Named<'_>| {
        let machine = &run.results.header.machine;
        (
            machine.host.to_string(),
            machine.processor.model.to_string(),
        )
    };
    let is_one_machine = runs.iter().all(|run| machine(run) == machine(first));
    let rows = first.results.answers();
    let rows = rows.iter().filter(|row| row.times().is_some());
    let all: Vec<Series> = rows.filter_map(|row| of(runs, row)).collect();
    let count = all.len().max(1);
    let judged = all.into_iter().map(|one| match is_one_machine {
        true => one.judged(runs, 0.05 / count as f64),
        false => one.told("runs of several machines are no series of one"),
    });
    judged.collect()
}

fn of(runs: &[Named<'_>], row: &Answer) -> Option<Series> {
    let (subject, reference) = (row.subject.clone()?, row.reference.clone()?);
    let mut order: Vec<usize> = (0..runs.len()).collect();
    order.sort_by_key(|run| runs[*run].results.header.began_unix_s);
    let points = order.into_iter().filter_map(|run| {
        let mut own = row.clone();
        let results = runs[run].results;
        own.place = results
            .studies
            .iter()
            .position(|study| study.study.name == row.study)?;
        let Rounds { paired, alpha } = results.rounds_behind(&own)?;
        let sides: (Vec<f64>, Vec<f64>) = paired.iter().map(|(_, r, s)| (*r, *s)).unzip();
        let estimate = stats::estimate(&sides.0, &sides.1, alpha).ok()?;
        Some(SeriesPoint {
            run,
            ratio: estimate.ratio,
            interval: estimate.interval(),
            rounds: paired,
        })
    });
    let points: Vec<SeriesPoint> = points.collect();
    (points.len() > 1).then(|| Series {
        label: row.label.clone(),
        study: row.study.clone(),
        case: row.case.clone(),
        subject,
        reference,
        floor: row.floor,
        points,
        change: None,
        sentence: String::new(),
    })
}

impl Series {
    fn judged(mut self, runs: &[Named<'_>], level: f64) -> Self {
        let ratios: Vec<f64> = self.points.iter().map(|point| point.ratio).collect();
        self.change = change_point(&ratios, level).map(|found| SeriesChange {
            at: found.at,
            between: found.between,
            estimate: found.estimate,
            p_value: found.p_value,
        });
        let count = self.points.len();
        let said = match &self.change {
            Some(change) => self.changed(runs, change),
            None if count < 3 => String::new(),
            None if count < FEWEST_FOR_CHANGE => {
                format!("a change is sought from {FEWEST_FOR_CHANGE} runs on; these are {count}")
            }
            None => format!("no change found in {count} runs"),
        };
        self.told(&said)
    }

    fn told(mut self, said: &str) -> Self {
        let ratios = self.points.iter().map(|point| point.ratio);
        let (low, high) = ratios.fold((f64::INFINITY, 0.0_f64), |(low, high), ratio| {
            (low.min(ratio), high.max(ratio))
        });
        let [low, high] = [low, high].map(|ratio| format!("{ratio:.2}x"));
        let span = match low == high {
            true => low,
            false => format!("{low}{DOTS}{high}"),
        };
        let said = match said.is_empty() {
            true => String::new(),
            false => format!(": {said}"),
        };
        self.sentence = format!(
            "{} take {span} the time of {}{said}",
            plural(&self.subject),
            plural(&self.reference)
        );
        self
    }

    /// `the level changed between a and b: 1.21x slower [1.10x … 1.33x] since then …`.
    fn changed(&self, runs: &[Named<'_>], change: &SeriesChange) -> String {
        let name = |point: usize| runs[self.points[point.min(self.points.len() - 1)].run].name;
        let verdict = match change.estimate.ratio > 1.0 {
            true => Verdict::Slower { at_least: 0.0 },
            false => Verdict::Faster { at_least: 0.0 },
        };
        let said = compared(Some(&change.estimate), &verdict).in_full();
        let (first, last) = change.between;
        format!(
            "the level changed between {} and {}: {said} since then, against before; the change lies after \
             {} and before {} (95 %)",
            name(change.at - 1),
            name(change.at),
            name(first - 1),
            name(last)
        )
    }
}

#[cfg(test)]
mod tests;

//! A ruler in text: a row each, with its mark on one logarithmic scale.

use super::page::Page;
use crate::charts::ruler::{Step, span};
use crate::number::time;
use crate::text::{cut, width};
use crate::words::Tone;

const NAME: usize = 44;
/// Columns of the scale at the least: narrower ones have no place for a mark.
const LEAST: usize = 20;
const YEAR: usize = 5;

pub(super) fn ruler(page: &mut Page<'_>, steps: &[Step]) {
    let widest = steps.iter().map(|step| width(&step.label)).max();
    let name = widest.unwrap_or(0).min(NAME);
    let room = page.prose().saturating_sub(2 + name + 2);
    let scale = Scale::of(steps, room.max(LEAST));
    page.blank();
    for step in steps {
        let label = cut(&step.label, name).into_owned();
        let space = " ".repeat(name + 2 - width(&label));
        let marks = page.shown(&scale.row(step)).into_owned();
        page.line(2, &[(Tone::Plain, label + &space), (Tone::Plain, marks)]);
    }
    let axis = " ".repeat(name + 2) + &scale.axis();
    page.line(2, &[(Tone::Quiet, axis)]);
    let sources = steps.iter().any(|step| !step.sources.is_empty());
    let line = match sources {
        true => "● this machine, with its interval; ◆ what a source of that year gave; logarithmic",
        false => "● this machine, with its interval; logarithmic",
    };
    page.text(2, Tone::Quiet, line);
}

struct Scale {
    low: f64,
    high: f64,
    columns: usize,
}

impl Scale {
    fn of(steps: &[Step], columns: usize) -> Self {
        let (low, high) = span(steps);
        let (low, high) = (low.log10().floor(), high.log10().ceil());
        Self {
            low,
            high: high.max(low + 1.0),
            columns,
        }
    }

    fn at(&self, ns: f64) -> usize {
        let last = self.columns.saturating_sub(YEAR + 2);
        let share = (ns.max(f64::MIN_POSITIVE).log10() - self.low) / (self.high - self.low);
        (share.clamp(0.0, 1.0) * last as f64).round() as usize
    }

    fn row(&self, step: &Step) -> String {
        let mut row = vec![' '; self.columns];
        if let Some((low, high)) = step.interval {
            row[self.at(low)..=self.at(high)].fill('─');
        }
        let own = self.at(step.ns);
        row[own] = '●';
        for (year, ns) in &step.sources {
            let place = self.at(*ns);
            let first = match (place..place + YEAR).contains(&own) {
                true => own + 1,
                false => place + 1,
            };
            if place != own {
                row[place] = '◆';
            }
            for (cell, digit) in row[first..].iter_mut().zip(year.to_string().chars()) {
                *cell = digit;
            }
        }
        row.into_iter().collect()
    }

    fn axis(&self) -> String {
        let mut row = String::new();
        for decade in self.low as i32..=self.high as i32 {
            let ns = 10f64.powi(decade);
            let (place, taken) = (self.at(ns), width(&row));
            if taken == 0 || place > taken {
                row.push_str(&" ".repeat(place - taken.min(place)));
                row.push_str(&time(ns));
            }
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(ns: f64, interval: Option<(f64, f64)>, sources: &[(u32, f64)]) -> Step {
        Step {
            label: "a step".to_owned(),
            ns,
            interval,
            sources: sources.to_vec(),
        }
    }

    #[test]
    fn marks_stand_where_their_times_are() {
        let steps = [
            step(1.0, None, &[]),
            step(1_000.0, Some((100.0, 10_000.0)), &[(1996, 100_000.0)]),
        ];
        let scale = Scale::of(&steps, 57);
        assert_eq!(scale.row(&steps[0]).trim_end(), "●");
        let row = scale.row(&steps[1]);
        assert_eq!(row.trim(), "──────────●──────────         ◆1996");
        assert_eq!(row.chars().position(|c| c == '●'), Some(scale.at(1_000.0)));
        assert!(
            scale.axis().starts_with("1.00 ns   10.0 ns"),
            "{}",
            scale.axis()
        );
    }
}

//! Which of two variants is the faster along a sweep. Neighbouring values with the same winner (a
//! verdict of *faster* or *slower*) are a stretch; the winner changes between two of them.

use stats::Verdict;

use super::Finding;
use crate::data::number::plain;
use crate::data::words::{listed, plural};

pub(super) fn of(finding: &Finding) -> Option<&str> {
    match finding.verdict {
        Verdict::Faster { .. } => Some(&finding.subject),
        Verdict::Slower { .. } => Some(&finding.reference),
        Verdict::Same { .. } | Verdict::CannotTell { .. } => None,
    }
}

struct Stretch<'a> {
    winner: &'a str,
    from: f64,
    to: f64,
    said: Vec<String>,
}

pub(super) struct Winners<'a> {
    stretches: Vec<Stretch<'a>>,
    open: Vec<String>,
    ends: [f64; 2],
}

impl<'a> Winners<'a> {
    pub(super) fn along(findings: &[(f64, &'a Finding)]) -> Self {
        let ends = [findings.first(), findings.last()];
        let mut winners = Self {
            stretches: Vec::new(),
            open: Vec::new(),
            ends: ends.map(|end| end.map_or(0.0, |(at, _)| *at)),
        };
        for &(at, finding) in findings {
            match of(finding) {
                Some(winner) => winners.won(at, winner),
                None => winners.open.push(plain(at)),
            }
        }
        winners
    }

    fn won(&mut self, at: f64, winner: &'a str) {
        let said = plain(at);
        match self.stretches.last_mut() {
            Some(last) if last.winner == winner => {
                last.to = at;
                last.said.push(said);
            }
            _ => self.stretches.push(Stretch {
                winner,
                from: at,
                to: at,
                said: vec![said],
            }),
        }
    }

    pub(super) fn change(&self) -> bool {
        self.stretches.len() > 1
    }

    /// "crossover between 3 and 5 workers: threads are faster at 2 and 3, processes at 5; …".
    pub(super) fn sentence(&self, unit: &str) -> String {
        let [from, to] = self.ends.map(plain);
        let gap = |two: &[Stretch<'_>]| {
            let [before, after] = [two[0].to, two[1].from].map(plain);
            format!("between {before} and {after}")
        };
        let gaps: Vec<String> = self.stretches.windows(2).map(gap).collect();
        let head = match gaps.len() {
            0 => format!("no crossover from {from} to {to} {unit}"),
            1 => format!("crossover {} {unit}", gaps[0]),
            _ => format!("crossovers {} {unit}", listed(&gaps)),
        };
        format!("{head}: {}{}", self.faster(), self.undecided())
    }

    fn faster(&self) -> String {
        let each = self.stretches.iter().enumerate().map(|(place, stretch)| {
            let are = if place == 0 { " are faster" } else { "" };
            format!(
                "{}{are} at {}",
                plural(stretch.winner),
                listed(&stretch.said)
            )
        });
        each.collect::<Vec<_>>().join(", ")
    }

    fn undecided(&self) -> String {
        match (self.open.is_empty(), self.stretches.is_empty()) {
            (true, _) => String::new(),
            (false, true) => "not known at any of these numbers".to_owned(),
            (false, false) => format!("; not known at {}", listed(&self.open)),
        }
    }
}

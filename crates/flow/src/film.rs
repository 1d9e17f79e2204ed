//! What the flows of one recorded slot, no data point, did and waited for. Between two moments of
//! the scheduler ([`measure::scheduling`]) a task is in one [`State`]: sums are exact. The picture
//! cuts the repetition into [`CELLS`] equal cells, each with the state that fills most of it: a
//! lane is a short text (`r12l3`: twelve cells at work, three at a lock).

use std::collections::{BTreeMap, BTreeSet};

use measure::scheduling::{Change, Moment};
use measure::waits::State;
use serde::{Deserialize, Serialize};

use crate::Rep;
use crate::record::is_default;

/// Cells of a repetition.
pub const CELLS: usize = 400;

const LANES: usize = 9;

/// A repetition, lane by lane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Film {
    /// Begin of *create*, *steady* and *tear-down* and the end, in ns from the first.
    pub marks: [u64; 4],
    /// The parent's, then those of flows.
    pub lanes: Vec<Lane>,
    /// Tasks that have no lane.
    pub more: usize,
    /// Records that were lost: the lanes have gaps then.
    #[serde(default, skip_serializing_if = "is_default")]
    pub lost: u64,
}

/// What one task did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    /// Which one.
    pub tid: i32,
    /// A letter and a number of cells for each state in turn; `-` where the task is not there.
    pub cells: String,
    /// Time in each state, in ns.
    pub ns: BTreeMap<State, u64>,
}

#[derive(Debug, Default)]
pub(crate) struct Heard {
    pub(crate) moments: Vec<Moment>,
    /// By task and the time when it began to wait.
    pub(crate) causes: BTreeMap<(i32, u64), State>,
    pub(crate) lost: u64,
}

type Span = (u64, u64, State);

impl Film {
    pub(crate) fn of(mut heard: Heard, rep: &Rep) -> Option<Self> {
        let [create, steady, tear_down] = **rep.marks.as_ref()?;
        let end = tear_down + rep.teardown_ns;
        heard.moments.sort_by_key(|moment| moment.at_ns);
        let there = heard.moments.iter().filter(|one| one.at_ns < end);
        let there: BTreeSet<i32> = there.map(|one| one.tid).collect();
        let made = heard.moments.iter();
        let made = made.filter(|one| one.change == Change::Made && one.at_ns >= create);
        let flows = rep.flows.iter().map(|flow| flow.tid);
        let mut seen = BTreeSet::new();
        let tids = [rep.parent.pid].into_iter().chain(flows);
        let tids = tids.chain(made.map(|one| one.tid));
        let tids: Vec<i32> = tids
            .filter(|tid| there.contains(tid) && seen.insert(*tid))
            .collect();
        let window = (create, end);
        let shown = tids.iter().take(LANES);
        let lanes: Vec<Lane> = shown
            .map(|tid| lane(*tid, &heard.spans(*tid, window), window))
            .collect();
        let more = tids.len() - lanes.len();
        Some(Self {
            marks: [0, steady - create, tear_down - create, end - create],
            lanes,
            more,
            lost: heard.lost,
        })
    }
}

impl Heard {
    fn spans(&self, tid: i32, (from, to): (u64, u64)) -> Vec<Span> {
        let own: Vec<&Moment> = self.moments.iter().filter(|one| one.tid == tid).collect();
        let states = own.iter().map(|one| match one.change {
            Change::Made | Change::Preempted => Some(State::Cpu),
            Change::On => Some(State::Runs),
            Change::Waits => {
                let seen = self.causes.get(&(tid, one.at_ns));
                Some(seen.copied().unwrap_or(State::Unseen))
            }
            Change::Ended => None,
        });
        let states: Vec<Option<State>> = states.collect();
        let ends = own.iter().skip(1).map(|one| one.at_ns).chain([to]);
        let all = own.iter().zip(ends).zip(&states);
        // Its last switch follows its end.
        let ended = states.iter().position(Option::is_none).unwrap_or(own.len());
        let within = all.take(ended).filter_map(|((one, end), state)| {
            let (begin, end) = (one.at_ns.max(from), end.min(to));
            (begin < end).then_some((begin, end, (*state)?))
        });
        let mut spans: Vec<Span> = within.collect();
        // Of one that was there before, its first moment says what it did until then.
        let first = own.first().filter(|one| one.at_ns > from && one.at_ns < to);
        let before = first.and_then(|one| match one.change {
            Change::Made => None,
            Change::On => Some((from, one.at_ns, State::Cpu)),
            _ => Some((from, one.at_ns, State::Runs)),
        });
        if let Some(before) = before {
            spans.insert(0, before);
        }
        spans
    }
}

fn lane(tid: i32, spans: &[Span], (from, to): (u64, u64)) -> Lane {
    let mut ns = BTreeMap::new();
    let width = (to - from).max(1) as f64 / CELLS as f64;
    let mut cells: Vec<BTreeMap<State, f64>> = vec![BTreeMap::new(); CELLS];
    for &(begin, end, state) in spans {
        *ns.entry(state).or_insert(0) += end - begin;
        let [begin, end] = [begin, end].map(|at| (at - from) as f64 / width);
        for (place, cell) in cells.iter_mut().enumerate().skip(begin as usize) {
            let (left, right) = (begin.max(place as f64), end.min(place as f64 + 1.0));
            if left >= right {
                break;
            }
            *cell.entry(state).or_insert(0.0) += right - left;
        }
    }
    let letters = cells.iter().map(most);
    Lane {
        tid,
        cells: shortened(letters),
        ns,
    }
}

fn most(cell: &BTreeMap<State, f64>) -> char {
    let filled: f64 = cell.values().sum();
    let most = cell.iter().max_by(|a, b| a.1.total_cmp(b.1));
    most.filter(|_| filled >= 0.5)
        .map_or('-', |(state, _)| state.letter())
}

fn shortened(letters: impl Iterator<Item = char>) -> String {
    let mut runs: Vec<(char, usize)> = Vec::new();
    for letter in letters {
        match runs.last_mut() {
            Some((last, count)) if *last == letter => *count += 1,
            _ => runs.push((letter, 1)),
        }
    }
    runs.iter()
        .map(|(letter, count)| format!("{letter}{count}"))
        .collect()
}

impl Lane {
    /// First cell, cells and letter of each state in turn, where the task is there.
    pub fn runs(&self) -> impl Iterator<Item = (usize, usize, char)> {
        let mut at = 0;
        let all = self.cells.char_indices();
        let letters = all.filter(|(_, letter)| !letter.is_ascii_digit());
        letters.filter_map(move |(place, letter)| {
            let digits = self.cells[place + letter.len_utf8()..].chars();
            let digits: String = digits.take_while(char::is_ascii_digit).collect();
            let count = digits.parse().unwrap_or(0);
            at += count;
            (letter != '-').then_some((at - count, count, letter))
        })
    }
}

#[cfg(test)]
mod tests;

//! The shared memory in which flows write down their pages, each in a part of at most [`RUNS`]
//! runs. It is mapped before the flows exist, and empty until memory has been read.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use sys::{Pages, Shared};

use super::Pieces;
use super::runs::Run;

pub(super) const RUNS: usize = 1 << 16;
const WORDS: usize = 3;
const PART: usize = 1 + RUNS * WORDS;
const TOO_MANY: u64 = u64::MAX;

/// Atomic words: a flow that dies half-way leaves wrong numbers, never undefined behaviour.
#[derive(Debug)]
pub(crate) struct Board(Shared<(), [AtomicU64; PART]>);

impl Board {
    pub(crate) fn new(flows: usize) -> io::Result<Self> {
        Shared::new(flows, Pages::WhenTouched).map(Self)
    }

    fn part(&self, flow: usize) -> &[AtomicU64] {
        &self.0.rows()[flow]
    }

    pub(crate) fn write(&self, flow: usize, pieces: Pieces) {
        self.write_runs(flow, &pieces.runs());
    }

    fn write_runs(&self, flow: usize, runs: &[(usize, Run)]) {
        let part = self.part(flow);
        if runs.len() > RUNS {
            part[0].store(TOO_MANY, Ordering::Release);
            return;
        }
        let (count, words) = (&part[0], &part[1..]);
        for ((whose, run), words) in runs.iter().zip(words.chunks_exact(WORDS)) {
            words[0].store(run.first, Ordering::Relaxed);
            words[1].store(run.end - run.first, Ordering::Relaxed);
            words[2].store(*whose as u64, Ordering::Relaxed);
        }
        count.store(runs.len() as u64, Ordering::Release);
    }

    pub(super) fn read(&self, flow: usize) -> Option<Vec<(usize, Run)>> {
        let part = self.part(flow);
        let count = part[0].load(Ordering::Acquire);
        let runs = part[1..].chunks_exact(WORDS).take(count as usize);
        let run = |words: &[AtomicU64]| {
            let word = |at: usize| words[at].load(Ordering::Relaxed);
            let (first, pages) = (word(0), word(1));
            let run = Run {
                first,
                end: first.saturating_add(pages),
            };
            (word(2) as usize, run)
        };
        (count != TOO_MANY).then(|| runs.map(run).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_what_was_written_and_too_many_runs_are_told_apart_from_none() {
        let board = Board::new(3).unwrap();
        let runs = [(1, Run { first: 7, end: 9 }), (2, Run { first: 1, end: 2 })];
        board.write_runs(1, &runs);
        assert_eq!(board.read(1).unwrap(), runs);
        assert_eq!(board.read(0).unwrap(), []);
        board.write_runs(2, &vec![runs[0]; RUNS]);
        assert_eq!(board.read(2).unwrap().len(), RUNS);
        board.write_runs(2, &vec![runs[0]; RUNS + 1]);
        assert_eq!(board.read(2), None);
    }
}

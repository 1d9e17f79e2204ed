use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use super::LargeFile;
use crate::query::Show;

#[derive(Debug)]
pub(crate) struct Progress {
    pub(super) file: Arc<LargeFile>,
    claimed: u64,
    last: Option<u64>,
    feeds: Feeds,
    delivered: u64,
    done: VecDeque<Option<Outcome>>,
    pub(super) parted: bool,
    pub(super) sum: Sum,
}

#[derive(Debug, Default)]
pub(crate) struct Sum {
    pub(super) found: u64,
    pub(super) remarked: bool,
    pub(super) nul_at: Option<u64>,
    /// A line after a NUL byte was found: its remark is not shown yet.
    pub(super) owes_remark: bool,
    pub(super) checksum: u64,
    pub(super) bytes: u64,
    pub(super) binary_at: Option<u64>,
    pub(super) error: Option<io::Error>,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Seen {
    pub(crate) found: u64,
    pub(crate) remarked: bool,
    /// The first NUL byte that stood for a line feed.
    pub(crate) nul_at: Option<u64>,
    pub(crate) first_end: u64,
    pub(crate) last_end: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(super) text: Vec<u8>,
    pub(super) seen: Seen,
    pub(super) checksum: u64,
    pub(super) end: u64,
    /// Had the search ended with the first line.
    pub(super) first_end: u64,
    pub(super) goes_on: GoesOn,
}

#[derive(Debug, Default)]
pub(crate) enum GoesOn {
    #[default]
    Yes,
    No,
    Binary(u64),
    Failed(io::Error),
}

impl Outcome {
    pub(super) fn failed(error: io::Error) -> Outcome {
        Outcome {
            goes_on: GoesOn::Failed(error),
            ..Outcome::default()
        }
    }

    pub(super) fn lost() -> Outcome {
        Outcome::failed(io::Error::other("a flow that searched it was lost"))
    }
}

impl Progress {
    pub(super) fn new(file: Arc<LargeFile>) -> Progress {
        Progress {
            file,
            claimed: 0,
            last: None,
            feeds: Feeds::default(),
            delivered: 0,
            done: VecDeque::new(),
            parted: false,
            sum: Sum::default(),
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.counts(self.claimed)
    }

    pub(super) fn claim(&mut self) -> u64 {
        self.claimed += 1;
        self.done.push_back(None);
        self.claimed - 1
    }

    pub(super) fn counts(&self, index: u64) -> bool {
        self.last.is_none_or(|last| index <= last)
    }

    pub(super) fn ends_at(&mut self, index: u64) {
        let last = self.last.map_or(index, |last| last.min(index));
        self.last = Some(last);
        let kept = (last + 1).saturating_sub(self.delivered);
        self.done
            .truncate(usize::try_from(kept).unwrap_or(usize::MAX));
    }

    pub(super) fn publish(&mut self, index: u64, feeds: u64) {
        self.feeds.publish(index, feeds);
    }

    pub(super) fn base(&self, index: u64) -> Option<u64> {
        self.feeds.before(index)
    }

    pub(super) fn ready(&self) -> usize {
        self.done.iter().flatten().count()
    }

    pub(super) fn is_next(&self, index: u64) -> bool {
        self.delivered == index
    }

    pub(super) fn is_binary(&self) -> bool {
        self.sum.nul_at.is_some()
    }

    pub(super) fn finish(&mut self, index: u64, outcome: Outcome) {
        if !matches!(outcome.goes_on, GoesOn::Yes) {
            self.ends_at(index);
        }
        if !self.counts(index) {
            return;
        }
        let place = index.checked_sub(self.delivered).map(usize::try_from);
        if let Some(Ok(place)) = place
            && let Some(done) = self.done.get_mut(place)
        {
            *done = Some(outcome);
        }
    }

    /// The next finished chunk's results, and whether it was the last.
    pub(super) fn deliver(&mut self, show: Show) -> Option<(Vec<u8>, bool)> {
        self.done.front()?.as_ref()?;
        let outcome = self.done.pop_front().flatten()?;
        let index = self.delivered;
        self.delivered += 1;
        self.feeds.forget(index);
        let (text, ended) = self.sum.add(outcome, show);
        if ended {
            self.ends_at(index);
            self.done.clear();
        }
        Some((text, ended))
    }
}

impl Sum {
    fn add(&mut self, outcome: Outcome, show: Show) -> (Vec<u8>, bool) {
        let seen = outcome.seen;
        if self.nul_at.is_some() && seen.found > 0 && show == Show::Lines {
            self.found += 1;
            self.owes_remark = true;
            self.bytes = outcome.first_end;
            return (Vec::new(), true);
        }
        self.found += seen.found;
        self.remarked |= seen.remarked;
        self.nul_at = self.nul_at.or(seen.nul_at);
        self.checksum = self.checksum.wrapping_add(outcome.checksum);
        self.bytes = self.bytes.max(outcome.end);
        let ended = match outcome.goes_on {
            GoesOn::Yes => false,
            GoesOn::No => true,
            GoesOn::Binary(at) => {
                self.binary_at = Some(at);
                true
            }
            GoesOn::Failed(error) => {
                self.error = Some(error);
                true
            }
        };
        (outcome.text, ended)
    }
}

#[derive(Debug, Default)]
struct Feeds {
    known: u64,
    sum: u64,
    /// Sums of the last chunks, which may still be asked for.
    sums: VecDeque<u64>,
    later: VecDeque<Option<u64>>,
}

impl Feeds {
    fn publish(&mut self, index: u64, feeds: u64) {
        let Some(Ok(place)) = index.checked_sub(self.known).map(usize::try_from) else {
            return;
        };
        if self.later.len() <= place {
            self.later.resize(place + 1, None);
        }
        self.later[place] = Some(feeds);
        while let Some(Some(feeds)) = self.later.front().copied() {
            self.later.pop_front();
            self.sums.push_back(self.sum);
            self.sum += feeds;
            self.known += 1;
        }
    }

    fn forget(&mut self, index: u64) {
        while self.known - self.sums.len() as u64 <= index && self.sums.pop_front().is_some() {}
    }

    fn before(&self, index: u64) -> Option<u64> {
        if index == self.known {
            return Some(self.sum);
        }
        let back = usize::try_from(self.known.checked_sub(index)?).ok()?;
        let place = self.sums.len().checked_sub(back)?;
        self.sums.get(place).copied()
    }
}

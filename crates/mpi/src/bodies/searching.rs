//! A tree of files that is searched folder by folder, by the code of `flowgauge search`. Each rank
//! lists the folders before the gate: a folder is a number for all of them, dealt out or taken as
//! units are. The proof is made of the lines that match, and of the number of files.

use flow::Proof;
use search::{Folders, Kind, Problem};
use workload::Searching;

use super::exchange::Exchange;
use super::units::HandOut;
use crate::team::Member;

pub(super) struct Search {
    folders: Folders,
    hand_out: HandOut,
}

impl Search {
    pub(super) fn new(work: &Searching, hand_out: HandOut) -> Result<Self, String> {
        let query = work.query().map_err(|error| error.0)?;
        let folders = Folders::of(&query, &mut |_| {}).map_err(|error| error.to_string())?;
        Ok(Self { folders, hand_out })
    }
}

impl Exchange for Search {
    type State = std::io::Sink;

    fn units(&self) -> u64 {
        self.folders.count()
    }

    fn state(&self, member: &Member<'_>) -> Self::State {
        self.hand_out.reset(member);
        std::io::sink()
    }

    fn run(&self, out: &mut Self::State, member: &Member<'_>) -> Proof {
        let mut lost = None;
        let mut hear = |problem: &Problem| {
            if problem.kind == Kind::Error && problem.path.is_none() {
                lost.get_or_insert_with(|| problem.to_string());
            }
        };
        let counts = self.folders.search(out, &mut hear, |search| {
            self.hand_out.each(self.units(), member, |folder| {
                member.compute(|| search.folder(folder));
            });
        });
        assert!(lost.is_none(), "the search failed: {lost:?}");
        Proof {
            count: counts.lines,
            checksum: counts.checksum.wrapping_add(spread(counts.files)),
        }
    }
}

/// One file less changes all bits. Sums of flows stay comparable.
fn spread(files: u64) -> u64 {
    files.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

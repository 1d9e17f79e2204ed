use std::ops::AddAssign;

use measure::usage::ProcessUsage;

use crate::plan::Model;

/// What came of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Which flows did it.
    pub chosen: Chosen,
    /// What was searched and found.
    pub counts: Counts,
    /// How many flows there were.
    pub flows: Flows,
    /// How long it took.
    pub times: Times,
    /// Where the time of the flows went, if the plan asked.
    pub profile: Option<Profile>,
    /// What all flows used, those that ended included.
    pub usage: ProcessUsage,
    /// Nobody wanted the rest of the output, so the search ended early.
    pub output_closed: bool,
    /// The words of [`Kind::Otherwise`](crate::Kind::Otherwise): something else was measured.
    pub otherwise: Option<String>,
}

/// The plan that was carried out, and why that one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// The model.
    pub model: Model,
    /// Workers of a pool, or the cap; 1 for `sequential`.
    pub workers: u32,
    /// Why, in a sentence; empty when the caller chose both.
    pub why: String,
}

/// What was searched and found: equal for all plans of one query on one unchanged tree.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Folders that were listed.
    pub folders: u64,
    /// Files that were opened and searched.
    pub files: u64,
    /// Files with a match.
    pub matched_files: u64,
    /// Lines that match (where only the first is looked for, one a file).
    pub lines: u64,
    /// Bytes of text that were looked at.
    pub bytes: u64,
    /// Paths that could not be searched, or not to their end.
    pub errors: u64,
    /// Sum of the hashes of all results, modulo 2^64; 0 unless the plan asks for proof.
    pub checksum: u64,
}

impl Counts {
    pub(crate) const WORDS: usize = 7;

    pub(crate) fn words(self) -> [u64; Self::WORDS] {
        [
            self.folders,
            self.files,
            self.matched_files,
            self.lines,
            self.bytes,
            self.errors,
            self.checksum,
        ]
    }

    pub(crate) fn of_words(words: [u64; Self::WORDS]) -> Counts {
        let [
            folders,
            files,
            matched_files,
            lines,
            bytes,
            errors,
            checksum,
        ] = words;
        Counts {
            folders,
            files,
            matched_files,
            lines,
            bytes,
            errors,
            checksum,
        }
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        let (own, more) = (self.words(), other.words());
        let sum = |place: usize| own[place].wrapping_add(more[place]);
        *self = Counts::of_words(std::array::from_fn(sum));
    }
}

/// How many flows there were; the caller's own counts only if it is alone.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Flows {
    /// Made in all.
    pub made: u64,
    /// Alive at one time, at most.
    pub most: u64,
    /// The cap (asked for, chosen, or where the kernel refused) that held flows back, if any.
    pub held_at: Option<u64>,
    /// The kernel refused another flow, with an answer that was reported.
    pub refused: bool,
}

/// How long it took, in nanoseconds of wall time. For a pool, `create` is from before its first
/// flow is made until all are, and `tear_down` from the end of the last flow's work until the last
/// is joined or reaped. For a flow a file or a folder, `create` is the sum of the calls that made
/// flows, within `total`. `steady` is the rest.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Times {
    /// Making flows.
    pub create_ns: u64,
    /// The work.
    pub steady_ns: u64,
    /// Ending flows.
    pub tear_down_ns: u64,
    /// All of it, choosing a plan included.
    pub total_ns: u64,
}

/// Classes of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Opening and listing folders, ignore rules.
    Walk,
    /// Opening and closing files.
    Open,
    /// Reading, mapping; faults are [`Class::Search`], opens and closes of `uring` [`Class::Open`].
    Read,
    /// Finding lines.
    Search,
    /// Writing them down and out.
    Print,
    /// Making other flows.
    Create,
    /// Waiting: for another flow to give work away, or at a cap for one to end.
    Wait,
}

impl Class {
    /// All of them, in the order of [`Profile::ns`].
    pub const ALL: [Class; 7] = [
        Class::Walk,
        Class::Open,
        Class::Read,
        Class::Search,
        Class::Print,
        Class::Create,
        Class::Wait,
    ];

    /// The names of all of them, in the same order.
    pub const NAMES: [&'static str; Class::ALL.len()] =
        ["walk", "open", "read", "search", "print", "create", "wait"];

    /// In one word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Class::NAMES[self as usize]
    }
}

/// Where time went: nanoseconds of wall time, summed over all flows.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Profile {
    /// By class, in the order of [`Class::ALL`].
    pub ns: [u64; Class::ALL.len()],
}

impl Profile {
    /// That of one class, in nanoseconds.
    #[must_use]
    pub fn of(&self, class: Class) -> u64 {
        self.ns[class as usize]
    }
}

impl AddAssign for Profile {
    fn add_assign(&mut self, other: Profile) {
        for (mine, more) in self.ns.iter_mut().zip(other.ns) {
            *mine += more;
        }
    }
}

//! Which shared resource makes the difference between processes and threads.
//!
//! # Theory
//!
//! Processes and threads differ in two things that can be had one by one:
//!
//! ```text
//!                          own file table          shared file table
//!   own address space      process           ──▶   process-shared-files
//!                             │                        │
//!                             ▼                        ▼
//!   shared address space   thread-private-files ─▶ thread
//! ```
//!
//! Times are compared as logs, in which the ways from corner to corner add up. What the
//! file table makes is the mean of the two ways across, and the address space has the rest.
//! It rests on the typical times of the four, which are said with it; it has no interval.

use flow::{Model, Variant};

use super::{Evidence, Reason, Sibling, Weight};
use crate::number::time;

/// A share that noise pushed so far over the edge is still nothing, or all.
const EDGE: f64 = 0.1;

/// The four corners, and what they make of the difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Factorial {
    /// The share of the difference that goes with the file table, 0 to 1.
    pub(super) files: f64,
    /// Typical times in ns: processes, sharing files, sharing all but files, threads.
    times: [f64; 4],
}

impl Factorial {
    /// The share that goes with the address space.
    pub(super) fn space(self) -> f64 {
        1.0 - self.files
    }
}

pub(super) fn rule(evidence: &Evidence<'_>) -> Option<Reason> {
    let factorial = of(evidence)?;
    let files = (100.0 * factorial.files).round();
    let [process, sharing, private, thread] = factorial.times.map(time);
    Some(Reason {
        weight: Weight::Cause(factorial.files.max(factorial.space())),
        text: format!(
            "{:.0} % goes with the address space and {files:.0} % with the file table (typical \
             times: processes {process}, sharing files {sharing}, sharing all but files \
             {private}, threads {thread})",
            100.0 - files,
        ),
    })
}

/// Of a finding on processes and threads, where the models between them were run the same
/// way.
pub(super) fn of(evidence: &Evidence<'_>) -> Option<Factorial> {
    if !evidence.differ() {
        return None;
    }
    let sides = [evidence.subject, evidence.reference].map(|side| &side.profile.variant);
    let of_model = |model| sides.into_iter().find(|side| side.model == model);
    let (process, thread) = (of_model(Model::Process)?, of_model(Model::Thread)?);
    let corner = |model| typical(evidence.siblings, model, process);
    let process = typical(evidence.siblings, Model::Process, process)?;
    let thread = typical(evidence.siblings, Model::Thread, thread)?;
    of_corners(
        process,
        corner(Model::ProcessSharedFiles)?,
        corner(Model::ThreadPrivateFiles)?,
        thread,
    )
}

fn of_corners(process: f64, sharing: f64, private: f64, thread: f64) -> Option<Factorial> {
    let across = (sharing / process).ln() + (thread / private).ln();
    let files = across / 2.0 / (thread / process).ln();
    (-EDGE..=1.0 + EDGE).contains(&files).then(|| Factorial {
        files: files.clamp(0.0, 1.0),
        times: [process, sharing, private, thread],
    })
}

/// The typical time of the variant that is `like` this one but for its model.
fn typical(siblings: &[Sibling<'_>], model: Model, like: &Variant) -> Option<f64> {
    let wanted = Variant {
        model,
        ..like.clone()
    };
    let found = siblings.iter().find(|sibling| *sibling.variant == wanted)?;
    (found.typical_ns > 0.0).then_some(found.typical_ns)
}

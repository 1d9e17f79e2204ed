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

use flow::Model;
use stats::Verdict;

use super::CaseResult;

/// The sentence for a case that ran all four models, if its processes and threads differ.
pub(crate) fn shared_resource(case: &CaseResult) -> Option<String> {
    let time = |model| Some(typical(case, model)?.ln());
    let process = time(Model::Process)?;
    let thread = time(Model::Thread)?;
    let across_processes = time(Model::ProcessSharedFiles)? - process;
    let across_threads = thread - time(Model::ThreadPrivateFiles)?;
    if !differ(case) {
        return None;
    }
    let files = (across_processes + across_threads) / 2.0 / (thread - process);
    // Noise may push a share of nothing, or of all, a little over the edge.
    if !(-0.1..=1.1).contains(&files) {
        return None;
    }
    let percent = (100.0 * files.clamp(0.0, 1.0)).round();
    Some(format!(
        "{}: of the difference between processes and threads {:.0} % goes with the address \
         space and {percent:.0} % with the file table",
        case.case.name,
        100.0 - percent
    ))
}

/// The typical time of the variant of a model.
fn typical(case: &CaseResult, model: Model) -> Option<f64> {
    Some(case.variants[place(case, model)?].value?.typical)
}

fn place(case: &CaseResult, model: Model) -> Option<usize> {
    let mut variants = case.case.variants.iter();
    variants.position(|labelled| labelled.variant.model == model)
}

/// Whether processes and threads were found to differ, one of them being the reference.
fn differ(case: &CaseResult) -> bool {
    let label = |model| Some(&case.case.variants[place(case, model)?].label);
    let (process, thread) = (label(Model::Process), label(Model::Thread));
    case.findings.iter().any(|finding| {
        let sides = [Some(&finding.subject), Some(&finding.reference)];
        let decided = matches!(
            finding.verdict,
            Verdict::Faster { .. } | Verdict::Slower { .. }
        );
        decided && sides.contains(&process) && sides.contains(&thread)
    })
}

use stats::Verdict;

use super::{Cause, Effect};
use crate::findings::{CaseResult, compared};

pub(in crate::findings) fn sentence(case: &CaseResult) -> Option<String> {
    let shared = case.shared?;
    let name = &case.case.name;
    let (space, files) = (
        effect("the address space", &shared.address_space),
        effect("the file table", &shared.file_table),
    );
    Some(match shared.cause {
        Cause::Neither => {
            format!("{name}: neither shared resource makes a difference: {space}, {files}")
        }
        Cause::CannotTell => format!(
            "{name}: cannot tell which shared resource makes a difference: {space}, {files}"
        ),
        cause => format!(
            "{name}: what makes the difference is the {}: {space}, {files}",
            cause.in_full()
        ),
    })
}

/// `with the address space shared: 2.05x slower [1.98x … 2.11x]`.
fn effect(what: &str, effect: &Effect) -> String {
    let said = compared(Some(&effect.estimate), &effect.verdict);
    let said = match effect.verdict {
        Verdict::Same { .. } => said.word,
        _ => said.in_full(),
    };
    format!("with {what} shared: {said}")
}

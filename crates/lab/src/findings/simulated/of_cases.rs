use simulate::Machine;

use super::{SimulatedCase, compared};
use crate::findings::CaseResult;

pub(in crate::findings) fn simulated(
    cases: &[CaseResult],
    machine: &Machine,
) -> Vec<SimulatedCase> {
    let of_case = |one: &CaseResult| {
        let subjects = 1..one.case.variants.len();
        let compared =
            subjects.filter_map(|subject| compared(&one.case, &one.slots, (0, subject), machine));
        compared.collect::<Vec<_>>()
    };
    cases.iter().flat_map(of_case).collect()
}

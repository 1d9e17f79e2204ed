//! Which resource that threads share makes the difference: the four models, and maps of operations.

use super::*;
use crate::findings::operation_matrix;
use crate::findings::testing::ends;

const FOUR: [&str; 4] = [
    "process",
    "process-shared-files",
    "thread-private-files",
    "thread",
];

/// Slots of the four models that take this many ms, in the order of [`FOUR`].
fn four_times(ms: [u64; 4]) -> impl Fn(&str, usize) -> u64 {
    move |model, n| {
        let place = FOUR.iter().position(|known| *known == model).unwrap_or(0);
        ms[place] * MS + n as u64 % 3
    }
}

#[test]
fn the_in_between_models_tell_which_shared_resource_it_is() {
    for (ms, said) in [
        (
            [40, 40, 20, 20],
            "in-between: what makes the difference is the shared address space (with the signal \
             handlers): with the address space shared: 2.00x faster [1.99x … 2.00x], with the file \
             table shared: same within 1 %",
        ),
        (
            [10, 15, 10, 15],
            "in-between: what makes the difference is the shared file table (with the working \
             folder): with the address space shared: same within 1 %, with the file table shared: 1.50x slower \
             [1.49x … 1.50x]",
        ),
        (
            [40, 36, 20, 18],
            "in-between: what makes the difference is the address space and file table: with the \
             address space shared: 2.00x faster [1.99x … 2.00x], with the file table shared: 1.11x \
             faster [1.11x … 1.12x]",
        ),
        (
            [10, 10, 10, 10],
            "in-between: neither shared resource makes a difference: with the address space \
             shared: same within 1 %, with the file table shared: same within 1 %",
        ),
    ] {
        let mock = Mock::timed(four_times(ms));
        let result = run_cases(vec![case("in-between", 1, &FOUR)], mock);
        assert_eq!(result.sentences.last().unwrap(), said);
        assert!(result.matrices().is_empty(), "one case is no map");
    }
}

#[test]
fn without_all_four_models_nothing_is_said_of_what_is_shared() {
    let mock = Mock::timed(four_times([40, 30, 20, 10]));
    let result = run_cases(vec![case("three", 1, &FOUR[..3])], mock);
    assert_eq!(result.cases[0].shared, None);
}

#[test]
fn many_cases_of_four_models_are_a_map_with_its_causes_in_words() {
    // The name of a case is not known to the mock; its units are.
    let mock = Mock::new(|units, model, n, spec| {
        let ms = match units {
            1 => [10, 10, 20, 20],
            2 => [10, 13, 10, 13],
            3 => [10, 10, 10, 10],
            _ => [10, 13, 10, 10],
        };
        done(spec, four_times(ms)(model, n), PROOF)
    });
    let cases = vec![
        case("mmap", 1, &FOUR),
        case("open", 2, &FOUR),
        case("getppid", 3, &FOUR),
        case("dup", 4, &FOUR),
    ];
    let result = run_cases(cases, mock);
    let matrices = result.matrices();
    assert_eq!(matrices.len(), 1);
    let rows: Vec<&str> = matrices[0]
        .cases
        .iter()
        .map(|case| crate::findings::OperationMatrix::row(case))
        .collect();
    assert_eq!(rows, ["mmap", "open", "getppid", "dup"]);
    let causes: Vec<_> = matrices[0]
        .cases
        .iter()
        .map(|case| case.shared.unwrap().cause)
        .collect();
    assert_eq!(
        causes,
        [
            crate::findings::Cause::AddressSpace,
            crate::findings::Cause::FileTable,
            crate::findings::Cause::Neither,
            crate::findings::Cause::Both
        ]
    );
    assert_eq!(
        result.sentences[result.sentences.len() - 3..],
        [
            "2 flows, free to use any CPU: of 4 operations threads are slower than processes in 2 \
             (mmap 2.00x, open 1.30x), faster in none, the same in 2, and not known in none",
            "2 flows, free to use any CPU: what makes the difference: the shared address space (with \
             the signal handlers) in 1 (mmap); the shared file table (with the working folder) in 1 \
             (open)",
            "2 flows, free to use any CPU: sharing has an effect also in 1 where threads against \
             processes is not known (dup)",
        ]
    );
    said_of_one_without_time(result.cases);
}

/// Operations for which there was no time were said to be such as cannot be distinguished.
fn said_of_one_without_time(mut cut: Vec<crate::findings::CaseResult>) {
    cut[2].ended = Some(crate::data::CaseEnd::Budget);
    cut[2].shared = None;
    for finding in &mut cut[2].findings {
        finding.estimate = None;
        finding.verdict = stats::Verdict::CannotTell { more_rounds: None };
    }
    let said = operation_matrix::matrices(&cut)[0].sentences();
    let expected = "the same in 1, and not known in none; 1 was not compared (out of time)";
    ends(&said[0], expected);
}

#[test]
fn maps_of_several_numbers_of_flows_tell_what_grows_with_them() {
    let operation = |flows: u32, name: &str| {
        let work = serde_json::json!({"kind": "operation", "operation": name, "flows": flows});
        let mut case = case(&format!("{name}/{flows}"), u64::from(flows), &FOUR);
        case.work = serde_json::from_value(work).expect("an operation");
        for labelled in &mut case.variants {
            labelled.variant.flows = flows;
        }
        let sweep = format!("flows/{name}");
        point(case, [&sweep, "flows", "flows"], f64::from(flows))
    };
    let mock = Mock::new(|flows, model, n, spec| {
        let Work::Operation(work) = &spec.work else {
            panic!("{:?}", spec.work)
        };
        let own = match (work.operation.as_str(), flows) {
            ("mmap", 1) => 10,
            ("mmap", _) => 10 * flows,
            _ => 12,
        };
        done(spec, four_times([10, 10, own, own])(model, n), PROOF)
    });
    let named = |flows| ["mmap", "dup", "brk"].map(|name| operation(flows, name));
    let cases: Vec<Case> = [1, 2, 4].into_iter().flat_map(named).collect();
    let result = run_cases(cases, mock);
    assert_eq!(result.matrices().len(), 3);
    assert_eq!(
        result.sentences.last().unwrap(),
        "free to use any CPU, from 1 to 4 flows: the time of threads over that of processes grows \
         in 1 of 3 operations (mmap from 1.00 to 4.00)"
    );
}

#[test]
fn a_map_is_silent_on_where_its_operations_cross() {
    let operation = |flows: u32| {
        let work = serde_json::json!({"kind": "operation", "operation": "mmap", "flows": flows});
        let mut case = case(&format!("mmap/{flows}"), u64::from(flows), &FOUR);
        case.work = serde_json::from_value(work).expect("an operation");
        point(case, ["flows"; 3], f64::from(flows))
    };
    let mock =
        Mock::new(|_, model, n, spec| done(spec, four_times([10, 13, 10, 13])(model, n), PROOF));
    let result = run_cases([1, 2, 4].map(operation).into(), mock);
    let crossing = |said: &&String| said.contains("instead of");
    assert_eq!(result.sentences.iter().find(crossing), None);
}

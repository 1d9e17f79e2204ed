use super::*;
use crate::findings::simulated::testing::case;
use crate::findings::testing::{ends, has};

fn shown(cases: &[SimulatedCase], counts: &[Count]) -> Conclusion {
    let group: Vec<&SimulatedCase> = cases.iter().collect();
    conclusion(&group, counts).unwrap()
}

#[test]
fn what_one_flow_alone_shows_is_not_from_sharing() {
    let cases = [
        case(1, Topology::Smt, &[(Count::Dtlb, 36.0, 100.0)]),
        case(4, Topology::Smt, &[(Count::Dtlb, 41.0, 100.0)]),
    ];
    let found = shown(&cases, &[Count::Dtlb, Count::Walks]);
    assert_eq!(
        found.said,
        "Simulated, warehouse along SMT: with 4 flows threads have 59 % fewer DTLB misses than \
         processes"
    );
    assert_eq!(
        found.cause.as_deref(),
        Some("With one flow, which shares nothing, it is 0.36x already: 100 % of the difference")
    );
}

#[test]
fn what_comes_with_sharing_a_core_is_said_with_longer_turns() {
    let mut cases = [
        case(1, Topology::Smt, &[(Count::Dtlb, 101.0, 100.0)]),
        case(4, Topology::Smt, &[(Count::Dtlb, 84.0, 100.0)]),
    ];
    cases[1].counts[0].longer_turns = Some(0.92);
    let cause = shown(&cases, &[Count::Dtlb]).cause;
    assert_eq!(
        cause.as_deref(),
        Some(
            "100 % of the difference comes from sharing a core: with one flow it is 1.01x; with \
             longer turns 0.92x"
        )
    );
}

#[test]
fn along_cores_the_pages_of_several_cores_stand_beside_it() {
    let pages = [
        (Count::PagesShared, 285.0, 0.0),
        (Count::PagesWritten, 252.0, 0.0),
    ];
    let counts = [&[(Count::Dtlb, 750.0, 100.0)], &pages[..]].concat();
    let cases = [
        case(1, Topology::Cores, &[(Count::Dtlb, 100.0, 100.0)]),
        case(4, Topology::Cores, &counts),
    ];
    let found = shown(&cases, &[Count::Dtlb]);
    has(&found.said, "7.50x the DTLB misses of processes");
    assert_eq!(
        found.cause.as_deref(),
        Some(
            "100 % of the difference comes from the other flows: with one flow it is 1.00x; several \
             cores use 285 pages against 0, and write 252 against 0"
        )
    );
}

#[test]
fn without_a_difference_or_without_one_flow_there_is_no_cause() {
    let alike = [
        case(1, Topology::Cores, &[(Count::L1d, 101.0, 100.0)]),
        case(2, Topology::Cores, &[(Count::L1d, 101.0, 100.0)]),
    ];
    let found = shown(&alike, &[Count::L1d]);
    ends(
        &found.said,
        "threads and processes have equal L1D misses (1.01x)",
    );
    assert_eq!(found.cause, None);
    let cases = [
        case(2, Topology::Cores, &[(Count::L1d, 50.0, 100.0)]),
        case(4, Topology::Cores, &[(Count::L1d, 50.0, 100.0)]),
    ];
    assert_eq!(shown(&cases, &[Count::L1d]).cause, None);
}

#[test]
fn the_count_that_differs_most_is_the_one_that_is_spoken_of() {
    let counts = [(Count::L1d, 99.0, 100.0), (Count::Llc, 130.0, 100.0)];
    let found = shown(
        &[case(2, Topology::Smt, &counts)],
        &[Count::L1d, Count::Llc],
    );
    ends(
        &found.said,
        "threads have 30 % more LLC misses than processes",
    );
    // Without a second TLB every miss is a walk.
    let counts = [(Count::Dtlb, 41.0, 100.0), (Count::Walks, 41.0, 100.0)];
    let cases = [case(2, Topology::Smt, &counts)];
    let found = shown(&cases, &[Count::Dtlb, Count::Walks]);
    has(&found.said, "fewer DTLB misses");
}

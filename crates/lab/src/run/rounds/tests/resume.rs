//! Runs that were interrupted and are taken up again.

use std::fs;

use super::*;

#[test]
fn an_interrupted_run_says_so_and_keeps_what_it_has() {
    let mut mock = Mock::timed(noise);
    mock.signal_after = Some(2 + 9);
    let ran = run_mock(one_case(), &mut mock);
    assert_eq!(ran.results.interrupted, Some(2));
    assert!(!ran.results.finished);
    assert_eq!(ran.case(0).slots.len(), 9);
    assert_eq!(ran.case(0).ended, None);
    assert_eq!(ran.heard.last().unwrap(), "end Some(2)");
}

#[test]
fn a_run_that_is_taken_up_again_is_the_run_that_was_never_cut() {
    let two = || sweep(&[1, 2], Some(8.0));
    let mut whole_mock = by_units();
    let whole = run_mock(two(), &mut whole_mock);
    let slots = |place: usize| whole.case(place).slots.len();
    assert!(slots(0) > 10 && slots(1) > 10, "{} {}", slots(0), slots(1));
    // A pilot that was cut is run again, so the one of the second case, which comes after the
    // pilot and all rounds of the first, is left whole.
    for cut in (2..4 + slots(0) + slots(1)).filter(|&cut| cut != 2 + slots(0) + 1) {
        let mut mock = by_units();
        mock.signal_after = Some(cut);
        let ran = run_mock(two(), &mut mock);
        assert_eq!(ran.results.interrupted, Some(2));
        mock.again();
        let resumed = resume(&ran.path(), &mut mock);
        assert_eq!(resumed, whole.results, "cut after {cut} slots");
        // The same slots in the same order.
        assert_eq!(mock.specs, whole_mock.specs, "{cut}");
    }
}

#[test]
fn a_torn_line_is_dropped_said_and_run_again() {
    let mut mock = Mock::timed(exact);
    mock.signal_after = Some(9);
    let ran = run_mock(one_case(), &mut mock);
    // As after a SIGKILL in the middle of a line: no end, and half a slot.
    let text = fs::read_to_string(ran.path()).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.pop();
    let torn = lines.pop().unwrap();
    fs::write(ran.path(), format!("{}\n{}", lines.join("\n"), &torn[..50])).unwrap();
    let results = Results::from_journal(&ran.path()).unwrap();
    results.warnings[0].says("cut off after 50 bytes");
    assert_eq!(results.studies[0].cases[0].slots.len(), 6);
    let results = resume(&ran.path(), &mut Mock::timed(exact));
    assert!(results.finished);
    let again = Results::from_journal(&ran.path()).unwrap().warnings;
    assert!(!again.iter().any(|one| one.contains("cut off")));
}

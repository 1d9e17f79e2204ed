//! Cases that ask which of their variants is best.

use super::*;
use crate::data::BestOf;
use crate::findings::Choice;

fn search() -> Header {
    let mut one = case("one", 1, &["1x8", "2x4", "4x2", "8x1"]);
    one.best_of = Some(BestOf::beside(Some(0)));
    of_case(one)
}

/// Two are clearly slower, and two are alike but for noise.
fn two_alike(model: &str, n: usize) -> u64 {
    match model {
        "1x8" => 40 * MS + n as u64,
        "8x1" => 30 * MS + n as u64,
        other => noise_of_round(other == "2x4", n),
    }
}

fn variants_of_round(ran: &Ran, round: usize) -> Vec<usize> {
    let slots = ran.case(0).slots.iter();
    let mut all: Vec<usize> = slots
        .filter(|slot| slot.round == round)
        .map(|slot| slot.variant)
        .collect();
    all.sort_unstable();
    all
}

#[test]
fn who_is_beaten_takes_no_part_any_more_and_the_rest_have_all_rounds() {
    let ran = run_mock(search(), &mut Mock::timed(two_alike));
    assert_eq!(variants_of_round(&ran, 9), [0, 1, 2, 3]);
    for round in [10, 20, 79] {
        assert_eq!(variants_of_round(&ran, round), [1, 2], "{round}");
    }
    assert_eq!(ran.case(0).rounds, 80);
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Rounds));
    let best = ran.case(0).optimum.as_ref().unwrap();
    assert_eq!((best.of, best.is_told), (Choice::Variants, true));
    let numbers = best.numbers.iter();
    let rounds = numbers.filter_map(|at| Some(at.estimate?.rounds));
    assert_eq!(rounds.sum::<usize>(), 10 + 80 + 10);
    assert_eq!(best.default.as_deref(), Some("1x8"));
}

#[test]
fn one_that_beats_all_ends_the_search_at_once() {
    let clear = |model: &str, n: usize| match model {
        "4x2" => 20 * MS + n as u64,
        _ => 40 * MS + n as u64,
    };
    let ran = run_mock(search(), &mut Mock::timed(clear));
    let best = ran.case(0).optimum.as_ref().unwrap();
    assert_eq!((best.label.as_str(), ran.case(0).rounds), ("4x2", 10));
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Decided));
}

#[test]
fn a_search_that_is_taken_up_again_is_the_one_that_was_never_cut() {
    let whole = run_mock(search(), &mut Mock::timed(two_alike));
    // In the pilot, within a round of four, and within a round of two.
    for cut in [2, 4 + 18, 4 + 40 + 7] {
        let mut mock = Mock::timed(two_alike);
        mock.signal_after = Some(cut);
        let ran = run_mock(search(), &mut mock);
        mock.again();
        let resumed = resume(&ran.path(), &mut mock);
        let slots = |results: &Results| -> Vec<(usize, usize)> {
            let slots = results.studies[0].cases[0].slots.iter();
            slots.map(|slot| (slot.round, slot.variant)).collect()
        };
        let (mut all, mut expected) = (slots(&resumed), slots(&whole.results));
        if cut > 30 {
            // Where the run was shown there may be one more look, which drops nobody here.
            all.truncate(44);
            expected.truncate(44);
        }
        assert_eq!(all, expected, "{cut}");
    }
}

/// One server of nine that did not start took all others with it.
#[test]
fn one_that_cannot_be_launched_is_left_out_and_the_others_go_on() {
    let mut mock = Mock::new(|_, model, n, spec| match model {
        "8x1" => crate::testing::lost(),
        other => done(spec, two_alike(other, n), PROOF),
    });
    let ran = run_mock(search(), &mut mock);
    assert_eq!(variants_of_round(&ran, 0), [0, 1, 2]);
    assert_eq!(variants_of_round(&ran, 20), [1, 2]);
    let lost = ran.case(0).variants.iter().filter(|one| one.lost.is_some());
    assert_eq!(lost.count(), 1);
    let best = ran.case(0).optimum.as_ref().unwrap();
    assert!(best.is_told && best.numbers.len() == 3, "{best:?}");
}

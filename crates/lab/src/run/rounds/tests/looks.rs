//! When a case ends: what looks decide.

use stats::Verdict;

use super::*;

#[test]
fn a_clear_difference_ends_a_case_at_the_first_look() {
    let ran = run_mock(one_case(), &mut steady(("process", 26 * MS)));
    assert_eq!((ran.rounds_heard(), ran.count("look 7")), (7, 1));
    let case = ran.case(0);
    assert_eq!((case.rounds, case.reps, case.warmups), (7, 5, 1));
    assert_eq!(case.ended, Some(CaseEnd::Decided));
    let finding = &case.findings[0];
    assert!(matches!(finding.verdict, Verdict::Faster { .. }));
    assert_eq!(
        finding.sentence,
        "threads 1.30x faster than processes [1.29x … 1.30x]"
    );
    assert_eq!(ran.results.studies[0].sentences[0], finding.sentence);
    assert!(ran.results.finished);
}

#[test]
fn equal_variants_are_the_same_and_noise_takes_all_looks() {
    let ran = run_mock(one_case(), &mut Mock::timed(|_, n| 20 * MS + n as u64 % 3));
    assert!(matches!(ran.case(0).findings[0].verdict, Verdict::Same { within } if within == 0.01));
    let ran = run_mock(one_case(), &mut Mock::timed(noise));
    for look in stats::LOOKS {
        assert_eq!(ran.count(&format!("look {look}")), 1, "{look}");
    }
    assert_eq!(ran.rounds_heard(), 80);
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Rounds));
    let finding = &ran.case(0).findings[0];
    let apart = "threads and processes at most 9 % apart ";
    finding.sentence.begins(apart);
    assert_eq!(finding.floor, 0.02, "a noisy machine has the wider floor");
    ran.results.warnings[0].begins("Noisy run: differences under ");
}

#[test]
fn several_noisy_studies_make_one_warning() {
    let one = study(vec![case("one", 1, &TWO)]);
    let mut other = study(vec![case("two", 1, &TWO)]);
    other.name = "other".to_owned();
    let ran = run_mock(header(vec![one, other]), &mut Mock::timed(noise));
    let [warning] = &ran.results.warnings[..] else {
        panic!("{:?}", ran.results.warnings);
    };
    let noisiest = [": mock, one)", ": other, two)"];
    assert!(
        noisiest.iter().any(|case| warning.contains(case)),
        "{warning}"
    );
    warning.begins("Noisy run: differences under ");
}

#[test]
fn a_case_asks_for_fewer_rounds_and_goes_on_until_its_last_comparison_is_settled() {
    let mut short = case("short", 1, &TWO);
    short.max_rounds = Some(12);
    let ran = run_mock(of_case(short), &mut Mock::timed(noise));
    assert_eq!((ran.rounds_heard(), ran.count("look 12")), (12, 1));

    let mut mock = Mock::timed(|model, n| match model {
        "thread" => 10 * MS,
        _ => noise_of_round(model == "process", n),
    });
    let ran = run_mock(of_case(case("three", 1, &THREE)), &mut mock);
    let findings = &ran.case(0).findings;
    let rounds = |at: usize| findings[at].estimate.unwrap().rounds;
    assert_eq!((rounds(0), rounds(1)), (9, 80), "one settled at its look");
    // A comparison of 10 rounds stood under "80 rounds", beside medians of all 80.
    assert_eq!(
        findings[0].early.as_deref(),
        Some("decided after 9 of 80 rounds; medians, phases and slow runs are of all 80")
    );
    assert_eq!(findings[1].early, None);
}

/// In much noise a found 2 % was printed as 3 to 14 %, as if it were measured as well as any.
#[test]
fn a_difference_that_few_rounds_found_in_noise_is_said_to_be_overstated() {
    let mut mock = Mock::timed(|model, n| match model {
        "thread" => 20 * MS + (n % 5) as u64 * MS / 5,
        _ => 20 * MS - (n % 7) as u64 * MS / 20,
    });
    let ran = run_mock(one_case(), &mut mock);
    let finding = &ran.case(0).findings[0];
    assert!(matches!(finding.verdict, Verdict::Slower { .. }));
    assert_eq!(finding.estimate.unwrap().rounds, 10);
    let said = finding.overstated.as_deref().unwrap_or_default();
    said.begins("decided after only 10 rounds: ");
    // As large a difference without the noise.
    let ran = run_mock(one_case(), &mut steady(("thread", 21 * MS)));
    assert_eq!(ran.case(0).findings[0].overstated, None);
}

#[test]
fn a_single_variant_is_only_measured() {
    let ran = run_mock(
        of_case(case("one", 1, &["thread"])),
        &mut Mock::timed(noise),
    );
    assert_eq!(ran.case(0).rounds, 7);
    assert!(ran.case(0).findings.is_empty());
}

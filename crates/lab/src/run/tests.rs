#[path = "search_tests.rs"]
mod search;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use flow::{Proof, SlotSpec};
use stats::Verdict;
use tempfile::{TempDir, tempdir};
use workload::Work;

use super::*;
use crate::testing::{
    Heard, MS, Mock, PROOF, case, done, hanging, header, lost, noise_of_round, study,
};
use crate::{Header, ResumeOverrides, Silent};

const TWO: [&str; 2] = ["process", "thread"];

fn one_case() -> Header {
    header(vec![study(vec![case("one", 1, &TWO)])])
}

struct Ran {
    results: Results,
    heard: Vec<String>,
    folder: TempDir,
}

impl Ran {
    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join(crate::journal::FILE_NAME)
    }

    fn case(&self, place: usize) -> &crate::CaseResult {
        &self.results.studies[0].cases[place]
    }

    fn rounds_heard(&self) -> usize {
        self.heard
            .iter()
            .filter(|line| line.starts_with("slot"))
            .count()
            / 2
    }

    fn count(&self, line: &str) -> usize {
        self.heard.iter().filter(|heard| *heard == line).count()
    }
}

fn run_mock(header: Header, mock: &mut Mock) -> Ran {
    let folder = tempdir().unwrap();
    let mut journal = Journal::create(folder.path(), header).unwrap();
    let mut heard = Heard::default();
    let clock = mock.clock();
    let results = run(&mut journal, mock, &clock, &mut heard).unwrap();
    assert_eq!(
        results,
        Results::from_journal(journal.path()).unwrap(),
        "made again"
    );
    Ran {
        results,
        heard: heard.0,
        folder,
    }
}

fn resume(path: &Path, mock: &mut Mock) -> Results {
    let mut journal = Journal::resume(path, ResumeOverrides::default()).unwrap();
    let clock = mock.clock();
    run(&mut journal, mock, &clock, &mut Silent).unwrap()
}

/// Processes take 20 ms, threads in every ten rounds as much less as more.
fn noise(model: &str, n: usize) -> u64 {
    noise_of_round(model == "thread", n)
}

#[test]
fn a_clear_difference_ends_a_case_at_the_first_look() {
    let mut mock =
        Mock::timed(|model, n| if model == "process" { 26 * MS } else { 20 * MS } + n as u64);
    let ran = run_mock(one_case(), &mut mock);
    assert_eq!((ran.rounds_heard(), ran.count("look 10")), (10, 1));
    let case = ran.case(0);
    assert_eq!((case.rounds, case.reps, case.warmups), (10, 5, 1));
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
fn equal_variants_are_the_same_and_noise_takes_all_four_looks() {
    let ran = run_mock(one_case(), &mut Mock::timed(|_, n| 20 * MS + n as u64 % 3));
    assert!(matches!(ran.case(0).findings[0].verdict, Verdict::Same { within } if within == 0.01));
    let ran = run_mock(one_case(), &mut Mock::timed(noise));
    for look in ["look 10", "look 20", "look 40", "look 80"] {
        assert_eq!(ran.count(look), 1, "{look}");
    }
    assert_eq!(ran.rounds_heard(), 80);
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Rounds));
    let finding = &ran.case(0).findings[0];
    assert!(
        finding.sentence.starts_with("too close to call: threads "),
        "{}",
        finding.sentence
    );
    assert_eq!(finding.floor, 0.02, "a noisy machine has the wider floor");
    assert!(ran.results.warnings[0].starts_with("Noisy run: differences under "));
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
    assert!(
        warning.starts_with("Noisy run: differences under "),
        "{warning}"
    );
}

#[test]
fn a_case_asks_for_fewer_rounds_and_goes_on_until_its_last_comparison_is_settled() {
    let mut short = case("short", 1, &TWO);
    short.max_rounds = Some(12);
    let ran = run_mock(header(vec![study(vec![short])]), &mut Mock::timed(noise));
    assert_eq!((ran.rounds_heard(), ran.count("look 12")), (12, 1));

    let three = case("three", 1, &["process", "thread", "process-shared-files"]);
    let mut mock = Mock::timed(|model, n| match model {
        "thread" => 10 * MS,
        _ => noise(
            if model == "process" {
                "thread"
            } else {
                "process"
            },
            n,
        ),
    });
    let ran = run_mock(header(vec![study(vec![three])]), &mut mock);
    let findings = &ran.case(0).findings;
    assert_eq!(
        findings[0].estimate.unwrap().rounds,
        10,
        "settled at its look"
    );
    assert_eq!(findings[1].estimate.unwrap().rounds, 80);
    // A comparison of 10 rounds stood under "80 rounds", beside medians of all 80.
    assert_eq!(
        findings[0].early.as_deref(),
        Some("decided after 10 of 80 rounds; medians, phases and slow runs are of all 80")
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
    assert!(
        said.starts_with("may be overstated: 10 rounds reliably find only "),
        "{said} {finding:?}"
    );
    // As large a difference without the noise.
    let mut mock = Mock::timed(|model, n| match model {
        "thread" => 21 * MS + n as u64,
        _ => 20 * MS,
    });
    let ran = run_mock(one_case(), &mut mock);
    assert_eq!(ran.case(0).findings[0].overstated, None);
}

#[test]
fn a_single_variant_is_only_measured() {
    let header = header(vec![study(vec![case("one", 1, &["thread"])])]);
    let ran = run_mock(header, &mut Mock::timed(noise));
    assert_eq!(ran.case(0).rounds, 10);
    assert!(ran.case(0).findings.is_empty());
}

#[test]
fn the_pilot_chooses_fewer_repetitions_of_longer_work() {
    for (ms, chosen) in [
        (20, "chosen 1+5"),
        (300, "chosen 1+5"),
        (500, "chosen 1+3"),
        (800, "chosen 0+1"),
        (9000, "chosen 0+1"),
    ] {
        let ran = run_mock(one_case(), &mut Mock::timed(move |_, _| ms * MS));
        assert_eq!(ran.count(chosen), 1, "{ms} ms");
    }
    let mut fixed = case("fixed", 1, &TWO);
    fixed.reps = Some(2);
    let mut mock = Mock::timed(|_, _| 2000 * MS);
    let ran = run_mock(header(vec![study(vec![fixed])]), &mut mock);
    assert_eq!(ran.count("chosen 0+2"), 1);
    assert_eq!(mock.specs[2].deadline_s, 80.0);
    assert_eq!(mock.specs[0].reps, 1, "the pilot itself");
}

#[test]
fn the_budget_keeps_the_first_looks_of_later_cases() {
    // A slot takes 6 x 20 ms, a round 240 ms: 10 rounds of both cases are 4.8 s.
    let cases = vec![case("a", 1, &TWO), case("b", 2, &TWO)];
    let mut header = header(vec![study(cases)]);
    header.settings.budget_s = Some(8.0);
    let ran = run_mock(header.clone(), &mut Mock::timed(noise));
    let rounds = |ran: &Ran| [ran.case(0).rounds, ran.case(1).rounds];
    let [a, b] = rounds(&ran);
    assert!(a > 10 && b >= 10, "{a} {b}");
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Budget));
    header.settings.budget_s = Some(5.0);
    assert_eq!(
        rounds(&run_mock(header.clone(), &mut Mock::timed(noise))),
        [10, 10]
    );
    // Where there is not enough for both, the first one gets its look.
    header.settings.budget_s = Some(3.0);
    assert_eq!(
        rounds(&run_mock(header.clone(), &mut Mock::timed(noise))),
        [10, 2]
    );
    // What the first case leaves continues to the second.
    header.settings.budget_s = Some(12.0);
    let mut mock = Mock::new(|units, model, n, spec| {
        let ns = if units == 1 { 20 * MS } else { noise(model, n) };
        done(spec, ns, PROOF)
    });
    let [a, b] = rounds(&run_mock(header.clone(), &mut mock));
    assert!(a == 10 && b > 30, "{a} {b}");
    // What the second one leaves goes back to the first.
    let mut mock = Mock::new(|units, model, n, spec| {
        let ns = if units == 2 { 20 * MS } else { noise(model, n) };
        done(spec, ns, PROOF)
    });
    let ran = run_mock(header.clone(), &mut mock);
    assert_eq!(rounds(&ran), [39, 10]);
    assert_eq!(ran.count("case a after 0"), 1, "it begins once");
    assert_eq!(ran.count("Budget"), 1, "it ends once");
    // Nothing is run without the time for it, and the answer says so.
    header.settings.budget_s = Some(0.01);
    let ran = run_mock(header, &mut Mock::timed(noise));
    assert_eq!(rounds(&ran), [0, 0]);
    assert!(ran.results.studies[0].sentences[0].contains("no round has"));
}

#[test]
fn a_failed_slot_takes_its_round_from_the_pair_only() {
    let mut mock = Mock::new(|_, model, n, spec| {
        if model == "process-shared-files" && n == 4 && spec.warmups > 0 {
            lost()
        } else {
            done(spec, 20 * MS + n as u64, PROOF)
        }
    });
    let three = case("three", 1, &["process", "thread", "process-shared-files"]);
    let ran = run_mock(header(vec![study(vec![three])]), &mut mock);
    let case = ran.case(0);
    assert_eq!(case.findings[0].estimate.unwrap().rounds, 10);
    assert_eq!(
        case.findings[1].estimate.unwrap().rounds,
        10,
        "of eleven rounds"
    );
    assert_eq!(case.rounds, 10);
    assert_eq!(case.variants[2].failures.len(), 1);
    assert_eq!(case.variants[2].good, 10);
}

#[test]
fn three_failures_in_a_row_end_a_case_and_isolation_is_remarked_upon() {
    let mut mock = Mock::new(|_, model, n, spec| match model {
        "thread" => lost(),
        _ => done(spec, 20 * MS + n as u64, PROOF),
    });
    let ran = run_mock(one_case(), &mut mock);
    let case = ran.case(0);
    assert_eq!(case.ended, Some(CaseEnd::Failures));
    assert_eq!(case.variants[1].failures[0].0, 3);
    assert_eq!(case.variants[1].value, None);
    let sentences = &ran.results.studies[0].sentences;
    assert!(
        sentences.contains(
            &"one: under threads the whole slot was lost with its 2 flows (SIGSEGV)".to_owned()
        ),
        "{sentences:?}"
    );
}

#[test]
fn different_work_is_never_a_data_point() {
    let mut mock = Mock::new(|_, model, n, spec| {
        let count = if model == "thread" { 8 } else { PROOF.count };
        done(spec, 20 * MS + n as u64, Proof { count, ..PROOF })
    });
    let ran = run_mock(one_case(), &mut mock);
    let case = ran.case(0);
    assert_eq!((case.ended, case.rounds), (Some(CaseEnd::Failures), 0));
    assert!(
        case.variants[1].failures[0]
            .1
            .starts_with("proved different work: expected 7 with checksum")
    );
    assert_eq!(case.findings[0].estimate, None);
    let journal = fs::read_to_string(ran.path()).unwrap();
    assert!(journal.contains("different_work"));
}

#[test]
fn known_work_is_checked_from_the_first_slot() {
    let mut primes = case("primes", 1, &TWO);
    primes.work = Work::Primes(workload::Primes {
        start: 1,
        block: 100,
        blocks: 1,
        every: 1,
        method: workload::primes::Method::Trial,
    });
    let expected = primes.work.expected();
    let mut mock = Mock::timed(|_, _| 20 * MS);
    let ran = run_mock(header(vec![study(vec![primes])]), &mut mock);
    assert_eq!(
        ran.case(0).ended.is_some_and(|e| e == CaseEnd::Failures),
        expected.is_some()
    );
}

#[test]
fn an_interrupted_run_says_so_and_keeps_what_it_has() {
    let mut mock = Mock::timed(noise);
    mock.signal_after = Some(2 + 9);
    let ran = run_mock(one_case(), &mut mock);
    assert_eq!(
        (ran.results.interrupted, ran.results.finished),
        (Some(2), false)
    );
    assert_eq!(ran.case(0).slots.len(), 9);
    assert_eq!(ran.case(0).ended, None);
    assert_eq!(ran.heard.last().unwrap(), "end Some(2)");
}

/// Times that lose nothing between seconds and nanoseconds, so that clocks can be compared.
fn exact(model: &str, n: usize) -> u64 {
    let swing = if (n / 3 + usize::from(model == "thread")).is_multiple_of(2) {
        3
    } else {
        0
    };
    (10 + swing + n as u64 % 2) * 1_953_125
}

/// Cases of one sweep; each unit of work takes `exact` times that unit.
fn sweep(units: &[u64], budget_s: Option<f64>) -> Header {
    let case = |&value: &u64| {
        let mut case = case(&format!("flows/{value}"), value, &TWO);
        case.sweep = Some(crate::SweepPoint {
            sweep: "flows".to_owned(),
            parameter: "flows".to_owned(),
            value: value as f64,
            unit: "flows".to_owned(),
        });
        case
    };
    let mut header = header(vec![study(units.iter().map(case).collect())]);
    header.settings.max_rounds = 12;
    header.settings.budget_s = budget_s;
    header
}

fn by_units() -> Mock {
    Mock::new(|units, model, n, spec| done(spec, units * exact(model, n), PROOF))
}

#[test]
fn a_budget_that_ends_early_leaves_rounds_at_every_point_of_a_sweep() {
    // A round of the first takes 0.25 s, one of the last four times that.
    let ran = run_mock(sweep(&[1, 2, 4], Some(10.0)), &mut by_units());
    let cases = &ran.results.studies[0].cases;
    let rounds: Vec<usize> = cases.iter().map(|case| case.rounds).collect();
    assert!(rounds.iter().all(|&rounds| rounds >= 3), "{rounds:?}");
    let spent: f64 = cases
        .iter()
        .flat_map(|case| &case.slots)
        .map(|slot| slot.outcome.launch_ns as f64 / 1e9)
        .sum();
    assert!((8.0..10.0).contains(&spent), "{spent}");
    // The headline has an interval first; then a round of each other point in turn.
    assert!(rounds[0] >= 7, "{rounds:?}");
    let at = |case: usize, slot: usize| cases[case].slots[slot].at_s;
    assert!(at(0, 13) < at(1, 0) && at(1, 0) < at(2, 0) && at(2, 0) < at(1, 2));
}

#[test]
fn a_budget_too_short_for_the_next_point_ends_it_without_its_pilot() {
    let mut mock = by_units();
    let ran = run_mock(sweep(&[1, 2, 4], Some(0.4)), &mut mock);
    let rounds: Vec<usize> = ran.results.studies[0]
        .cases
        .iter()
        .map(|c| c.rounds)
        .collect();
    assert_eq!(rounds, [1, 0, 0]);
    assert_eq!(
        mock.specs.len(),
        4,
        "no slot beyond the first pilot and round"
    );
}

/// Each unit of work takes 20 ms, so a round 0.24 s.
fn alone(budget_s: f64, units: &[u64]) -> Header {
    let cases = units.iter().zip(["a", "b", "c", "d"]);
    let cases = cases
        .map(|(&units, name)| case(name, units, &TWO))
        .collect();
    let mut header = header(vec![study(cases)]);
    header.settings.budget_s = Some(budget_s);
    header
}

fn by_length() -> Mock {
    Mock::new(|units, model, n, spec| done(spec, units * noise(model, n), PROOF))
}

fn rounds_of(ran: &Ran) -> Vec<usize> {
    let cases = ran.results.studies[0].cases.iter();
    cases.map(|case| case.rounds).collect()
}

/// `workers --budget 2m` gave its first question everything, for 6 rounds, and the other five
/// nothing.
#[test]
fn a_short_budget_gives_every_question_a_first_look() {
    // 10 rounds of three questions are 7.2 s; the first one alone has room for 33 rounds.
    let rounds = rounds_of(&run_mock(alone(8.0, &[1, 2, 3]), &mut Mock::timed(noise)));
    assert!(rounds.iter().all(|&rounds| rounds >= 10), "{rounds:?}");
    // One that takes too long for an interval leaves the time to those that do not.
    let ran = run_mock(alone(8.0, &[8, 1, 2]), &mut by_length());
    let rounds = rounds_of(&ran);
    assert!(
        rounds[0] < 7 && rounds[1..].iter().all(|&rounds| rounds >= 10),
        "{rounds:?}"
    );
}

#[test]
fn every_question_has_an_interval_before_any_has_its_first_look() {
    // Seven rounds of both are 3.36 s, ten are 4.8 s.
    let rounds = rounds_of(&run_mock(alone(4.0, &[1, 2]), &mut Mock::timed(noise)));
    assert_eq!(rounds, [9, 7]);
}

#[test]
fn the_headline_goes_first_wherever_it_stands() {
    let mut header = alone(4.0, &[1, 2]);
    header.studies[0].headline = "b".to_owned();
    assert_eq!(
        rounds_of(&run_mock(header, &mut Mock::timed(noise))),
        [7, 9]
    );
}

/// Eight headlines share 5 %: one of three comparisons has no interval before round 12.
#[test]
fn a_headline_that_shares_its_level_gets_the_rounds_for_an_interval_and_a_reserve() {
    let models = [
        "process",
        "thread",
        "process-shared-files",
        "thread-private-files",
    ];
    let one = |n: usize| {
        let mut one = study(vec![case("one", 1, &models), case("other", 2, &TWO)]);
        one.name = format!("mock{n}");
        one
    };
    let mut header = header((0..8).map(one).collect());
    // A round is 0.48 s: 15 of them, and 10 of the other case.
    header.settings.budget_s = Some(10.0);
    let ran = run_mock(header, &mut Mock::timed(noise));
    for study in &ran.results.studies {
        let rounds = [study.cases[0].rounds, study.cases[1].rounds];
        assert!(rounds[0] >= 15 && rounds[1] >= 10, "{rounds:?}");
        let mut findings = study.cases[0].findings.iter();
        assert!(findings.all(|finding| finding.estimate.unwrap().interval().is_some()));
    }
}

/// `workers --budget 2m` ended one round short of an interval, and nobody knew before.
#[test]
fn a_budget_that_cannot_decide_is_named_before_it_is_spent() {
    // Seven rounds of eight units take 13.4 s.
    let ran = run_mock(alone(8.0, &[8]), &mut by_length());
    let said = ran
        .heard
        .iter()
        .position(|line| line.starts_with("a: 7 rounds with "));
    let first = ran.heard.iter().position(|line| line.starts_with("slot"));
    assert!(said.unwrap() < first.unwrap(), "{:?}", ran.heard);
    let enough = ran.heard[said.unwrap()].trim_start_matches("a: 7 rounds with ");
    let enough: f64 = enough.trim_end_matches(" s").parse().unwrap();
    let ran = run_mock(alone(enough, &[8]), &mut by_length());
    assert!(rounds_of(&ran)[0] >= 7, "{enough} s");
    assert!(!ran.heard.iter().any(|line| line.starts_with("a: ")));
}

fn with_budget(budget_s: f64) -> Header {
    let mut header = one_case();
    header.settings.budget_s = Some(budget_s);
    header
}

/// Seconds that slots could take that were launched, if all hang.
fn deadlines(mock: &Mock) -> Vec<f64> {
    mock.specs.iter().map(|spec| spec.deadline_s).collect()
}

#[test]
fn a_pilot_that_does_not_fit_is_cut_within_the_budget_and_the_reader_is_told() {
    let mut mock = Mock::new(|_, _, _, _| hanging());
    let ran = run_mock(with_budget(6.0), &mut mock);
    assert_eq!(deadlines(&mock), [3.0], "half of it, and no second variant");
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Budget));
    let note = &ran.results.notes[0];
    for word in [
        "mock, one, process",
        "after 3.0 s",
        "budget of 6 s",
        "--budget",
    ] {
        assert!(note.contains(word), "{word} in {note}");
    }
    let mut mock = Mock::new(|_, _, _, _| hanging());
    run_mock(with_budget(0.1), &mut mock);
    assert_eq!(deadlines(&mock), [2.0], "any pilot gets so much");
}

#[test]
fn a_pilot_that_was_cut_is_run_again_when_there_is_more_time() {
    let mut mock = Mock::new(|_, _, n, spec| match (spec.deadline_s < 3.0, n) {
        (true, _) => hanging(),
        _ => done(spec, 2_500 * MS, PROOF),
    });
    let ran = run_mock(with_budget(4.0), &mut mock);
    assert_eq!(ran.case(0).rounds, 0);
    assert_eq!(deadlines(&mock), [2.0]);
    let overrides = ResumeOverrides {
        budget_s: Some(30.0),
        ..ResumeOverrides::default()
    };
    let mut journal = Journal::resume(&ran.path(), overrides).unwrap();
    let clock = mock.clock();
    let results = run(&mut journal, &mut mock, &clock, &mut Silent).unwrap();
    let rounds = results.studies[0].cases[0].rounds;
    assert!((3..=4).contains(&rounds), "{rounds}");
    assert_eq!(results.studies[0].cases[0].reps, 1);
    let again = deadlines(&mock)[1];
    assert!(
        (13.9..14.0).contains(&again),
        "half of 30 s less the pilot of before: {again}"
    );
}

#[test]
fn slots_that_hang_end_with_the_budget_and_not_long_after_it() {
    let mut mock = Mock::new(|_, _, _, spec| match spec.warmups {
        0 => done(spec, 20 * MS, PROOF),
        _ => hanging(),
    });
    let ran = run_mock(with_budget(8.0), &mut mock);
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Budget));
    assert_eq!(
        mock.specs.len(),
        2 + 1,
        "the round is lost with its first slot"
    );
    assert!((7.9..8.0).contains(&deadlines(&mock)[2]), "what is left");
}

#[test]
fn a_slot_that_is_slow_at_the_end_of_a_budget_is_not_cut_for_it() {
    let longest = 20.0;
    let slot = Chosen {
        warmups: 0,
        reps: 1,
        deadline_s: longest,
    };
    let deadline = |left_s, round_s| within(slot, left_s, round_s).deadline_s;
    assert_eq!(deadline(None, 1.0), longest);
    assert_eq!(deadline(Some(50.0), 1.0), longest);
    assert_eq!(deadline(Some(0.5), 4.0), 8.0, "two rounds");
    assert_eq!(deadline(Some(0.5), 0.1), 5.0);
}

#[test]
fn a_run_that_is_taken_up_again_is_the_run_that_was_never_cut() {
    let two = || sweep(&[1, 2], Some(8.0));
    let mut whole_mock = by_units();
    let whole = run_mock(two(), &mut whole_mock);
    let slots = |place: usize| whole.case(place).slots.len();
    assert!(slots(0) > 10 && slots(1) > 10, "{} {}", slots(0), slots(1));
    // A pilot that was cut is run again, so the one of the second case, which comes after the
    // pilot and seven rounds of the first, is left whole.
    for cut in (2..4 + slots(0) + slots(1)).filter(|&cut| cut != 17) {
        let mut mock = by_units();
        mock.signal_after = Some(cut);
        let ran = run_mock(two(), &mut mock);
        assert_eq!(ran.results.interrupted, Some(2));
        mock.again();
        assert_eq!(
            resume(&ran.path(), &mut mock),
            whole.results,
            "cut after {cut} slots"
        );
        assert_eq!(
            mock.specs, whole_mock.specs,
            "the same slots in the same order"
        );
    }
}

#[test]
fn a_finished_run_has_nothing_left() {
    let ran = run_mock(one_case(), &mut Mock::timed(|_, n| 20 * MS + n as u64));
    let error = Journal::resume(&ran.path(), ResumeOverrides::default())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("is finished: there is nothing left to run"),
        "{error}"
    );
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
    assert!(
        results.warnings[0].contains("cut off after 50 bytes"),
        "{:?}",
        results.warnings
    );
    assert_eq!(results.studies[0].cases[0].slots.len(), 6);
    let results = resume(&ran.path(), &mut Mock::timed(exact));
    assert!(results.finished);
    let again = Results::from_journal(&ran.path()).unwrap();
    assert_eq!(
        again
            .warnings
            .iter()
            .filter(|w| w.contains("cut off"))
            .count(),
        0
    );
}

/// Why a run of these cases is refused, without a single slot.
fn refused(cases: Vec<Case>) -> String {
    let folder = tempdir().unwrap();
    let mut journal = Journal::create(folder.path(), header(vec![study(cases)])).unwrap();
    let mut mock = Mock::timed(noise);
    let clock = mock.clock();
    let error = run(&mut journal, &mut mock, &clock, &mut Silent).unwrap_err();
    assert!(mock.specs.is_empty());
    error.to_string()
}

#[test]
fn what_a_machine_does_not_have_is_said_before_the_first_slot() {
    let mut impossible = case("one", 1, &TWO);
    impossible.variants[1].variant.placement = flow::Placement::List(vec![4_000_000]);
    let error = refused(vec![impossible]);
    assert!(
        error.starts_with("mock, one: CPU 4000000 is not available"),
        "{error}"
    );
    let error = refused(vec![case("one", 1, &TWO), case("one", 2, &TWO)]);
    assert!(
        error.starts_with("mock, one: there are two of that name"),
        "{error}"
    );
    let error = refused(vec![case("one", 1, &[])]);
    assert!(error.starts_with("mock, one: nothing to run"), "{error}");
}

#[test]
fn remaining_time_comes_from_the_pilot_and_then_from_the_slots() {
    let ran = run_mock(one_case(), &mut Mock::timed(|_, _| 20 * MS));
    // The pilot expects 6 x 20 ms a slot; the first slot of 160 is done.
    let first = ran
        .heard
        .iter()
        .find(|line| line.starts_with("remaining"))
        .unwrap();
    assert_eq!(first, "remaining 2.280 19.080");
    let last = ran
        .heard
        .iter()
        .rfind(|line| line.starts_with("remaining"))
        .unwrap();
    assert_eq!(
        last, "remaining 2.400 16.800",
        "until look 20, and until the last one"
    );
}

#[test]
fn each_round_has_its_own_order_and_every_spec_is_as_the_pilot_chose() {
    let mut mock = Mock::timed(noise);
    let ran = run_mock(one_case(), &mut mock);
    let orders: Vec<Vec<usize>> = ran
        .case(0)
        .slots
        .chunks(2)
        .map(|round| round.iter().map(|s| s.variant).collect())
        .collect();
    let planned: Vec<_> = (0..80)
        .map(|round| plan::order(1, "mock", "one", round, 2))
        .collect();
    assert_eq!(orders, planned);
    let same = |spec: &SlotSpec<Work>| (spec.warmups, spec.reps, spec.deadline_s) == (1, 5, 10.0);
    assert!(mock.specs[2..].iter().all(same));
}

#[test]
fn slots_are_sampled_as_their_variant_says_or_else_the_settings() {
    let every = |interval_s| crate::Sampling {
        interval_s,
        folder: None,
    };
    let intervals = |header: Header| {
        let mut mock = Mock::timed(noise);
        run_mock(header, &mut mock);
        let sampled = |spec: &SlotSpec<Work>| {
            let interval_ns = spec.sample.as_ref().map(|sample| sample.interval_ns);
            (spec.variant.model.to_string(), interval_ns)
        };
        mock.specs.iter().map(sampled).collect::<BTreeSet<_>>()
    };
    let seen = |process, thread| {
        BTreeSet::from([
            ("process".to_owned(), process),
            ("thread".to_owned(), thread),
        ])
    };
    let mut header = one_case();
    assert_eq!(intervals(header.clone()), seen(None, None));
    header.studies[0].cases[0].variants[1].sample = Some(every(0.25));
    assert_eq!(intervals(header.clone()), seen(None, Some(250_000_000)));
    header.settings.sample = Some(every(0.1));
    let both = seen(Some(100_000_000), Some(250_000_000));
    assert_eq!(intervals(header), both);
}

/// The run in `ran`, taken up again for longer.
fn lengthen(ran: &Ran, mock: &mut Mock, overrides: ResumeOverrides) -> Result<Results, String> {
    let journal = Journal::resume(&ran.path(), overrides);
    let mut journal = journal.map_err(|error| error.to_string())?;
    let clock = mock.clock();
    let results = run(&mut journal, mock, &clock, &mut Silent).unwrap();
    let again = Results::from_journal(&ran.path()).unwrap();
    assert_eq!(results, again, "made again");
    Ok(results)
}

#[test]
fn a_run_that_ran_out_of_rounds_goes_on_as_if_more_had_been_planned() {
    let planned = |max_rounds| {
        let mut header = one_case();
        header.settings.max_rounds = max_rounds;
        header
    };
    let whole = run_mock(planned(40), &mut Mock::timed(noise));
    let mut mock = Mock::timed(noise);
    let ran = run_mock(planned(10), &mut mock);
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Rounds));
    mock.again();
    let overrides = ResumeOverrides {
        max_rounds: Some(40),
        budget_s: None,
    };
    let results = lengthen(&ran, &mut mock, overrides).unwrap();
    let (case, expected) = (&results.studies[0].cases[0], whole.case(0));
    assert_eq!(case.findings, expected.findings);
    assert_eq!((case.rounds, case.ended), (expected.rounds, expected.ended));
    let values = |case: &crate::CaseResult| -> Vec<_> {
        case.slots
            .iter()
            .map(|slot| (slot.variant, slot.value_ns))
            .collect()
    };
    assert_eq!(values(case), values(expected));
    let error = lengthen(&ran, &mut mock, overrides).unwrap_err();
    assert!(error.contains("nothing left to run"), "{error}");
    let fewer = ResumeOverrides {
        max_rounds: Some(20),
        budget_s: None,
    };
    let error = lengthen(&ran, &mut mock, fewer).unwrap_err();
    assert!(error.contains("20 rounds are fewer than the 40"), "{error}");
}

/// For the first 12 rounds threads take less, then more and less in turns.
fn clear_at_first(model: &str, n: usize) -> u64 {
    let tenths = match (model, n) {
        ("process", _) => return 20 * MS + n as u64,
        (_, 0..5) => 194,
        (_, 5) => 208,
        (_, 6..12) => 190,
        (_, n) => [180, 222, 182, 219][n % 4],
    };
    tenths * MS / 10
}

/// What was undecided after 80 rounds was decided from the first 12 of them, without a new slot:
/// old rounds were judged again at the looks of the longer plan.
#[test]
fn more_rounds_for_a_finished_run_judge_only_new_rounds() {
    let mut header = one_case();
    header.settings.floor = Some(0.0);
    let mut mock = Mock::timed(clear_at_first);
    let ran = run_mock(header, &mut mock);
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Rounds));
    assert_eq!(ran.case(0).findings[0].estimate.unwrap().rounds, 80);
    for max_rounds in [96, 100, 160] {
        mock.again();
        let longer = ResumeOverrides {
            max_rounds: Some(max_rounds),
            budget_s: None,
        };
        let results = lengthen(&ran, &mut mock, longer).unwrap();
        let finding = &results.studies[0].cases[0].findings[0];
        assert!(!finding.verdict.is_decided(), "{finding:?}");
        assert_eq!(finding.estimate.unwrap().rounds, max_rounds);
        let said = results.warnings.join(" ");
        assert!(said.contains(&format!("{max_rounds} rounds")), "{said}");
    }
}

/// "2 studies hold 80 rounds at the most": more rounds were refused as nothing left to run.
#[test]
fn a_study_that_bounds_its_rounds_gets_the_more_that_are_asked_for() {
    let mut header = one_case();
    header.studies[0].cases[0].max_rounds = Some(10);
    let mut mock = Mock::timed(noise);
    let ran = run_mock(header, &mut mock);
    assert_eq!(ran.case(0).rounds, 10);
    mock.again();
    let longer = ResumeOverrides {
        max_rounds: Some(100),
        budget_s: None,
    };
    let results = lengthen(&ran, &mut mock, longer).unwrap();
    assert_eq!(results.studies[0].cases[0].rounds, 100);
}

/// Nothing ran and nothing was said.
#[test]
fn more_rounds_without_time_for_one_are_refused_with_what_to_give() {
    let mut header = one_case();
    header.settings.budget_s = Some(3.0);
    header.settings.max_rounds = 8;
    let mut mock = Mock::timed(noise);
    let ran = run_mock(header, &mut mock);
    assert_eq!(
        ran.case(0).ended,
        Some(CaseEnd::Rounds),
        "{:?}",
        ran.case(0).rounds
    );
    mock.again();
    let mut longer = ResumeOverrides {
        max_rounds: Some(40),
        budget_s: Some(1.0),
    };
    let error = lengthen(&ran, &mut mock, longer).unwrap_err();
    assert!(error.contains("give a longer --budget"), "{error}");
    longer.budget_s = Some(100.0);
    assert_eq!(
        lengthen(&ran, &mut mock, longer).unwrap().studies[0].cases[0].rounds,
        40
    );
}

/// A verdict that was shown where the budget ended was taken back by the rounds after it.
#[test]
fn a_verdict_that_was_shown_when_time_was_up_stays() {
    let mut header = one_case();
    header.settings.budget_s = Some(2.2);
    let mut mock = Mock::timed(|model, n| match (model, n) {
        ("process", _) => 20 * MS + n as u64,
        (_, 0..9) => 19 * MS,
        _ => 25 * MS,
    });
    let ran = run_mock(header, &mut mock);
    let shown = ran.case(0).findings[0].clone();
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Budget));
    assert!(shown.verdict.is_decided(), "{shown:?}");
    mock.again();
    let longer = ResumeOverrides {
        max_rounds: None,
        budget_s: Some(1000.0),
    };
    let error = lengthen(&ran, &mut mock, longer).unwrap_err();
    assert!(error.contains("nothing left to run"), "{error}");
}

#[test]
fn a_run_that_ran_out_of_time_goes_on_with_more() {
    let mut header = one_case();
    header.settings.budget_s = Some(1.0);
    let mut mock = Mock::timed(noise);
    let ran = run_mock(header, &mut mock);
    assert_eq!(ran.case(0).ended, Some(CaseEnd::Budget));
    assert!(ran.results.finished);
    mock.again();
    let overrides = ResumeOverrides {
        max_rounds: None,
        budget_s: Some(1000.0),
    };
    let results = lengthen(&ran, &mut mock, overrides).unwrap();
    let case = &results.studies[0].cases[0];
    assert_eq!((case.rounds, case.ended), (80, Some(CaseEnd::Rounds)));
    assert_eq!(results.header.settings.budget_s, Some(1000.0));
}

#[test]
fn what_was_decided_is_not_opened_again() {
    let mut mock =
        Mock::timed(|model, n| if model == "process" { 26 * MS } else { 20 * MS } + n as u64);
    let ran = run_mock(one_case(), &mut mock);
    let overrides = ResumeOverrides {
        max_rounds: Some(200),
        budget_s: Some(1e6),
    };
    let error = lengthen(&ran, &mut mock, overrides).unwrap_err();
    assert!(error.contains("nothing left to run"), "{error}");
}

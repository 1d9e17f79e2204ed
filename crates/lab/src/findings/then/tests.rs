//! Findings of a source held against scripted runs.

use super::{Standing, Then};
use crate::data::{Claim, Half, OfPair, OfSweep, Ours, Pair, Preset, Published, Step, Study};
use crate::findings::quantity::Word;
use crate::findings::testing::{begins, ends, has, lacks, point, record, results};
use crate::plan::study::{builtin, builtin_names};
use crate::testing::{MS, Mock, PROOF, case, done, header, study};

fn published(claim: Claim, ours: Ours) -> Published {
    Published {
        finding: "x".to_owned(),
        theirs: "y".to_owned(),
        claim: Some(claim),
        ours: Some(ours),
        ..Published::default()
    }
}

fn of_pair(quantity: &str) -> Pair {
    Pair {
        case: "x".to_owned(),
        subject: "thread".to_owned(),
        reference: "process".to_owned(),
        quantity: quantity.to_owned(),
        worker: None,
    }
}

fn pair(quantity: &str) -> Ours {
    Ours::Pair(of_pair(quantity))
}

fn verdicts(found: &[Then]) -> Vec<Standing> {
    found.iter().map(|then| then.verdict).collect()
}

/// A run of a study that has a source with these findings.
fn held(mut study: Study, mut mock: Mock, published: Vec<Published>) -> Vec<Then> {
    study.origin = Some(crate::data::Origin {
        author: "A".to_owned(),
        title: "T".to_owned(),
        year: 2010,
        finding: "f".to_owned(),
        setup: None,
        topics: Vec::new(),
        published,
    });
    let mut header = header(vec![study]);
    // Claims share a level, at which the seven rounds of a clear case have no interval.
    (header.settings.max_rounds, header.settings.exact_rounds) = (10, true);
    let mut results = results(header, &mut mock);
    results.studies.remove(0).parts.then_and_now
}

/// Processes take 30 ms, threads 20 ms.
fn threads_faster(published: Vec<Published>) -> Vec<Then> {
    let mock = Mock::timed(|model, n| {
        let base = if model == "thread" { 20 * MS } else { 30 * MS };
        base + n as u64
    });
    held(
        study(vec![case("x", 1, &["process", "thread"])]),
        mock,
        published,
    )
}

#[test]
fn a_claim_is_reproduced_refuted_or_differs_as_ours_is_judged() {
    let found = threads_faster(vec![
        published(Claim::Faster, pair("time")),
        published(Claim::Slower, pair("time")),
        published(Claim::Same, pair("time")),
        published(Claim::Same, pair("memory")),
        published(Claim::Less, pair("memory")),
    ]);
    assert_eq!(
        verdicts(&found),
        [
            Standing::Reproduced,
            Standing::Refuted,
            Standing::Differs,
            Standing::Reproduced,
            Standing::Differs,
        ]
    );
    begins(
        &found[0].ours,
        "thread 20.0 ms, process 30.0 ms: threads 1.50x faster",
    );
}

/// A claim of more than twice the memory was reproduced by 4.9 %.
#[test]
fn a_claim_with_a_factor_is_reproduced_by_that_factor_alone() {
    let by = |factor: f64| Published {
        value: Some(factor),
        ..published(Claim::Faster, pair("time"))
    };
    let found = threads_faster(vec![by(0.7), by(0.5)]);
    assert_eq!(found[0].verdict, Standing::Reproduced);
    assert_eq!(found[1].verdict, Standing::SameDirection);
    let because = found[1].because.as_deref();
    assert_eq!(
        because,
        Some("the direction is the source's, its factor of 2 is not")
    );
}

/// "Threads have an advantage, but the allocator must be enhanced" was reproduced by its first half.
#[test]
fn a_finding_of_two_halves_is_reproduced_where_both_are() {
    use Standing::{CannotTell, Differs, Reproduced};
    let both = |claim, case: &str| Published {
        and: Some(Half {
            claim,
            ours: Ours::Pair(Pair {
                case: case.to_owned(),
                ..of_pair("time")
            }),
        }),
        ..published(Claim::Same, pair("memory"))
    };
    let found = threads_faster(vec![
        both(Claim::Faster, "x"),
        both(Claim::Slower, "x"),
        both(Claim::Faster, "y"),
    ]);
    assert_eq!(verdicts(&found), [Reproduced, Differs, CannotTell]);
    has(&found[0].ours, "; and thread 20.0 ms");
    let because = found[2].because.as_deref().unwrap();
    has(because, "the case y was not run");
}

/// A claim on the cost of one switch was judged by how many switches there were.
#[test]
fn what_something_costs_is_held_against_the_difference_and_not_against_its_number() {
    let explains = |most: f64| Published {
        claim: None,
        value: Some(most),
        ours: Some(Ours::Explains(of_pair("switches"))),
        ..published(Claim::Faster, pair("time"))
    };
    // Processes take 10 ms longer, and no switch was counted.
    let found = threads_faster(vec![explains(10_000.0), explains(20e6)]);
    assert_eq!(found[0].verdict, Standing::Refuted);
    let ours = &found[0].ours;
    let said = "each of the context switches of processes would have to cost 10.0 ms ";
    begins(ours, said);
    let because = found[0].because.as_deref();
    assert_eq!(because, Some("none costs more than 10.0 µs"));
    assert_eq!(found[1].verdict, Standing::CannotTell);
}

/// Rows of cases that were not run did not say what runs them.
#[test]
fn each_row_has_the_command_that_runs_its_case() {
    let study = builtin("switch", Preset::Quick).unwrap();
    let commands: Vec<String> = study
        .published()
        .iter()
        .map(|one| super::again::command(&study, one, &crate::testing::header(Vec::new())))
        .collect();
    for line in [
        "flowgauge run switch --case flows/100",
        "flowgauge run switch --case flows",
        "flowgauge run switch --case stack/1024",
    ] {
        assert!(commands.iter().any(|own| own == line), "{commands:?}");
    }
    // The quick preset has the case, and not this variant of it: its row repeated itself.
    let by_pipe = Pair {
        case: "flows/100".to_owned(),
        subject: "process, pipe".to_owned(),
        ..of_pair("time")
    };
    let by_pipe = published(Claim::Faster, Ours::Pair(by_pipe));
    let command = super::again::command(&study, &by_pipe, &crate::testing::header(Vec::new()));
    assert_eq!(
        command,
        "flowgauge run switch --case flows/100 --preset full"
    );
    for name in builtin_names() {
        let [quick, full] =
            [Preset::Quick, Preset::Full].map(|preset| builtin(name, preset).unwrap());
        for one in full.published() {
            let command = super::again::command(&full, &one, &crate::testing::header(Vec::new()));
            let Some((_, case)) = command.split_once("--case ") else {
                continue;
            };
            let case = case.split(' ').next().unwrap_or_default();
            let study = if command.contains("--preset full") {
                &full
            } else {
                &quick
            };
            let is_there = study.cases.iter().any(|own| own.is_called(case));
            // Cases of scaling are made for the machine.
            assert!(is_there || name == "scaling", "{command}");
        }
    }
}

#[test]
fn what_was_not_run_is_said_and_what_cannot_be_is_not_possible() {
    let elsewhere = Pair {
        case: "other".to_owned(),
        ..of_pair("time")
    };
    let elsewhere = published(Claim::Faster, Ours::Pair(elsewhere));
    let mut never = published(Claim::Faster, pair("time"));
    never.ours = None;
    never.not_here = Some("no such machine".to_owned());
    let by_another_study = never.clone();
    never.claim = None;
    let found = threads_faster(vec![elsewhere, never, by_another_study]);
    assert_eq!(found[0].verdict, Standing::NotRun);
    assert_eq!(
        found[0].because.as_deref(),
        Some("the case other was not run; `flowgauge run FILE --case other` runs it")
    );
    assert_eq!(found[1].verdict, Standing::NotPossible);
    assert_eq!(found[1].because.as_deref(), Some("no such machine"));
    assert_eq!(found[2].verdict, Standing::NotRun);
}

#[test]
fn a_figure_from_elsewhere_says_so() {
    let mut from = published(Claim::Faster, pair("time"));
    from.from = Some("the full paper".to_owned());
    assert_eq!(threads_faster(vec![from])[0].theirs, "y (the full paper)");
}

#[test]
fn what_a_quantity_is_made_of_is_told_by_differences() {
    let step = |what: &str, variant: &str, quantity: &str| Step {
        what: what.to_owned(),
        case: "x".to_owned(),
        variant: variant.to_owned(),
        quantity: quantity.to_owned(),
    };
    let mut one = published(Claim::Faster, pair("time"));
    one.steps = vec![
        step("a thread", "thread", "time"),
        step("an address space", "process", "time"),
        step("nothing", "thread", "time"),
    ];
    let mut other = one.clone();
    other.steps[0].variant = "not run".to_owned();
    let found = threads_faster(vec![one, other]);
    let cause = found[0].cause.as_deref().unwrap_or_default();
    let parts = "20.0 ms are, by differences: 20.0 ms for a thread, 10.0 ms for an address space, \
                 10.0 ms less for nothing";
    ends(cause, parts);
    let cause = found[1].cause.as_deref().unwrap_or_default();
    lacks(cause, "by differences");
}

/// What becomes of claims of a sweep whose slots take what `ns` says of their number.
fn swept(ns: fn(u64, &str, usize) -> u64, claims: [(Claim, &str); 4]) -> Vec<(String, Standing)> {
    let mock = Mock::new(move |workers, model, n, spec| done(spec, ns(workers, model, n), PROOF));
    let mut cases = Vec::new();
    for workers in [2, 3, 5, 8] {
        let name = format!("n{workers}");
        let one = case(&name, workers, &["process", "thread"]);
        cases.push(point(one, ["workers"; 3], workers as f64));
    }
    let law = |variant: &str| {
        Ours::Law(OfSweep {
            sweep: "workers".to_owned(),
            variant: variant.to_owned(),
            quantity: "time".to_owned(),
            from: None,
        })
    };
    let all = claims.map(|(claim, variant)| published(claim, law(variant)));
    let found = held(study(cases), mock, all.into());
    let word = |ours: &str| ours.split(':').next().unwrap_or_default().to_owned();
    let each = found.into_iter();
    each.map(|then| (word(&then.ours), then.verdict)).collect()
}

#[test]
fn a_law_is_held_against_the_line_through_a_sweep() {
    use Standing::{Differs, Reproduced};
    let found = swept(
        |workers, model, n| {
            let times = if model == "process" { workers } else { 1 };
            times * 10 * MS + [3, 0, 4, 1, 5, 2][n % 6] * 10_000
        },
        [
            (Claim::Linear, "process"),
            (Claim::Flat, "process"),
            (Claim::Flat, "thread"),
            (Claim::Linear, "thread"),
        ],
    );
    let verdicts: Vec<Standing> = found.iter().map(|(_, verdict)| *verdict).collect();
    assert_eq!(
        verdicts,
        [Reproduced, Differs, Reproduced, Differs],
        "{found:?}"
    );
    assert_eq!((&*found[0].0, &*found[2].0), ("in a line", "flat"));
}

/// A slope whose interval leaves out 0 was called flat.
#[test]
fn a_small_slope_that_is_known_not_to_be_0_is_not_called_flat() {
    let found = swept(
        |workers, model, n| {
            let sign = if model == "process" { 1 } else { -1 };
            (10 * MS as i64 + sign * 40_000 * workers as i64 + n as i64 % 7) as u64
        },
        [
            (Claim::Linear, "process"),
            (Claim::Flat, "process"),
            (Claim::Flat, "thread"),
            (Claim::Grows, "thread"),
        ],
    );
    use Standing::{Differs, Reproduced};
    let expected = [
        ("nearly flat", Differs),
        ("nearly flat", Reproduced),
        ("nearly flat", Reproduced),
        ("nearly flat", Differs),
    ];
    let expected = expected.map(|(word, verdict)| (word.to_owned(), verdict));
    assert_eq!(found, expected);
}

#[test]
fn an_undecided_verdict_decides_no_claim() {
    for claim in [Claim::Faster, Claim::Same, Claim::More] {
        assert_eq!(
            super::claim::direction(claim, Word::CannotTell),
            Standing::CannotTell
        );
    }
}

/// Every finding of a built-in study stands beside something, or says why not. That the names in it
/// exist is checked where the file is read.
#[test]
fn what_the_built_in_studies_name_exists() {
    let mut seen = 0;
    for name in builtin_names() {
        for one in builtin(name, Preset::Quick).unwrap().published() {
            seen += 1;
            let known = one.ours.is_some() || one.not_here.is_some();
            assert!(known, "{name}: {}", one.finding);
        }
    }
    assert!(seen > 70, "{seen}");
}

/// The five workers of a source, judged at 5 % each, refuted one of it.
#[test]
fn each_of_several_workers_is_judged_at_their_share_of_the_level() {
    let worker = Pair {
        worker: Some(1),
        ..of_pair("worker-done")
    };
    let worker = published(Claim::Faster, Ours::Pair(worker));
    let mock = Mock::new(|_, model, n, spec| {
        let mut answer = done(spec, 20 * MS, PROOF);
        // Ten rounds in one direction: an interval at 1.6 %, and none at a fifth of that.
        let ns = if model == "thread" { 10 * MS } else { 11 * MS } + n as u64;
        let reps = record(&mut answer).reps.iter_mut();
        reps.flat_map(|rep| &mut rep.flows)
            .for_each(|flow| flow.end_ns = ns);
        answer
    });
    let mut one = case("x", 5, &["process", "thread"]);
    one.max_rounds = Some(7);
    for labelled in &mut one.variants {
        labelled.variant.flows = 5;
    }
    let found = held(study(vec![one]), mock, vec![worker]);
    assert_eq!(found[0].verdict, Standing::CannotTell, "{found:?}");
}

/// A claim of a sweep said "faster" because of a lap of two, and stood beside runs of other sizes.
#[test]
fn a_source_whose_run_took_far_longer_is_said_to_and_what_is_unlike_refutes_nothing() {
    let longer = Published {
        seconds: Some(3.0),
        ..published(Claim::Faster, pair("time"))
    };
    let unlike = Published {
        unlike: Some("another allocator".to_owned()),
        ..published(Claim::Slower, pair("time"))
    };
    let found = threads_faster(vec![longer, unlike]);
    let because = found[0].because.as_deref().unwrap_or_default();
    begins(because, "the source's took 100 times as long");
    assert_eq!(found[1].verdict, Standing::Differs);
    assert_eq!(found[1].because.as_deref(), Some("another allocator"));
}

/// A gap of 0.128 s was left open, though it would have taken switches of 20 microseconds.
#[test]
fn the_gap_of_a_source_is_explained_or_not_whatever_ours_is() {
    let explains = Published {
        claim: None,
        value: Some(1.0),
        size: Some(0.956),
        seconds: Some(2.886),
        ours: Some(Ours::Explains(of_pair("switches"))),
        ..published(Claim::Faster, pair("time"))
    };
    let found = threads_faster(vec![explains]);
    assert_eq!(found[0].verdict, Standing::Refuted);
    let said =
        "for the source's 127 ms, each of the context switches of processes would have to cost ";
    begins(&found[0].ours, said);
}

/// A figure of a source could not be found in its text, or was from elsewhere without a word.
#[test]
fn every_figure_of_a_source_says_where_it_stands() {
    for name in builtin_names() {
        for one in builtin(name, Preset::Full).unwrap().published() {
            let known = one.place.as_deref().or(one.from.as_deref());
            let what = format!("{name}: {}: {}", one.finding, one.theirs);
            assert!(known.is_some_and(|known| !known.is_empty()), "{what}");
            assert!(
                one.place.is_none() || one.from.is_none() || is_inferred(&one),
                "{what}"
            );
        }
    }
}

/// A figure of the text of which a part is inferred.
fn is_inferred(one: &Published) -> bool {
    let from = one.from.as_deref().unwrap_or_default();
    from.contains("inferred") || from.contains("not in the text")
}

/// The column of causes was empty in many rows, and nobody knew whether anything had been looked at.
#[test]
fn every_row_that_has_an_answer_has_a_cause_or_says_that_none_was_found() {
    let mut known = published(Claim::Less, pair("cpu"));
    known.cause = Some("known (docs/x.md)".to_owned());
    let never = Published {
        ours: None,
        not_here: Some("no such machine".to_owned()),
        ..published(Claim::Faster, pair("time"))
    };
    let rows = threads_faster(vec![
        published(Claim::Faster, pair("time")),
        known,
        published(Claim::Same, pair("parent-done")),
        never,
    ]);
    let causes: Vec<Option<&str>> = rows.iter().map(|row| row.cause.as_deref()).collect();
    let [time, cpu, parent, never] = causes[..] else {
        panic!("{causes:?}")
    };
    let expected = |row: &Then, else_: &'static str| match row.verdict {
        Standing::CannotTell => Some("no difference is established"),
        _ => Some(else_),
    };
    assert!(time.is_some_and(|cause| !cause.is_empty()), "{causes:?}");
    assert_eq!(cpu, expected(&rows[1], "known (docs/x.md)"));
    assert_eq!(parent, expected(&rows[2], "cause not found"));
    assert_eq!(never, None);
}

/// That a crash of a process leaves the others was "not possible here".
#[test]
fn flows_that_go_on_after_a_crash_are_counted_in_refused_slots() {
    let row = published(
        Claim::More,
        Ours::Survivors(OfPair {
            case: "x".to_owned(),
            subject: "process".to_owned(),
            reference: "thread".to_owned(),
        }),
    );
    let mock = Mock::new(|_, model, _, _| {
        let how = "SIGABRT".to_owned();
        let reason = match model {
            "process" => flow::Failure::FlowsDied {
                died: 1,
                flows: 4,
                how,
            },
            _ => flow::Failure::SlotLost {
                flows: 4,
                how,
                stderr: String::new(),
            },
        };
        flow::Answer::Failed {
            reason,
            kept: None,
            begun: None,
        }
    });
    let found = held(
        study(vec![case("x", 4, &["process", "thread"])]),
        mock,
        vec![row],
    );
    assert_eq!(found[0].verdict, Standing::Reproduced);
    assert_eq!(
        found[0].ours,
        "process: 3 of 4 flows go on, thread: 0 of 4 flows go on"
    );
}

/// A run of `--yield ignored` had its figures in failed slots alone, and its row had none.
#[test]
fn a_run_whose_hand_overs_were_ignored_shows_them_in_its_row() {
    let row = Published {
        not_here: Some("this kernel obeys".to_owned()),
        claim: None,
        ..published(Claim::Faster, Ours::NotSwitched)
    };
    let obeyed = threads_faster(vec![row.clone()]).remove(0);
    assert_eq!(obeyed.verdict, Standing::NotPossible);
    assert_eq!(obeyed.because.as_deref(), Some("this kernel obeys"));
    let mock = Mock::new(|_, _, _, _| flow::Answer::Failed {
        reason: flow::Failure::NotSwitched {
            switches: 148,
            handed_over: 20_648,
        },
        kept: None,
        begun: None,
    });
    let case = case("x", 10, &["process", "thread"]);
    let ignored = held(study(vec![case]), mock, vec![row]).remove(0);
    assert_eq!(ignored.verdict, Standing::SideBySide);
    let said = "x, process: 148 switches where 20,648 hand-overs must cause as many";
    begins(&ignored.ours, said);
}

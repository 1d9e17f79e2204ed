//! Tables and sentences.

use lab::{Answer, CaseEnd, Preset};
use proptest::prelude::*;
use report::terminal::{self, Style};
use stats::Verdict;
use unicode_width::UnicodeWidthStr;

use crate::support;
use crate::support::full::busy;
use crate::support::{machine, mapped, results, verbose as plain, whole_text};

fn brief(width: usize) -> Style {
    Style {
        verbose: false,
        ..plain(width)
    }
}

#[test]
fn the_first_screen_at_100_columns() {
    let text = terminal::run(&results(), &brief(100), Some("out"));
    assert!(text.lines().count() <= 45, "{text}");
    insta::assert_snapshot!(text);
}

/// Every study of a quick run: one screen, and more where lines are very short.
#[test]
fn the_first_screen_of_all_studies_is_one_screen() {
    let results = busy(Preset::Quick, 10);
    for (width, lines) in [(60, 75), (80, 56), (100, 45), (200, 45)] {
        let text = terminal::run(&results, &brief(width), Some("out"));
        assert!(text.lines().count() <= lines, "{width}: {text}");
        assert!(text.lines().all(|line| line.width() <= width), "{text}");
    }
}

/// More time was advised for rows that had run all of their rounds.
#[test]
fn what_is_advised_would_help() {
    let advised = |ended: CaseEnd| {
        let mut results = busy(Preset::Quick, 10);
        let cases = results
            .studies
            .iter_mut()
            .flat_map(|study| &mut study.cases);
        cases.for_each(|case| case.ended = Some(ended));
        terminal::run(&results, &brief(100), Some("out"))
    };
    let command = "flowgauge run --resume out";
    let time = advised(CaseEnd::Budget);
    assert!(time.contains(&format!("{command} --budget 5m\n")), "{time}");
    let rounds = advised(CaseEnd::Rounds);
    let more = format!("{command} --rounds 160 --budget 5m\n");
    assert!(rounds.contains(&more), "{rounds}");
    let decided = advised(CaseEnd::Decided);
    let alone = "Memory, primes is one of many comparisons here; alone it needs less evidence:\n    \
                 flowgauge run primes --case trial\n";
    assert!(
        decided.contains(alone) && !decided.contains(command),
        "{decided}"
    );
    let mut far = busy(Preset::Quick, 10);
    let cases = far.studies.iter_mut().flat_map(|study| &mut study.cases);
    for finding in cases.flat_map(|case| &mut case.findings) {
        if let Verdict::CannotTell { more_rounds } = &mut finding.verdict {
            *more_rounds = Some(2_000);
        }
    }
    let far = terminal::run(&far, &brief(200), Some("out"));
    assert!(far.contains(" would take over 1,000 more rounds"), "{far}");
}

/// A sweep has one point on the first screen: what the others say was nowhere but in its table.
#[test]
fn a_study_alone_says_how_its_answer_changes_along_the_sweep() {
    let mut results = results();
    results.studies.truncate(1);
    results.studies[0].cases.remove(0);
    results.studies[0].study.headline = "grain/1000".to_owned();
    let text = terminal::run(&results, &brief(200), Some("out"));
    for point in ["at block 10,000: ", "; at block 1,000,000: "] {
        assert!(text.contains(point), "{text}");
    }
}

/// Answers that hold together were shown as if each held by itself.
#[test]
fn the_first_screen_says_at_which_level_its_headline_answers_hold_together() {
    let results = busy(Preset::Quick, 10);
    let rows = results.answers();
    let named = |row: &&Answer| row.is_difference() && row.times().is_some();
    let named = rows
        .iter()
        .filter(named)
        .filter(|row| !row.is_exploratory)
        .count();
    assert!(named > 3, "{named}");
    let text = terminal::run(&results, &brief(100), Some("out"));
    let together = format!("All {named} differences named are right in at least 95 of 100 runs");
    assert!(text.contains(&together), "{text}");
    // The legend stood on a screen whose starred rows were on the page alone.
    let has_stars = ["* is exploratory", " * "].map(|star| text.contains(star));
    assert_eq!(has_stars, [false; 2], "{text}");
    assert!(text.contains("  Primes, dealt out "), "{text}");
    assert!(text.contains("  Memory, one CPU "), "{text}");
    // Its warning was left out where the screen was full.
    assert!(text.contains("  Primes, even work \u{2020}"), "{text}");
    assert!(text.contains("\u{2020} rests"), "{text}");
}

#[test]
fn the_first_screen_of_one_study_at_60_and_100_columns() {
    let mut results = results();
    results.studies.truncate(1);
    let text = |width| terminal::run(&results, &brief(width), Some("out"));
    assert!(text(100).lines().count() <= 25, "{}", text(100));
    insta::assert_snapshot!(text(100));
    insta::assert_snapshot!(text(60));
}

/// Studies with many variants, warnings and things left out had up to 39 lines.
#[test]
fn the_first_screen_of_any_study_alone_has_25_lines_at_100_columns() {
    let all = busy(Preset::Quick, 10);
    for study in &all.studies {
        let mut results = all.clone();
        results.studies = vec![study.clone()];
        let name = &study.study.name;
        results
            .warnings
            .extend((0..9).map(|n| format!("Warning {n} of {name}")));
        results
            .notes
            .extend((0..9).map(|n| format!("{name}: left out: case {n}")));
        // The labels of three rows with causes take more where lines are short.
        for (width, most) in [(80, 32), (100, 25), (200, 25)] {
            let text = terminal::run(&results, &brief(width), Some("out"));
            assert!(text.lines().count() <= most, "{name}, {width}: {text}");
            let all = text.contains(&format!("Warning 8 of {name}"));
            let rest = text.contains(" warnings: flowgauge report out -v");
            assert!(all || rest, "{text}");
            assert!(
                text.contains("things are left out on this machine"),
                "{text}"
            );
        }
        let whole = terminal::run(&results, &plain(100), Some("out"));
        assert!(whole.contains("Warning 8 of"), "{whole}");
    }
}

/// Every row of a run of one model had the value of the headline.
#[test]
fn rows_of_a_run_with_one_model_have_the_value_of_their_own_case() {
    let mut results = busy(Preset::Quick, 10);
    results.studies.retain(|one| one.study.name == "workers");
    let study = &mut results.studies[0];
    for case in &mut study.cases {
        case.findings.clear();
        case.contrasts.clear();
        case.variants.truncate(1);
    }
    let study = &results.studies[0];
    let text = terminal::run(&results, &brief(100), Some("out"));
    let own = |name: &str| {
        let mut cases = study.cases.iter();
        let case = cases.find(|case| case.case.name == name).expect(name);
        let value = case.variants[0].value.expect("a value");
        lab::number::time(value.typical)
    };
    let headline = &study.headline_case().expect("a headline").case.name;
    let others = study
        .study
        .deciding
        .iter()
        .filter(|one| one.case != *headline);
    let mut seen = 0;
    for one in others {
        let mut lines = text.lines();
        let mut cases = study.cases.iter();
        let case = cases.find(|case| case.case.name == one.case).unwrap();
        let label = case.case.filled(&one.label);
        let row = lines.find(|line| line.trim_start().starts_with(&label));
        let row = row.unwrap_or_else(|| panic!("{label}: {text}"));
        let value = format!(": {} typical", own(&one.case));
        assert!(row.contains(&value), "{value}: {text}");
        seen += 1;
    }
    assert!(seen > 1, "{text}");
}

#[test]
fn a_terminal_without_unicode_gets_ascii_alone() {
    let style = Style {
        ascii: true,
        ..plain(100)
    };
    let text = terminal::run(&results(), &style, Some("out"));
    assert!(
        text.is_ascii(),
        "{:?}",
        text.chars().find(|c| !c.is_ascii())
    );
}

#[test]
fn a_run_at_80_columns() {
    insta::assert_snapshot!(whole_text(&results(), 80));
}

#[test]
fn a_run_at_200_columns() {
    insta::assert_snapshot!(whole_text(&results(), 200));
}

#[test]
fn a_machine_at_80_columns() {
    insta::assert_snapshot!(terminal::machine(&machine(), &plain(80)));
}

#[test]
fn a_map_at_80_and_140_columns() {
    insta::assert_snapshot!(whole_text(&mapped(), 80));
    insta::assert_snapshot!(whole_text(&mapped(), 140));
}

#[test]
fn colour_changes_nothing_but_colour() {
    let style = Style {
        colour: true,
        ..plain(100)
    };
    let mut coloured = terminal::run(&results(), &style, None);
    assert!(coloured.contains("\u{1b}["));
    while let Some(start) = coloured.find("\u{1b}[") {
        let end = coloured[start..].find('m').expect("the end of a sequence");
        coloured.replace_range(start..=start + end, "");
    }
    assert_eq!(coloured, whole_text(&results(), 100));
}

#[test]
fn the_summary_comes_last() {
    let text = whole_text(&results(), 200);
    let last = text.lines().last().expect("lines");
    assert!(last.starts_with("Report: DIR/report.html"), "{last}");
    let answers = terminal::run(&results(), &brief(200), None);
    assert!(text.contains(answers.split_once("\n\n").expect("blank lines").0));
}

#[test]
fn one_comparison_on_one_line() {
    let results = results();
    let finding = &results.studies[0].cases[0].findings[0];
    let (estimate, verdict) = (finding.estimate, finding.verdict);
    let line = |width, verdict| {
        let style = plain(width);
        terminal::findings_line("thread", "process", estimate.as_ref(), verdict, &style)
    };
    insta::assert_snapshot!(line(80, Some(&verdict)));
    assert_eq!(line(20, None), "thread vs process:…");
}

/// The text of the first study alone, after a change.
fn first(change: impl Fn(&mut lab::StudyResult)) -> String {
    let mut results = results();
    results.studies.truncate(1);
    change(&mut results.studies[0]);
    whole_text(&results, 120)
}

#[test]
fn a_verdict_at_the_end_of_the_time_is_an_answer() {
    let ended = |study: &mut lab::StudyResult| {
        study.cases[0].ended = Some(lab::CaseEnd::Budget);
    };
    assert!(!first(ended).contains("Stopped at the time limit"));
    let text = first(|study| {
        ended(study);
        study.cases[0].findings[0].verdict = stats::Verdict::CannotTell { more_rounds: None };
    });
    assert!(
        text.contains("Stopped at the time limit after 20 of"),
        "{text}"
    );
}

#[test]
fn large_values_of_a_sweep_keep_their_last_digits() {
    let large = 9_007_199_254_740_993_u64;
    let text = first(|study| {
        let case = &mut study.cases[1].case;
        if let workload::Work::Primes(primes) = &mut case.work {
            primes.block = large;
        }
        if let Some(point) = &mut case.sweep {
            point.value = large as f64;
        }
    });
    assert!(text.contains("9,007,199,254,740,993 "), "{text}");
}

#[test]
fn a_sweep_of_many_titles_does_not_show_the_first_for_all() {
    let text = first(|study| {
        for case in &mut study.cases[1..] {
            case.case.title = format!("Blocks as in {}", case.case.name);
        }
    });
    assert!(text.contains("Sweep grain · by block (numbers)"), "{text}");
    assert!(!text.contains("Blocks as in"), "{text}");
}

#[test]
fn columns_that_were_left_out_are_told_of_once() {
    let note = "columns to see all columns of all tables";
    let at = |width| whole_text(&results(), width).matches(note).count();
    assert_eq!((at(80), at(200)), (1, 0));
}

fn any_label() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ]{0,120}",
        "\\PC{0,60}",
        "[漢字]{0,60}",
        any::<String>()
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn no_line_is_wider_than_the_terminal(
        labels in proptest::collection::vec(any_label(), 4),
        width in 20usize..220,
    ) {
        let mut results = results();
        for case in results.studies.iter_mut().flat_map(|study| &mut study.cases) {
            case.case.title = labels[3].clone();
            for (variant, label) in case.variants.iter_mut().zip(&labels) {
                variant.label = label.clone();
            }
            for finding in &mut case.findings {
                finding.sentence = labels[2].clone();
            }
        }
        let text = whole_text(&results, width);
        // A command is never cut.
        for line in text.lines().filter(|line| !support::is_command(line)) {
            prop_assert!(line.width() <= width, "{} > {width}: {line}", line.width());
        }
    }
}

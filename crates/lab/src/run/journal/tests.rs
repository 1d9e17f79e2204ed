use std::fs;

use flow::{Answer, Failure, Proof};
use proptest::prelude::*;
use tempfile::{TempDir, tempdir};

use super::*;
use crate::data::journal::SCHEMA;
use crate::data::{Metric, Outcome, SlotEntry, Value, slot_value};
use crate::testing::{MS, PROOF, Says, case, done, header, rep, study};

fn a_header() -> Header {
    header(vec![study(vec![case("one", 1, &["process", "thread"])])])
}

fn begun(folder: &TempDir) -> Journal {
    Journal::create(folder.path(), a_header()).unwrap()
}

fn journal_in(folder: &TempDir) -> PathBuf {
    folder.path().join(FILE_NAME)
}

fn slot(round: usize, variant: usize, at_s: f64, outcome: Outcome) -> Entry {
    Entry::Slot(SlotEntry {
        study: "mock".to_owned(),
        case: "one".to_owned(),
        round,
        variant,
        at_s,
        outcome,
    })
}

/// A journal of a header and these lines, none of which has a checksum.
fn read_lines(lines: &[&str]) -> Result<Results, JournalError> {
    let folder = tempdir().unwrap();
    let mut text = serde_json::to_string(&a_header()).unwrap() + "\n";
    lines.iter().for_each(|line| text += &format!("{line}\n"));
    fs::write(journal_in(&folder), text).unwrap();
    Results::from_journal(&journal_in(&folder))
}

/// A journal of four rounds of two variants.
fn four_rounds() -> (TempDir, Vec<u8>) {
    let folder = tempdir().unwrap();
    let mut journal = begun(&folder);
    for round in 0..4 {
        for variant in 0..2 {
            let outcome = of_reps([300, 200 + round as u64, 400]);
            journal.append(slot(round, variant, 0.0, outcome)).unwrap();
        }
    }
    let text = fs::read(journal.path()).unwrap();
    (folder, text)
}

/// One flipped bit made 336 of 350 journals unreadable.
#[test]
fn a_flipped_bit_is_set_right_wherever_it_is_and_its_line_is_named() {
    let (folder, text) = four_rounds();
    let path = journal_in(&folder);
    let as_it_was = Results::from_journal(&path).unwrap();
    let ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let ends: Vec<usize> = ends.map(|(place, _)| place).collect();
    // A flipped bit makes an end of line of `*`, one line of two, and a torn line of the last one.
    let begins = text.iter().enumerate();
    let begins = begins.filter(|(_, byte)| (**byte ^ b'\n').count_ones() == 1);
    let begins = begins.map(|(place, byte)| (place, byte ^ b'\n'));
    let bit = |place: usize| (place, 1 << (place % 8));
    let places = (0..text.len()).step_by(61).chain(ends).map(bit);
    for (place, bit) in places.chain(begins.step_by(7)) {
        let mut damaged = text.clone();
        damaged[place] ^= bit;
        fs::write(&path, &damaged).unwrap();
        let line = 1 + text[..place].iter().filter(|&&byte| byte == b'\n').count();
        let found = Results::from_journal(&path).unwrap();
        let named = found.warnings.iter().any(|warning| {
            warning.contains(&format!("line {line} ")) || warning.contains("last line")
        });
        // The checksum itself, or what stands around it, is no part of what it is of.
        assert!(
            named || found.studies == as_it_was.studies,
            "{place}: {:?}",
            found.warnings
        );
        let slots = &found.studies[0].cases[0].slots;
        assert!(slots.len() >= 7, "{place}");
    }
}

/// Damage that is more than a bit costs the slots of its line, and no other one.
#[test]
fn a_damaged_line_costs_its_slot_and_not_the_journal() {
    let (folder, text) = four_rounds();
    let path = journal_in(&folder);
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    let mut lines: Vec<Vec<u8>> = lines.map(<[u8]>::to_vec).collect();
    lines[4][20..40].fill(b'x');
    lines[7].truncate(9);
    lines[7].push(b'\n');
    // A line that lost its checksum may say anything.
    let seal = lines[5].windows(7).rposition(|at| at == br#","crc":"#);
    lines[5].truncate(seal.unwrap());
    lines[5].extend(b"}\n");
    fs::write(&path, lines.concat()).unwrap();
    let found = Results::from_journal(&path).unwrap();
    for line in [5, 6, 8] {
        let line = format!("line {line} of the journal");
        assert!(found.warnings.iter().any(|said| said.starts_with(&line)));
    }
    let case = &found.studies[0].cases[0];
    let lost = case.slots.iter().filter(|slot| slot.value_ns.is_none());
    let lost: Vec<(usize, usize)> = lost.map(|slot| (slot.round, slot.variant)).collect();
    // The third one is of the last round, and nothing comes after it.
    assert_eq!((case.slots.len(), lost), (7, vec![(1, 1), (2, 0)]));
}

/// A journal that another program cut short in the middle of a run was written on, with exit 0.
#[test]
fn a_journal_that_is_cut_short_while_it_is_written_is_an_error() {
    let folder = tempdir().unwrap();
    let mut journal = begun(&folder);
    journal.note("before").unwrap();
    let other = OpenOptions::new().write(true).open(journal.path());
    other.unwrap().set_len(20).unwrap();
    let error = journal.note("after").unwrap_err().to_string();
    error.says("it was cut short while the run went on");
}

const END: &str = r#"{"line":"end","interrupted":null,"at_s":1.0}"#;

#[test]
fn one_is_never_overwritten() {
    let folder = tempdir().unwrap();
    begun(&folder);
    let error = Journal::create(folder.path(), a_header()).unwrap_err();
    assert!(matches!(error, JournalError::Exists { .. }), "{error}");
    error.to_string().says("journal.jsonl exists already");
}

#[test]
fn a_malformed_line_is_an_error_that_names_it() {
    assert!(read_lines(&[END]).unwrap().finished);
    for bad in ["{\"line\":\"nonsense\"}", "not json", ""] {
        let error = read_lines(&[bad, END]).unwrap_err().to_string();
        error.says("journal.jsonl:2: ");
        assert!(!error.contains("line 1"), "{error}");
        error.says("keep the 1 before it (head -n 1) and resume");
    }
    let unknown = r#"{"line":"case_end","study":"mock","case":"two","because":"rounds"}"#;
    let error = read_lines(&[END, unknown]).unwrap_err().to_string();
    error.says(":3: the header has no case 'two' in a study 'mock': the line was damaged");
}

#[test]
fn slots_that_do_not_follow_each_other_are_refused() {
    let (sent, received) = (2, 1);
    let reason = Failure::ResultsLost { sent, received };
    let outcome = Outcome::new(Answer::failed(reason), 5);
    let line = |round, variant| {
        serde_json::to_string(&slot(round, variant, 0.0, outcome.clone())).unwrap()
    };
    assert!(read_lines(&[&line(0, 1), &line(0, 0), &line(1, 0)]).is_ok());
    for (round, variant) in [(1, 0), (0, 2), (0, 1)] {
        let error = read_lines(&[&line(0, 1), &line(round, variant)]).unwrap_err();
        error.to_string().says(":3: variant");
    }
}

#[test]
fn another_schema_is_refused_by_its_number_and_an_empty_file_too() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("j");
    for (schema, advice) in [
        (SCHEMA + 1, "a newer flowgauge"),
        (SCHEMA - 1, "no released version"),
    ] {
        fs::write(&path, format!("{{\"schema\":{schema},\"new\":true}}\n")).unwrap();
        let error = Results::from_journal(&path).unwrap_err().to_string();
        let known = format!("has schema {schema}, and this version reads schema {SCHEMA}: ");
        error.says(&known);
        error.says(advice);
    }
    for text in ["", "{\"schema\":1,\"ver"] {
        fs::write(&path, text).unwrap();
        let error = Results::from_journal(&path).unwrap_err();
        assert!(matches!(error, JournalError::Empty { .. }), "{error}");
    }
    let error = Results::from_journal(&folder.path().join("none"));
    let error = error.unwrap_err().to_string();
    error.begins("cannot read ");
    error.says("none");
}

#[test]
fn a_full_disk_names_the_file() {
    let folder = tempdir().unwrap();
    let mut journal = begun(&folder);
    journal.file = OpenOptions::new().append(true).open("/dev/full").unwrap();
    let end = Entry::End {
        interrupted: None,
        at_s: 0.0,
    };
    let error = journal.append(end).unwrap_err().to_string();
    error.begins("cannot write ");
    error.says("journal.jsonl: ");
    error.says("No space left");
}

#[test]
fn settings_that_judge_nothing_are_refused_before_a_file_is_made() {
    let folder = tempdir().unwrap();
    let mut header = a_header();
    header.settings.max_rounds = 0;
    let error = Journal::create(folder.path(), header).unwrap_err();
    assert!(matches!(error, JournalError::Settings(_)), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// A slot whose repetitions take this many milliseconds.
fn of_reps(ms: [u64; 3]) -> Outcome {
    let reps = ms.map(|ms| rep(ms * MS, PROOF)).to_vec();
    let Answer::Done(record) = done(&spec(), MS, PROOF) else {
        unreachable!("it is done")
    };
    Outcome::new(Answer::Done(flow::SlotRecord { reps, ..record }), 1)
}

#[test]
fn slots_are_valued_again_as_if_the_run_had_been_told_so() {
    let folders = [Value::Typical, Value::Undisturbed].map(|value| {
        let folder = tempdir().unwrap();
        let mut header = a_header();
        header.settings.value = value;
        let mut journal = Journal::create(folder.path(), header).unwrap();
        for round in 0..10 {
            // The typical times are the same, the fastest ones differ.
            for (variant, least) in [200, 100].into_iter().enumerate() {
                let odd = round as u64 % 2;
                let outcome = of_reps([300 + odd, least + odd, 400]);
                journal.append(slot(round, variant, 0.0, outcome)).unwrap();
            }
        }
        folder
    });
    let [typical, undisturbed] = &folders;
    let (path, undisturbed) = (journal_in(typical), journal_in(undisturbed));
    let told = Results::from_journal(&undisturbed).unwrap();
    let mut again = Results::from_journal_valued(&path, Value::Undisturbed).unwrap();
    let warning = again.warnings.remove(0);
    warning.says("valued typical when it ran; here they are valued undisturbed");
    assert_eq!(again, told);
    let ratio = |results: &Results| {
        let estimate = results.studies[0].cases[0].findings[0].estimate;
        estimate.unwrap().ratio
    };
    assert!((ratio(&again) - 0.5).abs() < 0.05, "{}", ratio(&again));
    let as_it_was = Results::from_journal_valued(&path, Value::Typical).unwrap();
    assert_eq!(as_it_was, Results::from_journal(&path).unwrap());
    assert!((ratio(&as_it_was) - 1.0).abs() < 1e-9);
}

fn spec() -> flow::SlotSpec<workload::Work> {
    let case = case("one", 1, &["thread"]);
    flow::SlotSpec {
        warmups: 1,
        reps: 2,
        deadline_s: 1.0,
        ..flow::SlotSpec::new(case.work, case.variants[0].variant.clone())
    }
}

fn outcome() -> impl Strategy<Value = Outcome> {
    let spec = spec();
    let good = (1..1000 * MS, any::<u64>(), any::<u64>())
        .prop_map(move |(ns, count, checksum)| done(&spec, ns, Proof { count, checksum }));
    let failed = ".*".prop_map(|what| Answer::failed(Failure::Error { what }));
    (prop_oneof![good, failed], any::<u64>())
        .prop_map(|(answer, launch_ns)| Outcome::new(answer, launch_ns))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_was_written_is_what_is_read(
        outcomes in prop::collection::vec((outcome(), 0.0f64..1e6), 0..6),
    ) {
        let folder = tempdir().unwrap();
        let mut journal = begun(&folder);
        for (i, (outcome, at_s)) in outcomes.iter().enumerate() {
            journal.append(slot(i / 2, i % 2, *at_s, outcome.clone())).unwrap();
        }
        let read = Results::from_journal(journal.path()).unwrap();
        prop_assert_eq!(&read, &journal.results());
        prop_assert_eq!(&read.header, journal.header());
        let slots = &read.studies[0].cases[0].slots;
        prop_assert_eq!(slots.len(), outcomes.len());
        for (slot, (outcome, at_s)) in slots.iter().zip(&outcomes) {
            prop_assert_eq!(&slot.outcome, outcome);
            prop_assert_eq!(slot.at_s, *at_s);
            prop_assert_eq!(slot.value_ns, slot_value(outcome, Metric::Total, Default::default()));
        }
    }
}

#[test]
fn two_runs_never_write_to_one_journal() {
    let folder = tempdir().unwrap();
    let first = begun(&folder);
    let resumed = || Journal::resume(&journal_in(&folder), ResumeOverrides::default());
    resumed().unwrap_err().to_string().says("still going on");
    drop(first);
    assert!(resumed().is_ok());
}

//! Quantities of scripted slots.

use flow::{Answer, SlotRecord};
use measure::Measured;
use measure::memory::Reading;

use super::{Basis, Compared, Kind, Look, QuantityFinding, SlotValues, Unit, Word};
use crate::data::RawSlot;
use crate::findings::testing::{begins, done_in, slot};
use crate::testing::{MS, PROOF, case, header, rep, study};

/// Rounds of a process and a thread whose records are changed.
fn slots(rounds: usize, change: impl Fn(usize, usize, &mut SlotRecord)) -> Vec<RawSlot> {
    let of = |round: usize, variant: usize| {
        let mut record = done_in(vec![rep(10 * MS, PROOF)]);
        change(round, variant, &mut record);
        slot(round, variant, 10e6, Answer::Done(record))
    };
    (0..rounds)
        .flat_map(|round| [of(round, 0), of(round, 1)])
        .collect()
}

fn finding(kind: Kind, slots: &[RawSlot]) -> QuantityFinding {
    let case = case("x", 1, &["process", "thread"]);
    let header = header(vec![study(vec![case.clone()])]);
    let slot_values = SlotValues::of(Look::of(&case, &header), slots, vec![kind]);
    let pair = Compared {
        reference: 0,
        subject: 1,
        floor: 0.01,
        comparisons: 1,
    };
    slot_values.compared(pair).remove(0)
}

fn pss(record: &mut SlotRecord, bytes: u64) {
    if let Reading::Honest(memory) = &mut record.memory {
        memory.pss = bytes;
    }
}

fn faults(record: &mut SlotRecord, faults: u64) {
    record.reps[0].parent.create.minor_faults = faults;
}

#[test]
fn memory_has_a_verdict_as_time_has() {
    let slots = slots(10, |round, variant, record| {
        let more = 1 + round as u64 % 3;
        pss(record, [10_000, 8_000][variant] + more);
    });
    let found = finding(Kind::Pss, &slots);
    let contrast = found.contrast.value().unwrap();
    assert_eq!((found.verdict, contrast.basis), (Word::Less, Basis::Ratio));
    assert!((contrast.estimate - 0.8).abs() < 0.001, "{contrast:?}");
    begins(
        &found.sentence,
        "user memory (PSS): threads 20 % less than processes [",
    );
}

#[test]
fn zeros_and_small_counts_are_compared_by_their_difference() {
    let none = slots(10, |_, _, _| {});
    let found = finding(Kind::Faults, &none);
    assert_eq!(found.verdict, Word::Same);
    assert_eq!(
        found.sentence,
        "page faults: threads and processes the same"
    );

    let some = slots(10, |round, variant, record| {
        faults(record, [0, 4 + round as u64 % 2][variant]);
    });
    let found = finding(Kind::Faults, &some);
    let contrast = found.contrast.value().unwrap();
    assert_eq!(
        (found.verdict, contrast.basis),
        (Word::More, Basis::Difference)
    );
    begins(&found.sentence, "page faults: threads 4.5");
}

#[test]
fn many_counts_are_compared_by_their_ratio() {
    let slots = slots(10, |_, variant, record| {
        faults(record, [400, 100][variant]);
    });
    let found = finding(Kind::Faults, &slots);
    assert_eq!(found.contrast.value().unwrap().basis, Basis::Ratio);
    assert_eq!(
        found.sentence,
        "page faults: threads 4.00x less than processes [4.00x … 4.00x]"
    );
}

#[test]
fn what_was_not_measured_is_not_compared_and_says_why() {
    let slots = slots(10, |_, variant, record| {
        if variant == 1 {
            record.memory = Reading::RssOnly {
                rss: 1,
                reason: "denied".to_owned(),
                remedy: "be root".to_owned(),
            };
        }
    });
    let found = finding(Kind::Memory, &slots);
    assert_eq!(found.verdict, Word::NotCompared);
    assert!(matches!(found.contrast, Measured::NotAvailable { .. }));
    assert_eq!(
        found.sentence,
        "memory: threads and processes are not compared: denied"
    );
    // RSS alone can be read.
    assert_ne!(finding(Kind::Rss, &slots).verdict, Word::NotCompared);
}

#[test]
fn few_rounds_have_an_estimate_and_no_verdict() {
    let slots = slots(3, |_, variant, record| pss(record, [200, 100][variant]));
    let found = finding(Kind::Pss, &slots);
    assert_eq!(found.verdict, Word::CannotTell);
    assert_eq!(found.contrast.value().unwrap().interval(), None);
}

#[test]
fn every_name_is_found_again_and_no_work_has_what_it_cannot_have() {
    for name in Kind::names() {
        assert_eq!(Kind::of(&name, None).unwrap().name(), name);
    }
    assert_eq!(Kind::Memory.unit(), Unit::Bytes);
    let case = case("x", 1, &["process", "thread"]);
    let header = header(vec![study(vec![case.clone()])]);
    let none = slots(1, |_, _, _| {});
    let slot_values = SlotValues::of(Look::of(&case, &header), &none, vec![Kind::Requests]);
    assert!(slot_values.quantities().is_empty());
}

/// The page left out more than one in three.
#[test]
fn the_page_of_results_has_every_quantity_under_its_name() {
    let page = include_str!("../../../../../docs/results.md");
    let (_, section) = page.split_once("## `quantities.csv`").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let named = |name: &String| section.contains(&format!("`{name}`"));
    let missing: Vec<String> = Kind::names().filter(|name| !named(name)).collect();
    assert_eq!(missing, [""; 0]);
}

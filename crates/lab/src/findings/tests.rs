//! Whole runs of scripted slots, and what is said of them: helpers and the summary of variants
//! here, each kind of answer in a file of its own.

mod calibration;
mod levels;
mod limits;
mod self_managed;
mod shared;
mod sweep;
mod switches;

use flow::Schedule;
use measure::memory::Reading;
use workload::Work;

use super::StudyResult;
use super::testing::{begins, has, point, record, results_of, run_study};
use crate::data::{Case, labelled};
use crate::testing::{MS, Mock, PROOF, case, done, lost, study};

fn run_cases(cases: Vec<Case>, mock: Mock) -> StudyResult {
    run_study(study(cases), mock)
}

#[test]
fn a_study_of_one_model_says_what_was_measured() {
    let mock = Mock::timed(|_, n| 20 * MS + n as u64 * 10);
    let result = run_cases(vec![case("one", 1, &["process"])], mock);
    assert_eq!(
        result.sentences[0],
        "process: 20.0 ms typical, the middle half of 7 rounds from 20.0 ms to 20.0 ms"
    );
    let result = run_cases(
        vec![case("one", 1, &["process"])],
        Mock::new(|_, _, _, _| lost()),
    );
    assert_eq!(
        result.sentences[0],
        "process: no good slot, so nothing was measured"
    );
}

#[test]
fn uneven_work_is_remarked_upon_and_what_a_queue_makes_of_it() {
    // The mock's second flow always has half of the work of the first.
    let mut even = case("queue", 1, &["thread", "thread"]);
    let result = run_cases(vec![even.clone()], Mock::timed(|_, n| 20 * MS + n as u64));
    let uneven = "queue: the work is uneven: flow 1 computes 2.00x as long as flow 2 (thread)";
    assert!(result.sentences.iter().any(|said| said == uneven));
    let mut variants: Vec<_> = even.variants.iter().map(|v| v.variant.clone()).collect();
    variants[1].schedule = Schedule::Queue;
    even.variants = labelled(variants);
    let mock = Mock::new(|_, _, n, spec| {
        let mut answer = done(spec, 20 * MS + n as u64, PROOF);
        if spec.variant.schedule == Schedule::Queue {
            let reps = &mut record(&mut answer).reps;
            reps.iter_mut()
                .for_each(|rep| rep.flows[1].end_ns = rep.flows[0].end_ns);
        }
        answer
    });
    assert_eq!(
        run_cases(vec![even], mock).sentences[1],
        "queue: the last flow ends 1.33x as late as the mean one when work is dealt out \
         (thread static), and 1.00x when it is taken from a queue (thread queue)"
    );
}

#[test]
fn a_variant_is_summed_up_by_medians() {
    let mock =
        Mock::timed(|model, n| (if model == "thread" { 10 } else { 20 }) * MS + n as u64 * 10);
    let result = run_cases(vec![case("one", 1, &["process", "thread"])], mock);
    let thread = &result.cases[0].variants[1];
    assert_eq!(thread.value.unwrap().typical, 10_000_030.0);
    assert_eq!(thread.undisturbed_ns, Some(10_000_000.0));
    assert_eq!(thread.phases.unwrap().create_ns, 1_000_003.0);
    assert_eq!(thread.flows.len(), 2);
    assert_eq!(
        (thread.flows[0].end_ns, thread.flows[1].end_ns),
        (8_000_024, 4_000_012)
    );
    assert_eq!(thread.memory.unwrap().total(), 1110);
    assert!((thread.imbalance.unwrap() - 4.0 / 3.0).abs() < 1e-6);
    let finding = &result.cases[0].findings[0];
    assert_eq!(finding.phases.unwrap().teardown_ns, -1_000_000.0);
    assert_eq!(
        finding.why[..2],
        [
            "of the difference of 10.0 ms, 20 % is create and tear-down (1.00 ms and 1.00 ms) \
             and 80 % the steady phase",
            "in the steady phase alone: threads 2.00x faster than processes [1.99x … 2.00x]",
        ]
    );
    assert!(finding.tail.is_some());
}

#[test]
fn memory_that_cannot_be_read_in_full_says_why() {
    let mock = Mock::new(|_, _, n, spec| {
        let mut answer = done(spec, 20 * MS + n as u64, PROOF);
        record(&mut answer).memory = Reading::RssOnly {
            rss: 12_300_000,
            reason: "smaps_rollup is denied".to_owned(),
            remedy: "run as its owner".to_owned(),
        };
        answer
    });
    let result = run_cases(vec![case("one", 1, &["thread"])], mock);
    let variant = &result.cases[0].variants[0];
    assert_eq!(variant.memory, None);
    assert_eq!(
        variant.memory_not_available.as_deref(),
        Some("RSS alone, 11.7 MiB: smaps_rollup is denied (run as its owner)")
    );
}

#[test]
fn workers_that_did_not_have_their_cpu_are_warned_of() {
    let warned = |placement: &str, busy: bool| {
        let mut one = case("cpu", 2, &["process", "thread"]);
        one.work = Work::Cpu(workload::Cpu {
            workers: 2,
            loops: 1,
        });
        for labelled in &mut one.variants {
            labelled.variant.placement = placement.parse().unwrap();
        }
        let mock = Mock::new(move |_, _, _, spec| {
            let mut answer = done(spec, 10 * MS, PROOF);
            let reps = record(&mut answer).reps.iter_mut();
            for flow in reps.flat_map(|rep| &mut rep.flows) {
                flow.steady.cpu_ns = if busy { 4 * MS } else { MS };
            }
            answer
        });
        let mut warnings = results_of(study(vec![one]), mock).warnings.into_iter();
        warnings.find(|said| said.contains("only compute"))
    };
    let said = warned("one", false).unwrap();
    begins(&said, "cpu: ");
    has(&said, "had 25 % of their CPU");
    assert_eq!(warned("one", true), None);
    assert_eq!(warned("free", false), None);
}

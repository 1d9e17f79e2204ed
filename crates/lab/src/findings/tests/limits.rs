//! How many flows there can be, and the price of one.

use super::switches::switches;
use super::*;
use crate::findings::limits;
use crate::findings::testing::{begins, has};

#[test]
fn limits_tell_the_number_the_limit_and_the_price_of_one() {
    let mut cases = switches(&[100, 1_100]);
    for case in &mut cases {
        let flows = case.sweep.as_ref().map_or(0.0, |point| point.value) as u32;
        case.metric = crate::data::Metric::Create;
        case.work = Work::Turns(workload::Turns {
            flows: flows.into(),
            kernel_turns: 1,
            user_turns: 1,
            user_laps: None,
            touched_at_most: None,
            stack_use: 0,
            hand_over: flow::HandOver::Futex,
            by_readiness: false,
            stack: None,
        });
        for labelled in &mut case.variants {
            labelled.variant.flows = flows;
        }
    }
    let mock = Mock::new(|_, _, _, spec| {
        let flows = u64::from(spec.variant.flows);
        let mut answer = done(spec, MS, PROOF);
        let record = record(&mut answer);
        for rep in &mut record.reps {
            rep.create_ns = 50_000 * flows;
        }
        if let Reading::Honest(memory) = &mut record.memory {
            memory.pss = 1_000_000 + 10_240 * flows;
        }
        answer
    });
    let result = run_cases(cases, mock);
    let headline = &result.sentences[0];
    begins(headline, "at most ");
    has(headline, " threads");
    begins(&result.sentences[1], "at 100 flows: ");
    let limits = result.parts.limits.iter();
    for (limit, model) in limits.zip(["process", "thread", "task"]) {
        assert_eq!((limit.label.as_str(), limit.made), (model, 1_100));
        assert!(limit.room.as_ref().is_some_and(|room| room.count > 0));
        assert_eq!(limit.create_ns_each, Some(50_000.0));
        assert_eq!(
            (limit.bytes_each, &limit.bytes_not_available),
            (Some(10_240.0), &None)
        );
    }
    // A run without time to create any reads its limits all the same.
    let mut cases = result.cases;
    let summaries = cases.iter_mut().flat_map(|case| &mut case.variants);
    summaries.for_each(|summary| summary.value = None);
    let limits = limits::limits(&machine::Machine::read(), &result.study, &cases);
    assert_eq!(limits.len(), 3);
    assert!(limits.iter().all(|one| one.made == 0 && one.room.is_some()));
}

#[test]
fn a_model_of_which_none_can_be_made_is_in_the_table_of_limits_with_the_reason() {
    let mut study = study(vec![case("create/100", 1, &["process"])]);
    study.limits_of = vec![flow::Model::Thread];
    let limits = limits::limits(&machine::Machine::read(), &study, &[]);
    assert_eq!(
        (limits.len(), limits[0].label.as_str(), limits[0].made),
        (1, "thread", 0)
    );
    assert!(limits[0].room.is_some());
    let reason = limits[0].bytes_not_available.as_deref();
    assert_eq!(
        (limits[0].create_ns_each, reason),
        (None, Some("none could be made"))
    );
}

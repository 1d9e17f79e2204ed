//! Whole runs of scripted slots, and what is said of them.

use flow::{Answer, Schedule, SlotRecord};
use measure::memory::Reading;
use tempfile::tempdir;
use workload::{Spin, Work};

use super::{Results, StudyResult};
use crate::testing::{MS, Mock, PROOF, case, done, header, lost, study};
use crate::{Case, Journal, Metric, Silent, SweepPoint, labelled, run};

/// What flows did that all took their turns.
const TURNS: flow::record::Turns = flow::record::Turns {
    taken: 1_000,
    handed_over: 1_000,
    switches: 1_001,
    checked: 30,
    orderly: 30,
};

fn run_cases(cases: Vec<Case>, mut mock: Mock) -> StudyResult {
    let folder = tempdir().unwrap();
    let mut journal = Journal::create(folder.path(), header(vec![study(cases)])).unwrap();
    let clock = mock.clock();
    let results: Results = run(&mut journal, &mut mock, &clock, &mut Silent).unwrap();
    results.studies.into_iter().next().unwrap()
}

fn record(answer: &mut Answer) -> &mut SlotRecord {
    match answer {
        Answer::Done(record) => record,
        Answer::Failed { .. } => panic!("not done"),
    }
}

/// Cases of a sweep; the value of each is the units of its work.
fn sweep(values: &[u64]) -> Vec<Case> {
    let point = |&value: &u64| Case {
        sweep: Some(SweepPoint {
            sweep: "grain".to_owned(),
            parameter: "block".to_owned(),
            value: value as f64,
            unit: "numbers".to_owned(),
        }),
        ..case(&format!("grain/{value}"), value, &["process", "thread"])
    };
    values.iter().map(point).collect()
}

/// Work of 1 us a number; making processes costs 2 ms more than making threads.
fn fixed_cost() -> Mock {
    Mock::new(|units, model, n, spec| {
        let making = if model == "process" { 3 * MS } else { MS };
        done(spec, making + units * 1000 + n as u64 % 7 * 500, PROOF)
    })
}

#[test]
fn a_sweep_says_below_which_value_processes_cost_more() {
    let result = run_cases(sweep(&[100, 1000, 10_000, 100_000]), fixed_cost());
    // The truth, were there no bends: 199,000, 19,000 and 1,000.
    let said = result.sentences.last().unwrap();
    assert!(
        said.starts_with("grain: processes instead of threads cost more than 1 % everywhere from 100 to 100,000 numbers, more than 10 % below about "),
        "{said}"
    );
    assert!(
        said.contains("more than 2x below about 1,000 numbers [990 … 1,000]"),
        "{said}"
    );
}

#[test]
fn a_sweep_whose_costs_are_small_everywhere_says_so() {
    let result = run_cases(sweep(&[1_000_000, 2_000_000]), fixed_cost());
    let said = result.sentences.last().unwrap();
    assert_eq!(
        said,
        "grain: processes instead of threads cost more than 1 % nowhere from 1,000,000 to \
         2,000,000 numbers, more than 10 % nowhere from 1,000,000 to 2,000,000 numbers, more than \
         2x nowhere from 1,000,000 to 2,000,000 numbers"
    );
}

#[test]
fn a_sweep_claims_no_level_that_lies_within_an_interval() {
    // Processes take 1.75 to 2.65 times as long, whatever the size.
    let mock = Mock::new(|_, model, n, spec| {
        let percent = if model == "process" {
            175 + n as u64 * 37 % 91
        } else {
            100
        };
        done(spec, 10 * MS * percent / 100, PROOF)
    });
    let result = run_cases(sweep(&[1000, 100_000]), mock);
    let said = result.sentences.last().unwrap();
    assert!(
        said.contains("more than 10 % everywhere from 1,000 to 100,000 numbers"),
        "{said}"
    );
    let end = said.split(", ").last().unwrap();
    assert!(
        !end.contains("everywhere") && !end.contains("nowhere"),
        "{said}"
    );
    assert!(
        said.contains("more or less than 2x: unclear (threads 1.86x"),
        "{said}"
    );
}

#[test]
fn a_sweep_that_was_cut_before_its_first_slot_has_no_empty_list_of_winners() {
    let mut cases = sweep(&[2, 3]);
    for case in &mut cases {
        case.metric = Metric::Switch;
    }
    let mut mock = fixed_cost();
    mock.signal_after = Some(0);
    let said = run_cases(cases, mock).sentences;
    assert!(
        !said.iter().any(|said| said.contains("cheapest")),
        "{said:?}"
    );
}

#[test]
fn a_study_of_one_model_says_what_was_measured() {
    let mock = Mock::timed(|_, n| 20 * MS + n as u64 * 10);
    let result = run_cases(vec![case("one", 1, &["process"])], mock);
    assert_eq!(
        result.sentences[0],
        "process: 20.0 ms typical, the middle half of 10 slots from 20.0 ms to 20.0 ms"
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

const FOUR: [&str; 4] = [
    "process",
    "process-shared-files",
    "thread-private-files",
    "thread",
];

/// Slots of the four models that take this many ms, in the order of [`FOUR`].
fn four_times(ms: [u64; 4]) -> impl Fn(&str, usize) -> u64 {
    move |model, n| {
        let place = FOUR.iter().position(|known| *known == model).unwrap_or(0);
        ms[place] * MS + n as u64 % 3
    }
}

#[test]
fn the_in_between_models_tell_which_shared_resource_it_is() {
    for (ms, said) in [
        (
            [40, 40, 20, 20],
            "in-between: what makes the difference is the shared address space (with the signal \
             handlers): with the address space shared 2.00x faster [1.99x … 2.00x], with the file \
             table shared the same within 1 %",
        ),
        (
            [10, 15, 10, 15],
            "in-between: what makes the difference is the shared file table (with the working \
             folder): with the address space shared the same within 1 %, with the file table shared 1.50x slower \
             [1.49x … 1.50x]",
        ),
        (
            [40, 36, 20, 18],
            "in-between: what makes the difference is the address space and file table: with the \
             address space shared 2.00x faster [1.99x … 2.00x], with the file table shared 1.11x \
             faster [1.11x … 1.12x]",
        ),
        (
            [10, 10, 10, 10],
            "in-between: neither shared resource makes a difference: with the address space \
             shared the same within 1 %, with the file table shared the same within 1 %",
        ),
    ] {
        let mock = Mock::timed(four_times(ms));
        let result = run_cases(vec![case("in-between", 1, &FOUR)], mock);
        assert_eq!(result.sentences.last().unwrap(), said);
        assert!(result.matrices().is_empty(), "one case is no map");
    }
}

#[test]
fn without_all_four_models_nothing_is_said_of_what_is_shared() {
    let mock = Mock::timed(four_times([40, 30, 20, 10]));
    let result = run_cases(vec![case("three", 1, &FOUR[..3])], mock);
    assert_eq!(result.cases[0].shared, None);
}

#[test]
fn many_cases_of_four_models_are_a_map_with_its_causes_in_words() {
    // The name of a case is not known to the mock; its units are.
    let mock = Mock::new(|units, model, n, spec| {
        let ms = match units {
            1 => [10, 10, 20, 20],
            2 => [10, 13, 10, 13],
            3 => [10, 10, 10, 10],
            _ => [10, 13, 10, 10],
        };
        done(spec, four_times(ms)(model, n), PROOF)
    });
    let cases = vec![
        case("mmap", 1, &FOUR),
        case("open", 2, &FOUR),
        case("getppid", 3, &FOUR),
        case("dup", 4, &FOUR),
    ];
    let result = run_cases(cases, mock);
    let matrices = result.matrices();
    assert_eq!(matrices.len(), 1);
    let rows: Vec<&str> = matrices[0]
        .cases
        .iter()
        .map(|case| crate::OperationMatrix::row(case))
        .collect();
    assert_eq!(rows, ["mmap", "open", "getppid", "dup"]);
    let causes: Vec<_> = matrices[0]
        .cases
        .iter()
        .map(|case| case.shared.unwrap().cause)
        .collect();
    assert_eq!(
        causes,
        [
            crate::Cause::AddressSpace,
            crate::Cause::FileTable,
            crate::Cause::Neither,
            crate::Cause::Both
        ]
    );
    assert_eq!(
        result.sentences[result.sentences.len() - 3..],
        [
            "2 flows, free to use any CPU: of 4 operations threads are slower than processes in 2 \
             (mmap 2.00x, open 1.30x), faster in none, the same in 2, and too close to call in none",
            "2 flows, free to use any CPU: what makes the difference: the shared address space (with \
             the signal handlers) in 1 (mmap); the shared file table (with the working folder) in 1 \
             (open)",
            "2 flows, free to use any CPU: sharing has an effect also in 1 where threads and \
             processes are too close to call (dup)",
        ]
    );
    said_of_one_without_time(result.cases);
}

/// Operations for which there was no time were said to be such as cannot be distinguished.
fn said_of_one_without_time(mut cut: Vec<crate::CaseResult>) {
    cut[2].ended = Some(crate::CaseEnd::Budget);
    cut[2].shared = None;
    for finding in &mut cut[2].findings {
        finding.estimate = None;
        finding.verdict = stats::Verdict::CannotTell { more_rounds: None };
    }
    let said = super::operation_matrix::sentences(&cut);
    let expected = "the same in 1, and too close to call in none; 1 was not compared (out of time)";
    assert!(said[0].ends_with(expected), "{}", said[0]);
}

#[test]
fn maps_of_several_numbers_of_flows_tell_what_grows_with_them() {
    let operation = |flows: u32, name: &str| {
        let work = serde_json::json!({"kind": "operation", "operation": name, "flows": flows});
        let mut case = case(&format!("{name}/{flows}"), u64::from(flows), &FOUR);
        case.work = serde_json::from_value(work).expect("an operation");
        for labelled in &mut case.variants {
            labelled.variant.flows = flows;
        }
        case.sweep = Some(crate::SweepPoint {
            sweep: format!("flows/{name}"),
            parameter: "flows".into(),
            value: f64::from(flows),
            unit: "flows".into(),
        });
        case
    };
    let mock = Mock::new(|flows, model, n, spec| {
        let Work::Operation(work) = &spec.work else {
            panic!("{:?}", spec.work)
        };
        let own = match (work.operation.as_str(), flows) {
            ("mmap", 1) => 10,
            ("mmap", _) => 10 * flows,
            _ => 12,
        };
        done(spec, four_times([10, 10, own, own])(model, n), PROOF)
    });
    let named = |flows| ["mmap", "dup", "brk"].map(|name| operation(flows, name));
    let cases: Vec<Case> = [1, 2, 4].into_iter().flat_map(named).collect();
    let result = run_cases(cases, mock);
    assert_eq!(result.matrices().len(), 3);
    assert_eq!(
        result.sentences.last().unwrap(),
        "free to use any CPU, from 1 to 4 flows: the time of threads over that of processes grows \
         in 1 of 3 operations (mmap from 1.00 to 4.00)"
    );
}

#[test]
fn a_map_is_silent_on_where_its_operations_cross() {
    let operation = |flows: u32| {
        let work = serde_json::json!({"kind": "operation", "operation": "mmap", "flows": flows});
        let mut case = case(&format!("mmap/{flows}"), u64::from(flows), &FOUR);
        case.work = serde_json::from_value(work).expect("an operation");
        case.sweep = Some(crate::SweepPoint {
            sweep: "flows".into(),
            parameter: "flows".into(),
            value: f64::from(flows),
            unit: "flows".into(),
        });
        case
    };
    let mock =
        Mock::new(|_, model, n, spec| done(spec, four_times([10, 13, 10, 13])(model, n), PROOF));
    let result = run_cases([1, 2, 4].map(operation).into(), mock);
    let crossing = |said: &&String| said.contains("instead of");
    assert_eq!(result.sentences.iter().find(crossing), None);
}

#[test]
fn a_variant_is_summed_up_by_medians() {
    let mock =
        Mock::timed(|model, n| (if model == "thread" { 10 } else { 20 }) * MS + n as u64 * 10);
    let result = run_cases(vec![case("one", 1, &["process", "thread"])], mock);
    let thread = &result.cases[0].variants[1];
    assert_eq!(thread.value.unwrap().typical, 10_000_045.0);
    assert_eq!(thread.undisturbed_ns, Some(10_000_000.0));
    assert_eq!(thread.phases.unwrap().create_ns, 1_000_004.5);
    assert_eq!(thread.flows.len(), 2);
    assert_eq!(
        (thread.flows[0].end_ns, thread.flows[1].end_ns),
        (8_000_036, 4_000_018)
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
fn a_planted_difference_that_was_never_looked_for_is_not_said_to_be_missed() {
    let mut planted = case("planted", 1, &["thread", "thread"]);
    let work = |planted| {
        Work::Spin(Spin {
            units: 1,
            steps: 1_000,
            planted,
        })
    };
    planted.work = work(0);
    planted.variants[1].work = Some(work(50));
    let result = |slots| {
        let mut mock = Mock::timed(|_, n| 20 * MS + n as u64);
        mock.signal_after = Some(slots);
        run_cases(vec![planted.clone()], mock).sentences
    };
    assert_eq!(
        result(0),
        [
            "thread #2 and threads were not compared: no round has a good slot of both".to_owned(),
            "whether a planted 5 % is found was not tried: no round has a good slot of both"
                .to_owned(),
        ]
    );
    assert_eq!(
        result(8)[1],
        "whether a planted 5 % is found was not tried: 3 rounds are too few"
    );
    planted.variants[1].work = None;
    let mut mock = Mock::timed(|_, n| 20 * MS + n as u64);
    mock.signal_after = Some(0);
    let said = run_cases(vec![planted], mock).sentences;
    assert_eq!(
        said[1],
        "whether identical programs are called different was not tried: no round has a good slot of both"
    );
}

#[test]
fn a_machine_compared_with_itself_says_what_it_can_tell() {
    let mut calibration = case("identical", 1, &["thread", "thread"]);
    let noisy = |_: &str, n: usize| 20 * MS + (n as u64 * 7919 % 100) * MS / 1000;
    let result = run_cases(vec![calibration.clone()], Mock::timed(noisy));
    let said = result.sentences.join("\n");
    assert!(
        said.contains("identical programs were not called different"),
        "{said}"
    );
    assert!(
        said.contains("this machine can detect differences of") && said.contains(" in 80 ("),
        "{said}"
    );

    let Work::Spin(mut planted) = calibration.work.clone() else {
        panic!("not spin")
    };
    planted.steps = 1_000;
    calibration.work = Work::Spin(planted.clone());
    planted.planted = 100;
    calibration.variants[1].work = Some(Work::Spin(planted));
    let slower = Mock::new(|_, _, n, spec| {
        let planted = matches!(&spec.work, Work::Spin(spin) if spin.planted > 0);
        done(spec, (if planted { 22 } else { 20 }) * MS + n as u64, PROOF)
    });
    let result = run_cases(vec![calibration], slower);
    assert!(
        result.sentences[1].starts_with("a planted 10 % was found: "),
        "{:?}",
        result.sentences
    );
}

#[test]
fn what_a_sampler_costs_is_the_difference_that_it_makes() {
    let mut sampled = case("sampled", 1, &["thread", "thread"]);
    sampled.variants[1].sample = Some(crate::Sampling {
        interval_s: 0.1,
        folder: None,
    });
    let costing = |percent: u64| {
        Mock::new(move |_, _, n, spec| {
            let added = if spec.sample.is_some() { percent } else { 0 };
            done(spec, 20 * MS * (100 + added) / 100 + n as u64, PROOF)
        })
    };
    let said = |mock| run_cases(vec![sampled.clone()], mock).sentences[1].clone();
    let dear = said(costing(10));
    assert!(
        dear.starts_with("sampled: it costs at least 10 %: a run with it is 9.9"),
        "{dear}"
    );
    let cheap = said(costing(0));
    assert!(
        cheap.starts_with("sampled: it costs no more than 1 %: "),
        "{cheap}"
    );
    assert!(
        cheap.contains("CPU time of the flows 1.000x as much"),
        "{cheap}"
    );
    assert!(!cheap.contains("identical programs"), "{cheap}");
}

/// Cases that measure switches at this many flows, of models whose switch takes this many ns.
fn switches(values: &[u64]) -> Vec<Case> {
    let case = |&flows: &u64| Case {
        sweep: Some(SweepPoint {
            sweep: "flows".to_owned(),
            parameter: "flows".to_owned(),
            value: flows as f64,
            unit: "flows".to_owned(),
        }),
        metric: crate::Metric::Switch,
        ..case(
            &format!("flows/{flows}"),
            flows,
            &["process", "thread", "task"],
        )
    };
    values.iter().map(case).collect()
}

/// Processes take 2 us, threads 1 us and 1 ns more a flow, tasks 5 ns; each repetition holds
/// 1,000 turns, and the kernel counts one switch more than there are hand-overs.
fn switching() -> Mock {
    switching_but_at(0)
}

/// The same; every slot of this many flows is lost.
fn switching_but_at(lost_at: u64) -> Mock {
    Mock::new(move |flows, model, n, spec| {
        if flows == lost_at {
            return lost();
        }
        let a_turn = match model {
            "process" => 2_000,
            "thread" => 1_000 + flows,
            _ => 5,
        };
        let mut answer = done(spec, MS, PROOF);
        for rep in &mut record(&mut answer).reps {
            rep.steady_ns = a_turn * 1_000 + n as u64 % 3;
            rep.turns = Some(TURNS);
        }
        answer
    })
}

#[test]
fn a_switch_is_told_in_ns_and_who_is_cheapest_where() {
    let result = run_cases(switches(&[2, 10_000]), switching());
    let typical = |case: usize, variant: usize| {
        let value = result.cases[case].variants[variant].value.unwrap();
        value.typical.round()
    };
    assert_eq!(
        (typical(0, 0), typical(0, 1), typical(0, 2)),
        (2000.0, 1002.0, 5.0)
    );
    let said = result.sentences.join("\n");
    assert!(
        said.contains("cheapest to switch: 2 flows: task (5.00 ns); 10,000 flows: task (5.00 ns)"),
        "{said}"
    );
    let changes = "at 2 flows thread is cheaper than process, at 10,000 process is";
    assert!(said.contains(changes), "{said}");
    // Of one slot each it was shown all the same: the middle half of one has no width.
    let mut few = result.cases.clone();
    for case in &mut few {
        case.slots.retain(|slot| slot.round < 5);
    }
    assert_eq!(
        super::cheapest::cheapest(&few),
        ["flows: which is cheapest to switch is too close to call at every number of flows"]
    );
    few[1] = result.cases[1].clone();
    few[1]
        .slots
        .retain(|slot| slot.variant != 1 || slot.round == 0);
    assert_eq!(
        super::cheapest::cheapest(&few),
        [
            "flows: cheapest to switch: 2 flows: too close to call; 10,000 flows: task \
          (5.00 ns, about the same as thread)"
        ]
    );
    let evidence = "(100.1 % in the worst repetition); every flow ran between two turns of the \
                    same flow in 100.0 % of";
    assert!(said.contains(evidence), "{said}");
}

#[test]
fn what_takes_no_turns_has_no_time_of_a_switch() {
    let plain = Mock::new(|_, _, _, spec| done(spec, MS, PROOF));
    let result = run_cases(switches(&[2]), plain);
    assert!(result.cases[0].variants.iter().all(|v| v.value.is_none()));
}

#[test]
fn limits_tell_the_number_the_limit_and_the_price_of_one() {
    let mut cases = switches(&[100, 1_100]);
    for case in &mut cases {
        let flows = case.sweep.as_ref().map_or(0.0, |point| point.value) as u32;
        case.metric = crate::Metric::Create;
        case.work = Work::Turns(workload::Turns {
            flows: flows.into(),
            kernel_turns: 1,
            user_turns: 1,
            user_laps: None,
            touched_at_most: None,
            stack_use: 0,
            hand_over: flow::HandOver::Futex,
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
    assert!(
        headline.starts_with("at most ") && headline.contains(" threads"),
        "{headline}"
    );
    assert!(
        result.sentences[1].starts_with("at 100 flows: "),
        "{:?}",
        result.sentences
    );
    for (limit, model) in result.limits.iter().zip(["process", "thread", "task"]) {
        assert_eq!((limit.label.as_str(), limit.made), (model, 1_100));
        assert!(limit.room.as_ref().is_some_and(|room| room.count > 0));
        assert_eq!(limit.create_ns_each, Some(50_000.0));
        assert_eq!(
            (limit.bytes_each, &limit.bytes_not_available),
            (Some(10_240.0), &None)
        );
    }
}

#[test]
fn a_model_of_which_none_can_be_made_is_in_the_table_of_limits_with_the_reason() {
    let mut study = study(vec![case("create/100", 1, &["process"])]);
    study.limits_of = vec![flow::Model::Thread];
    let limits = super::limits::limits(&machine::Machine::read(), &study, &[]);
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

#[test]
fn the_headline_of_a_sweep_that_was_cut_speaks_of_what_was_compared() {
    let said = |lost_at: u64, signal_after: Option<usize>| {
        let mut mock = switching_but_at(lost_at);
        mock.signal_after = signal_after;
        run_cases(switches(&[2, 5, 10]), mock).sentences[0].clone()
    };
    assert!(
        said(0, None).starts_with("at 2 flows: task "),
        "{}",
        said(0, None)
    );
    assert!(
        said(2, None).starts_with("at 10 flows: task "),
        "{}",
        said(2, None)
    );
    // The headline goes first: cut early, it has all rounds.
    let cut = said(0, Some(4 * 3));
    assert!(
        cut.starts_with("at 2 flows: threads against processes: "),
        "{cut}"
    );
    assert!(cut.contains("3 rounds are too few"), "{cut}");
}

#[test]
fn the_headline_of_switches_is_about_two_models_and_not_two_ways_of_one() {
    let mut cases = switches(&[5]);
    let mut futex = cases[0].variants[0].clone();
    futex.label = "process, futex".to_owned();
    // The second way of processes is the fastest of all; its number tells it here.
    futex.variant.flows = 4;
    cases[0].variants.insert(1, futex);
    let mock = Mock::new(|flows, model, n, spec| {
        let a_turn = match (model, flows) {
            ("process", 4) => 500,
            ("thread", _) => 1_000,
            _ => 2_000,
        };
        let mut answer = done(spec, MS, PROOF);
        for rep in &mut record(&mut answer).reps {
            rep.steady_ns = a_turn * 1_000 + n as u64 % 3;
            rep.turns = Some(TURNS);
        }
        answer
    });
    cases[0]
        .variants
        .retain(|labelled| labelled.label != "task");
    let said = run_cases(cases, mock).sentences[0].clone();
    assert!(
        said.contains("threads 2.00x faster than processes"),
        "{said}"
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
        let mut mock = Mock::new(move |_, _, _, spec| {
            let mut answer = done(spec, 10 * MS, PROOF);
            let reps = record(&mut answer).reps.iter_mut();
            for flow in reps.flat_map(|rep| &mut rep.flows) {
                flow.steady.cpu_ns = if busy { 4 * MS } else { MS };
            }
            answer
        });
        let folder = tempdir().unwrap();
        let mut journal = Journal::create(folder.path(), header(vec![study(vec![one])])).unwrap();
        let clock = mock.clock();
        let results = run(&mut journal, &mut mock, &clock, &mut Silent).unwrap();
        let mut warnings = results.warnings.into_iter();
        warnings.find(|said| said.contains("only compute"))
    };
    let said = warned("one", false).unwrap();
    assert!(
        said.starts_with("cpu: ") && said.contains("had 25 % of their CPU"),
        "{said}"
    );
    assert_eq!(warned("one", true), None);
    assert_eq!(warned("free", false), None);
}

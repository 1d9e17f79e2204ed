//! A machine compared with itself, planted differences, and the cost of a sampler.

use workload::Spin;

use super::*;
use crate::findings::testing::{begins, has, lacks};

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
            "not known: thread #2 against threads: no round has a good slot of both".to_owned(),
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
    has(&said, "identical programs were not called different");
    has(&said, "this machine can detect differences of");
    has(&said, " in 80 (");

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
    begins(&result.sentences[1], "a planted 10 % was found: ");
}

#[test]
fn what_a_sampler_costs_is_the_difference_that_it_makes() {
    let mut sampled = case("sampled", 1, &["thread", "thread"]);
    sampled.variants[1].sample = Some(crate::data::Sampling {
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
    begins(
        &dear,
        "sampled: it costs at least 10 %: a run with it is 1.09x",
    );
    let cheap = said(costing(0));
    begins(&cheap, "sampled: it costs no more than 1 %: ");
    has(&cheap, "CPU time of the flows 1.000x as much");
    lacks(&cheap, "identical programs");
}

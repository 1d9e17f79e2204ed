//! Causes that models between processes and threads show, and waiting.

use super::*;
use crate::findings::testing::{has, lacks};

/// An effect that takes this many times as long, known to 5 %.
pub(super) fn effect(ratio: f64) -> Effect {
    let estimate = crate::testing::estimate(ratio, ratio / 1.05, ratio * 1.05);
    let verdict = Rule::default().judge(&estimate);
    Effect { estimate, verdict }
}

/// The reasons where sharing the address space and the file table does that.
fn factorial(
    (space, files): (f64, f64),
    thread: &Profile,
    process: &Profile,
    verdict: Verdict,
) -> Vec<String> {
    why(&Evidence {
        metric: Metric::Steady,
        shared: Some(&Shared::of(effect(space), effect(files))),
        ..evidence(thread, process, verdict)
    })
}

#[test]
fn the_models_between_tell_which_shared_thing_it_is() {
    let said = factorial((0.5, 0.9), &thread(), &process(), DIFFERENT);
    assert_eq!(
        said,
        [
            "by the models between, sharing the address space makes it 2.00x faster [1.90x … \
          2.10x], and sharing the file table makes it 1.11x faster [1.05x … 1.17x]; that is \
          87 % and 13 % of the difference"
        ]
    );
    let silent = factorial((0.5, 0.9), &thread(), &process(), SAME);
    assert_eq!(silent, Vec::<String>::new());
}

#[test]
fn what_noise_may_make_is_no_effect_and_what_hides_another_has_no_share() {
    let said = factorial((0.5, 1.0), &thread(), &process(), DIFFERENT);
    has(&said[0], "table makes an undecided difference (");
    lacks(&said[0], "of the difference");
    let said = factorial((0.5, 1.5), &thread(), &process(), DIFFERENT);
    has(&said[0], "the file table makes it 1.50x slower [");
    lacks(&said[0], "of the difference");
}

#[test]
fn flows_wait_for_each_other_only_where_both_counts_say_so() {
    let slower = Verdict::Slower { at_least: 0.8 };
    let mut waiting = thread();
    waiting.steady.voluntary_switches = Some(5_000.0);
    let said = factorial((2.0, 1.0), &waiting, &process(), slower);
    assert!(
        said.contains(
            &"threads wait for each other at the address space that they share: 5,000 times in \
              the steady phase against 12"
                .to_owned()
        ),
        "{said:?}"
    );
    let waits = |said: Vec<String>| said.iter().any(|line| line.contains("wait for each other"));
    // Some of each, no waiting, or the faster side waiting: nobody knows where.
    assert!(!waits(factorial((1.4, 1.4), &waiting, &process(), slower)));
    assert!(!waits(factorial((2.0, 1.0), &thread(), &process(), slower)));
    assert!(!waits(factorial(
        (0.5, 1.0),
        &waiting,
        &process(),
        DIFFERENT
    )));
}

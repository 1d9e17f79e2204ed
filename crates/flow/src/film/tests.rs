use super::*;

fn heard(moments: &[(u64, i32, Change)], causes: &[(i32, u64, State)]) -> Heard {
    let moments = moments.iter();
    let moments = moments.map(|&(at_ns, tid, change)| Moment { at_ns, tid, change });
    let causes = causes.iter();
    let causes = causes.map(|&(tid, at, state)| ((tid, at), state));
    Heard {
        moments: moments.collect(),
        causes: causes.collect(),
        lost: 0,
    }
}

const FROM_TO: (u64, u64) = (1_000, 5_000);

/// A flow is made, gets a CPU, waits for a lock, waits for a CPU, works, and ends.
fn flow() -> Heard {
    heard(
        &[
            (1_400, 7, Change::Made),
            (1_500, 7, Change::On),
            (2_500, 7, Change::Waits),
            (3_000, 7, Change::On),
            (3_200, 7, Change::Preempted),
            (3_400, 7, Change::On),
            (4_400, 7, Change::Ended),
            (4_410, 7, Change::Waits),
        ],
        &[(7, 2_500, State::Lock)],
    )
}

#[test]
fn a_task_is_in_one_state_between_two_moments_and_in_none_after_its_end() {
    let spans = flow().spans(7, FROM_TO);
    let states: Vec<(u64, State)> = spans.iter().map(|one| (one.1 - one.0, one.2)).collect();
    let expected = [
        (100, State::Cpu),
        (1_000, State::Runs),
        (500, State::Lock),
        (200, State::Runs),
        (200, State::Cpu),
        (1_000, State::Runs),
    ];
    assert_eq!(states, expected);
    assert_eq!(spans.last().map(|one| one.1), Some(4_400));
}

/// Nobody has looked: that is no wait without a cause.
#[test]
fn a_wait_that_nobody_saw_is_unseen() {
    let mut heard = flow();
    heard.causes.clear();
    let lane = lane(7, &heard.spans(7, FROM_TO), FROM_TO);
    assert_eq!(lane.ns.get(&State::Unseen), Some(&500));
    assert_eq!(lane.ns.get(&State::Lock), None);
}

#[test]
fn sums_are_exact_and_cells_have_what_fills_most_of_them() {
    let lane = lane(7, &flow().spans(7, FROM_TO), FROM_TO);
    assert_eq!(lane.ns.get(&State::Runs), Some(&2_200));
    assert_eq!(lane.ns.values().sum::<u64>(), 3_000);
    assert_eq!(lane.cells, "-40q10r100l50r20q20r100-60");
    let runs: Vec<(usize, usize, char)> = lane.runs().collect();
    assert_eq!(runs[..2], [(40, 10, 'q'), (50, 100, 'r')]);
    assert_eq!(runs.last(), Some(&(240, 100, 'r')));
}

#[test]
fn a_task_that_was_there_before_did_what_its_first_moment_ends() {
    let parent = heard(&[(2_000, 1, Change::Waits), (3_000, 1, Change::On)], &[]);
    let spans = parent.spans(1, FROM_TO);
    assert_eq!(spans[0], (1_000, 2_000, State::Runs));
    assert_eq!(spans.last(), Some(&(3_000, 5_000, State::Runs)));
    // One that was ready and has no CPU yet.
    let ready = heard(&[(500, 1, Change::Preempted), (3_000, 1, Change::On)], &[]);
    assert_eq!(ready.spans(1, FROM_TO)[0], (1_000, 3_000, State::Cpu));
}

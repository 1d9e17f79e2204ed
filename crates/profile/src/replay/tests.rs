use super::*;
use crate::capture::Event;
use crate::unwind::OF_A_USER;

const SLOT: i32 = 10;
const WORKER: (i32, i32) = (10, 11);

fn spec(each: u64) -> ProfileSpec {
    ProfileSpec {
        period_ns: 100,
        each,
        turns: 1,
        cpus: Vec::new(),
        launched: false,
        stacks: false,
        phases: [true; 3],
        faster: None,
    }
}

/// Of a worker.
fn event(ns: u64, kept: Kept) -> Event {
    let (pid, tid) = WORKER;
    Event { ns, pid, tid, kept }
}

fn forked(ns: u64, (child, child_thread): (i32, i32)) -> Event {
    let record = Record::Fork {
        child,
        child_thread,
    };
    Event::of(ns, (SLOT, SLOT), record)
}

fn fork(ns: u64) -> Event {
    forked(ns, WORKER)
}

fn code(ns: u64) -> Event {
    let map = Record::Map(measure::ring_record::Mapping {
        from: 0,
        to: 10,
        offset: 0,
        path: "/bin/gzip".into(),
        inode: 0,
    });
    Event::of(ns, WORKER, map)
}

fn runs(ns: u64) -> Event {
    Event::of(ns, WORKER, Record::In)
}

fn leaves(ns: u64, preempted: bool) -> Event {
    Event::of(ns, WORKER, Record::Out { preempted })
}

fn replayed(events: Vec<Event>, each: u64, kernel: bool, spans: &[(u64, u64)]) -> Profile {
    in_windows(events, &spec(each), kernel, spans, &[(0, u64::MAX)])
}

/// Call chains: of nothing, of a user's function, and with a return address of 0.
const CHAINS: [&[u64]; 3] = [&[], &[OF_A_USER, 5], &[OF_A_USER, 0, 0]];

fn in_windows(
    events: Vec<Event>,
    spec: &ProfileSpec,
    kernel: bool,
    spans: &[(u64, u64)],
    windows: &[(u64, u64)],
) -> Profile {
    let mut recorded = Recorded {
        events,
        chains: CHAINS.map(Box::from).to_vec(),
        ..Recorded::default()
    };
    let of = Material {
        spec,
        slot: SLOT,
        spans,
        windows,
        kernel,
        seen: &[vec!["pipe_read_[k]".to_owned()]],
        symbols: Symbols::default(),
    };
    replay(of, Processes::of_slot(SLOT), &mut recorded)
}

fn own_ns(profile: &Profile, path: &[&str]) -> u64 {
    let mut places = 0..profile.nodes.len();
    let place = places.find(|&at| profile.path(at) == path);
    place.map_or(0, |place| profile.nodes[place].own_ns)
}

#[test]
fn a_sample_is_its_period_and_only_in_the_spans() {
    let clock = |ns| event(ns, Kept::Clock(0));
    let events = vec![fork(0), runs(1), clock(5), clock(20), clock(30), clock(99)];
    let profile = replayed(events, 1, true, &[(10, 40)]);
    assert_eq!((profile.samples, profile.span_ns), (2, 30));
    assert_eq!(own_ns(&profile, &[ON_CPU]), 200);
}

#[test]
fn a_wait_is_as_long_as_it_was_in_the_spans() {
    let chain = |ns| event(ns, Kept::Leaves(0));
    let events = vec![fork(0), runs(0), chain(10), leaves(10, false), runs(50)];
    let profile = replayed(events, 1, true, &[(0, 20), (30, 100)]);
    assert_eq!(own_ns(&profile, &[WAITS]), 30);
    assert_eq!(profile.waits, 1);
}

#[test]
fn a_thread_that_ended_does_not_wait_at_its_last_switch() {
    let ends = Event::of(40, WORKER, Record::Exit);
    let chain = event(41, Kept::Leaves(0));
    let last = [leaves(41, true), runs(42), leaves(43, false)];
    let events = [vec![fork(0), runs(0), ends, chain], last.to_vec()].concat();
    let profile = replayed(events.clone(), 1, true, &[(0, 100)]);
    assert_eq!((own_ns(&profile, &[WAITS]), profile.waits), (0, 0));
    let nobody = (WORKER.0, RELEASED);
    let gone = Event::of(44, nobody, Record::Out { preempted: false });
    let events = [events, vec![gone]].concat();
    let profile = replayed(events.clone(), 1, true, &[(0, 100)]);
    assert_eq!(profile.waits, 0, "its number was taken back");
    let next = vec![fork(50), runs(50), leaves(60, false), runs(80)];
    let again = [events, next].concat();
    let profile = replayed(again, 1, true, &[(0, 100)]);
    assert_eq!(profile.waits, 1, "another thread has its number");
}

#[test]
fn who_is_ready_waits_for_a_cpu() {
    let events = vec![fork(5), runs(10), leaves(20, true), runs(40)];
    let profile = replayed(events, 1, true, &[(0, 100)]);
    assert_eq!(own_ns(&profile, &[WAITS, PREEMPTED]), 5 + 20);
}

/// Of each second wait the reason is known: it stands for the others.
#[test]
fn waits_without_a_reason_are_shared_out_where_only_some_were_to_have_one() {
    let mut events = vec![fork(0), runs(0)];
    for number in 0..4 {
        let from = 10 + 20 * number;
        if number % 2 == 0 {
            events.push(event(from, Kept::Leaves(0)));
        }
        events.extend([leaves(from, false), runs(from + 10)]);
    }
    let profile = replayed(events.clone(), 2, true, &[(0, 100)]);
    assert_eq!(own_ns(&profile, &[WAITS]), 40);
    let each = replayed(events, 1, true, &[(0, 100)]);
    assert_eq!(own_ns(&each, &[WAITS, NOT_SEEN]), 20);
}

/// A pair of waits, of 3 and of 1 in each 10, and a seventh of the switches with a chain.
#[test]
fn waits_in_windows_stand_for_all_without_bias() {
    let windows: Vec<(u64, u64)> = (0..50)
        .map(|cycle| (16 * cycle + 7 * cycle % 16) * 1_000)
        .map(|from| (from, from + 1_000))
        .collect();
    let is_seen = |event: &Event| {
        let is_in = windows
            .iter()
            .any(|&(from, to)| (from..to).contains(&event.ns));
        is_in || event.ns == 0
    };
    let mut events = vec![fork(0), code(0)];
    for turn in 0..80_000 {
        let from = turn * 10;
        for (at, (left, length)) in [(2, 3), (8, 1)].into_iter().enumerate() {
            if (2 * turn + at as u64).is_multiple_of(7) {
                events.push(event(from + left, Kept::Leaves(at as u32)));
            }
            events.extend([leaves(from + left, false), runs(from + left + length)]);
        }
    }
    events.retain(is_seen);
    let profile = in_windows(events, &spec(7), true, &[(0, 800_000)], &windows);
    let waits = |frames: usize| {
        let nodes = (0..profile.nodes.len()).filter(|&at| profile.path(at).len() == frames);
        nodes.map(|at| profile.nodes[at].own_ns as f64).sum::<f64>()
    };
    let off = |found: f64, right: f64| (found / right - 1.0).abs();
    assert!(off(waits(1), 240_000.0) < 0.03, "{}", waits(1));
    assert!(off(waits(2), 80_000.0) < 0.03, "{}", waits(2));
}

/// A thread that computes, whose last switch on to a CPU nobody saw, waited for one all the while.
#[test]
fn a_switch_between_windows_is_known_by_the_next_one() {
    let events = vec![
        fork(0),
        runs(10),
        leaves(90, true),
        leaves(1_050, false),
        runs(1_070),
    ];
    let windows = [(0, 100), (500, 600), (1_000, 1_100)];
    let profile = in_windows(events, &spec(1), false, &[(0, 1_100)], &windows);
    let whole = |ns: f64| (ns * 1_100.0 / 300.0_f64).round() as u64;
    assert_eq!(
        own_ns(&profile, &[WAITS, PREEMPTED]),
        whole(10.0) + whole(10.0)
    );
    assert_eq!(own_ns(&profile, &[WAITS, NOT_SEEN]), whole(20.0));
    let ran = 80.0 + 100.0 + 50.0 + 30.0;
    assert_eq!(own_ns(&profile, &[ON_CPU, UNSEEN_KERNEL]), whole(ran));
}

/// Without rights: the kernel's time is what is left, and waits are as `/proc` tells.
#[test]
fn what_a_plain_user_may_not_see_is_told_from_the_switches() {
    let seen = |ns| event(ns, Kept::Seen(0));
    let clock = event(150, Kept::Clock(0));
    let events = vec![
        fork(0),
        runs(0),
        clock,
        leaves(500, false),
        seen(510),
        runs(600),
        leaves(700, false),
    ];
    let profile = replayed(events, 1, false, &[(0, 800)]);
    assert_eq!(own_ns(&profile, &[ON_CPU]), 100);
    assert_eq!(own_ns(&profile, &[ON_CPU, UNSEEN_KERNEL]), 500);
    assert_eq!(own_ns(&profile, &[WAITS, "pipe_read_[k]"]), 100);
    assert_eq!(own_ns(&profile, &[WAITS, NOT_SEEN]), 100);
    assert!(format!("{:?}", profile.unseen).contains("perf_event_paranoid"));
}

#[test]
fn of_a_command_only_what_was_launched_counts() {
    let child = (20, 20);
    let own = |event: Event| Event { pid: 20, ..event };
    let clock = |ns| own(event(ns, Kept::Clock(0)));
    let exec = Event::of(30, child, Record::Exec);
    let map = own(code(31));
    let events = vec![forked(1, child), clock(10), exec, map, clock(50)];
    let spec = ProfileSpec {
        launched: true,
        ..spec(1)
    };
    let profile = in_windows(events, &spec, true, &[(0, 100)], &[(0, u64::MAX)]);
    assert_eq!(profile.samples, 1);
}

/// A return address of 0 ended the profiler.
#[test]
fn an_address_of_nothing_ends_a_chain_and_nothing_else() {
    let events = vec![fork(0), runs(0), event(5, Kept::Clock(2))];
    let profile = replayed(events, 1, true, &[(0, 100)]);
    assert_eq!((profile.samples, own_ns(&profile, &[ON_CPU])), (1, 100));
}

/// Threads of Node that had no work stood first, with nine seconds of a launch of three.
#[test]
fn time_in_which_another_thread_runs_is_no_rest() {
    let mut active = Active::default();
    active.turns(10, false, true);
    active.turns(20, false, true);
    active.turns(30, true, false);
    assert_eq!(active.rested(40), 10, "from the beginning to the first");
    active.turns(50, true, false);
    active.turns(50, false, false);
    assert_eq!(active.rested(70), 10 + 20);
}

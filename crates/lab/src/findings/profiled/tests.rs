use flow::profile::{Node, Profile, STRIPPED};
use flow::{Answer, Proof};

use super::*;
use crate::findings::testing::{self, begins, done_in, ends, lacks};
use crate::testing::{case, rep};

const TWO: [&str; 2] = ["process", "thread"];

/// Nodes of a path each, with its own ns.
fn profile(paths: &[(&[&str], u64)]) -> Profile {
    let mut profile = Profile {
        period_ns: 1,
        each: 1,
        ..Profile::default()
    };
    for (path, own_ns) in paths {
        let mut above = 0;
        for (depth, name) in path.iter().enumerate() {
            let frame = profile.frames.len() as u32;
            profile.frames.push((*name).to_owned());
            let own_ns = if depth + 1 == path.len() { *own_ns } else { 0 };
            profile.nodes.push(Node {
                above,
                frame,
                own_ns,
            });
            above = profile.nodes.len() as u32;
        }
    }
    profile
}

fn slot(round: usize, variant: usize, profile: Measured<Profile>) -> RawSlot {
    let answer = Answer::Done(done_in(vec![rep(1_000_000, Proof::default())]));
    let mut slot = testing::slot(round, variant, 1e6, answer);
    slot.outcome.profile = Some(profile);
    slot
}

/// Sixteen rounds; `of` says what a side of a round has.
fn found(of: impl Fn(usize, usize) -> Profile) -> Profiled {
    let slots = (0..16).flat_map(|round| [0, 1].map(|variant| (round, variant)));
    let slots = slots.map(|(round, variant)| slot(round, variant, of(round, variant).into()));
    let slots: Vec<RawSlot> = slots.collect();
    let found = profiled(&case("one", 1, &TWO), (&slots, &slots), 1);
    found.unwrap().into_value().unwrap()
}

/// Some noise that both sides do not share.
fn noise(round: usize, variant: usize) -> u64 {
    ((round * 7 + variant * 13) % 11) as u64 * 1_000
}

const ON: &str = "on a CPU";

#[test]
fn a_place_that_is_larger_in_every_round_is_named_with_its_size() {
    let found = found(|round, variant| {
        profile(&[
            (&[ON, "main", "work"], 1_000_000 + noise(round, variant)),
            (
                &[ON, "main", "slow"],
                200_000 + 90_000 * variant as u64 + noise(round + 3, variant),
            ),
        ])
    });
    let first = found.named().next().unwrap();
    assert_eq!(first.name, "slow");
    let (low, high) = first.interval.unwrap();
    assert!(low < 90e-6 && 90e-6 < high, "{low} {high}");
    assert!((first.difference_s() - 90e-6).abs() < 3e-6, "{first:?}");
    assert_eq!(found.named().count(), 1, "{:?}", found.places);
    begins(&found.cause().unwrap(), "slow: all of the 89");
    let node = |name: &str| found.tree.iter().find(|frame| frame.name == name).unwrap();
    assert!(node("slow").is_named && !node("work").is_named);
    assert!(
        node("main").seconds[0] > node("work").seconds[0],
        "with all below it"
    );
}

/// Both sides wait for events; one does so for a lock too.
#[test]
fn a_place_has_the_callers_of_its_difference_and_not_those_of_its_time() {
    let call = "epoll_wait (system call)";
    let found = found(|round, variant| {
        profile(&[
            (&[ON, "main", "work"], 1_000_000 + noise(round, variant)),
            (&["waits", "main", "idle", call], 5_000_000),
            (
                &["waits", "main", "update", "lock", "epoll_wait", call],
                900_000 * variant as u64,
            ),
        ])
    });
    let first = found.named().next().unwrap();
    assert_eq!(first.callers, ["lock", "update"]);
    let words = first.words();
    ends(&words, "), called by lock, update");
}

#[test]
fn an_address_for_a_name_is_said_with_what_names_it() {
    let found = found(|round, variant| {
        let mut profile = profile(&[
            (&[ON, "work"], 1_000_000 + noise(round, variant)),
            (&[ON, "gzip@0x3f20"], 900_000 * variant as u64),
        ]);
        for file in ["other", "gzip (package gzip)"] {
            let reason = format!("{STRIPPED}: {file}");
            let why = Measured::not_available(reason, "install it");
            profile.unseen.push(why);
        }
        profile
    });
    let last = format!("{STRIPPED}: gzip (package gzip); install it");
    assert_eq!(found.lines().last(), Some(&last));
}

#[test]
fn a_frame_of_one_side_alone_is_kept() {
    let found = found(|round, variant| {
        let work: (&[&str], u64) = (&[ON, "work"], 1_000_000 + noise(round, variant));
        let lock: (&[&str], u64) = (&["waits", "for a CPU"], 50_000 + noise(round, 1));
        profile(&[work, lock][..1 + variant])
    });
    let first = found.named().next().unwrap();
    assert_eq!(first.name, "waits for a CPU");
    assert_eq!(first.seconds[0], 0.0);
}

/// On a busy machine waits for other programs stood first, and not what made the command longer.
#[test]
fn waits_for_a_cpu_that_follow_from_the_work_stand_behind_it() {
    let first = |waits: u64| {
        let found = found(|round, variant| {
            let side = variant as u64;
            let waits = 1_000_000 + side * waits + noise(round, variant);
            let runs = 1_000_000 + side * 2_000_000 + noise(round, variant);
            profile(&[(&["waits", "for a CPU"], waits), (&[ON, "work"], runs)])
        });
        found.named().next().unwrap().name.clone()
    };
    assert_eq!(first(3_000_000), "work");
    assert_eq!(first(9_000_000), "waits for a CPU");
}

#[test]
fn what_is_too_small_is_shown_and_not_judged() {
    let found = found(|round, variant| {
        profile(&[
            (&[ON, "work"], 1_000_000 + noise(round, variant)),
            (&[ON, "tiny"], 100 + 400 * variant as u64),
        ])
    });
    let mut places = found.places.iter();
    let tiny = places.find(|place| place.name == "tiny").unwrap();
    assert_eq!(
        (tiny.p_value, tiny.is_named, tiny.interval),
        (None, false, None)
    );
    assert_eq!(found.named().count(), 0);
    assert_eq!(found.cause(), None);
}

/// The child's own time is there already.
#[test]
fn a_wait_for_a_child_is_no_time() {
    let found = found(|round, variant| {
        let wait: &[&str] = &["waits", "main", "wait4 (system call)", "do_wait_[k]"];
        profile(&[
            (&[ON, "work"], 1_000_000 + noise(round, variant)),
            (wait, 9_000_000 * variant as u64),
        ])
    });
    assert!(found.total_s[1] < 1.2e-3, "{:?}", found.total_s);
    found
        .places
        .iter()
        .for_each(|place| lacks(&place.name, "child"));
}

#[test]
fn without_rights_the_reason_is_kept() {
    let refused = || Measured::not_available("no rights", "run as root");
    let slots = [slot(0, 0, refused()), slot(0, 1, refused())];
    let found = profiled(&case("one", 1, &TWO), (&slots, &slots), 1).unwrap();
    assert_eq!(found.map(|_| ()), refused().map(|_: Profile| ()));
    assert_eq!(profiled(&case("one", 1, &TWO), (&slots, &[]), 1), None);
}

#[test]
fn profiles_without_any_time_are_no_profiles() {
    let slots: Vec<RawSlot> = (0..16)
        .map(|n| slot(n / 2, n % 2, profile(&[]).into()))
        .collect();
    let found = profiled(&case("one", 1, &TWO), (&slots, &slots), 1).unwrap();
    assert_eq!(found.value(), None);
}

/// Two identical sides, many times: the share of runs that name any frame.
#[test]
fn identical_sides_name_a_frame_in_at_most_one_of_twenty_runs() {
    let mut state = 1_u64;
    let mut draw = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % 100_000
    };
    let names: Vec<String> = (0..12).map(|number| format!("f{number}")).collect();
    let runs = 60;
    let wrong = (0..runs).filter(|_| {
        let mut slots = Vec::new();
        for round in 0..12 {
            let whole = draw();
            for variant in [0, 1] {
                let paths: Vec<[&str; 2]> = names.iter().map(|name| [ON, name]).collect();
                let paths: Vec<(&[&str], u64)> = paths
                    .iter()
                    .map(|path| (&path[..], 100_000 + whole + draw()))
                    .collect();
                slots.push(slot(round, variant, profile(&paths).into()));
            }
        }
        let found = profiled(&case("one", 1, &TWO), (&slots, &slots), 1);
        found.unwrap().into_value().unwrap().named().count() > 0
    });
    let wrong = wrong.count();
    assert!(wrong <= runs / 10, "{wrong} of {runs}");
}

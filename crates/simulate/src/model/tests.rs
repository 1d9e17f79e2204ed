//! Known patterns and their known counts.

use super::*;
use crate::machine::{Policy, Time, Tlb};

/// 32 KB 8-way, 256 KB 8-way, 8 MB 16-way inclusive; 64 and 512 entries in 4 ways.
fn machine(cores: u32, threads_per_core: u32) -> Machine {
    let cache = |bytes, ways| Cache {
        bytes,
        ways,
        line: 64,
        policy: Policy::Lru,
        allocates_on_store: true,
        inclusive: false,
        shared_by: 1,
    };
    let tlb = |level, entries| Tlb {
        level,
        pages: vec![4096, 2 << 20],
        entries,
        ways: 4,
        policy: Policy::Lru,
    };
    Machine {
        name: "test".to_owned(),
        about: String::new(),
        cores,
        threads_per_core,
        clock_mhz: 1000,
        pages: vec![4096, 2 << 20],
        tags: Tags::AddressSpace,
        entries_outlive_switches: true,
        l1d: cache(32 << 10, 8),
        l2: Some(cache(256 << 10, 8)),
        llc: Cache {
            inclusive: true,
            shared_by: cores,
            ..cache(8 << 20, 16)
        },
        dtlb: vec![tlb(1, 64), tlb(2, 512)],
        time: Time {
            base: 1.0,
            l2: 10.0,
            llc: 40.0,
            memory: 200.0,
            l2_tlb: 7.0,
            walk: 30.0,
        },
        origins: Vec::new(),
    }
}

fn load(address: u64) -> Access {
    Access {
        granule: address >> GRANULE_BITS,
        load: true,
        store: false,
        times: 1,
    }
}

fn store(address: u64) -> Access {
    Access {
        load: false,
        store: true,
        ..load(address)
    }
}

/// Loads by hardware thread 0 on pages of 4 KB: all counts.
fn counted(addresses: impl Iterator<Item = u64>) -> Counts {
    let mut model = Model::new(&machine(1, 1), 4096);
    addresses.for_each(|address| model.access(0, load(address)));
    model.counts(0)
}

/// A sequence of numbers without a pattern.
fn random() -> impl FnMut() -> u64 {
    let mut state = 88_172_645_463_325_252_u64;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    }
}

const MB: u64 = 1 << 20;

#[test]
fn a_stride_misses_each_line_and_each_page_once() {
    let stride = |bytes: u64, of: u64| counted((0..of / bytes).map(move |at| at * bytes));
    let all = stride(64, 16 * MB);
    assert_eq!([all.accesses, all.l1d, all.l2, all.llc], [262_144; 4]);
    assert_eq!([all.dtlb, all.walks], [4_096; 2]);
    let eighth = stride(8, 16 * MB);
    assert_eq!(eighth.accesses, 8 * eighth.l1d);
    assert_eq!(eighth.l1d, 262_144);
}

#[test]
fn capacity_decides_at_each_level() {
    // Twice through a footprint: the second time misses what did not fit.
    let twice = |bytes: u64| {
        let once = (0..bytes / 64).map(|line| line * 64);
        let counts = counted(once.clone().chain(once));
        let lines = bytes / 64;
        let again = |misses: u64| misses - lines;
        [again(counts.l1d), again(counts.l2), again(counts.llc)]
    };
    let lines = |bytes: u64| bytes / 64;
    assert_eq!(twice(32 << 10), [0, 0, 0]);
    assert_eq!(
        twice(64 << 10)[0],
        lines(64 << 10),
        "a loop that does not fit misses always"
    );
    assert_eq!(twice(256 << 10)[1..], [0, 0]);
    assert_eq!(twice(512 << 10)[1..], [lines(512 << 10), 0]);
    assert_eq!(twice(8 * MB)[2], 0);
    assert_eq!(twice(16 * MB)[2], lines(16 * MB));
}

#[test]
fn conflicts_are_those_of_the_associativity() {
    // Lines of one set of the first level: 4 KB apart with 64 sets of 64 bytes.
    let conflicts = |lines: u64| {
        let all = (0..100 * lines).map(move |at| (at % lines) * 4096);
        counted(all).l1d
    };
    assert_eq!(conflicts(8), 8, "as many as there are ways");
    assert_eq!(conflicts(9), 900, "one more");
}

#[test]
fn random_over_a_footprint_misses_what_does_not_fit() {
    let mut draw = random();
    let counts = counted((0..2_000_000).map(|_| draw() % (4 * MB)));
    let rate = |misses: u64| misses as f64 / counts.accesses as f64;
    let close = |misses: u64, expected: f64| {
        assert!(
            (rate(misses) - expected).abs() < 0.005,
            "{} {expected}",
            rate(misses)
        );
    };
    // 32 KB of 4 MB is there, 256 KB of 4 MB, 64 of 1,024 pages, 512 of 1,024 pages.
    close(counts.l1d, 1.0 - 1.0 / 128.0);
    close(counts.l2, 1.0 - 1.0 / 16.0);
    close(counts.llc, 65_536.0 / 2e6);
    close(counts.dtlb, 1.0 - 1.0 / 16.0);
    close(counts.walks, 0.5);
}

#[test]
fn a_chase_over_lines_in_any_order_is_a_loop() {
    let mut draw = random();
    let lines = 4 * MB / 64;
    let mut order: Vec<u64> = (0..lines).collect();
    (1..order.len())
        .rev()
        .for_each(|at| order.swap(at, draw() as usize % at));
    let laps = (0..4 * lines).map(|step| order[(step % lines) as usize] * 64);
    let counts = counted(laps);
    assert_eq!(counts.llc, lines, "4 MB fit into 8");
    assert_eq!(
        counts.l2, counts.accesses,
        "a loop of 4 MB through 256 KB misses always"
    );
}

#[test]
fn two_cores_that_write_a_line_take_it_from_each_other() {
    let mut model = Model::new(&machine(2, 1), 4096);
    for _ in 0..1_000 {
        model.access(0, store(0));
        model.access(1, store(8));
    }
    let (a, b) = (model.counts(0), model.counts(1));
    assert_eq!([a.l1d, b.l1d], [1_000; 2], "each time it is gone");
    assert_eq!(a.taken + b.taken, 1_999, "all but the first");
    assert_eq!(a.llc + b.llc, 1, "it stays in the last level");
    let (lines, pages) = model.shared();
    assert_eq!(
        [lines.touched, lines.by_several, lines.written_by_several],
        [1; 3]
    );
    assert_eq!(pages.written_by_several, 1);
}

#[test]
fn two_cores_that_read_a_line_both_keep_it() {
    let mut model = Model::new(&machine(2, 1), 4096);
    for _ in 0..1_000 {
        model.access(0, load(0));
        model.access(1, load(0));
    }
    assert_eq!(model.counts(0).l1d + model.counts(1).l1d, 2);
    assert_eq!(model.shared().0.written_by_several, 0);
}

#[test]
fn threads_of_one_core_share_its_cache_and_other_cores_do_not() {
    let misses = |threads: u32| {
        let mut model = Model::new(&machine(2, 2), 4096);
        for thread in [0, threads] {
            (0..512).for_each(|line| model.access(thread, load(line * 64)));
        }
        model.counts(threads).l1d
    };
    assert_eq!(misses(1), 0, "what the other thread of the core brought in");
    assert_eq!(misses(2), 512);
}

#[test]
fn entries_of_a_tlb_are_shared_as_the_machine_says() {
    let misses = |tags, other_space: u32| {
        let machine = Machine {
            tags,
            ..machine(1, 2)
        };
        let mut model = Model::new(&machine, 4096);
        model.enter(1, other_space);
        for thread in [0, 1] {
            (0..16).for_each(|page| model.access(thread, load(page * 4096)));
        }
        model.counts(1).dtlb
    };
    assert_eq!(misses(Tags::AddressSpace, 0), 0, "one address space");
    assert_eq!(misses(Tags::AddressSpace, 1), 16, "two address spaces");
    assert_eq!(misses(Tags::HardwareThread, 0), 16);
}

#[test]
fn large_pages_reach_further() {
    let mut model = Model::new(&machine(1, 1), 2 << 20);
    (0..128 * MB / 64).for_each(|line| model.access(0, load(line * 64)));
    assert_eq!(model.counts(0).dtlb, 64);
}

#[test]
fn what_falls_out_of_an_inclusive_last_level_falls_out_above() {
    let misses = |inclusive| {
        let mut machine = machine(2, 1);
        machine.llc.inclusive = inclusive;
        let mut model = Model::new(&machine, 4096);
        model.access(0, load(0));
        // The other core fills the last level with other things.
        (1..=16 * MB / 64).for_each(|line| model.access(1, load(line * 64)));
        model.access(0, load(0));
        model.counts(0).l1d
    };
    assert_eq!(misses(false), 1);
    assert_eq!(misses(true), 2);
}

#[test]
fn stores_that_do_not_allocate_write_through() {
    let mut machine = machine(1, 1);
    machine.l1d = Cache {
        line: 16,
        bytes: 8 << 10,
        ways: 4,
        allocates_on_store: false,
        ..machine.l1d
    };
    let mut model = Model::new(&machine, 4096);
    (0..10).for_each(|_| model.access(0, store(0)));
    let counts = model.counts(0);
    assert_eq!(
        (counts.l1d, counts.llc),
        (0, 1),
        "nobody waits, the next level has it"
    );
    model.access(0, load(0));
    assert_eq!(model.counts(0).l1d, 1, "and the first one still has not");
}

#[test]
fn processes_share_what_none_of_them_has_written() {
    let mut model = Model::new(&machine(2, 1), 4096);
    model.event(0, Event::Fork { child: 1 });
    model.event(0, Event::Fork { child: 2 });
    model.enter(0, 1);
    model.enter(1, 2);
    model.access(0, load(0));
    model.access(1, load(0));
    assert_eq!(model.counts(1).llc, 0, "the other process brought it in");
    model.access(1, store(0));
    assert_eq!(model.counts(1).taken, 0, "it gets a copy of its own");
    model.access(0, load(0));
    assert_eq!(model.counts(0).l1d, 1, "and the other keeps the first");
    model.access(1, load(64));
    assert_eq!(model.counts(1).llc, 2, "the whole page is its own now");
}

#[test]
fn time_is_base_and_what_was_missed() {
    let mut model = Model::new(&machine(1, 1), 4096);
    model.access(0, load(0));
    model.access(0, load(0));
    let counts = model.counts(0);
    assert_eq!(Model::cycles(counts.base), 2.0);
    assert_eq!(Model::cycles(counts.stall), 200.0 + 30.0);
}

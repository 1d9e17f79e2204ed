//! Slots and their indices; guards of both kinds.

use std::os::fd::AsRawFd;

use super::*;
use crate::{Fiber, Scheduler};

fn check(config: &Config) {
    let slots = Slots::new(config, false).unwrap();
    for index in [0, 1, 2, 31, 32, 33, 998, 999] {
        let (base, top) = (slots.base(index), slots.top(index));
        assert_eq!(top.addr() % 16, 0);
        assert!(top.addr() - base.addr() >= slots.usable());
        slots.prepare(index).unwrap();
        assert!(slots.is_whole(index));
    }
}

#[test]
fn addresses_and_indices_agree() {
    for bytes in [128, 192, 256, 1_024, 65_536] {
        // SAFETY: nobody runs in these slots.
        let config = unsafe { Config::packed(bytes) };
        check(&config.capacity(1_000));
    }
    for bytes in [16 << 10, 64 << 10, 1 << 20] {
        check(&Config::guarded(bytes).capacity(1_000));
    }
}

#[test]
fn packed_slots_spread_over_the_sets_of_a_cache() {
    let lines = |bytes| stride(Stack::Packed { bytes }) / LINE;
    assert_eq!([128, 192, 256, 320, 4_096].map(lines), [2, 3, 5, 5, 65]);
}

#[test]
fn only_the_guard_is_the_guard() {
    let slots = Slots::new(&Config::guarded(16 << 10).capacity(8), false).unwrap();
    assert_eq!(slots.guard_at(slots.base(3).addr()), Some(3));
    assert_eq!(slots.guard_at(slots.base(3).addr() + PAGE), None);
    assert_eq!(slots.guard_at(slots.base(0).addr() - 1), None);
}

/// The kernel cannot read a guard, and can read any other page of ours.
fn is_guarded(page: *mut u8) -> bool {
    let (_reader, writer) = std::io::pipe().unwrap();
    // SAFETY: a page of ours; the call copies its first byte.
    unsafe { libc::write(writer.as_raw_fd(), page.cast(), 1) != 1 }
}

#[test]
fn every_slot_has_its_guard_also_where_one_call_installs_several() {
    for in_batches in [true, false] {
        let slots = Slots::new(&Config::guarded(4 << 10).capacity(201), false).unwrap();
        slots.in_batches.set(in_batches && slots.in_batches.get());
        for index in 0..201 {
            slots.prepare(index).unwrap();
            let base = slots.base(index);
            assert!(is_guarded(base), "slot {index}, batches: {in_batches}");
            assert!(!is_guarded(base.wrapping_add(PAGE)), "slot {index}");
        }
    }
}

// ── Guards that are mappings, as before Linux 6.13: in child processes ───────────────

/// Set in a child process whose guards shall be made by `mprotect`.
const MAPPINGS: &str = "FIBER_TEST_GUARDS_ARE_MAPPINGS";

pub(super) fn guards_are_to_be_mappings() -> bool {
    std::env::var_os(MAPPINGS).is_some()
}

#[inline(never)]
fn overflow() {
    std::hint::black_box([1_u8; 1 << 20]);
}

#[test]
fn a_touched_guard_that_is_a_mapping_names_its_fiber() {
    if guards_are_to_be_mappings() {
        // SAFETY: it is dropped in this function, or in the one that asked for it.
        let scheduler = unsafe { Scheduler::new(Config::guarded(32 << 10).capacity(3)) }.unwrap();
        assert_eq!(scheduler.core().slots.guard, Guard::Protected);
        for who in 0..3 {
            let body = move |fiber: &mut Fiber| {
                fiber.yield_now();
                if who == 1 {
                    overflow();
                }
            };
            scheduler.spawn(body).unwrap();
        }
        scheduler.run();
        return;
    }
    let test = "slots::tests::a_touched_guard_that_is_a_mapping_names_its_fiber";
    let said = skipped::said_before_aborting(test, MAPPINGS);
    let overflowed = "fiber 1 overflowed its guarded stack of 32768 bytes";
    assert!(said.contains(overflowed), "{said}");
}

#[test]
fn where_guards_are_mappings_their_limit_is_told_with_what_raises_it() {
    if guards_are_to_be_mappings() {
        let limit = std::fs::read_to_string("/proc/sys/vm/max_map_count").unwrap();
        let limit: usize = limit.trim().parse().unwrap();
        // Slots take address space alone until a fiber is in them.
        let slots = Slots::new(&Config::guarded(4 << 10).capacity(limit), false).unwrap();
        let refused = (0..limit as u32).find_map(|index| slots.prepare(index).err());
        let error = refused.unwrap().to_string();
        drop(slots);
        assert!(error.contains("Cannot allocate memory"), "{error}");
        assert!(error.contains("sysctl -w vm.max_map_count=N"), "{error}");
        let after: usize = error.split(' ').find_map(|word| word.parse().ok()).unwrap();
        assert!((limit / 3..=limit / 2).contains(&after), "{error}");
        return;
    }
    let test = "slots::tests::where_guards_are_mappings_their_limit_is_told_with_what_raises_it";
    let mut child = skipped::this_program();
    child.args(["--exact", test, "--nocapture", "--test-threads=1"]);
    let ended = child.env(MAPPINGS, "1").output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{said}");
}

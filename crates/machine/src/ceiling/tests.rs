use super::*;
use crate::fixture::{Fixture, guest};

const V2: &str = "/ /sys/fs/cgroup rw - cgroup2 cgroup2 rw";

fn ceiling(tree: &Fixture, kind: FlowKind) -> Ceiling {
    tree.machine().ceiling(kind).into_value().unwrap()
}

#[track_caller]
fn assert_bound(ceiling: &Ceiling, count: u64, by: &str) {
    assert_eq!((ceiling.count, ceiling.bites.as_str()), (count, by));
}

#[test]
fn ids_stop_processes_of_a_guest_with_much_memory() {
    // A probe on such a guest stopped at 32,358.
    let ceiling = ceiling(&guest(), FlowKind::Process);
    assert_bound(&ceiling, 32_768 - 300 - 85, "kernel.pid_max");
}

#[test]
fn mappings_stop_threads_when_there_are_ids() {
    let tree = guest().file("/proc/sys/kernel/pid_max", "4194304");
    let threads = ceiling(&tree, FlowKind::Thread);
    assert_bound(&threads, (65_530 - 24) / 2, "vm.max_map_count");
    let processes = ceiling(&tree, FlowKind::Process);
    assert_ne!(processes.bites, "vm.max_map_count");
}

#[test]
fn a_group_above_stops_them_sooner() {
    let tree = guest()
        .groups("0::/a/b", &[V2])
        .limit("/sys/fs/cgroup/a/pids", 100, 40)
        .limit("/sys/fs/cgroup/a/b/pids", 90, 1);
    let ceiling = ceiling(&tree, FlowKind::Thread);
    assert_eq!((ceiling.count, ceiling.value), (60, 100));
    assert_eq!(
        ceiling.raise,
        "echo max | sudo tee /sys/fs/cgroup/a/pids.max"
    );
}

#[test]
fn nproc_stops_users_and_not_root() {
    let user = "Uid:\t1000\t1000\t1000\t1000\nCapEff:\t0\nThreads:\t7";
    let limits = "Max processes             50                   96365                processes";
    let tree = guest().file("/proc/self/limits", limits);
    assert_eq!(ceiling(&tree, FlowKind::Process).bites, "kernel.pid_max");
    let tree = tree.status(user).file("/proc/70/status", user);
    assert_bound(&ceiling(&tree, FlowKind::Process), 43, "RLIMIT_NPROC");
}

#[test]
fn memory_stops_processes_before_threads_and_keeps_a_tenth() {
    let meminfo = "MemTotal:       1000000 kB\nMemAvailable:   600000 kB";
    let tree = guest().file("/proc/meminfo", meminfo);
    let processes = ceiling(&tree, FlowKind::Process);
    assert_bound(
        &processes,
        500_000 * 1_024 / 121_000,
        "memory (an estimate)",
    );
    assert!(ceiling(&tree, FlowKind::Thread).count > 4 * processes.count);
}

#[test]
fn how_many_can_be_computed_again_from_what_is_left_and_what_each_takes() {
    let machine = guest().machine();
    let each = Needs {
        memory: 376,
        addresses: 300,
        addresses_once: 5_000,
        mappings: 2,
    };
    let mut all = machine.user_level_ceilings(each);
    for kind in [FlowKind::Process, FlowKind::Thread] {
        all.extend(machine.ceilings(kind));
    }
    assert!(all.len() > 6, "{all:?}");
    for room in all {
        assert_eq!(room.count, room.left / room.each, "{room:?}");
        assert!(room.left <= room.value, "{room:?}");
    }
}

#[test]
fn stacks_that_no_process_can_address_leave_room_for_none() {
    let each = Needs {
        addresses: 1 << 47,
        ..Needs::memory(4_096)
    };
    let lowest = &guest().machine().user_level_ceilings(each)[0];
    assert_bound(lowest, 0, "addresses of a process");
}

#[test]
fn a_memory_group_that_is_full_leaves_room_for_none() {
    let tree =
        guest()
            .groups("0::/", &[V2])
            .limit("/sys/fs/cgroup/memory", 1_000_000_000, 950_000_000);
    let processes = ceiling(&tree, FlowKind::Process);
    assert_bound(&processes, 0, "/sys/fs/cgroup/memory.max");
}

#[test]
fn where_nothing_can_be_read_there_is_no_ceiling_rather_than_none() {
    let answer = Fixture::new().machine().ceiling(FlowKind::Process);
    assert_eq!(answer.value(), None);
}

#[test]
fn a_namespace_of_ids_has_its_own_pid_max_and_its_own_tasks() {
    let status = "Uid:\t0\t0\t0\t0\nThreads:\t3";
    let tree = guest()
        .link("/proc/self/ns/pid", "pid:[4026532200]")
        .file("/proc/sys/kernel/pid_max", "400")
        .file("/proc/1/status", status)
        .file("/proc/9/status", status);
    let processes = ceiling(&tree, FlowKind::Process);
    assert_bound(&processes, 400 - 300 - 6, "kernel.pid_max");
}

#[test]
fn address_space_stops_threads_and_user_level_flows_and_no_processes() {
    let limits = "Max stack size            1048576                unlimited            bytes\n\
                  Max address space         104857600            104857600            bytes";
    let tree = guest()
        .file("/proc/self/limits", limits)
        .status("VmSize:\t   10240 kB");
    let room = 90 << 20;
    let threads = ceiling(&tree, FlowKind::Thread);
    assert_bound(&threads, room / ((1 << 20) + 4_096), "RLIMIT_AS");
    assert_ne!(ceiling(&tree, FlowKind::Process).bites, "RLIMIT_AS");
    let each = Needs {
        memory: 100,
        addresses: 1_000,
        addresses_once: 5_000,
        mappings: 0,
    };
    let lowest = &tree.machine().user_level_ceilings(each)[0];
    assert_bound(lowest, (room - 5_000) / 1_000, "RLIMIT_AS");
}

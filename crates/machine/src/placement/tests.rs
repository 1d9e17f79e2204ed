use crate::Machine;
use crate::fixture::{CpuRow, Fixture, guest};

/// UltraSPARC T1: 8 cores of 4 threads; the threads of a core are neighbours.
fn ultrasparc_t1() -> Fixture {
    let siblings: Vec<_> = (0..8)
        .map(|core| format!("{}-{}", core * 4, core * 4 + 3))
        .collect();
    let row = |id: u32| (id, id / 4, 0, siblings[id as usize / 4].as_str());
    Fixture::new().cpus(&(0..32).map(row).collect::<Vec<_>>())
}

/// Xeon X5570: 4 cores of 2 threads; the second threads come after all the
/// first ones, and core numbers need not follow one another.
fn xeon_x5570() -> Fixture {
    let cores = [(0, "0,4"), (1, "1,5"), (9, "2,6"), (10, "3,7")];
    let row = |id: u32| {
        let (core, siblings) = cores[id as usize % 4];
        (id, core, 0, siblings)
    };
    Fixture::new().cpus(&(0..8).map(row).collect::<Vec<_>>())
}

/// 2 performance cores with SMT, 4 efficiency cores without.
fn hybrid() -> Fixture {
    let rows: [CpuRow<'_>; 8] = [
        (0, 0, 0, "0-1"),
        (1, 0, 0, "0-1"),
        (2, 4, 0, "2-3"),
        (3, 4, 0, "2-3"),
        (4, 8, 0, "4"),
        (5, 9, 0, "5"),
        (6, 10, 0, "6"),
        (7, 11, 0, "7"),
    ];
    Fixture::new()
        .cpus(&rows)
        .file("/sys/devices/cpu_atom/cpus", "4-7")
}

fn cores_and_threads(machine: &Machine) -> (usize, usize) {
    let topology = &machine.topology;
    (topology.core_count(), topology.threads_per_core())
}

#[test]
fn threads_that_are_neighbours() {
    let machine = ultrasparc_t1().machine();
    assert_eq!(machine.cores(), [0, 4, 8, 12, 16, 20, 24, 28]);
    assert_eq!(machine.smt_order(), (0..32).collect::<Vec<_>>());
    assert_eq!(cores_and_threads(&machine), (8, 4));
    assert_eq!(machine.usable_cpus(), 32);
}

#[test]
fn threads_that_are_far_apart() {
    let machine = xeon_x5570().machine();
    assert_eq!(machine.cores(), [0, 1, 2, 3]);
    assert_eq!(machine.smt_order(), [0, 4, 1, 5, 2, 6, 3, 7]);
    assert_eq!(cores_and_threads(&machine), (4, 2));
}

#[test]
fn cores_with_and_without_smt() {
    let machine = hybrid().machine();
    assert_eq!(machine.cores(), [0, 2, 4, 5, 6, 7]);
    assert_eq!(machine.smt_order(), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert!(machine.topology.is_hybrid());
    assert!(!xeon_x5570().machine().topology.is_hybrid());
}

#[test]
fn equal_core_numbers_in_two_packages_are_two_cores() {
    let rows = [
        (0, 0, 0, "0"),
        (1, 0, 1, "1"),
        (2, 1, 0, "2"),
        (3, 1, 1, "3"),
    ];
    let machine = Fixture::new().cpus(&rows).machine();
    assert_eq!(machine.cores(), [0, 1, 2, 3]);
    assert_eq!(machine.topology.package_count(), 2);
}

#[test]
fn offline_cpus_leave_holes() {
    // 4 cores of 2 threads; CPUs 1, 4 and 6 are offline.
    let rows = [
        (0, 0, 0, "0"),
        (2, 2, 0, "2"),
        (3, 3, 0, "3,7"),
        (5, 1, 0, "5"),
        (7, 3, 0, "3,7"),
    ];
    let machine = Fixture::new().cpus(&rows).machine();
    assert_eq!(machine.allowed(), [0, 2, 3, 5, 7]);
    assert_eq!(machine.cores(), [0, 2, 3, 5]);
    assert_eq!(machine.smt_order(), [0, 2, 3, 7, 5]);
    assert_eq!(machine.topology.core_count(), 4);
}

/// Cores of two threads in two packages, as large servers number them: all first threads, then all second
/// ones; every seventh core is offline.
#[test]
fn large_machines_with_holes_are_seen_whole() {
    for cpus in [256, 1_024] {
        let cores = cpus / 2;
        let is_on = |core: &u32| core % 7 != 3;
        let pairs = (0..cores).map(|core| format!("{core},{}", core + cores));
        let pairs: Vec<String> = pairs.collect();
        let row = |core: u32, cpu| {
            let (package, place) = (core / (cores / 2), core % (cores / 2));
            (cpu, place, package, pairs[core as usize].as_str())
        };
        let first = (0..cores).filter(is_on).map(|core| row(core, core));
        let second = (0..cores).filter(is_on).map(|core| row(core, core + cores));
        let rows: Vec<_> = first.chain(second).collect();
        let machine = Fixture::new().cpus(&rows).machine();
        assert_eq!(machine.allowed().len(), rows.len());
        assert_eq!(machine.cores().len(), rows.len() / 2);
        assert_eq!(machine.topology.package_count(), 2);
        assert_eq!(machine.topology.threads_per_core(), 2);
        let order = machine.smt_order();
        assert_eq!(order[..4], [0, cores, 1, cores + 1]);
        assert!(!order.contains(&3) && order.contains(&(cpus - 1)) == is_on(&(cores - 1)));
        assert_eq!(machine.usable_cpus(), rows.len());
    }
}

#[test]
fn placements_hold_allowed_cpus_only() {
    // Of core 0 only the second thread, of core 1 both, of the others none.
    let machine = xeon_x5570().allowing("1,4-5").machine();
    assert_eq!(machine.allowed(), [1, 4, 5]);
    assert_eq!(machine.cores(), [1, 4]);
    assert_eq!(machine.smt_order(), [1, 5, 4]);
    assert_eq!(machine.usable_cpus(), 3);
}

#[test]
fn a_mask_may_name_cpus_that_are_not_there() {
    let machine = guest().allowing("0-127").machine();
    assert_eq!(machine.allowed(), [0, 1]);
}

#[test]
fn a_guest_without_smt() {
    let machine = guest().machine();
    assert_eq!(machine.cores(), [0, 1]);
    assert_eq!(machine.smt_order(), [0, 1]);
    assert_eq!(machine.topology.threads_per_core(), 1);
}

#[test]
fn old_kernels_name_siblings_otherwise() {
    let topology = |id| format!("/sys/devices/system/cpu/cpu{id}/topology/thread_siblings_list");
    let machine = Fixture::new()
        .file("/sys/devices/system/cpu/online", "0-1")
        .file(&topology(0), "0-1")
        .file(&topology(1), "0-1")
        .machine();
    assert_eq!(machine.cores(), [0]);
}

#[test]
fn without_sysfs_each_cpu_of_cpuinfo_is_a_core() {
    let machine = Fixture::new()
        .file("/proc/cpuinfo", "processor: 0\n\nprocessor: 1")
        .machine();
    assert_eq!(machine.cores(), [0, 1]);
    assert!(!machine.topology.described);
}

/// Two packages of 2 cores of 2 threads, each a memory node; numbers alternate between packages, and
/// a third node has memory alone.
fn two_nodes() -> Fixture {
    let rows: [CpuRow<'_>; 8] = [
        (0, 0, 0, "0,4"),
        (1, 0, 1, "1,5"),
        (2, 1, 0, "2,6"),
        (3, 1, 1, "3,7"),
        (4, 0, 0, "0,4"),
        (5, 0, 1, "1,5"),
        (6, 1, 0, "2,6"),
        (7, 1, 1, "3,7"),
    ];
    with_nodes(Fixture::new().cpus(&rows), &["0,2,4,6", "1,3,5,7", ""])
}

fn with_nodes(machine: Fixture, cpus: &[&str]) -> Fixture {
    let nodes = cpus.iter().enumerate();
    nodes.fold(machine, |tree, (id, cpus)| {
        tree.file(&format!("/sys/devices/system/node/node{id}/cpulist"), cpus)
    })
}

#[test]
fn memory_nodes_have_turns_and_cores_come_before_hardware_threads() {
    let machine = two_nodes().machine();
    assert_eq!(machine.numa_order(), [0, 1, 2, 3, 4, 5, 6, 7]);
    let in_blocks = |cpus: [&str; 2]| {
        let machine = with_nodes(ultrasparc_t1(), &cpus).machine();
        machine.numa_order()
    };
    let order = in_blocks(["0-15", "16-31"]);
    assert_eq!(order[..10], [0, 16, 4, 20, 8, 24, 12, 28, 1, 17]);
    assert_eq!(order.len(), 32);
    let uneven = in_blocks(["0-27", "28-31"]);
    assert_eq!(uneven[..10], [0, 28, 4, 29, 8, 30, 12, 31, 16, 20]);
}

#[test]
fn one_memory_node_is_no_choice_of_nodes() {
    let only_one = two_nodes().allowing("0,2,4,6").machine();
    assert!(only_one.numa_order().is_empty(), "the other is not allowed");
    assert!(guest().machine().numa_order().is_empty());
    let tree = with_nodes(guest(), &["0-1"]);
    assert!(tree.machine().numa_order().is_empty());
}

#[test]
fn a_quota_counts_in_whole_cpus_and_never_none() {
    let with = |quota: &str| {
        let machine = guest()
            .groups("0::/", &["/ /sys/fs/cgroup rw - cgroup2 cgroup rw"])
            .file("/sys/fs/cgroup/cpu.max", format!("{quota} 100000"))
            .machine();
        machine.usable_cpus()
    };
    assert_eq!(
        [with("max"), with("800000"), with("150000"), with("50000")],
        [2, 2, 1, 1]
    );
}

use super::*;
use crate::fixture::{Fixture, guest};

const USER: &str = "Uid:\t1000\t1000\t1000\t1000\nCapEff:\t0000000000000000\nThreads:\t1";
const ROOT: &str = "Uid:\t0\t0\t0\t0\nCapEff:\t0000000000000000\nThreads:\t1";

fn credentials(tree: &Fixture) -> Credentials {
    Credentials::read(&tree.root())
}

#[test]
fn limits_are_read() {
    let limits = guest().machine().limits;
    assert_eq!(limits.pid_max, Measured::Value(32_768));
    assert_eq!(limits.tasks, Measured::Value(85));
    assert_eq!(limits.maps, Measured::Value(24));
    assert_eq!(limits.nproc, Measured::Value(Bound::At(96_365)));
    assert_eq!(limits.stack, Measured::Value(Bound::At(8 << 20)));
}

#[test]
fn a_limit_may_be_unlimited_or_missing() {
    let limits = "Max stack size            unlimited            unlimited            bytes";
    assert_eq!(
        soft_limit(limits, "Max stack size"),
        Measured::Value(Bound::Unlimited)
    );
    assert_eq!(soft_limit(limits, "Max processes").value(), None);
}

#[test]
fn tasks_of_the_user_are_those_of_all_its_processes() {
    let tree = Fixture::new()
        .status(USER)
        .file("/proc/7/status", USER)
        .file(
            "/proc/8/status",
            USER.replace("Threads:\t1", "Threads:\t40"),
        )
        .file("/proc/9/status", ROOT);
    assert_eq!(credentials(&tree).tasks(&tree.root()), Measured::Value(41));
}

#[test]
fn nproc_does_not_bind_root() {
    let tree = Fixture::new().status(ROOT);
    assert!(credentials(&tree).exceeds_nproc());
    assert_eq!(credentials(&tree).tasks(&tree.root()).value(), None);
}

#[test]
fn nproc_binds_the_root_of_a_user_namespace() {
    let tree = Fixture::new()
        .status("Uid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\nThreads:\t1")
        .file("/proc/self/uid_map", "         0       1000          1");
    assert!(!credentials(&tree).exceeds_nproc());
    assert!(!credentials(&tree).may_count_events());
}

#[test]
fn capabilities_count_as_root() {
    let with = |bits: u64| {
        let tree = Fixture::new().status(&format!("Uid:\t1000\t1000\nCapEff:\t{bits:016x}"));
        (
            credentials(&tree).exceeds_nproc(),
            credentials(&tree).may_count_events(),
        )
    };
    assert_eq!(with(0), (false, false));
    assert_eq!(with(1 << 24), (true, false), "CAP_SYS_RESOURCE");
    assert_eq!(with(1 << 38), (false, true), "CAP_PERFMON");
    assert_eq!(with(1 << 21), (true, true), "CAP_SYS_ADMIN");
}

use super::*;
use crate::fixture::Fixture;

const V2: &str = "/ /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate";
const V1_CPU: &str = "/ /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct";
const V1_PIDS: &str = "/ /sys/fs/cgroup/pids rw shared:10 - cgroup cgroup rw,pids";
const UNIFIED: &str = "/ /sys/fs/cgroup/unified rw shared:11 - cgroup2 cgroup2 rw";

fn quota(tree: &Fixture) -> Option<f64> {
    let quota = Cgroups::read(&tree.root()).cpu_quota();
    quota.into_value().unwrap().map(|quota| quota.cpus)
}

/// The limits on tasks, with the room that they leave.
fn tasks(tree: &Fixture) -> Vec<(String, u64)> {
    rooms(Cgroups::read(&tree.root()).pids())
}

fn memory(tree: &Fixture) -> Vec<(String, u64)> {
    rooms(Cgroups::read(&tree.root()).memory())
}

fn rooms(limits: Measured<Vec<GroupLimit>>) -> Vec<(String, u64)> {
    let limits = limits.into_value().unwrap().into_iter();
    limits
        .map(|limit| (limit.file.clone(), limit.room()))
        .collect()
}

#[test]
fn the_smallest_quota_of_all_ancestors_binds() {
    let tree = Fixture::new()
        .groups("0::/team/job", &[V2])
        .file("/sys/fs/cgroup/team/job/cpu.max", "max 100000")
        .file("/sys/fs/cgroup/team/cpu.max", "150000 100000");
    assert_eq!(quota(&tree), Some(1.5));
    let tree = tree.file("/sys/fs/cgroup/team/job/cpu.max", "20000 50000");
    assert_eq!(quota(&tree), Some(0.4));
}

#[test]
fn a_quota_of_version_1() {
    let group = "/sys/fs/cgroup/cpu,cpuacct/docker/abc";
    let tree = Fixture::new()
        .groups("4:cpu,cpuacct:/docker/abc\n0::/", &[UNIFIED, V1_CPU])
        .file(&format!("{group}/cpu.cfs_quota_us"), "250000")
        .file(&format!("{group}/cpu.cfs_period_us"), "100000")
        .file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1")
        .file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000");
    assert_eq!(quota(&tree), Some(2.5));
}

#[test]
fn no_quota_is_told_from_no_answer() {
    let none = Fixture::new().groups("0::/", &[V2]);
    assert_eq!(quota(&none), None);
    let unmounted = Fixture::new().groups("0::/", &["/ / rw - ext4 /dev/vda rw"]);
    let answer = Cgroups::read(&unmounted.root()).cpu_quota().map(|_| "");
    assert!(answer.to_string().contains("not mounted"), "{answer}");
}

#[test]
fn each_controller_has_its_own_version() {
    // cpu is still in version 1, pids has moved to version 2.
    let tree = Fixture::new()
        .groups("4:cpu,cpuacct:/a\n0::/b", &[V1_CPU, UNIFIED])
        .file("/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "100000")
        .file("/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000")
        .limit("/sys/fs/cgroup/unified/b/pids", 500, 20);
    assert_eq!(quota(&tree), Some(1.0));
    assert_eq!(tasks(&tree)[0].1, 480);
}

#[test]
fn nested_limits_on_tasks_are_all_listed() {
    let dir = "/sys/fs/cgroup/pids";
    let tree = Fixture::new()
        .groups("8:pids:/user/job/inner", &[V1_PIDS])
        .limit(&format!("{dir}/user/job/inner/pids"), "max", 3)
        .limit(&format!("{dir}/user/job/pids"), 1000, 10)
        .limit(&format!("{dir}/user/pids"), 400, 390);
    let [job, user] = ["user/job", "user"].map(|group| format!("{dir}/{group}/pids.max"));
    assert_eq!(tasks(&tree), [(job, 990), (user, 10)]);
}

#[test]
fn memory_that_the_kernel_would_give_back_is_room() {
    let tree = Fixture::new()
        .groups("0::/job", &[V2])
        .limit("/sys/fs/cgroup/job/memory", 1_000_000, 900_000)
        .file(
            "/sys/fs/cgroup/job/memory.stat",
            "anon 1000\ninactive_file 600000\nslab 1",
        );
    assert_eq!(memory(&tree)[0].1, 700_000);
}

#[test]
fn memory_without_a_limit_is_a_huge_number_in_version_1() {
    let mount = "/ /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory";
    let file = |name| format!("/sys/fs/cgroup/memory/memory.{name}");
    let tree = Fixture::new()
        .groups("4:memory:/", &[mount])
        .file(&file("limit_in_bytes"), "9223372036854771712")
        .file(&file("usage_in_bytes"), "900000");
    assert_eq!(memory(&tree), []);
}

#[test]
fn a_container_sees_its_group_at_the_mount_point() {
    let mount = "/docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw";
    let line = format!("31 23 0:28 {mount}");
    let mount = super::mount(&line, Version::V2, "pids").unwrap();
    let dirs = |path| mount.groups(path);
    assert_eq!(dirs("/docker/abc"), ["/sys/fs/cgroup"]);
    assert_eq!(
        dirs("/docker/abc/x/y"),
        ["/sys/fs/cgroup/x/y", "/sys/fs/cgroup/x", "/sys/fs/cgroup"]
    );
    assert_eq!(dirs("/elsewhere"), ["/sys/fs/cgroup"]);
}

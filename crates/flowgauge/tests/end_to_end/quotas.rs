//! CPU quotas on whatever control groups this machine has.

use flow::Quota;
use nix::sys::signal::Signal;

use super::common::{Home, labels, says, until};

fn half() -> Option<Quota> {
    let half = Quota::Cpus(500);
    half.check().map_err(skipped::skipped).ok().map(|()| half)
}

/// Groups of quotas that are there, of any run.
fn groups() -> Vec<std::path::PathBuf> {
    let folders = ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup"].map(std::fs::read_dir);
    let entries = folders.into_iter().flatten().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths
        .filter(|path| path.extension().is_some_and(|end| end == "group"))
        .collect()
}

/// A command finds the quota in the files of its own group, whatever the version.
const FINDS_IT: &str = r#"sh -c 'v1=$(sed -n "s/^[0-9]*:[a-z,]*\bcpu\b[a-z,]*:/\/sys\/fs\/cgroup\/cpu/p" /proc/self/cgroup)
v2=/sys/fs/cgroup$(sed -n "s/^0:://p" /proc/self/cgroup)
case "$(cat "$v1/cpu.cfs_quota_us" 2>/dev/null || cat "$v2/cpu.max")" in 50000*) exit 0;; esac
cat /proc/self/cgroup >&2; exit 7'"#;

#[test]
fn a_command_has_its_quota_and_what_is_beside_it_has_none() {
    if half().is_none() {
        return;
    }
    let home = Home::new();
    let beside = format!("{FINDS_IT}; test $? = 7");
    let line = ["exec", FINDS_IT, "--prepare", &beside];
    let more = ["--quota", "0.5", "-r", "2", "--out", "out"];
    home.run(&[&line[..], &more].concat()).answered();
    let case = home.case();
    let failures = &case.variants[0].failures;
    assert!(failures.is_empty(), "{failures:?}");
    let slots = case.slots.iter();
    let reps = slots.filter_map(|slot| slot.outcome.answer.done());
    let mut reps = reps.flat_map(|record| &record.reps);
    assert!(reps.all(|rep| rep.throttled.is_some()));
    home.assert_nothing_left();
}

#[test]
fn each_quota_is_a_variant_of_flows_and_says_what_was_held_back() {
    if half().is_none() {
        return;
    }
    let home = Home::new();
    let line = "primes -p 2 -t 2 -b 2000 --rounds 1 --out out --quota none,0.5";
    home.run(line).answered();
    let case = home.case();
    let labels = labels(&case);
    assert!(labels.contains(&"process quota none"), "{labels:?}");
    assert!(labels.contains(&"thread quota 0.5"), "{labels:?}");
    let mut names = case.quantities.iter().map(|one| one.name.as_str());
    assert!(names.any(|name| name == "throttled"));
    let summary = std::fs::read_to_string(home.path("out/summary.csv")).unwrap();
    says(&summary, &[",quota,", ",0.5,"]);
}

/// The main process is killed, and its janitor removes the group of the slot that it leaves.
#[test]
fn a_killed_run_leaves_no_group_of_a_quota() {
    if half().is_none() {
        return;
    }
    let before = groups();
    for line in [
        "primes --quota 0.5 -p 2 -t 2 -b 200000 --rounds 40 --out out",
        r#"exec --quota 0.5 --out out --rounds 40 "sleep 1""#,
    ] {
        let home = Home::new();
        let mut run = home.start(line);
        until(20, "a slot has a group", || {
            groups().iter().any(|one| !before.contains(one))
        });
        run.send(Signal::SIGKILL);
        run.end();
        home.assert_nothing_left();
        until(20, "the group is removed", || {
            groups().iter().all(|one| before.contains(one))
        });
        assert!(home.slots().len() < 40);
    }
}

#[test]
fn a_quota_that_the_kernel_cannot_keep_is_refused_in_one_line() {
    let home = Home::new();
    for (quota, said) in [
        ("0.05", "less than 10 ms"),
        ("half", "use CPUs such as 0.5"),
        ("weight=0", "1 to 10000"),
    ] {
        let run = home.run(&format!("exec true --quota {quota}"));
        run.refused(2, &[said]);
    }
}

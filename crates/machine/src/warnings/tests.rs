use super::*;
use crate::fixture::{Fixture, guest};
use nix::errno::Errno;

const V2: &str = "/ /sys/fs/cgroup rw - cgroup2 cgroup2 rw";

fn has(tree: &Fixture, matches: impl Fn(&Warning) -> bool) -> bool {
    tree.machine().warnings().iter().any(matches)
}

#[test]
fn a_guest_is_shared_and_has_no_smt() {
    let warnings = guest().machine().warnings();
    assert_eq!(warnings, [Warning::VirtualMachine, Warning::NoSmt]);
}

#[test]
fn bare_metal_with_smt_is_given_no_warning() {
    let tree = guest()
        .cpus(&[(0, 0, 0, "0-1"), (1, 0, 0, "0-1")])
        .file("/proc/cpuinfo", "flags : fpu vme")
        .governor(0, "performance");
    assert_eq!(tree.machine().warnings(), []);
}

#[test]
fn a_quota_below_the_cpus_names_its_group() {
    let tree = guest()
        .groups("0::/", &[V2])
        .file("/sys/fs/cgroup/cpu.max", "150000 100000");
    let warnings = tree.machine().warnings();
    let text = warnings[0].to_string();
    assert!(text.contains("1.5 CPUs"), "{text}");
    assert!(text.contains("/sys/fs/cgroup"), "{text}");
    let tree = tree.file("/sys/fs/cgroup/cpu.max", "200000 100000");
    assert!(!has(&tree, |w| matches!(w, Warning::QuotaBelowCpus { .. })));
}

#[test]
fn a_mask_of_one_cpu_is_the_first_thing_to_know() {
    let (allowed, online) = (1, 2);
    let mask = Warning::MaskBelowCpus { allowed, online };
    let warnings = guest().allowing("1").machine().warnings();
    assert_eq!(warnings[..2], [Warning::OneCpu, mask]);
}

#[test]
fn any_governor_but_performance_is_named() {
    let slow = |tree: &Fixture| has(tree, |w| matches!(w, Warning::SlowGovernor { .. }));
    assert!(slow(&guest().governor(0, "powersave")));
    let fast = guest().governor(0, "performance");
    assert!(!slow(&fast));
    assert!(slow(&fast.governor(1, "schedutil")));
}

#[test]
fn cores_of_two_speeds_and_cores_not_described() {
    let capacity = |id| format!("/sys/devices/system/cpu/cpu{id}/cpu_capacity");
    let unequal = guest().file(&capacity(0), "1024").file(&capacity(1), "446");
    assert!(has(&unequal, |w| *w == Warning::Hybrid));
    let bare = Fixture::new().file("/proc/cpuinfo", "processor : 0\n\nprocessor : 1");
    assert!(has(&bare, |w| *w == Warning::CoresUnknown));
    assert!(!has(&bare, |w| *w == Warning::NoSmt), "not known");
}

#[test]
fn missing_counters_come_with_their_reason() {
    let tree = guest();
    let machine = Machine::read_with(tree.path(), &mut |_, _| Err(Errno::ENOENT));
    let warnings = machine.warnings();
    let texts: Vec<_> = warnings.iter().map(ToString::to_string).collect();
    assert!(
        texts.iter().any(|text| text.contains("no such event")),
        "{texts:?}"
    );
}

//! Nothing is left behind, whichever process of a run is ended.

use std::fs;
use std::path::Path;

use nix::sys::signal::Signal;

use super::failure;
use crate::common::{Home, Process, Running, slots, until, within};

/// A command that sleeps, with a grandchild in a session of its own that sleeps longer.
fn sleeping(home: &Home) -> Running {
    let command = "sh -c '(setsid sleep 61 &); sleep 60'";
    home.start(&["exec", "--out", "out", "-r", "1", command])
}

/// Nothing stays, whichever is ended: the run, its main process, or the process of a slot.
#[test]
fn nothing_of_a_command_outlives_any_end_of_a_run() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGKILL] {
        let home = Home::new();
        let mut run = sleeping(&home);
        until(20, "the command runs", || home.processes().len() >= 4);
        run.send(signal);
        run.end();
        home.assert_nothing_left();
    }
    let home = Home::new();
    let mut run = sleeping(&home);
    let cell = within(20, "the command runs", || {
        let all = home.processes();
        (all.len() >= 4).then(|| Process::slot_process(&all).cloned())?
    });
    cell.send(Signal::SIGKILL);
    until(20, "its orphans are ended", || home.processes().len() <= 2);
    run.send(Signal::SIGTERM);
    run.end();
    home.assert_nothing_left();
}

#[test]
fn a_cut_run_goes_on_from_another_folder() {
    let home = Home::new();
    home.write("input", "x");
    let line = r#"exec --out out -r 6 "sh -c 'cat input; sleep 0.2'" --check-output x"#;
    let mut run = home.start(line);
    home.wait_for_slots(1);
    run.send(Signal::SIGINT);
    run.end();
    let out = home.path("out");
    let mut resumed = home.command(&["run", "--resume", out.to_str().unwrap()]);
    let ended = resumed.current_dir(home.temporary()).output().unwrap();
    assert!(matches!(ended.status.code(), Some(0 | 3)), "{ended:?}");
    assert_eq!((slots(&out).len(), failure(&home)), (6, String::new()));
}

/// Both who could end it are killed at once, and it has left their line of descent.
#[test]
fn a_control_group_ends_what_outlives_the_main_process_and_the_slot() {
    let home = Home::new();
    let mut run = sleeping(&home);
    let all = within(20, "the command runs", || {
        let all = home.processes();
        (all.len() >= 5).then_some(all)
    });
    let slot = Process::slot_process(&all).unwrap();
    let groups = all
        .iter()
        .filter_map(|one| fs::read_to_string(format!("/proc/{}/cgroup", one.pid)).ok());
    let groups: String = groups.collect();
    let mut groups = groups.lines().filter_map(|line| line.strip_prefix("0::/"));
    let held = groups.find(|group| group.contains("flowgauge-"));
    run.send(Signal::SIGKILL);
    slot.send(Signal::SIGKILL);
    run.end();
    let Some(held) = held else {
        // Parent-death signals end the command itself, and nobody its grandchild.
        let left = || home.processes();
        until(20, "the command is ended", || left().len() <= 1);
        left().iter().for_each(|one| one.send(Signal::SIGKILL));
        return;
    };
    home.assert_nothing_left();
    let mounts = fs::read_to_string("/proc/mounts").unwrap();
    let mount = mounts
        .lines()
        .find(|line| line.contains(" cgroup2 "))
        .unwrap();
    let folder = Path::new(mount.split(' ').nth(1).unwrap()).join(held);
    until(20, "the group is removed", || !folder.exists());
}

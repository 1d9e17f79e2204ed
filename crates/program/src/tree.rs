//! Everything that a program has made, found and ended.
//!
//! `setsid` leaves a process group, and so does every shell with job control. What no process can
//! leave is its line of descent, once the process above it is a *subreaper*: children whose parent
//! ends, a double fork for one, become children of the nearest subreaper. So a slot's process is
//! one, and all that the program has made end in its hands, with what they used.
//!
//! Ending them is a race against a program that forks. So they are stopped first, each before its
//! children are listed: who is stopped cannot fork. Children whose parent ended meanwhile have come
//! to the subreaper, and the next pass finds them. When a pass finds nobody new, all are killed. A
//! control group does that without a race (`flow::cgroup`).
//!
//! Unseen: what daemons start if asked (`systemd-run`, containers). Sources: prctl(2), proc(5).

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::time::{Duration, Instant};

use nix::sys::prctl::set_child_subreaper;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::sys;

const PASSES: usize = 50;
const STOPPING: Duration = Duration::from_secs(5);

/// All descendants of a process, parents before their children.
#[must_use]
pub fn descendants(of: i32) -> Vec<i32> {
    some_descendants(of, usize::MAX)
}

pub(crate) fn some_descendants(of: i32, most: usize) -> Vec<i32> {
    match children(of) {
        Some(_) => by_children(of, most),
        None => by_parents(of),
    }
}

pub(crate) fn has_more_threads(of: i32, most: usize) -> bool {
    let threads = |pid| fs::read_dir(format!("/proc/{pid}/task")).map_or(0, Iterator::count);
    let found = some_descendants(of, most);
    found.len() > most || found.into_iter().map(threads).sum::<usize>() > most
}

fn by_children(of: i32, most: usize) -> Vec<i32> {
    let mut found = children(of).unwrap_or_default();
    let mut next = 0;
    while let Some(&pid) = found.get(next) {
        if found.len() > most {
            break;
        }
        found.extend(children(pid).unwrap_or_default());
        next += 1;
    }
    found
}

/// The children of all threads; `None` of an ended process, and without the kernel's file.
fn children(of: i32) -> Option<Vec<i32>> {
    let tasks = fs::read_dir(format!("/proc/{of}/task")).ok()?;
    let mut found = Vec::new();
    for task in tasks.flatten() {
        // A thread may end between the two looks.
        let text = match fs::read_to_string(task.path().join("children")) {
            Ok(text) => text,
            Err(_) if task.path().join("stat").exists() => return None,
            Err(_) => continue,
        };
        found.extend(
            text.split_whitespace()
                .filter_map(|pid| pid.parse::<i32>().ok()),
        );
    }
    Some(found)
}

/// The same from the parent of every process, where the kernel has no lists of children.
fn by_parents(of: i32) -> Vec<i32> {
    let pairs = parents();
    let mut found = vec![of];
    let mut next = 0;
    while let Some(&above) = found.get(next) {
        let below = pairs.iter().filter(|(_, parent)| *parent == above);
        found.extend(below.map(|(pid, _)| *pid));
        next += 1;
    }
    found.split_off(1)
}

fn by_parents_but(of: i32, spared: &[i32]) -> Vec<i32> {
    let below = spared.iter().flat_map(|&pid| by_parents(pid));
    let below: Vec<i32> = below.chain(spared.iter().copied()).collect();
    let mut found = by_parents(of);
    found.retain(|pid| !below.contains(pid));
    found
}

/// All processes, and the parent of each.
fn parents() -> Vec<(i32, i32)> {
    pids().filter_map(|pid| Some((pid, stat(pid)?.1))).collect()
}

/// All processes of this machine that can be seen from here.
pub fn pids() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn stat(pid: i32) -> Option<(char, i32)> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((state, fields.next()?.parse().ok()?))
}

pub(crate) fn alive(pids: &[i32]) -> Vec<i32> {
    let is_alive = |pid: &&i32| {
        let state = stat(**pid).map(|(state, _)| state);
        state.is_some_and(|state| !"ZX".contains(state))
    };
    pids.iter().filter(is_alive).copied().collect()
}

/// The command line of a process as people know it; its name where it has none any more.
pub(crate) fn name(pid: i32) -> String {
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = String::from_utf8_lossy(&words).replace('\0', " ");
    match words.trim() {
        "" => {
            let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
            name.trim().to_owned()
        }
        words => words.chars().take(80).collect(),
    }
}

pub(crate) fn signal(pids: &[i32], signal: Signal) {
    for &pid in pids {
        let _ended_is_fine = kill(Pid::from_raw(pid), signal);
    }
}

/// Kills every descendant; none of them can make another in time.
pub fn kill_descendants(of: i32) {
    kill_all_but(of, &[]);
}

/// Those children live, with all that is below them.
fn kill_all_but(of: i32, spared: &[i32]) {
    let mut stopped = BTreeSet::new();
    let until = Instant::now() + STOPPING;
    while stop_all(of, spared, &mut stopped) && Instant::now() < until {}
    let all: Vec<i32> = stopped.into_iter().collect();
    signal(&all, Signal::SIGKILL);
}

/// Stops every descendant; true where one of them was none of `stopped`.
fn stop_all(of: i32, spared: &[i32], stopped: &mut BTreeSet<i32>) -> bool {
    let before = stopped.len();
    let mut stop = |pid: i32| {
        if stopped.insert(pid) {
            signal(&[pid], Signal::SIGSTOP);
        }
    };
    match children(of) {
        None => by_parents_but(of, spared).into_iter().for_each(stop),
        Some(mut next) => {
            next.retain(|pid| !spared.contains(pid));
            while let Some(pid) = next.pop() {
                stop(pid);
                next.extend(children(pid).unwrap_or_default());
            }
        }
    }
    stopped.len() > before
}

/// Makes this process the one to whom orphans come; fails if the kernel refuses.
pub fn adopt_orphans() -> io::Result<()> {
    Ok(set_child_subreaper(true)?)
}

/// Ends and reaps all descendants but the spared; this process has no other children now.
pub fn end_orphans(spared: &[i32]) {
    let own = std::process::id().cast_signed();
    for _ in 0..PASSES {
        let left = match children(own) {
            Some(mut children) => {
                children.retain(|pid| !spared.contains(pid));
                children
            }
            None => by_parents_but(own, spared),
        };
        if left.is_empty() {
            return;
        }
        kill_all_but(own, spared);
        while let Ok(Some(_)) = sys::wait(-1, false) {}
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::eventually;
    use std::process::{Child, Command, Stdio};

    /// A shell with two children, and its number.
    struct Shell(Child, i32);

    impl Shell {
        fn new() -> Self {
            let mut shell = Command::new("sh");
            let shell = shell.args(["-c", "sleep 30 & sleep 30 & wait"]);
            let shell = shell.stdin(Stdio::null()).spawn().unwrap();
            let pid = i32::try_from(shell.id()).unwrap();
            Self(shell, pid)
        }

        fn end(mut self) {
            kill_descendants(self.1);
            self.0.kill().unwrap();
            self.0.wait().unwrap();
        }
    }

    #[test]
    fn threads_of_a_tree_are_counted_and_not_those_of_the_machine() {
        let shell = Shell::new();
        assert!(eventually(|| has_more_threads(shell.1, 1)));
        assert!(!has_more_threads(shell.1, 2));
        shell.end();
    }

    /// What kept the nodes of a run was killed with what its first slot had left.
    #[test]
    fn children_that_are_spared_live_on() {
        let shell = Shell::new();
        assert!(eventually(|| descendants(shell.1).len() == 2));
        let pair = descendants(shell.1);
        assert_eq!(by_parents_but(shell.1, &pair[..1]), pair[1..]);
        kill_all_but(shell.1, &pair[..1]);
        assert_eq!(alive(&pair[..1]), pair[..1]);
        assert!(eventually(|| alive(&pair[1..]).is_empty()));
        shell.end();
    }

    #[test]
    fn descendants_are_found_in_either_way() {
        let shell = Shell::new();
        let own = i32::try_from(std::process::id()).unwrap();
        let found = || by_children(shell.1, usize::MAX);
        // A child that has not begun its program has the name of the shell.
        assert!(eventually(|| {
            let names: Vec<String> = found().into_iter().map(name).collect();
            names.len() == 2 && names.iter().all(|name| name.starts_with("sleep"))
        }));
        let found: BTreeSet<i32> = found().into_iter().collect();
        assert_eq!(found, by_parents(shell.1).into_iter().collect());
        assert!(descendants(own).contains(&shell.1));
        shell.end();
        let found = Vec::from_iter(found);
        assert!(eventually(|| alive(&found).is_empty()));
    }
}

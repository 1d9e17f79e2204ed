use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::*;

/// A line as the kernel writes it, with a name that looks like the fields after it.
fn stat(pid: i32, state: char, group: i32, threads: u32, cpu: u32) -> String {
    format!(
        "{pid} (a) R 1) {state} 7 {group} 1 0 -1 4194304 90 0 0 0 12 3 40 5 20 0 {threads} 0 \
         123456 10000000 250 18446744073709551615 1 1 0 0 0 0 0 4096 0 0 0 0 17 {cpu} 0 0 0 0 0 0 \
         0 0 0 0 0 0 0\n"
    )
}

fn process(root: &Path, pid: i32, group: i32, tids: &[(i32, char, u32)]) {
    let folder = root.join(pid.to_string());
    let threads = u32::try_from(tids.len()).unwrap();
    let (_, state, cpu) = tids[0];
    for &(tid, state, cpu) in tids {
        let task = folder.join("task").join(tid.to_string());
        fs::create_dir_all(&task).unwrap();
        fs::write(task.join("stat"), stat(tid, state, group, threads, cpu)).unwrap();
        fs::write(task.join("schedstat"), format!("{}000 77 3\n", tid)).unwrap();
    }
    fs::write(folder.join("stat"), stat(pid, state, group, threads, cpu)).unwrap();
    let io = "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 8192\n\
              cancelled_write_bytes: 7\n";
    fs::write(folder.join("io"), io).unwrap();
}

fn machine() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("meminfo"), "").unwrap();
    process(root.path(), 9, 9, &[(9, 'S', 0)]);
    process(
        root.path(),
        100,
        100,
        &[(100, 'S', 1), (102, 'R', 0), (103, 'D', 1)],
    );
    process(root.path(), 101, 100, &[(101, 'R', 3)]);
    root
}

/// Somebody who looks again and again.
struct Looks {
    reader: Reader,
    processes: Vec<Process>,
}

impl Looks {
    fn at(root: &tempfile::TempDir) -> Self {
        Self::by(Reader::below(root.path()).unwrap())
    }

    fn by(reader: Reader) -> Self {
        let processes = Vec::new();
        Self { reader, processes }
    }

    /// Pids of a group.
    fn pids(&mut self, group: i32) -> Vec<i32> {
        self.reader.processes(group, &mut self.processes).unwrap();
        let pids = self.processes.iter().map(|process| process.pid);
        pids.collect()
    }

    /// Tasks of the group that was looked at last, of each process and those before it this many.
    fn tasks(&mut self, most: usize) -> Vec<Task> {
        let mut tasks = Vec::new();
        for process in &self.processes {
            self.reader.tasks(process, most, &mut tasks).unwrap();
        }
        tasks
    }
}

#[test]
fn a_group_is_read_with_its_states_counts_and_sizes() {
    let root = machine();
    let mut looks = Looks::at(&root);
    assert_eq!(looks.pids(100), [100, 101]);
    let first = looks.processes[0];
    assert_eq!((first.state, first.threads, first.cpu), (State('S'), 3, 1));
    assert_eq!(
        (first.cpu_ns, first.children_cpu_ns),
        (150_000_000, 450_000_000)
    );
    assert!(first.rss >= 250 * 4_096 && first.rss.is_multiple_of(250));
    assert_eq!(looks.reader.written(101).unwrap(), Some(8_192));

    let tasks = looks.tasks(10).into_iter();
    let seen: Vec<_> = tasks
        .map(|task| (task.pid, task.tid, task.state.0, task.cpu, task.cpu_ns))
        .collect();
    assert_eq!(
        seen,
        [
            (100, 100, 'S', 1, 100_000),
            (100, 102, 'R', 0, 102_000),
            (100, 103, 'D', 1, 103_000),
            (101, 101, 'R', 3, 101_000),
        ]
    );
}

#[test]
fn no_more_threads_are_read_than_asked_for() {
    let root = machine();
    let mut looks = Looks::at(&root);
    looks.pids(100);
    assert_eq!(looks.tasks(2).len(), 2);
}

#[test]
fn what_vanishes_between_listing_and_reading_is_not_there_and_no_error() {
    let root = machine();
    let mut looks = Looks::at(&root);
    // A folder without files is what a pid looks like that ended after it was listed.
    fs::create_dir(root.path().join("104")).unwrap();
    assert_eq!(looks.pids(100), [100, 101]);
    fs::remove_dir_all(root.path().join("100/task/102")).unwrap();
    fs::create_dir(root.path().join("100/task/102")).unwrap();
    fs::remove_dir_all(root.path().join("101")).unwrap();
    let tids: Vec<_> = looks.tasks(10).iter().map(|task| task.tid).collect();
    assert_eq!(tids, [100, 103]);
    assert_eq!(looks.reader.written(101).unwrap(), None);
    fs::remove_dir_all(root.path().join("100/task")).unwrap();
    assert_eq!(looks.tasks(10), []);
}

#[test]
fn strangers_are_read_once_and_forgotten_when_they_end() {
    let root = machine();
    let mut looks = Looks::at(&root);
    looks.pids(100);
    // A second reading of the stranger would now show it to be of the group.
    process(root.path(), 9, 100, &[(9, 'S', 0)]);
    assert_eq!(looks.pids(100), [100, 101]);
    fs::remove_dir_all(root.path().join("9")).unwrap();
    looks.pids(100);
    process(root.path(), 9, 100, &[(9, 'S', 0)]);
    assert_eq!(looks.pids(100), [9, 100, 101]);
    assert!(looks.pids(9).is_empty());
}

#[test]
fn kernels_without_schedstat_or_io_are_told_apart_from_ended_processes() {
    let root = machine();
    let mut looks = Looks::at(&root);
    looks.pids(100);
    fs::remove_file(root.path().join("101/task/101/schedstat")).unwrap();
    let ticks = looks.tasks(10).last().unwrap().cpu_ns;
    assert_eq!(ticks, 150_000_000, "ticks of 10 ms");
    let Looks {
        mut reader,
        mut processes,
    } = looks;
    fs::remove_file(root.path().join("101/io")).unwrap();
    let error = reader.written(101).unwrap_err().to_string();
    assert!(error.contains("CONFIG_TASK_IO_ACCOUNTING"), "{error}");
    fs::write(root.path().join("101/stat"), "101 (x").unwrap();
    let error = reader.processes(100, &mut processes).unwrap_err();
    let error = error.to_string();
    assert!(error.contains("101/stat is not understood"), "{error}");
}

/// A shell that leads a group of its own.
fn shell(script: &str) -> (Child, i32) {
    let mut shell = Command::new("sh");
    let shell = shell.args(["-c", script]).process_group(0);
    let shell = shell.stdin(Stdio::null()).spawn().unwrap();
    let group = shell.id().cast_signed();
    (shell, group)
}

#[test]
fn a_real_child_is_found_by_its_group_and_its_end_is_seen() {
    if skipped::is_emulated() {
        return skipped::skipped("an emulator's own threads are in the tasks of its programs");
    }
    let (mut child, pid) = shell("exec sleep 60");
    let mut looks = Looks::by(Reader::new().unwrap());
    assert_eq!(looks.pids(pid), [pid]);
    let tasks = looks.tasks(10);
    assert_eq!((tasks.len(), tasks[0].tid), (1, pid));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(looks.pids(pid).is_empty());
}

/// A machine that tells children: 100 has made 101, which has made 105.
fn telling_machine() -> tempfile::TempDir {
    let root = machine();
    process(root.path(), 105, 100, &[(105, 'R', 0)]);
    fs::create_dir(root.path().join("thread-self")).unwrap();
    fs::write(root.path().join("thread-self/children"), "").unwrap();
    for (parent, children) in [(9, ""), (100, "101 "), (101, "105 "), (105, "")] {
        let file = format!("{parent}/task/{parent}/children");
        fs::write(root.path().join(file), children).unwrap();
    }
    root
}

/// With thousands of processes on a machine, each look listed all of them.
#[test]
fn a_look_reads_the_group_and_not_the_whole_machine() {
    let root = telling_machine();
    let mut looks = Looks::at(&root);
    looks.reader.walk_every = Duration::from_secs(3_600);
    // Anyone who reads this one has listed the machine.
    fs::create_dir(root.path().join("8")).unwrap();
    fs::write(root.path().join("8/stat"), "not understood").unwrap();
    assert_eq!(looks.pids(100), [100, 101, 105]);
    // One whose maker has ended is still known.
    fs::remove_dir_all(root.path().join("101")).unwrap();
    fs::write(root.path().join("100/task/100/children"), "").unwrap();
    assert_eq!(looks.pids(100), [100, 105]);
}

#[test]
fn a_walk_finds_what_no_first_thread_has_made_and_skips_who_was_there_before() {
    let root = telling_machine();
    let walks = || {
        let mut looks = Looks::at(&root);
        looks.reader.walk_every = Duration::ZERO;
        looks
    };
    fs::write(root.path().join("101/task/101/children"), "").unwrap();
    assert_eq!(walks().pids(100), [100, 101, 105]);

    let mut looks = walks();
    looks.reader.before().unwrap();
    process(root.path(), 106, 100, &[(106, 'R', 0)]);
    assert_eq!(looks.pids(100), [106]);
}

#[test]
fn a_child_that_a_thread_of_a_real_process_made_is_followed() {
    let (mut shell, group) = shell("sleep 60 & wait");
    let mut looks = Looks::by(Reader::new().unwrap());
    looks.reader.walk_every = Duration::from_secs(3_600);
    let mut found = Vec::new();
    for _look in 0..10_000 {
        found = looks.pids(group);
        if found.len() == 2 {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    nix::sys::signal::killpg(
        nix::unistd::Pid::from_raw(group),
        nix::sys::signal::Signal::SIGKILL,
    )
    .unwrap();
    shell.wait().unwrap();
    assert_eq!((found.len(), found.contains(&group)), (2, true));
}

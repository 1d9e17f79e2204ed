//! A place of its own for each test, and the count of what is left in it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use super::{Process, Running, within};

/// The variable whose value tells the processes of one test from all others.
const MARK: &str = "FLOWGAUGE_TEST_MARK";

/// A folder tree for one test: `work` (the current folder), `tmp` (TMPDIR) and `home`.
pub(crate) struct Home {
    root: tempfile::TempDir,
    mark: String,
    shared_memory: BTreeSet<String>,
}

/// How a command ended, and what it said.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Home {
    pub(crate) fn new() -> Self {
        static HOMES: AtomicU32 = AtomicU32::new(0);
        let root = tempfile::tempdir().unwrap();
        for folder in ["work", "tmp", "home"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        let number = HOMES.fetch_add(1, Ordering::Relaxed);
        Self {
            root,
            mark: format!("{}-{number}", std::process::id()),
            shared_memory: names(Path::new("/dev/shm")),
        }
    }

    /// A path in the current folder of the commands.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("work").join(name)
    }

    pub(crate) fn temporary(&self) -> PathBuf {
        self.root.path().join("tmp")
    }

    /// Writes a file into the current folder of the commands.
    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// The command, in this home.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.program(env!("CARGO_BIN_EXE_flowgauge"), arguments)
    }

    /// Any program, in this home.
    pub(crate) fn program(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.root.path().join("work"))
            .env("TMPDIR", self.temporary())
            .env("HOME", self.root.path().join("home"))
            .env(MARK, &self.mark)
            // What tests look for may stand in any table.
            .env("FLOWGAUGE_VERBOSE", "1")
            .stdin(Stdio::null());
        command
    }

    /// Runs the command to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::from(self.command(arguments).output().unwrap())
    }

    /// Starts the command as the leader of a process group, its output going to files.
    pub(crate) fn start(&self, arguments: &[&str]) -> Running {
        Running::start(self.command(arguments), &self.root.path().join("home"))
    }

    /// This home's processes, zombies excepted.
    pub(crate) fn processes(&self) -> Vec<Process> {
        Process::all_with(&format!("{MARK}={}", self.mark))
    }

    /// Nothing runs any more, and there is no temporary file and no shared memory, within
    /// the time that a busy machine may need to end them.
    pub(crate) fn assert_nothing_left(&self) {
        self.assert_nothing_left_within(Duration::from_secs(30));
    }

    fn assert_nothing_left_within(&self, time: Duration) {
        let left = || {
            let processes = self.processes();
            let files = names(&self.temporary());
            let memory: Vec<String> = names(Path::new("/dev/shm"))
                .difference(&self.shared_memory)
                .filter(|name| name.contains("flowgauge"))
                .cloned()
                .collect();
            let nothing = processes.is_empty() && files.is_empty() && memory.is_empty();
            (!nothing).then(|| format!("{processes:?} {files:?} {memory:?}"))
        };
        let deadline = Instant::now() + time;
        // Again and again, because a process that has just begun a program shows no environment.
        let mut clean_looks = 0;
        while clean_looks < 4 {
            match left() {
                None => clean_looks += 1,
                Some(what) => assert!(Instant::now() < deadline, "still there: {what}"),
            }
            sleep(Duration::from_millis(3));
        }
    }

    /// The names in a folder below the current folder of the commands.
    pub(crate) fn listing(&self, name: &str) -> Vec<String> {
        names(&self.path(name)).into_iter().collect()
    }
}

impl Drop for Home {
    /// What a failed test has found to be left must not go on for hours.
    fn drop(&mut self) {
        for process in self.processes() {
            process.send(Signal::SIGKILL);
        }
    }
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Run {
    /// The run did its job, whatever it found.
    #[track_caller]
    pub(crate) fn answered(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self
    }

    /// What it printed, with one space for every break and gap: sentences as they are before they
    /// are broken to the width of the terminal.
    pub(crate) fn words(&self) -> String {
        self.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The command ended with `code` and said each of `words` on standard error, wherever its lines
    /// are broken.
    #[track_caller]
    pub(crate) fn refused(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{}", self.stderr);
        let said = self.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        for word in words {
            let is_there = said.contains(word) || self.stderr.contains(word);
            assert!(is_there, "no '{word}' in: {}", self.stderr);
        }
        assert!(!self.stderr.contains("thread 'main'"), "{}", self.stderr);
    }
}

#[test]
fn what_is_left_is_counted() {
    let home = Home::new();
    let mut sleeper = home.program("sleep", &["60"]).spawn().unwrap();
    within(60, "the sleeper", || {
        let pids: Vec<i32> = home.processes().iter().map(|p| p.pid).collect();
        (pids == [i32::try_from(sleeper.id()).unwrap()]).then_some(())
    });
    sleeper.kill().unwrap();
    // Killed and not waited for: a zombie is not left.
    home.assert_nothing_left();
    sleeper.wait().unwrap();
    fs::write(home.temporary().join("x.fifo"), "").unwrap();
    let looks = || home.assert_nothing_left_within(Duration::from_millis(50));
    assert!(std::panic::catch_unwind(looks).is_err());
}

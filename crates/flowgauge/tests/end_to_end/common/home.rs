//! A place of its own for each test, and the count of what is left in it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use super::{Arguments, Process, Run, Running, until, within};

/// The command.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_flowgauge");

/// The variable whose value tells the processes of one test from all others.
const MARK: &str = "FLOWGAUGE_TEST_MARK";

/// Files by their paths in a folder.
type Files = BTreeMap<String, Vec<u8>>;

/// What is made once, and copied.
pub(crate) type Made = OnceLock<Files>;

/// A folder tree for one test: `work` (the current folder), `tmp` (TMPDIR) and `home`.
pub(crate) struct Home {
    root: tempfile::TempDir,
    mark: String,
    shared_memory: BTreeSet<String>,
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

    /// A home with what `make` leaves in the current folder of the commands: made for the first test that asks, and
    /// copied for each.
    pub(crate) fn with(made: &Made, make: impl FnOnce(&Self)) -> Self {
        let files = made.get_or_init(|| {
            let home = Self::new();
            make(&home);
            home.files(".")
        });
        let home = Self::new();
        files
            .iter()
            .for_each(|(name, bytes)| home.write(name, bytes));
        home
    }

    /// The files of a folder, and of those below it, with their bytes.
    pub(crate) fn files(&self, folder: &str) -> Files {
        let root = self.path(folder);
        let (mut folders, mut files) = (vec![root.clone()], Files::new());
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let name = path.strip_prefix(&root).unwrap().display().to_string();
                files.insert(name, fs::read(&path).unwrap());
            }
        }
        files
    }

    /// A path in the current folder of the commands.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("work").join(name)
    }

    pub(crate) fn temporary(&self) -> PathBuf {
        self.root.path().join("tmp")
    }

    /// Writes a file into the current folder of the commands, or below it.
    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The same of a program; its path.
    pub(crate) fn executable(&self, name: &str, text: &str) -> String {
        self.write(name, text);
        let path = self.path(name);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    }

    /// The command, in this home.
    pub(crate) fn command(&self, arguments: &(impl Arguments + ?Sized)) -> Command {
        self.program(PROGRAM, arguments)
    }

    /// Any program, in this home.
    pub(crate) fn program(&self, program: &str, arguments: &(impl Arguments + ?Sized)) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments.words())
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
    pub(crate) fn run(&self, arguments: &(impl Arguments + ?Sized)) -> Run {
        Run::of(self.command(arguments))
    }

    /// Runs lines of a shell, which finds the command as `flowgauge`, to their end.
    pub(crate) fn shell(&self, lines: &str) -> Run {
        Run::of(self.script("sh", &["-c", lines]))
    }

    /// The same in a namespace of its own, where this user may mount file systems; `None` where there is none, or
    /// the lines end with 77 because nothing was mounted, which is no success where everything is to be tested.
    pub(crate) fn shell_that_mounts(&self, lines: &str) -> Option<Run> {
        let words = ["--map-root-user", "--mount", "sh", "-c", lines];
        let run = Run::of(self.script("unshare", &words));
        if !matches!(run.code, Some(1 | 77)) {
            return Some(run);
        }
        let why = "no file system can be mounted here: user namespaces are needed, and unshare";
        assert!(std::env::var_os("CI").is_none(), "{why}");
        skipped::skipped(why);
        None
    }

    /// A program that finds the command as `flowgauge`.
    pub(crate) fn script(&self, program: &str, arguments: &[&str]) -> Command {
        let folder = Path::new(PROGRAM).parent().unwrap().display();
        let path = std::env::var("PATH").unwrap();
        let mut command = self.program(program, arguments);
        command.env("PATH", format!("{folder}:{path}"));
        command
    }

    /// Starts the command as the leader of a process group, its output going to files.
    pub(crate) fn start(&self, arguments: &(impl Arguments + ?Sized)) -> Running {
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

    /// No folder of a slot is left in `out`.
    #[track_caller]
    pub(crate) fn assert_no_files(&self) {
        assert_eq!(self.folder_of_slot(), None);
    }

    /// The folder of a slot of the run into `out`.
    pub(crate) fn folder_of_slot(&self) -> Option<String> {
        let mut names = self.listing("out").into_iter();
        let folder = names.find(|name| name.ends_with(".files"))?;
        Some(format!("out/{folder}"))
    }

    /// The names of the files in it.
    pub(crate) fn files_of_slot(&self) -> Vec<String> {
        let folder = self.folder_of_slot();
        folder.map_or_else(Vec::new, |folder| self.listing(&folder))
    }

    /// Waits until the journal of the run into `out` has `count` slots.
    pub(crate) fn wait_for_slots(&self, count: usize) {
        let what = format!("{count} slots");
        until(60, &what, || self.slots().len() >= count);
    }

    /// Waits until a process of the command is there that `choose` finds.
    pub(crate) fn wait_for(&self, choose: impl Fn(&[Process]) -> Option<&Process>) -> Process {
        within(30, "a process", || choose(&self.processes()).cloned())
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

#[test]
fn what_is_left_is_counted() {
    let home = Home::new();
    let mut sleeper = home.program("sleep", "60").spawn().unwrap();
    until(60, "the sleeper", || {
        let pids: Vec<i32> = home.processes().iter().map(|p| p.pid).collect();
        pids == [i32::try_from(sleeper.id()).unwrap()]
    });
    sleeper.kill().unwrap();
    // Killed and not waited for: a zombie is not left.
    home.assert_nothing_left();
    sleeper.wait().unwrap();
    fs::write(home.temporary().join("x.fifo"), "").unwrap();
    let looks = || home.assert_nothing_left_within(Duration::from_millis(50));
    assert!(std::panic::catch_unwind(looks).is_err());
}

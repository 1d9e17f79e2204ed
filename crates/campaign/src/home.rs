use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, ensure};
use nix::fcntl::AT_FDCWD;
use nix::sys::signal::{Signal, kill};
use nix::sys::stat::{UtimensatFlags, utimensat};
use nix::sys::time::TimeSpec;
use nix::unistd::Pid;

/// The variable whose value tells the processes of one run from all others.
const MARK: &str = "FLOWGAUGE_CAMPAIGN_MARK";

/// For how long what is left may be on its way out, on a busy machine too.
const PATIENCE: Duration = Duration::from_secs(10);

/// A folder tree for one run: `work` is its current folder, `tmp` its TMPDIR.
pub(crate) struct Home {
    root: tempfile::TempDir,
    mark: String,
}

#[derive(Debug, Clone)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    /// What the program was started as: `__cell`, `__janitor`, or the command itself.
    pub(crate) role: String,
}

impl Process {
    pub(crate) fn send(&self, signal: Signal) {
        let _gone_is_fine = kill(Pid::from_raw(self.pid), signal);
    }
}

pub(crate) fn program() -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let beside = own.parent().unwrap_or(Path::new(".")).join("flowgauge");
    ensure!(
        beside.is_file(),
        "{} is not there: cargo build --release -p flowgauge",
        beside.display()
    );
    Ok(beside)
}

impl Home {
    pub(crate) fn new() -> Result<Self> {
        static HOMES: AtomicU64 = AtomicU64::new(0);
        let root = tempfile::tempdir()?;
        for folder in ["work", "tmp"] {
            fs::create_dir(root.path().join(folder))?;
        }
        let number = HOMES.fetch_add(1, Ordering::Relaxed);
        Ok(Self {
            root,
            mark: format!("{}-{number}", std::process::id()),
        })
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("work").join(name)
    }

    pub(crate) fn command(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.root.path().join("work"))
            .env("TMPDIR", self.root.path().join("tmp"))
            .env("HOME", self.root.path())
            .env(MARK, &self.mark)
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> Result<()> {
        fs::write(self.path(name), text).with_context(|| format!("cannot write {name}"))
    }

    pub(crate) fn processes(&self) -> Vec<Process> {
        let setting = format!("{MARK}={}", self.mark);
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.filter_map(|pid| read(pid, &setting)).collect()
    }

    /// After [`PATIENCE`] at the most: processes, names in TMPDIR, files and parts in the results.
    pub(crate) fn left(&self) -> Option<String> {
        let until = Instant::now() + PATIENCE;
        loop {
            let left = self.left_now();
            // Twice, because a process that has just begun a program shows no environment.
            if left.is_none() && self.left_now().is_none() || Instant::now() > until {
                return left;
            }
            sleep(Duration::from_millis(5));
        }
    }

    /// Has what is in TMPDIR look an hour old: what may still be in use is removed later.
    pub(crate) fn age(&self) -> Result<()> {
        let hour_ago = SystemTime::now() - Duration::from_secs(3600);
        let then = TimeSpec::from_duration(hour_ago.duration_since(SystemTime::UNIX_EPOCH)?);
        let folder = self.root.path().join("tmp");
        for name in names(&folder) {
            let path = folder.join(name);
            utimensat(
                AT_FDCWD,
                &path,
                &then,
                &then,
                UtimensatFlags::NoFollowSymlink,
            )?;
        }
        Ok(())
    }

    fn left_now(&self) -> Option<String> {
        let mut left: Vec<String> = self
            .processes()
            .iter()
            .map(|process| format!("process {} {}", process.pid, process.role))
            .collect();
        left.extend(names(&self.root.path().join("tmp")));
        let within = names(&self.path(".")).into_iter();
        for folder in within.map(|name| self.path(&name)).chain([self.path(".")]) {
            let names = names(&folder).into_iter();
            left.extend(names.filter(|name| name.ends_with(".files") || name.ends_with(".part")));
        }
        (!left.is_empty()).then(|| left.join(", "))
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        self.processes()
            .iter()
            .for_each(|process| process.send(Signal::SIGKILL));
    }
}

fn read(pid: i32, setting: &str) -> Option<Process> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    environment
        .split(|&byte| byte == 0)
        .find(|&entry| entry == setting.as_bytes())?;
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let state = stat.rsplit_once(')')?.1.split_whitespace().next()?;
    let words = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let role = words.split(|&byte| byte == 0).nth(1).unwrap_or_default();
    (state != "Z").then(|| Process {
        pid,
        role: String::from_utf8_lossy(role).into_owned(),
    })
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

/// `None` if it has not ended within `patience`, and is killed.
pub(crate) fn end_of(child: &mut Child, patience: Duration) -> Option<std::process::ExitStatus> {
    let until = Instant::now() + patience;
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if Instant::now() > until {
            let _gone_is_fine = child.kill();
            let _gone_is_fine = child.wait();
            return None;
        }
        sleep(Duration::from_millis(2));
    }
}

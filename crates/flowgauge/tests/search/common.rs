//! Trees, and runs of the command in them.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

/// Every model by its name.
pub(crate) const MODELS: [&str; 9] = [
    "auto",
    "sequential",
    "thread-per-file",
    "process-per-file",
    "thread-per-directory",
    "thread-pool",
    "process-pool",
    "thread-private-files",
    "fiber",
];

/// A folder in which the command runs.
pub(crate) struct Tree(TempDir);

/// What a run said.
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Tree {
    pub(crate) fn of(files: &[(&str, &[u8])]) -> Tree {
        let tree = Tree(TempDir::new().expect("a folder"));
        for (path, text) in files {
            tree.write(path, text);
        }
        tree
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().expect("below the tree")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.flowgauge(&[&["search"], args].concat())
    }

    /// Any command, in the tree.
    pub(crate) fn flowgauge(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flowgauge"));
        command
            .args(args)
            .current_dir(self.path())
            .env("FLOWGAUGE_VERBOSE", "1")
            .stdin(Stdio::null());
        command
    }

    /// Runs such a line to its end.
    pub(crate) fn run_line(&self, line: &str) -> Said {
        let args: Vec<&str> = line.split(' ').collect();
        said(&self.flowgauge(&args).output().expect("the command starts"))
    }

    pub(crate) fn run(&self, args: &[&str]) -> Said {
        said(&self.command(args).output().expect("the command starts"))
    }

    /// What is found, in byte order.
    pub(crate) fn lines(&self, args: &[&str]) -> Vec<String> {
        let run = self.run(args);
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{args:?}");
        let mut lines: Vec<String> = run.out.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    }
}

pub(crate) fn said(output: &Output) -> Said {
    Said {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// The children of a process, as the kernel tells, in the order in which they were made.
pub(crate) fn children(of: u32) -> Vec<i32> {
    let told = fs::read_to_string(format!("/proc/{of}/task/{of}/children"));
    told.unwrap_or_default()
        .split_whitespace()
        .filter_map(|pid| pid.parse().ok())
        .collect()
}

/// Waits until `holds`; what it waits for in words, for anyone who waits in vain.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..6_000 {
        if holds() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("never came: {what}");
}

/// Waits until a run of the command has as many children, and gives them.
pub(crate) fn with_children(run: &Child, count: usize) -> Vec<i32> {
    until("the children", || children(run.id()).len() == count);
    children(run.id())
}

/// Whether a process is no more, or only waits to be reaped by someone else.
pub(crate) fn is_gone(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.is_empty() || stat.contains(") Z ")
}

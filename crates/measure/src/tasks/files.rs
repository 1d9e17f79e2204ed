use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::PathBuf;

use nix::dir::Dir;
use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::sys::stat::Mode;
use nix::unistd::{SysconfVar, sysconf};

use super::parse::{Stat, child_pids, on_cpu_ns, write_bytes};
use super::{Process, Task};

/// On every architecture for twenty years.
const USUAL_TICKS: u64 = 100;
const USUAL_PAGE: u64 = 4_096;

#[derive(Debug)]
pub(super) struct Files {
    root: PathBuf,
    listing: Dir,
    path: String,
    bytes: Vec<u8>,
    tick_ns: u64,
    page_bytes: u64,
}

impl Files {
    pub(super) fn new(root: PathBuf) -> io::Result<Self> {
        Ok(Self {
            listing: folder(&root)?,
            root,
            path: String::new(),
            bytes: Vec::with_capacity(4_096),
            tick_ns: 1_000_000_000 / constant(SysconfVar::CLK_TCK).unwrap_or(USUAL_TICKS),
            page_bytes: constant(SysconfVar::PAGE_SIZE).unwrap_or(USUAL_PAGE),
        })
    }

    pub(super) fn pids(&mut self, pids: &mut Vec<i32>) -> io::Result<()> {
        numbers(&mut self.listing, pids)
    }

    pub(super) fn tells_children(&mut self) -> bool {
        let own = self.read(format_args!("thread-self/children"), |_| Some(()));
        matches!(own, Ok(Some(())))
    }

    pub(super) fn children(&mut self, pid: i32, children: &mut Vec<i32>) -> io::Result<()> {
        let told = self.read(format_args!("{pid}/task/{pid}/children"), child_pids)?;
        children.extend(told.into_iter().flatten());
        Ok(())
    }

    /// Ascending. A single thread needs no listing.
    pub(super) fn tids(&mut self, process: &Process, tids: &mut Vec<i32>) -> io::Result<()> {
        tids.clear();
        if process.threads == 1 {
            tids.push(process.pid);
            return Ok(());
        }
        self.name(format_args!("{}/task", process.pid));
        let listed = folder(self.path.as_str()).and_then(|mut folder| numbers(&mut folder, tids));
        present(listed).map(|_listed_or_gone| ())
    }

    pub(super) fn process(&mut self, pid: i32) -> io::Result<Option<(i32, Process)>> {
        let Some(stat) = self.read(format_args!("{pid}/stat"), Stat::parse)? else {
            return Ok(None);
        };
        let process = Process {
            pid,
            state: stat.state,
            threads: stat.threads,
            rss: stat.rss_pages * self.page_bytes,
            cpu_ns: stat.own_ticks * self.tick_ns,
            children_cpu_ns: stat.children_ticks * self.tick_ns,
            cpu: stat.cpu,
        };
        Ok(Some((stat.group, process)))
    }

    pub(super) fn task(&mut self, pid: i32, tid: i32) -> io::Result<Option<Task>> {
        let Some(stat) = self.read(format_args!("{pid}/task/{tid}/stat"), Stat::parse)? else {
            return Ok(None);
        };
        let exact = self.read(format_args!("{pid}/task/{tid}/schedstat"), on_cpu_ns)?;
        Ok(Some(Task {
            pid,
            tid,
            state: stat.state,
            cpu: stat.cpu,
            cpu_ns: exact.unwrap_or(stat.own_ticks * self.tick_ns),
        }))
    }

    pub(super) fn written(&mut self, pid: i32) -> io::Result<Option<u64>> {
        let written = self.read(format_args!("{pid}/io"), write_bytes)?;
        if written.is_none()
            && self
                .read(format_args!("{pid}/stat"), Stat::parse)?
                .is_some()
        {
            return Err(io::Error::other(
                "this kernel has no /proc/PID/io (it needs CONFIG_TASK_IO_ACCOUNTING)",
            ));
        }
        Ok(written)
    }

    fn read<T>(
        &mut self,
        file: std::fmt::Arguments<'_>,
        parse: impl Fn(&[u8]) -> Option<T>,
    ) -> io::Result<Option<T>> {
        self.name(file);
        self.bytes.clear();
        let read = File::open(&self.path).and_then(|mut file| file.read_to_end(&mut self.bytes));
        if present(read)?.is_none() {
            return Ok(None);
        }
        let parsed = parse(&self.bytes).map(Some);
        parsed.ok_or_else(|| io::Error::other(format!("{} is not understood", self.path)))
    }

    fn name(&mut self, file: std::fmt::Arguments<'_>) {
        self.path.clear();
        let _ = write!(self.path, "{}/{file}", self.root.display());
    }
}

fn present<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(error) => match error.raw_os_error().map(Errno::from_raw) {
            Some(Errno::ENOENT | Errno::ESRCH) => Ok(None),
            _ => Err(error),
        },
    }
}

fn folder<P: ?Sized + nix::NixPath>(path: &P) -> io::Result<Dir> {
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    Ok(Dir::open(path, flags, Mode::empty())?)
}

fn numbers(folder: &mut Dir, numbers: &mut Vec<i32>) -> io::Result<()> {
    numbers.clear();
    for entry in folder.iter() {
        let entry = entry?;
        let name = entry.file_name().to_str().ok();
        numbers.extend(name.and_then(|name| name.parse::<i32>().ok()));
    }
    numbers.sort_unstable();
    Ok(())
}

fn constant(of: SysconfVar) -> Option<u64> {
    let value = sysconf(of).ok()??;
    u64::try_from(value).ok().filter(|&value| value > 0)
}

//! What the kernel tells of running processes and threads: where they are, their state and use so
//! far, all from small files below `/proc` that take no lock but that of their task:
//!
//! | quantity | source |
//! |---|---|---|
//! | state, CPU last run on, threads, RSS | `PID/stat`, `PID/task/TID/stat` |
//! | CPU time of a thread | first field of `PID/task/TID/schedstat`, ns |
//! | CPU time of a process, and of its children that were waited for | `PID/stat`, in ticks of 10 ms |
//! | bytes handed to storage | `write_bytes` of `PID/io` |
//!
//! * `schedstat` is as new as the scheduler's last tick (1 to 10 ms), else the ticks of `stat`;
//!   [`crate::clock::of_process_ns`] is exact for a whole process, by one system call.
//! * The kernel adds a reaped child's CPU time and `io` to its parent's.
//! * A process that ends between the listing and the reading is not there, which is no error.
//! * Processes of a group are found from its leader on: each tells those that its first thread has
//!   made (`PID/task/PID/children`). Others are found by a **walk**, a listing of all processes,
//!   once a second at most and for at most a hundredth of the time. A kernel without `children`
//!   (`CONFIG_PROC_CHILDREN`) leaves only walks.
//! * Processes outside the group are remembered while they live and not read again; those from
//!   before it ([`Reader::before`]) never, as a process joins another group only at its birth here.
//!   A walk may take a pid that comes back between two for the stranger it was.
//!
//! Buffers are kept; a look allocates only what the C library does to list a folder.

mod files;
mod parse;
mod task;

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use files::Files;
pub use task::{Process, State, Task};

const WALK_EVERY: Duration = Duration::from_secs(1);
/// In multiples of a walk's time.
const WALK_REST: u32 = 100;

/// Reads a group of processes again and again.
#[derive(Debug)]
pub struct Reader {
    files: Files,
    group: i32,
    before: Vec<i32>,
    strangers: Vec<i32>,
    listed: Vec<i32>,
    /// The group at the last look, ascending.
    known: Vec<i32>,
    tells_children: bool,
    walk_due: Instant,
    walk_every: Duration,
}

impl Reader {
    /// A reader of this machine.
    pub fn new() -> io::Result<Self> {
        Self::below("/proc")
    }

    /// A reader of the tree at `proc`.
    pub fn below(proc: impl Into<PathBuf>) -> io::Result<Self> {
        let mut files = Files::new(proc.into())?;
        Ok(Self {
            tells_children: files.tells_children(),
            files,
            group: 0,
            before: Vec::new(),
            strangers: Vec::new(),
            listed: Vec::new(),
            known: Vec::new(),
            walk_due: Instant::now(),
            walk_every: WALK_EVERY,
        })
    }

    /// Excludes all present processes from the next group.
    pub fn before(&mut self) -> io::Result<()> {
        self.files.pids(&mut self.before)
    }

    /// Puts the processes of process group `group` into `processes`, by ascending pid. Errors:
    /// `/proc` cannot be listed, or the file of a live process not read.
    pub fn processes(&mut self, group: i32, processes: &mut Vec<Process>) -> io::Result<()> {
        if group != self.group {
            self.begin(group);
        }
        processes.clear();
        if self.tells_children && Instant::now() < self.walk_due {
            self.follow(processes)?;
        } else {
            self.walk(processes)?;
        }
        self.known.clear();
        self.known
            .extend(processes.iter().map(|process| process.pid));
        Ok(())
    }

    fn begin(&mut self, group: i32) {
        self.group = group;
        self.strangers = std::mem::take(&mut self.before);
        self.known = vec![group];
        self.walk_due = Instant::now() + self.walk_every;
    }

    fn follow(&mut self, processes: &mut Vec<Process>) -> io::Result<()> {
        let mut seen = self.known.clone();
        let mut young = self.known.clone();
        while !young.is_empty() {
            self.listed.clear();
            for pid in young {
                if let Some((of, process)) = self.files.process(pid)?
                    && of == self.group
                {
                    processes.push(process);
                    self.files.children(pid, &mut self.listed)?;
                }
            }
            self.listed.sort_unstable();
            self.listed.dedup();
            let new = self.listed.iter().copied();
            young = new.filter(|pid| seen.binary_search(pid).is_err()).collect();
            seen.extend(&young);
            seen.sort_unstable();
        }
        processes.sort_unstable_by_key(|process| process.pid);
        Ok(())
    }

    fn walk(&mut self, processes: &mut Vec<Process>) -> io::Result<()> {
        let began = Instant::now();
        self.files.pids(&mut self.listed)?;
        let listed = &self.listed;
        self.strangers
            .retain(|pid| listed.binary_search(pid).is_ok());
        let known = self.strangers.len();
        for &pid in listed {
            if self.strangers[..known].binary_search(&pid).is_ok() {
                continue;
            }
            match self.files.process(pid)? {
                Some((of, process)) if of == self.group => processes.push(process),
                Some(_) => self.strangers.push(pid),
                None => {}
            }
        }
        self.strangers.sort_unstable();
        self.walk_due = Instant::now() + self.walk_every.max(began.elapsed() * WALK_REST);
        Ok(())
    }

    /// Adds the threads of a process to `tasks`, at most until there are `most`, by ascending tid.
    pub fn tasks(
        &mut self,
        process: &Process,
        most: usize,
        tasks: &mut Vec<Task>,
    ) -> io::Result<()> {
        self.files.tids(process, &mut self.listed)?;
        for &tid in &self.listed {
            if tasks.len() >= most {
                break;
            }
            tasks.extend(self.files.task(process.pid, tid)?);
        }
        Ok(())
    }

    /// Bytes written to storage by a process and its reaped children; `None` if it has ended.
    /// Errors: the kernel does not count them, or does not tell.
    pub fn written(&mut self, pid: i32) -> io::Result<Option<u64>> {
        self.files.written(pid)
    }
}

#[cfg(test)]
mod tests;

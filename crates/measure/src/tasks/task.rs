/// What a task is doing, as the kernel's letter says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State(pub char);

impl State {
    /// A word for people. `R` is "running" also for tasks that wait for a CPU.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self.0 {
            'R' => "running",
            'S' => "sleeping",
            'D' => "in I/O",
            'T' | 't' => "stopped",
            'Z' | 'X' => "ended",
            'I' | 'P' => "idle",
            _ => "unknown",
        }
    }

    /// Whether it has ended and was not waited for yet.
    #[must_use]
    pub fn has_ended(self) -> bool {
        matches!(self.0, 'Z' | 'X')
    }
}

/// A process of the group that is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub pid: i32,
    /// State of its first thread.
    pub state: State,
    /// Threads in it.
    pub threads: u32,
    /// Resident memory, in bytes. The kernel keeps it in steps of some pages a CPU.
    pub rss: u64,
    /// CPU time of all its threads, ended ones included, in ns; a multiple of 10 ms.
    pub cpu_ns: u64,
    /// CPU time of reaped descendants, in ns; a multiple of 10 ms.
    pub children_cpu_ns: u64,
    /// CPU that its first thread last ran on.
    pub cpu: u32,
}

/// A thread of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    /// Process id.
    pub pid: i32,
    /// Thread id; that of the first thread is the process's.
    pub tid: i32,
    /// What it is doing.
    pub state: State,
    /// CPU it last ran on.
    pub cpu: u32,
    /// CPU time, in ns.
    pub cpu_ns: u64,
}

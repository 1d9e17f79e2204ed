use std::any::Any;
use std::fmt;
use std::io;

/// Why there is no scheduler.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Not on this target.
    #[error("no fibers here: {0}")]
    Unavailable(&'static str),
    /// Too small, or not aligned.
    #[error(
        "a stack of {bytes} bytes will not do: at least {minimum}, and a multiple of {multiple}"
    )]
    Stack {
        /// What was asked for.
        bytes: usize,
        /// The least that works.
        minimum: usize,
        /// What it must be a multiple of.
        multiple: usize,
    },
    /// More than a program can address.
    #[error("a stack of {bytes} bytes will not do: at most {most}")]
    TooLarge {
        /// What was asked for.
        bytes: usize,
        /// The most that works.
        most: usize,
    },
    /// None, or more than can be counted or addressed.
    #[error("room for {capacity} fibers will not do: from 1 to {most}")]
    Capacity {
        /// What was asked for.
        capacity: usize,
        /// The most that works with such stacks.
        most: usize,
    },
    /// More processes than can be numbered, or none.
    #[error("a region for {processes} processes will not do: from 1 to {most}")]
    Processes {
        /// What was asked for.
        processes: usize,
        /// The most that works.
        most: usize,
    },
    /// A region has no such member.
    #[error("there is no process {process} in a region for {processes} (the first is 0)")]
    NoProcess {
        /// What was asked for.
        process: usize,
        /// What the region was made for.
        processes: usize,
    },
    /// Two cannot be the same member.
    #[error(
        "process {process} of the region has joined already: each joins once, with a number of its own"
    )]
    Joined {
        /// Its number.
        process: usize,
    },
    /// Something lies where the region has to be.
    #[error(
        "the address range from {address:#x} on, on which the processes agreed, is taken in this one: {source}"
    )]
    Taken {
        /// Where the range begins.
        address: usize,
        /// What the kernel said.
        source: io::Error,
    },
    /// No file in memory that processes could share.
    #[error(
        "no memory that processes can share at one address: {0}; movable fibers need memfd_create (Linux 3.17), and a sandbox that allows it"
    )]
    NoSharedMemory(io::Error),
    /// The kernel refused.
    #[error(
        "cannot reserve {bytes} bytes of address space for fibers: {source}; ask for fewer or smaller ones"
    )]
    Memory {
        /// What was asked for.
        bytes: usize,
        /// What the kernel said.
        source: io::Error,
    },
}

/// Why there is no new fiber.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// As many fibers as the scheduler was made for.
    #[error(
        "all {capacity} fibers that the scheduler has room for exist: join some, or ask for more with Config::capacity"
    )]
    Full {
        /// What the scheduler was made for.
        capacity: usize,
    },
    /// Closure or result leave no room for the stack.
    #[error(
        "the closure and result of the fiber ({area} bytes) and its first frames ({frames}) do not fit a stack of {usable} bytes: use larger stacks or box what it captures"
    )]
    TooLarge {
        /// Bytes of closure or result, whichever is more.
        area: usize,
        /// Bytes that the first frames need.
        frames: usize,
        /// Bytes of the slot.
        usable: usize,
    },
    /// The kernel refused a guard page.
    #[error("no guard page after {made} fibers: {source}{}", guard_advice(*by_mapping))]
    Guard {
        /// How many slots have one.
        made: u32,
        /// What the kernel said.
        source: io::Error,
        /// Whether each guard takes two mappings.
        by_mapping: bool,
    },
    /// It could not be unwound when it is dropped, or its slot may leave the process.
    #[error(
        "no generators on stacks below 16 KiB, on movable ones, or in a program built with panic = \"abort\": one that is dropped is unwound; use Config::guarded(16384) or more"
    )]
    NoGenerator,
    /// Asked for by a free function, with no scheduler running on this kernel thread.
    #[error("no scheduler runs on this kernel thread to create a fiber: use Scheduler::spawn")]
    Outside,
    /// Asked for by a destructor that runs because the scheduler is dropped.
    #[error("the scheduler is being dropped and takes no new fibers")]
    Dropped,
}

/// Why a section of code cannot be interrupted.
#[derive(Debug, thiserror::Error)]
pub enum PreemptError {
    /// No guard, or no room for a signal frame.
    #[error(
        "a fiber is preempted on a guarded stack of {least} bytes or more: use Config::guarded({least})"
    )]
    Stack {
        /// The least that works.
        least: usize,
    },
    /// The kernel refused.
    #[error("no timer for the kernel thread: {0}")]
    Timer(#[from] io::Error),
}

fn guard_advice(by_mapping: bool) -> &'static str {
    if by_mapping {
        "; before Linux 6.13 each guard takes two mappings, of which a process has \
         vm.max_map_count (sysctl -w vm.max_map_count=N raises it); packed stacks need none"
    } else {
        ""
    }
}

/// Why a fiber has no result.
#[derive(thiserror::Error)]
pub enum JoinError {
    /// It panicked; this is what it threw.
    #[error("the fiber panicked: {}", text_of(.0.as_ref()).unwrap_or("(no text)"))]
    Panicked(Box<dyn Any + Send>),
    /// Every other fiber is suspended or has ended: nobody can awaken it.
    #[error("the fiber is suspended and no fiber is left to awaken it")]
    Stuck,
    /// A fiber of another scheduler, which its own runs in turn, asked for the join.
    #[error(
        "the scheduler of the fiber waits for the fiber that asks, which belongs to another one: join it in a fiber of its own scheduler"
    )]
    Waiting,
    /// Its scheduler was dropped first.
    #[error("the scheduler of the fiber was dropped before it ended")]
    Dropped,
    /// It was in another process, which died.
    #[error("the fiber was lost: process {process}, which had it, died")]
    Lost {
        /// The number of that process in the region.
        process: usize,
    },
}

impl JoinError {
    /// What the fiber said when it panicked.
    #[must_use]
    pub fn message(&self) -> Option<&str> {
        match self {
            JoinError::Panicked(thrown) => text_of(thrown.as_ref()),
            _ => None,
        }
    }
}

impl fmt::Debug for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

pub(crate) fn text_of(thrown: &(dyn Any + Send)) -> Option<&str> {
    let text = thrown.downcast_ref::<&str>().copied();
    text.or_else(|| thrown.downcast_ref::<String>().map(String::as_str))
}

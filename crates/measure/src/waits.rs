//! What a task off the CPU waits for: one table, for films and for profiles. Two things tell: functions of the kernel
//! that the task is in (a call chain, or the one of `/proc/TID/wchan`), which say it exactly where they are known; and
//! its system call (`/proc/TID/syscall`), where it can wait for one thing only. `read` can wait for anything.

use std::fs::read_to_string;

use nix::libc::*;
use serde::{Deserialize, Serialize};

macro_rules! states {
    ($($(#[$doc:meta])* $name:ident $letter:literal)*) => {
        /// What a task is doing.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum State {
            $($(#[$doc])* #[serde(rename = $letter)] $name),*
        }

        impl State {
            /// Each once.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Its letter in a journal.
            #[must_use]
            pub fn letter(self) -> char {
                let letter = match self { $(Self::$name => $letter),* };
                char::from(letter.as_bytes()[0])
            }
        }
    };
}

states! {
    /// It has a CPU.
    Runs "r"
    /// It could run, and has no CPU.
    Cpu "q"
    /// For a futex: a lock, a gate, the end of a thread.
    Lock "l"
    /// For a pipe or a socket.
    Pipe "p"
    /// For any of several files or events.
    Events "e"
    /// For the end of a child.
    Child "c"
    /// For a time.
    Time "t"
    /// For storage.
    Disk "d"
    /// For the address space: its lock, its pages, other CPUs that must forget them.
    Memory "m"
    /// For the table of open files.
    Files "f"
    /// For a flow that is being made.
    Making "n"
    /// For something else.
    Other "o"
    /// For what nobody has seen.
    Unseen "u"
}

/// A system call: its number, and the name of that.
type Call = (c_long, &'static str);

/// One thing that can be waited for.
#[derive(Debug)]
pub struct Reason {
    state: State,
    /// In words, after "waits"; `{}` is where. None where it is known by its calls alone.
    pub words: &'static str,
    /// Parts of names of the kernel's functions that wait for it.
    functions: &'static [&'static str],
    /// Calls that wait for nothing else.
    calls: &'static [Call],
}

macro_rules! reasons {
    ($($state:ident $words:literal [$($function:literal)*] [$($call:ident)*])*) => {
        &[$(Reason {
            state: State::$state,
            words: $words,
            functions: &[$($function),*],
            calls: &[$(($call, stringify!($call))),*],
        }),*]
    };
}

/// The first that fits holds.
static REASONS: &[Reason] = reasons! {
    Cpu "for CPU time (throttled by a quota)" ["throttle"] []
    Time "in sleep" ["nanosleep"] [SYS_nanosleep SYS_clock_nanosleep]
    Lock "at a lock or condition (futex) in {}" ["futex"] [SYS_futex]
    Pipe "for data of a pipe" ["pipe_read"] []
    Pipe "for room in a pipe" ["pipe_write"] []
    Events "for events (epoll)" ["ep_poll" "do_epoll"] [SYS_epoll_pwait]
    Events "for events (poll)" ["poll_schedule" "do_poll" "do_select" "core_sys_select" "do_sys_poll"]
        [SYS_ppoll SYS_pselect6]
    Lock "at a lock of a file in {}"
        ["posix_lock_inode_wait" "fcntl_setlk" "locks_lock_inode" "flock_lock"] [SYS_flock]
    Pipe "for a connection (accept)" ["inet_csk_accept" "unix_accept"] [SYS_accept4]
    Pipe "for data of a socket"
        ["unix_stream" "skb_wait" "sk_wait" "tcp_recvmsg" "wait_for_more_packets" "unix_wait"]
        [SYS_sendto SYS_recvfrom SYS_sendmsg SYS_recvmsg SYS_connect]
    Other "for a signal" ["sigsuspend" "sigtimedwait"] [SYS_rt_sigsuspend SYS_rt_sigtimedwait]
    Disk "for dirty pages to be written in {}" ["balance_dirty_pages"] []
    Disk "for the disk in {}"
        ["io_schedule" "folio_wait" "wait_on_page" "blk_" "jbd2" "submit_bio_wait" "wait_on_buffer" "ext4_sync"]
        [SYS_fsync SYS_fdatasync SYS_msync SYS_sync]
    Disk "for a file server in {}" ["request_wait_answer" "rpc_" "p9_client" "fuse_"] []
    Making "for a child to execute its program (vfork)" ["vfork"] []
    Other "for other CPUs (RCU) in {}" ["synchronize_rcu" "wait_rcu"] []
    Other "for a terminal" ["tty_"] []
    Child "" [] [SYS_wait4 SYS_waitid]
    Memory "" [] [SYS_mmap SYS_munmap SYS_mprotect SYS_madvise SYS_mremap SYS_brk SYS_mlock]
    Files "" [] [SYS_openat SYS_close SYS_dup SYS_dup3 SYS_fcntl SYS_unlinkat SYS_pipe2]
    Making "" [] [SYS_clone SYS_clone3 SYS_execve]
    Other "" [] [SYS_read SYS_write SYS_readv SYS_writev SYS_pread64 SYS_pwrite64]
};

/// Calls of x86-64 that other machines have in another form alone.
#[cfg(target_arch = "x86_64")]
static OLD: &[Reason] = reasons! {
    Events "" [] [SYS_poll SYS_select SYS_epoll_wait]
    Making "" [] [SYS_fork SYS_vfork]
    Files "" [] [SYS_open SYS_dup2 SYS_pipe SYS_unlink]
};
#[cfg(not(target_arch = "x86_64"))]
static OLD: &[Reason] = &[];

const CHILDREN: [&str; 4] = ["do_wait", "kernel_wait4", "wait4", "waitid"];

/// Whether a function or call waits for a child process.
#[must_use]
pub fn is_for_a_child(name: &str) -> bool {
    CHILDREN.contains(&name)
}

/// What these functions wait for.
pub fn reason_of<'a>(functions: impl Iterator<Item = &'a str> + Clone) -> Option<&'static Reason> {
    let is_in = |part: &&str| functions.clone().any(|function| function.contains(part));
    let mut all = REASONS.iter();
    all.find(|reason| reason.functions.iter().any(is_in))
}

fn of_call(number: c_long) -> Option<(State, &'static str)> {
    let mut all = REASONS.iter().chain(OLD);
    all.find_map(|reason| {
        let (_, name) = reason.calls.iter().find(|call| call.0 == number)?;
        Some((reason.state, name.trim_start_matches("SYS_")))
    })
}

/// What `/proc` shows of a task that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The number of its system call, -1 outside of one; `None` where this user may not see it.
    call: Option<c_long>,
    /// The kernel's function, where that is shown.
    pub function: Option<String>,
}

impl Seen {
    /// `None` of a task that runs, is gone or shows nothing.
    #[must_use]
    pub fn of(tid: i32) -> Option<Self> {
        let read = |name: &str| read_to_string(format!("/proc/{tid}/{name}")).ok();
        let call = match read("syscall") {
            // `running` is no number.
            Some(line) => Some(line.split_whitespace().next()?.parse().ok()?),
            None => None,
        };
        let function = read("wchan").filter(|name| !["", "0"].contains(&name.as_str()));
        (call.is_some() || function.is_some()).then_some(Self { call, function })
    }

    /// The kind of its wait.
    #[must_use]
    pub fn state(&self) -> State {
        let function = self.function.as_deref();
        let known = reason_of(function.into_iter());
        let of_call = || match self.call? {
            // In the kernel without a call: a page is to be filled.
            -1 => Some(State::Memory),
            number => of_call(number).map(|(state, _)| state),
        };
        match (known, function) {
            (Some(reason), _) => reason.state,
            (None, Some(name)) if is_for_a_child(name) => State::Child,
            _ => of_call().unwrap_or(State::Other),
        }
    }

    /// The name of its system call, where it is one that can wait for long.
    #[must_use]
    pub fn call(&self) -> Option<&'static str> {
        of_call(self.call?).map(|(_, name)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_has_a_letter_of_its_own_as_in_a_journal() {
        for &state in State::ALL {
            let written = serde_json::to_string(&state).unwrap();
            assert_eq!(written, format!("\"{}\"", state.letter()));
            assert_eq!(serde_json::from_str::<State>(&written).unwrap(), state);
        }
    }

    #[test]
    fn a_function_says_it_before_the_call_does() {
        let state = |call, function: Option<&str>| {
            let function = function.map(str::to_owned);
            Seen { call, function }.state()
        };
        for (call, function, wanted) in [
            (Some(SYS_read), Some("anon_pipe_read"), State::Pipe),
            (Some(SYS_read), Some("folio_wait_bit_common"), State::Disk),
            (Some(SYS_read), None, State::Other),
            (
                Some(SYS_munmap),
                Some("rwsem_down_write_slowpath"),
                State::Memory,
            ),
            (
                Some(SYS_openat),
                Some("rwsem_down_read_slowpath"),
                State::Files,
            ),
            (Some(-1), Some("rwsem_down_read_slowpath"), State::Memory),
            (Some(SYS_futex), None, State::Lock),
            (None, Some("do_wait"), State::Child),
            (None, Some("strange"), State::Other),
        ] {
            assert_eq!(state(call, function), wanted, "{call:?} {function:?}");
        }
    }

    #[test]
    fn a_call_has_its_name() {
        let named = |call| {
            Seen {
                call,
                function: None,
            }
            .call()
        };
        assert_eq!(named(Some(SYS_munmap)), Some("munmap"));
        assert_eq!((named(Some(-1)), named(None)), (None, None));
    }

    #[test]
    fn a_process_that_reads_a_pipe_waits_for_a_pipe() {
        use std::process::{Command, Stdio};
        use std::time::{Duration, Instant};
        let mut cat = Command::new("cat");
        let cat = cat.stdin(Stdio::piped()).stdout(Stdio::null());
        let mut cat = cat.spawn().unwrap();
        let pid = i32::try_from(cat.id()).unwrap();
        let end = Instant::now() + Duration::from_secs(20);
        let shown = || Seen::of(pid).filter(|seen| seen.function.is_some());
        while shown().is_none_or(|seen| seen.state() != State::Pipe) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
        match shown() {
            Some(seen) => assert_eq!(seen.state(), State::Pipe),
            None => {
                skipped::skipped("/proc/PID/wchan is not readable: no cause of a wait was read")
            }
        }
        cat.kill().unwrap();
        cat.wait().unwrap();
        assert_eq!(Seen::of(pid), None);
    }
}

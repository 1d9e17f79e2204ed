//! The two system calls that no library offers: a launch without a copy of the address space, and `wait4`.
//!
//! A fork copies page tables, and the first write to each page after it is a fault in the parent and in the child, in
//! somebody else's measurement. So the child is made by `clone(CLONE_VM | CLONE_VFORK)`, as `posix_spawn` does it: it
//! borrows the memory of the parent, who sleeps until the child has called `execve` or ended. `posix_spawn` itself
//! cannot ask for `SIGKILL` at the parent's death.
//!
//! The child notes the time just before it calls `execve`, where a program's time begins. Not at `clone`: on a busy
//! machine a new process waits milliseconds for its first turn, and again where `setsid` puts it into a group of its
//! own (Linux's autogroups). Nor where `clone` returns, since the parent may be the one who waits. 60 launches of
//! `true` beside two compilers, in ms with deciles: from `clone` 6.9 [6.8 ... 7.1], from `execve` 0.86 [0.64 ... 1.25].

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

use measure::clock::now_ns;
use nix::sys::signal::{SigSet, SigmaskHow, sigprocmask};
use nix::unistd::Pid;
use rustix::io::Errno;
use rustix::process::{PidfdFlags, getpriority_process, pidfd_open};

/// A prepared execution: the child may allocate nothing.
#[derive(Debug)]
pub(crate) struct Executable {
    pub(crate) path: CString,
    pub(crate) arguments: Vec<CString>,
    pub(crate) environment: Vec<CString>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Streams<'a> {
    pub(crate) stdin: &'a OwnedFd,
    pub(crate) stdout: &'a OwnedFd,
    pub(crate) stderr: &'a OwnedFd,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Launched {
    pub(crate) pid: i32,
    pub(crate) began_ns: u64,
    pub(crate) started_ns: u64,
}

impl Launched {
    pub(crate) fn descriptor(&self) -> io::Result<OwnedFd> {
        let pid = rustix::process::Pid::from_raw(self.pid).ok_or(io::ErrorKind::InvalidInput)?;
        let opened = pidfd_open(pid, PidfdFlags::empty());
        opened.map_err(|error| match error {
            Errno::NOSYS => {
                io::Error::other("its end cannot be awaited: pidfd_open needs Linux 5.3")
            }
            error => error.into(),
        })
    }
}

struct Order {
    path: *const libc::c_char,
    arguments: *const *const libc::c_char,
    environment: *const *const libc::c_char,
    streams: [RawFd; 3],
    /// The way into the group of a quota; negative: none.
    quota: RawFd,
    parent: libc::pid_t,
    /// That of this process.
    nice: libc::c_int,
    mask: libc::sigset_t,
    executes_ns: AtomicU64,
    /// The error of `execve`; 0: none.
    errno: AtomicI32,
}

/// The child makes a dozen system calls.
const STACK: usize = 64 << 10;

/// Signals that this program ignores and a launched one must find at their defaults.
const USUAL: [libc::c_int; 2] = [libc::SIGPIPE, libc::SIGXFSZ];

/// Launches a program in a session of its own, in both control groups; `SIGKILL` comes when this thread ends.
pub(crate) fn launch(
    program: &Executable,
    streams: Streams<'_>,
    group: Option<BorrowedFd<'_>>,
    quota: Option<BorrowedFd<'_>>,
) -> io::Result<Launched> {
    let arguments = pointers(&program.arguments);
    let environment = pointers(&program.environment);
    let order = Order {
        path: program.path.as_ptr(),
        arguments: arguments.as_ptr(),
        environment: environment.as_ptr(),
        streams: [streams.stdin, streams.stdout, streams.stderr].map(AsRawFd::as_raw_fd),
        quota: quota.map_or(-1, |way_in| way_in.as_raw_fd()),
        parent: std::process::id().cast_signed(),
        nice: getpriority_process(None).unwrap_or(0),
        mask: *SigSet::empty().as_ref(),
        executes_ns: AtomicU64::new(0),
        errno: AtomicI32::new(0),
    };
    // No handler of ours may run in the child, which shares our memory.
    let mut before = SigSet::empty();
    sigprocmask(
        SigmaskHow::SIG_SETMASK,
        Some(&SigSet::all()),
        Some(&mut before),
    )?;
    let mut stack = vec![0u128; STACK / 16];
    let began_ns = now_ns();
    let pid = borrowing_child(&order, &mut stack, group);
    sigprocmask(SigmaskHow::SIG_SETMASK, Some(&before), None)?;
    let pid = pid?;
    match order.errno.load(Ordering::Acquire) {
        0 => Ok(Launched {
            pid,
            began_ns,
            started_ns: order.executes_ns.load(Ordering::Acquire),
        }),
        errno => {
            wait(pid, true)?;
            Err(io::Error::from_raw_os_error(errno))
        }
    }
}

fn borrowing_child(
    order: &Order,
    stack: &mut [u128],
    group: Option<BorrowedFd<'_>>,
) -> io::Result<i32> {
    let top = stack.as_mut_ptr_range().end.cast();
    let flags = libc::CLONE_VM | libc::CLONE_VFORK;
    let argument = ptr::from_ref(order).cast_mut().cast();
    let pid = match group {
        // SAFETY: `top` is the 16-byte-aligned end of a stack that outlives this call, and CLONE_VFORK keeps this
        // thread asleep until the child no longer uses it; `in_child` reads the order, which outlives it for the same
        // reason, and only makes system calls.
        None => unsafe { ::sys::clone_on(top, in_child, argument, flags) },
        Some(group) => {
            let stack = (top, size_of_val(stack));
            // SAFETY: as above.
            unsafe { ::sys::clone_into(group, stack, in_child, argument, flags) }
        }
    };
    pid.map(Pid::as_raw)
}

/// Whether a process can begin in that control group: one does, and ends.
pub(crate) fn can_begin_in(group: BorrowedFd<'_>) -> bool {
    extern "C" fn end(_: *mut libc::c_void) -> libc::c_int {
        0
    }
    let mut stack = vec![0u128; STACK / 16];
    let top = stack.as_mut_ptr_range().end.cast();
    let stack = (top, size_of_val(stack.as_slice()));
    let flags = libc::CLONE_VM | libc::CLONE_VFORK;
    // SAFETY: as in `borrowing_child`; `end` uses nothing.
    let made = unsafe { ::sys::clone_into(group, stack, end, ptr::null_mut(), flags) };
    made.is_ok_and(|pid| wait(pid.as_raw(), true).is_ok_and(|ended| ended.is_some()))
}

extern "C" fn in_child(order: *mut libc::c_void) -> libc::c_int {
    // SAFETY: `borrowing_child` passes a pointer to an order that outlives the child.
    let order = unsafe { &*order.cast::<Order>() };
    for signal in USUAL {
        // SAFETY: the signal is valid; the table of handlers is the child's own (no CLONE_SIGHAND).
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // SAFETY: no preconditions; the child leads no group, so that it can lead a session.
    unsafe { libc::setsid() };
    // SAFETY: the option takes a signal number.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
    // SAFETY: no preconditions.
    if unsafe { libc::getppid() } != order.parent {
        // The parent was killed before the child had asked for the signal.
        return 127;
    }
    if order.nice > 0 {
        // SAFETY: 0 is this process; to be nicer is always allowed.
        unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, order.nice) };
    }
    for (target, source) in (0..).zip(order.streams) {
        // SAFETY: the table of descriptors is the child's own (no CLONE_FILES).
        unsafe { libc::dup2(source, target) };
    }
    // SAFETY: the byte lives through the call; the descriptor is of a file of this process, or negative.
    if order.quota >= 0 && unsafe { libc::write(order.quota, c"0".as_ptr().cast(), 1) } != 1 {
        return not_executed(order);
    }
    // SAFETY: the mask is a valid set in the order.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, &raw const order.mask, ptr::null_mut()) };
    order.executes_ns.store(now_ns(), Ordering::Release);
    // SAFETY: path and both lists are C strings that end with a null pointer and outlive the call.
    unsafe { libc::execve(order.path, order.arguments, order.environment) };
    not_executed(order)
}

fn not_executed(order: &Order) -> libc::c_int {
    let errno = io::Error::last_os_error()
        .raw_os_error()
        .unwrap_or(libc::EIO);
    order.errno.store(errno, Ordering::Release);
    127
}

fn pointers(list: &[CString]) -> Vec<*const libc::c_char> {
    let pointers = list.iter().map(|text| CStr::as_ptr(text));
    pointers.chain([ptr::null()]).collect()
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Reaped {
    pub(crate) pid: i32,
    pub(crate) status: i32,
    pub(crate) usage: libc::rusage,
}

/// Reaps a child, or any (-1); `None` if none has ended yet, or there is none.
pub(crate) fn wait(pid: i32, for_it: bool) -> io::Result<Option<Reaped>> {
    let mut status = 0;
    let flags = if for_it { 0 } else { libc::WNOHANG };
    // SAFETY: all-zero bytes are a valid `rusage`.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are of values that live through the call.
    let reaped = unsafe { libc::wait4(pid, &raw mut status, flags, &raw mut usage) };
    match reaped {
        0 => Ok(None),
        -1 => match io::Error::last_os_error() {
            error if error.raw_os_error() == Some(libc::ECHILD) => Ok(None),
            error if error.kind() == io::ErrorKind::Interrupted => wait(pid, for_it),
            error => Err(error),
        },
        pid => Ok(Some(Reaped { pid, status, usage })),
    }
}

/// Gives this process priority when it wakes, and not what it launches: it notes the end of a command at once.
pub(crate) fn wake_at_once() -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: 1 };
    let policy = libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK;
    // SAFETY: 0 is this thread, and the parameters live through the call.
    let done = unsafe { libc::sched_setscheduler(0, policy, &raw const parameters) };
    Ok(nix::errno::Errno::result(done).map(drop)?)
}

pub(crate) fn batch() -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: 0 };
    // SAFETY: 0 is this thread, and the parameters live through the call.
    let done = unsafe { libc::sched_setscheduler(0, libc::SCHED_BATCH, &raw const parameters) };
    Ok(nix::errno::Errno::result(done).map(drop)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    fn launched(words: &[&str], group: Option<BorrowedFd<'_>>) -> io::Result<Launched> {
        let null = File::options().read(true).write(true).open("/dev/null")?;
        let null = &OwnedFd::from(null);
        let text = |word: &&str| CString::new(*word).unwrap();
        let program = Executable {
            path: text(&words[0]),
            arguments: words.iter().map(text).collect(),
            environment: Vec::new(),
        };
        let streams = Streams {
            stdin: null,
            stdout: null,
            stderr: null,
        };
        launch(&program, streams, group, None)
    }

    #[test]
    fn a_program_runs_in_a_session_of_its_own_and_tells_its_status() {
        let launched = launched(&["/bin/sh", "-c", "exit 3"], None).unwrap();
        assert!(launched.began_ns < launched.started_ns);
        let reaped = wait(launched.pid, true).unwrap().unwrap();
        assert_eq!(
            (reaped.pid, libc::WEXITSTATUS(reaped.status)),
            (launched.pid, 3)
        );
    }

    /// It begins there: this process has not entered the group.
    #[test]
    fn a_program_is_in_the_group_that_it_is_launched_into() {
        let Ok(group) = flow::cgroup::Cgroup::make() else {
            skipped::skipped(
                "no control group may be made: needs cgroup v2 and root, or Delegate=yes",
            );
            return;
        };
        if !can_begin_in(group.descriptor()) {
            skipped::skipped(
                "no process can begin in a control group: needs Linux 5.7 and no sandbox",
            );
            return;
        }
        let launched = launched(&["/bin/sleep", "600"], Some(group.descriptor())).unwrap();
        assert_eq!(group.members(), [launched.pid]);
        group.kill_others().unwrap();
        let reaped = wait(launched.pid, true).unwrap().unwrap();
        assert_eq!(libc::WTERMSIG(reaped.status), libc::SIGKILL);
        drop(group);
        flow::cgroup::sweep();
    }

    #[test]
    fn what_cannot_be_executed_is_an_error_and_leaves_no_zombie() {
        let empty = tempfile::tempdir().unwrap();
        let missing = empty.path().join("program").display().to_string();
        let error = launched(&[&missing], None).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ENOENT));
    }
}

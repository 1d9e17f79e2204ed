//! The place that a call chain stands for, in a few words: what is listed, compared and tested. On a CPU it is the
//! function that runs, or the system call on whose behalf the kernel works, or the page faults of a function. Off it is
//! what is waited for. Each moment has exactly one place, so places add up to the whole.

use std::fmt;

use measure::waits::{is_for_a_child, reason_of};

use crate::value::{
    INTERRUPT, NOT_SEEN, OF_KERNEL, PAGE_FAULT, PREEMPTED, SYSTEM_CALL, THROTTLED, WAITS,
};

/// What the time of a call chain is spent on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// On a CPU: a function, a system call, page faults.
    Runs(String),
    /// Off it.
    Waits(Wait),
}

/// What is waited for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wait {
    /// For an end of its own children, whose time is there already.
    Child,
    /// All else, in words.
    For(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Runs(what) => f.write_str(what),
            Self::Waits(Wait::Child) => f.write_str("waits for a child process"),
            Self::Waits(Wait::For(what)) => write!(f, "waits {what}"),
        }
    }
}

/// Of a path from the first frame on: [`crate::ON_CPU`] or [`WAITS`], user frames, frames of the kernel.
#[must_use]
pub fn place(path: &[&str]) -> Place {
    let Some((&first, rest)) = path.split_first() else {
        return Place::Runs("?".to_owned());
    };
    match first == WAITS {
        true => Place::Waits(wait(rest)),
        false => Place::Runs(runs(rest)),
    }
}

/// A function without the types of its arguments, a system call without saying that it is one.
pub(crate) fn short(name: &str) -> &str {
    let short = name.split('(').next().map_or("", str::trim);
    if short.is_empty() { name } else { short }
}

fn kernel_at(path: &[&str]) -> usize {
    let is_kernel = |frame: &&str| {
        frame.ends_with(OF_KERNEL)
            || frame.ends_with(SYSTEM_CALL)
            || [PAGE_FAULT, INTERRUPT].contains(frame)
    };
    path.iter().position(is_kernel).unwrap_or(path.len())
}

/// Waits of a thread for others to give it work or to end; of a lock there are other functions.
const CONDITIONS: [&str; 5] = [
    "__futex_abstimed_wait",
    "pthread_cond_",
    "__pthread_cond_",
    "pthread_join",
    "__pthread_clockjoin",
];

/// Of a wait for a futex: whether its function says that it is for a condition or an end.
pub(crate) fn futex_of(path: &[&str]) -> Option<bool> {
    let (user, kernel) = path.split_at(kernel_at(path));
    (kernel.first()?.strip_suffix(SYSTEM_CALL)? == "futex").then(|| {
        let starts = |name: &&str| CONDITIONS.iter().any(|one| name.starts_with(one));
        user.last().is_some_and(starts)
    })
}

/// How interpreters call functions of scripts: CPython `py::work:/a.py`, Node `JS:*work /a.js:1:2`.
fn script(name: &str) -> Option<String> {
    let (function, file) = match name.strip_prefix("py::") {
        Some(python) => python.split_once(':')?,
        None => {
            let node = name.strip_prefix("JS:");
            let node = node.or_else(|| name.strip_prefix("LazyCompile:"))?;
            node.trim_start_matches(['*', '~', '^', '+'])
                .split_once(' ')?
        }
    };
    let function = if function.is_empty() {
        "(anonymous)"
    } else {
        function
    };
    Some(format!("{function} ({file})"))
}

/// The function that runs, or that of Python on whose behalf its interpreter works.
fn function(user: &[&str]) -> Option<String> {
    let is_python = |frame: &&&str| frame.starts_with("py::");
    let name = user.iter().rev().find(is_python).or(user.last())?;
    Some(script(name).unwrap_or_else(|| (*name).to_owned()))
}

const BEGINNINGS: [&str; 5] = ["main", "start_thread", "clone", "clone3", "<module>"];

/// Functions with names that called for what a path spends its time on, the nearest first: of Python those of the
/// script. Not what its place names, what its library calls the same, or what is hidden in libraries (`_x`).
#[must_use]
pub fn callers(path: &[&str]) -> Vec<String> {
    let (user, kernel) = path.split_at(kernel_at(path));
    let user = user.get(1..).unwrap_or_default();
    let call = kernel
        .first()
        .and_then(|call| call.strip_suffix(SYSTEM_CALL));
    let is_python = |frame: &&str| frame.starts_with("py::");
    let of_script = user.iter().any(is_python);
    let frames = user
        .iter()
        .rev()
        .filter(|frame| !of_script || is_python(frame));
    let names = frames.map(|name| short(script(name).as_deref().unwrap_or(name)).to_owned());
    let mut names: Vec<String> = names.collect();
    let said = place(path).to_string();
    let is_said = |name: &String| said.contains(name.as_str());
    let named = names.first().filter(|name| is_said(name)).cloned();
    names.retain(|name| {
        let is_hidden = name.starts_with(['_', '[']) || name.contains("@0x");
        let is_call = call.is_some_and(|call| call == name);
        !is_hidden
            && !is_call
            && Some(name) != named.as_ref()
            && !BEGINNINGS.contains(&name.as_str())
    });
    names.dedup();
    names
}

fn runs(path: &[&str]) -> String {
    let (user, kernel) = path.split_at(kernel_at(path));
    match (kernel.first(), function(user)) {
        (None, function) => function.unwrap_or_else(|| "[unknown code]".to_owned()),
        (Some(&PAGE_FAULT), Some(function)) => format!("page faults in {function}"),
        (Some(&PAGE_FAULT), None) => "page faults".to_owned(),
        (Some(&INTERRUPT), _) => "interrupts".to_owned(),
        (Some(call), _) if call.ends_with(SYSTEM_CALL) => (*call).to_owned(),
        (Some(_), _) => "the kernel, outside of system calls".to_owned(),
    }
}

fn wait(path: &[&str]) -> Wait {
    let (user, kernel) = path.split_at(kernel_at(path));
    if let [only] = user
        && [PREEMPTED, THROTTLED, NOT_SEEN].contains(only)
    {
        return Wait::For((*only).to_owned());
    }
    let functions = kernel.iter().map(|frame| {
        let name = frame.strip_suffix(OF_KERNEL);
        name.or(frame.strip_suffix(SYSTEM_CALL)).unwrap_or(frame)
    });
    if functions.clone().any(is_for_a_child) {
        return Wait::Child;
    }
    let entry = kernel
        .iter()
        .find_map(|frame| frame.strip_suffix(SYSTEM_CALL));
    let place = match (entry, kernel.first()) {
        (Some(call), _) => call.to_owned(),
        (None, Some(&PAGE_FAULT)) => match user.last() {
            Some(function) => format!("page faults in {function}"),
            None => "page faults".to_owned(),
        },
        _ => user.last().map_or("the kernel", |name| name).to_owned(),
    };
    if let Some(lock) = semaphore(kernel, place.trim_start_matches('_')) {
        let place = place.trim_start_matches('_');
        return Wait::For(format!("at {lock} in {place}"));
    }
    let last = kernel
        .last()
        .and_then(|frame| frame.strip_suffix(OF_KERNEL));
    Wait::For(match (reason_of(functions), last) {
        // A futex is known by the function that uses it.
        (Some(reason), _) if reason.words.contains("futex") => {
            let place = user.last().map_or("?", |name| name);
            reason.words.replace("{}", place)
        }
        (Some(reason), _) => reason.words.replace("{}", &place),
        (None, Some(last)) => format!("in {place} ({last})"),
        (None, None) => format!("in {place}"),
    })
}

/// Work on an address space takes the lock of all of it.
const MEMORY: [&str; 10] = [
    "mmap", "munmap", "mprotect", "madvise", "brk", "mremap", "mlock", "clone", "fork", "exit",
];

fn semaphore(kernel: &[&str], place: &str) -> Option<String> {
    let has = |part: &str| kernel.iter().any(|frame| frame.contains(part));
    if has("mutex_lock") && !has("futex") {
        return Some("a mutex of the kernel".to_owned());
    }
    let how = match (has("rwsem_down_write"), has("rwsem_down_read")) {
        (true, _) => "write",
        (_, true) => "read",
        _ => return None,
    };
    // The frame of the call may be missing: then its function of the C library tells.
    let is_of_memory = MEMORY.iter().any(|call| place.starts_with(call));
    let lock = match kernel.first() {
        Some(&PAGE_FAULT) => "mmap_lock",
        _ if is_of_memory => "mmap_lock",
        _ => "a semaphore of the kernel",
    };
    Some(format!("{lock} ({how})"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::ON_CPU;

    fn said(first: &str, rest: &[&str]) -> String {
        let path: Vec<&str> = [first].iter().chain(rest).copied().collect();
        place(&path).to_string()
    }

    #[test]
    fn on_a_cpu_it_is_the_function_the_call_or_the_faults() {
        let said = |rest: &[&str]| said(ON_CPU, rest);
        assert_eq!(said(&["main", "work"]), "work");
        let call = ["main", "write (system call)", "vfs_write_[k]"];
        assert_eq!(said(&call), "write (system call)");
        let fault = ["main", "fill", "page fault", "clear_page_erms_[k]"];
        assert_eq!(said(&fault), "page faults in fill");
        assert_eq!(said(&[]), "[unknown code]");
        let python = [
            "_start",
            "py::slow:/a.py",
            "_PyEval_EvalFrameDefault",
            "_PyLong_Add",
        ];
        assert_eq!(said(&python), "slow (/a.py)");
        let node = |name: &str| said(&["node::Start", name]);
        assert_eq!(node("JS:*slow /a.js:2:17"), "slow (/a.js:2:17)");
        assert_eq!(node("JS:~ /a.js:1:1"), "(anonymous) (/a.js:1:1)");
    }

    #[test]
    fn callers_are_functions_with_names_that_the_place_does_not_say() {
        let of = |first: &str, rest: &[&str]| {
            callers(&[first].iter().chain(rest).copied().collect::<Vec<_>>())
        };
        let step = [
            "_start",
            "main",
            "shell",
            "lib@0x10",
            "step(int)",
            "lib@0x20",
        ];
        assert_eq!(of(ON_CPU, &step), ["step", "shell"]);
        let wait = [
            "main",
            "lock",
            "wait",
            "epoll_wait",
            "epoll_wait (system call)",
        ];
        assert_eq!(of(WAITS, &wait), ["wait", "lock"]);
        let python = ["py::work:/a.py", "eval", "py::slow:/a.py", "add"];
        assert_eq!(of(ON_CPU, &python), ["work"]);
        assert!(of(WAITS, &[PREEMPTED]).is_empty());
    }

    #[test]
    fn a_wait_for_another_thread_is_told_from_one_for_a_lock() {
        let futex = |user: &str| futex_of(&[WAITS, user, "futex (system call)", "futex_wait_[k]"]);
        assert_eq!(futex("__futex_abstimed_wait_common"), Some(true));
        assert_eq!(futex("__lll_lock_wait"), Some(false));
        assert_eq!(futex_of(&[WAITS, "f", "read (system call)"]), None);
    }

    #[test]
    fn off_it_is_what_is_waited_for() {
        let said = |rest: &[&str]| said(WAITS, rest);
        let call =
            |name: &str, inner: &str| said(&["main", &format!("{name}{SYSTEM_CALL}"), inner]);
        assert_eq!(
            call("munmap", "rwsem_down_write_slowpath_[k]"),
            "waits at mmap_lock (write) in munmap"
        );
        assert_eq!(
            said(&[
                "main",
                "__mmap",
                "vm_mmap_pgoff_[k]",
                "rwsem_down_write_slowpath_[k]"
            ]),
            "waits at mmap_lock (write) in mmap"
        );
        assert_eq!(
            call("write", "rwsem_down_write_slowpath_[k]"),
            "waits at a semaphore of the kernel (write) in write"
        );
        assert_eq!(
            call("clock_nanosleep", "do_nanosleep_[k]"),
            "waits in sleep"
        );
        assert_eq!(
            call("fsync", "io_schedule_[k]"),
            "waits for the disk in fsync"
        );
        assert_eq!(call("wait4", "do_wait_[k]"), "waits for a child process");
        assert_eq!(
            call("read", "anon_pipe_read_[k]"),
            "waits for data of a pipe"
        );
        assert_eq!(
            said(&[
                "main",
                "__lll_lock_wait",
                "futex (system call)",
                "__futex_wait_[k]"
            ]),
            "waits at a lock or condition (futex) in __lll_lock_wait"
        );
        assert_eq!(
            said(&["fill", "page fault", "rwsem_down_read_slowpath_[k]"]),
            "waits at mmap_lock (read) in page faults in fill"
        );
        assert_eq!(said(&[PREEMPTED]), "waits for a CPU");
        assert_eq!(
            call("ioctl", "strange_wait_[k]"),
            "waits in ioctl (strange_wait)"
        );
    }

    /// A plain user sees one function of the kernel alone.
    #[test]
    fn a_function_of_the_kernel_alone_is_enough() {
        let said = |rest: &[&str]| said(WAITS, rest);
        assert_eq!(
            said(&["munmap (system call)", "rwsem_down_write_slowpath_[k]"]),
            "waits at mmap_lock (write) in munmap"
        );
        assert_eq!(said(&["openat (system call)"]), "waits in openat");
        assert_eq!(said(&["hrtimer_nanosleep_[k]"]), "waits in sleep");
        assert_eq!(said(&["do_wait_[k]"]), "waits for a child process");
        assert_eq!(said(&["anon_pipe_read_[k]"]), "waits for data of a pipe");
    }
}

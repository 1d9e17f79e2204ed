//! Fibers between processes that were started by themselves, not forked.
//!
//! The test starts its own program again, as often as it needs: what a process is to do is its
//! first argument.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};

use fiber::Config;
use fiber::movable::{MovableFiber, MoveError, PeerError, Region, Way, agree_on_addresses};

fn main() {
    // SAFETY: a system call; no process of this test may hang.
    unsafe { libc::alarm(60) };
    match std::env::args().nth(1).as_deref() {
        Some("serve") => serve(),
        Some("serve-elsewhere") => elsewhere(),
        _ => tests(),
    }
}

fn tests() {
    agree_on_addresses().unwrap();
    for way in [Way::Isomalloc, Way::Copied, Way::Aliased] {
        a_fiber_goes_to_a_process_that_was_started_by_itself(way);
    }
    a_process_at_other_addresses_is_refused();
    a_stranger_is_refused();
    let _ = writeln!(std::io::stdout(), "test result: ok. 5 passed");
}

/// This program once more, with a socket to it.
fn started(role: &str) -> (Child, UnixStream) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    let child = command.arg(role).stdin(Stdio::from(OwnedFd::from(theirs)));
    (child.spawn().unwrap(), ours)
}

fn stdin() -> UnixStream {
    use std::os::fd::AsFd;
    UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned().unwrap())
}

/// A process that takes fibers.
fn serve() {
    agree_on_addresses().unwrap();
    let region = Region::accept(&stdin()).unwrap();
    assert!(region.join(1).unwrap().serve());
}

/// A process that lies where the kernel put it at random.
fn elsewhere() {
    // SAFETY: only asks.
    if unsafe { libc::personality(0xFFFF_FFFF) } & libc::ADDR_NO_RANDOMIZE != 0 {
        use std::os::unix::process::CommandExt;
        // SAFETY: changes where the next program is placed, and nothing else.
        unsafe { libc::personality(0) };
        let error = Command::new("/proc/self/exe").arg("serve-elsewhere").exec();
        panic!("{error}");
    }
    let error = Region::accept(&stdin()).unwrap_err();
    assert!(matches!(error, PeerError::Differs { .. }), "{error}");
}

fn go(fiber: &mut MovableFiber<'_>, to: usize) {
    loop {
        // SAFETY: callers keep nothing of the process they leave.
        match unsafe { fiber.move_to(to) } {
            Err(MoveError::Absent { .. }) => fiber.yield_now(),
            went => return went.unwrap(),
        }
    }
}

fn travels(fiber: &mut MovableFiber<'_>, number: u64) -> (u64, u64) {
    let arena = fiber.arena().unwrap();
    let mut numbers = arena.try_vec(2).unwrap();
    let shape: &dyn Fn(u64) -> u64 = &|value| value + number;
    numbers.push(shape(1));
    go(fiber, 1);
    let there = u64::from(std::process::id());
    numbers.push(shape(2));
    // What was thrown lies on the heap there: it must be gone before the fiber leaves.
    let caught = std::panic::catch_unwind(|| std::panic::resume_unwind(Box::new("there")));
    assert!(caught.map_err(drop).is_err());
    fiber.yield_now();
    go(fiber, 0);
    (numbers.iter().sum(), there)
}

fn a_fiber_goes_to_a_process_that_was_started_by_itself(way: Way) {
    let config = Config::kept(way, 64 << 10).arena(4_096).capacity(100);
    let region = Region::reserve(config, 2).unwrap();
    let (mut child, peer) = started("serve");
    region.offer(&peer).unwrap();
    let scheduler = region.join(0).unwrap();
    let spawn = |number| scheduler.spawn_movable(number, travels).unwrap();
    let handles: Vec<_> = (0..100).map(spawn).collect();
    for (number, handle) in (0..).zip(handles) {
        assert_eq!(
            handle.join().unwrap(),
            (2 * number + 3, u64::from(child.id()))
        );
    }
    region.close();
    assert!(child.wait().unwrap().success());
}

fn a_process_at_other_addresses_is_refused() {
    let region = Region::reserve(Config::movable(1_024).capacity(1), 2).unwrap();
    let (mut child, peer) = started("serve-elsewhere");
    let error = region.offer(&peer).unwrap_err();
    assert!(matches!(error, PeerError::Differs { .. }), "{error}");
    assert!(error.to_string().contains("agree_on_addresses"), "{error}");
    assert!(child.wait().unwrap().success());
}

fn a_stranger_is_refused() {
    let region = Region::reserve(Config::movable(1_024).capacity(1), 2).unwrap();
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    theirs.write_all(&[7; 32]).unwrap();
    let error = region.offer(&ours).unwrap_err();
    assert!(error.to_string().contains("the program differs"), "{error}");
    let (ours, theirs) = UnixStream::pair().unwrap();
    drop(theirs);
    let error = Region::accept(&ours).unwrap_err();
    assert!(matches!(error, PeerError::Talk(_)), "{error}");
}

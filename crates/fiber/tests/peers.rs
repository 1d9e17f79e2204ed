//! Fibers between processes that were started by themselves, not forked.
//!
//! The test starts its own program again, as often as it needs: what a process is to do is its
//! first argument.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod apart;

use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering;

use apart::{WAYS, go, kept, movable};
use fiber::movable::{
    MovableFiber, MoveError, PeerError, Region, Way, agree_on_addresses, can_agree_on_addresses,
};
use fiber::{Config, Scheduler};

fn main() {
    // SAFETY: a system call; no process of this test may hang.
    unsafe { libc::alarm(600) };
    match std::env::args().nth(1).as_deref() {
        Some("serve") => serve(),
        Some("serve-apart") => serve_apart(),
        Some("die-apart") => die_apart(),
        Some("lie-apart") => lie_apart(),
        Some("serve-elsewhere") => elsewhere(),
        _ => tests(),
    }
}

fn tests() {
    agree_on_addresses().unwrap();
    for way in WAYS {
        a_fiber_goes_to_a_process_that_was_started_by_itself(way);
    }
    for way in WAYS {
        a_fiber_is_sent_to_a_process_that_shares_no_memory(way);
    }
    much_is_sent_both_ways_at_once();
    a_process_that_dies_far_away_loses_what_was_there();
    what_cannot_be_a_fiber_ends_the_link();
    a_process_at_other_addresses_is_refused();
    a_stranger_is_refused();
    let _ = writeln!(std::io::stdout(), "test result: ok. 11 passed");
}

/// This program once more, with a socket to it.
fn started(role: &str) -> (Child, UnixStream) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let mut command = skipped::this_program();
    let child = command.arg(role).stdin(Stdio::from(OwnedFd::from(theirs)));
    (child.spawn().unwrap(), ours)
}

fn stdin() -> UnixStream {
    use std::os::fd::AsFd;
    UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned().unwrap())
}

/// A process that takes fibers.
fn serve() {
    can_agree_on_addresses().unwrap();
    agree_on_addresses().unwrap();
    let region = Region::accept(&stdin()).unwrap();
    region.common()[2].fetch_add(1, Ordering::Relaxed);
    assert!(region.join(1).unwrap().serve());
}

/// A process that takes fibers, in memory of its own.
fn serve_apart() {
    agree_on_addresses().unwrap();
    let region = Region::linked(stdin()).unwrap();
    assert!(region.join(1).unwrap().serve());
}

/// One that ends as soon as a fiber has come.
fn die_apart() {
    agree_on_addresses().unwrap();
    let region = Region::linked(stdin()).unwrap();
    let scheduler = region.join(1).unwrap();
    while scheduler.arrived() == 0 {
        scheduler.run_until_home();
    }
    std::process::exit(0);
}

/// One that sends what is no fiber, and waits to be ended.
fn lie_apart() {
    agree_on_addresses().unwrap();
    let mut stream = stdin();
    let _region = Region::linked(stdin()).unwrap();
    // A stack pointer beside the stack.
    let words = [0_u64, 0, 1 << 60, 0, 0, 0, 0, 0, 0, 0, 0, 16, 7, 7];
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    stream.write_all(&bytes).unwrap();
    loop {
        std::thread::sleep(std::time::Duration::from_secs(1));
    }
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

/// A hundred fibers go to `there` and back.
fn all_travel(scheduler: &Scheduler, there: &Child) {
    let spawn = |number| scheduler.spawn_movable(number, travels).unwrap();
    let handles: Vec<_> = (0..100).map(spawn).collect();
    for (number, handle) in (0..).zip(handles) {
        let travelled = (2 * number + 3, u64::from(there.id()));
        assert_eq!(handle.join().unwrap(), travelled);
    }
}

/// A region with a process of `role` that shares no memory, and the scheduler of this one.
fn linked(role: &str, config: Config) -> (Region, Child, Scheduler) {
    let region = Region::reserve(config, 2).unwrap();
    let (child, peer) = started(role);
    region.link(peer).unwrap();
    let scheduler = region.join(0).unwrap();
    (region, child, scheduler)
}

/// Closes the region, and sees the other process end well.
fn end(region: &Region, mut child: Child) {
    region.close();
    assert!(child.wait().unwrap().success());
}

fn a_fiber_goes_to_a_process_that_was_started_by_itself(way: Way) {
    let config = kept(way, 64 << 10).arena(4_096).capacity(100);
    let region = Region::reserve(config.common(3), 2).unwrap();
    region.common()[2].store(41, Ordering::Relaxed);
    let (child, peer) = started("serve");
    region.offer(&peer).unwrap();
    let scheduler = region.join(0).unwrap();
    all_travel(&scheduler, &child);
    end(&region, child);
    let common = region.common().iter();
    let common: Vec<u64> = common.map(|word| word.load(Ordering::Relaxed)).collect();
    assert_eq!(common, [0, 0, 42]);
}

fn a_fiber_is_sent_to_a_process_that_shares_no_memory(way: Way) {
    let config = kept(way, 64 << 10).arena(4_096).capacity(100);
    let (region, child, scheduler) = linked("serve-apart", config);
    all_travel(&scheduler, &child);
    let ends_there = |fiber: &mut MovableFiber<'_>, number: u64| {
        go(fiber, 1);
        [number; 9]
    };
    let handle = scheduler.spawn_movable(7, ends_there).unwrap();
    assert_eq!(handle.join().unwrap(), [7; 9]);
    let panics_there = |fiber: &mut MovableFiber<'_>, (): ()| {
        go(fiber, 1);
        std::panic::resume_unwind(Box::new("far away"))
    };
    let handle = scheduler.spawn_movable::<(), ()>((), panics_there).unwrap();
    let error = handle.join().unwrap_err().to_string();
    assert!(error.contains("far away"), "{error}");
    end(&region, child);
}

/// Far more than a socket takes at a time.
fn much_is_sent_both_ways_at_once() {
    const KEPT: usize = 48 << 10;
    fn carries(fiber: &mut MovableFiber<'_>, number: u64) -> u64 {
        let mut kept = [0_u8; KEPT];
        for trip in 0..10_u64 {
            let value = (number + trip) as u8;
            std::hint::black_box(&mut kept).fill(value);
            go(fiber, (trip as usize + 1) % 2);
            assert!(
                std::hint::black_box(&kept)
                    .iter()
                    .all(|byte| *byte == value)
            );
        }
        number
    }
    let config = movable(KEPT + (32 << 10)).capacity(60);
    let (region, child, scheduler) = linked("serve-apart", config);
    let spawn = |number| scheduler.spawn_movable(number, carries).unwrap();
    let handles: Vec<_> = (0..60).map(spawn).collect();
    for (number, handle) in (0..).zip(handles) {
        assert_eq!(handle.join().unwrap(), number);
    }
    end(&region, child);
}

fn a_process_that_dies_far_away_loses_what_was_there() {
    let (_region, mut child, scheduler) = linked("die-apart", movable(32 << 10).capacity(2));
    let stays = |fiber: &mut MovableFiber<'_>, (): ()| {
        go(fiber, 1);
        fiber.suspend();
    };
    let lost = scheduler.spawn_movable((), stays).unwrap();
    let here = scheduler.spawn_movable(3, |_, number: u64| number).unwrap();
    assert_eq!(here.join().unwrap(), 3);
    let error = lost.join().unwrap_err().to_string();
    assert!(error.contains("process 1"), "{error}");
    assert!(child.wait().unwrap().success());
    let three = Region::reserve(movable(1_024).capacity(1), 3).unwrap();
    let (peer, _other) = UnixStream::pair().unwrap();
    let error = three.link(peer).unwrap_err().to_string();
    assert!(error.contains("from 1 to 2"), "{error}");
}

fn what_cannot_be_a_fiber_ends_the_link() {
    let (_region, mut child, scheduler) = linked("lie-apart", movable(32 << 10).capacity(2));
    let tries = |fiber: &mut MovableFiber<'_>, (): ()| {
        // SAFETY: it keeps nothing.
        let moved = unsafe { fiber.move_to(1) };
        moved == Err(MoveError::Absent { to: 1 })
    };
    // One that left before the end of the link is lost; the next one stays.
    loop {
        match scheduler.spawn_movable((), tries).unwrap().join() {
            Ok(is_refused) => break assert!(is_refused),
            Err(error) => assert!(error.to_string().contains("process 1"), "{error}"),
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

fn a_process_at_other_addresses_is_refused() {
    if skipped::is_emulated() {
        let why = "a_process_at_other_addresses_is_refused: /proc/self/exe is the emulator";
        return skipped::skipped(why);
    }
    let region = Region::reserve(movable(1_024).capacity(1), 2).unwrap();
    let (mut child, peer) = started("serve-elsewhere");
    let error = region.offer(&peer).unwrap_err();
    assert!(matches!(error, PeerError::Differs { .. }), "{error}");
    assert!(error.to_string().contains("agree_on_addresses"), "{error}");
    assert!(child.wait().unwrap().success());
}

fn a_stranger_is_refused() {
    let region = Region::reserve(movable(1_024).capacity(1), 2).unwrap();
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    theirs.write_all(&[7; 32]).unwrap();
    let error = region.offer(&ours).unwrap_err();
    assert!(error.to_string().contains("the program differs"), "{error}");
    let (ours, theirs) = UnixStream::pair().unwrap();
    drop(theirs);
    let error = Region::accept(&ours).unwrap_err();
    assert!(matches!(error, PeerError::Talk(_)), "{error}");
}

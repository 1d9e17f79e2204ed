//! Fibers that can go on in another process.
//! ```
//! use fiber::movable::{MovableFiber, Region};
//!
//! fn travel(fiber: &mut MovableFiber<'_>, number: u64) -> u64 {
//!     let (home, other) = (fiber.process(), 1 - fiber.process());
//!     // SAFETY: nothing of this process is used after it: two numbers are all there is.
//!     unsafe { fiber.move_to(other) }.expect("process 1 is there");
//!     let there = number + 1;
//!     // SAFETY: the same.
//!     unsafe { fiber.move_to(home) }.expect("process 0 is there");
//!     there
//! }
//!
//! // SAFETY: the frames of `travel` fit in 64 KiB many times.
//! let config = unsafe { fiber::Config::movable(64 << 10) };
//! let region = Region::reserve(config.capacity(100), 2)?;
//! // SAFETY: this process has one thread, and the child does nothing but serve.
//! if unsafe { libc::fork() } == 0 {
//!     let served = region.join(1).is_ok_and(|scheduler| scheduler.serve());
//!     std::process::exit(i32::from(!served));
//! }
//! # let patience = std::time::Instant::now() + std::time::Duration::from_secs(30);
//! while !region.has_joined(1) {
//! #   assert!(std::time::Instant::now() < patience, "process 1 did not join");
//!     std::thread::yield_now();
//! }
//! let scheduler = region.join(0)?;
//! let handle = scheduler.spawn_movable(41, travel)?;
//! assert_eq!(handle.join()?, 42);
//! region.close();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! A fiber that does not run is a stack pointer and what lies above it. If its stack and the code
//! have the same address in every process, it can go on in any of them. So a range of addresses is
//! agreed on ([`Region`]), of shared memory, and to move a fiber is to hand over its number. Three
//! ways keep a stack where its fiber expects it ([`Way`]); all else is the same for them.
//!
//! | file | idea |
//! |---|---|
//! | `region` | the range of addresses, the shares of the processes, who lives |
//! | `mail` | handing fibers over: parcels, chains, mailboxes |
//! | `member` | a scheduler that sends, takes in, and finds out who is lost |
//! | `staged` | stacks that are copied or mapped to one place at their turn |
//! | `arena` | memory that moves with the fiber |
//! | `handle` | what a movable fiber sees, and whoever made it |
//! | `peer` | processes that were started by themselves |
//! | `wire` | fibers that are sent, between processes that share no memory |
//!
//! # What must not be held over a move
//! The process changes, and with it everything that the process owns:
//!
//! | what | instead |
//! |---|---|
//! | values on the ordinary heap (`Box`, `Vec`, `String`, `Rc`, …) | the fiber's [`Arena`] |
//! | file descriptors, sockets | open them where they are used, or hand over a path |
//! | locks and their guards | lock and unlock between two moves |
//! | `thread_local!`, `errno`, statics that change | each process has its own: read again |
//! | pointers and references to other memory than the fiber's own slot | numbers, indices |
//! | a [`JoinHandle`](crate::JoinHandle), a `Scheduler` | they belong to the process that made them |
//! | a panic that unwinds | a move by a destructor is refused |
//!
//! **What types forbid.** A movable fiber begins in a plain function, which cannot capture;
//! argument and result must be [`Movable`]; a value of its arena cannot outlive it; while a
//! [`Stay`] is held, a move does not compile. Locals are beyond the compiler, so
//! [`MovableFiber::move_to`] is `unsafe`.
//!
//! A closure that captures is refused:
//! ```compile_fail,E0308
//! # let scheduler = unsafe { fiber::Scheduler::new(fiber::Config::movable(4096)) }.unwrap();
//! let text = String::from("of this process");
//! scheduler.spawn_movable((), |_, ()| text.len() as u64);
//! ```
//! So is what lies on the ordinary heap:
//! ```compile_fail,E0277
//! # let scheduler = unsafe { fiber::Scheduler::new(fiber::Config::movable(4096)) }.unwrap();
//! scheduler.spawn_movable(vec![1_u64], |_, numbers| numbers[0]);
//! ```
//! an open file:
//! ```compile_fail,E0277
//! # let scheduler = unsafe { fiber::Scheduler::new(fiber::Config::movable(4096)) }.unwrap();
//! let file = std::fs::File::open("/dev/null").unwrap();
//! scheduler.spawn_movable(file, |_, _file| ());
//! ```
//! the guard of a lock:
//! ```compile_fail,E0277
//! # let scheduler = unsafe { fiber::Scheduler::new(fiber::Config::movable(4096)) }.unwrap();
//! static LOCK: std::sync::Mutex<u64> = std::sync::Mutex::new(0);
//! scheduler.spawn_movable(LOCK.lock().unwrap(), |_, guard| *guard);
//! ```
//! a reference, also one that lives for ever:
//! ```compile_fail,E0277
//! # let scheduler = unsafe { fiber::Scheduler::new(fiber::Config::movable(4096)) }.unwrap();
//! let leaked: &'static u64 = Box::leak(Box::new(1));
//! scheduler.spawn_movable(leaked, |_, number| *number);
//! ```
//! a result on the heap of the process where the fiber happened to end:
//! ```compile_fail,E0277
//! # let scheduler = unsafe { fiber::Scheduler::new(fiber::Config::movable(4096)) }.unwrap();
//! scheduler.spawn_movable((), |_, ()| String::from("made elsewhere"));
//! ```
//! a value of the arena that would outlive its fiber:
//! ```compile_fail
//! # let scheduler = unsafe { fiber::Scheduler::new(fiber::Config::movable(4096)) }.unwrap();
//! scheduler.spawn_movable((), |fiber, ()| fiber.arena());
//! ```
//! and a move while something holds the fiber where it is:
//! ```compile_fail,E0502
//! # use fiber::movable::MovableFiber;
//! fn held(fiber: &mut MovableFiber<'_>, (): ()) {
//!     let stay = fiber.stay();
//!     unsafe { fiber.move_to(1) }.unwrap();
//!     drop(stay);
//! }
//! ```

mod arena;
mod handle;
mod mail;
pub(crate) mod member;
mod peer;
mod region;
pub(crate) mod shared;
pub(crate) mod staged;
mod values;
mod wire;

pub use arena::{Arena, ArenaFull, Text};
pub use handle::{MovableFiber, MovableHandle, MoveError, Stay};
pub use peer::{PeerError, agree_on_addresses, can_agree_on_addresses};
pub use region::{Region, movable_available};
pub use values::Movable;

/// How a stack comes to lie where its fiber expects it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Way {
    /// Each stack has its own address, the same in every process: nothing is done at a switch.
    Isomalloc,
    /// All share one address: what is in use is copied in and out at each switch.
    Copied,
    /// All share one address: the pages of whose turn it is are mapped there at each switch.
    Aliased,
}

//! What movable fibers promise: they go on elsewhere with all they have, and who dies takes
//! along only what was there.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod apart;
#[path = "movable/bad_use.rs"]
mod bad_use;

use std::cell::Cell;
use std::io::{Read, Write};
use std::process::{Command, ExitCode};

use apart::{WAYS, go, kept, movable};
use fiber::movable::{MovableFiber, MoveError, Region, Way};
use fiber::{Config, ConfigError, Fiber, JoinError, Scheduler};

type Test = (&'static str, Box<dyn Fn()>);

/// Tests that fork, by their names: each is run in a process of its own, which has one thread.
fn tests() -> [Test; 18] {
    [
        named(yields_and_results_of_all_three_ways),
        named(suspending_and_awakening_of_all_three_ways),
        named(panics_and_drops_of_all_three_ways),
        named(a_fiber_goes_there_and_back),
        named(what_is_held_on_stack_and_arena_moves_along),
        named(a_panic_elsewhere_is_delivered_at_home),
        named(a_dropped_handle_frees_the_slot_of_a_fiber_that_ends_elsewhere),
        named(random_moves_get_every_result_right),
        named(a_process_that_dies_loses_its_own_fibers_and_no_others),
        named(whoever_serves_ends_when_all_others_are_gone),
        named(bad_use::moves_that_cannot_be_are_refused),
        named(bad_use::regions_that_cannot_be_are_refused),
        named(bad_use::no_address_space_is_an_error),
        named(bad_use::no_shared_memory_is_an_error),
        named(bad_use::a_full_region_is_an_error),
        named(bad_use::a_huge_page_of_two_processes_keeps_what_the_first_has_in_it),
        named(bad_use::an_overflow_in_the_window_names_its_fiber),
        named(valgrind_has_nothing_to_say_of_moves),
    ]
}

/// A test by the name of its function.
fn named(test: impl Fn() + 'static) -> Test {
    let path = std::any::type_name_of_val(&test);
    (path.rsplit("::").next().unwrap_or(path), Box::new(test))
}

/// A scheduler of a region of one process, which its test drops.
fn made(config: Config) -> Result<Scheduler, ConfigError> {
    // SAFETY: it is a local of a test.
    unsafe { Scheduler::new(config) }
}

/// Runs each test in a child process, which it forks from this one's only thread; without one of
/// the harness's own, as no other thread may hold a lock then.
fn main() -> ExitCode {
    let filter = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let mut failed = 0;
    let chosen = tests().into_iter().filter(|(name, _)| {
        filter
            .as_ref()
            .is_none_or(|filter| name.contains(filter.as_str()))
    });
    for (name, test) in chosen {
        let status = in_child(|| {
            // SAFETY: a system call; no test may hang.
            unsafe { libc::alarm(600) };
            test();
            0
        })
        .wait();
        let said = if status == 0 { "ok" } else { "FAILED" };
        failed += u32::from(status != 0);
        let _ = writeln!(std::io::stdout(), "test {name} ... {said}");
    }
    let _ = writeln!(std::io::stdout(), "test result: {failed} failed");
    ExitCode::from(u8::from(failed > 0))
}

struct Child(libc::pid_t);

/// Forks: `life` says with which code the child ends. A panic of it is code 101.
fn in_child(life: impl FnOnce() -> i32) -> Child {
    // SAFETY: this process has one thread.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0, "fork");
    if pid == 0 {
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(life));
        // SAFETY: ends the process at once.
        unsafe { libc::_exit(ended.unwrap_or(101)) };
    }
    Child(pid)
}

impl Child {
    /// The exit code, or 1000 and the signal.
    fn wait(self) -> i32 {
        let mut status = 0;
        // SAFETY: our own child.
        let pid = unsafe { libc::waitpid(self.0, &raw mut status, 0) };
        assert_eq!(pid, self.0);
        if libc::WIFEXITED(status) {
            libc::WEXITSTATUS(status)
        } else {
            1_000 + libc::WTERMSIG(status)
        }
    }
}

/// Processes 1 .. `region.processes()`, which serve.
fn servers(region: &Region) -> Vec<Child> {
    let serve = |process| {
        in_child(|| {
            let scheduler = region.join(process).unwrap();
            i32::from(!scheduler.serve())
        })
    };
    (1..region.processes()).map(serve).collect()
}

/// A region of `processes`: the others serve, this one has the scheduler.
fn served(config: Config, processes: usize) -> (Region, Vec<Child>, Scheduler) {
    let region = Region::reserve(config, processes).unwrap();
    let servers = servers(&region);
    let scheduler = region.join(0).unwrap();
    (region, servers, scheduler)
}

/// Closes the region, and sees all servers end well.
fn end(region: &Region, servers: Vec<Child>) {
    region.close();
    for server in servers {
        assert_eq!(server.wait(), 0);
    }
}

// ── In one process ───────────────────────────────────────────────────────────────────

fn yields_and_results_of_all_three_ways() {
    for way in WAYS {
        let scheduler = made(kept(way, 16 << 10).capacity(50)).unwrap();
        let handles: Vec<_> = (0..50_u64)
            .map(|who| {
                let body = move |fiber: &mut Fiber| {
                    let mut kept = [who; 100];
                    for _ in 0..10 {
                        fiber.yield_now();
                        std::hint::black_box(&mut kept)
                            .iter_mut()
                            .for_each(|k| *k += 1);
                    }
                    kept.iter().sum::<u64>()
                };
                scheduler.spawn(body).unwrap()
            })
            .collect();
        for (who, handle) in handles.into_iter().enumerate() {
            assert_eq!(handle.join().unwrap(), (who as u64 + 10) * 100, "{way:?}");
        }
    }
}

fn suspending_and_awakening_of_all_three_ways() {
    for way in WAYS {
        let scheduler = made(kept(way, 16 << 10).capacity(4)).unwrap();
        for _ in 0..3 {
            let sleeper = scheduler.spawn(|fiber| {
                let kept = std::hint::black_box([7_u64; 64]);
                fiber.suspend();
                kept.iter().sum::<u64>()
            });
            let sleeper = sleeper.unwrap();
            let id = sleeper.id();
            let other = scheduler.spawn(move |fiber| {
                std::hint::black_box([9_u64; 64]);
                fiber.yield_now();
                fiber::awaken(id)
            });
            assert!(other.unwrap().join().unwrap());
            assert_eq!(sleeper.join().unwrap(), 7 * 64, "{way:?}");
        }
    }
}

fn panics_and_drops_of_all_three_ways() {
    thread_local! {
        static DROPPED: Cell<u32> = const { Cell::new(0) };
    }
    struct Counts;
    impl Drop for Counts {
        fn drop(&mut self) {
            DROPPED.set(DROPPED.get() + 1);
        }
    }
    for way in WAYS {
        DROPPED.set(0);
        let scheduler = made(kept(way, 64 << 10).capacity(4)).unwrap();
        let thrower = scheduler.spawn(|fiber| {
            let _counts = Counts;
            fiber.yield_now();
            std::panic::resume_unwind(Box::new("went wrong"))
        });
        let thrower: fiber::JoinHandle<()> = thrower.unwrap();
        for _ in 0..2 {
            let waits = |fiber: &mut Fiber| {
                let _counts = Counts;
                fiber.suspend();
            };
            scheduler.spawn(waits).unwrap();
        }
        assert_eq!(thrower.join().unwrap_err().message(), Some("went wrong"));
        assert_eq!(scheduler.run(), 2);
        drop(scheduler);
        assert_eq!(DROPPED.get(), 3, "{way:?}");
    }
}

// ── Between processes ────────────────────────────────────────────────────────────────

fn there_and_back(fiber: &mut MovableFiber<'_>, number: u64) -> (u64, u64) {
    let pid = || u64::from(std::process::id());
    let first = pid();
    go(fiber, 1);
    assert_eq!(fiber.process(), 1);
    let second = pid();
    fiber.yield_now();
    go(fiber, 0);
    assert_eq!((fiber.process(), pid()), (0, first));
    (number + 1, second)
}

fn a_fiber_goes_there_and_back() {
    for way in WAYS {
        let (region, servers, scheduler) = served(kept(way, 64 << 10).capacity(20), 2);
        let server = servers[0].0 as u64;
        let handles: Vec<_> = (0..20)
            .map(|number| scheduler.spawn_movable(number, there_and_back).unwrap())
            .collect();
        for (number, handle) in handles.into_iter().enumerate() {
            assert_eq!(
                handle.join().unwrap(),
                (number as u64 + 1, server),
                "{way:?}"
            );
        }
        assert_eq!((scheduler.away(), scheduler.live()), (0, 0));
        assert_eq!(scheduler.arrived(), 20);
        end(&region, servers);
    }
}

/// Deep frames, a closure, a trait object, a box, a vector that grows and a string.
fn travels_with_luggage(fiber: &mut MovableFiber<'_>, number: u64) -> u64 {
    trait Shape {
        fn area(&self) -> u64;
    }
    struct Square(u64);
    impl Shape for Square {
        fn area(&self) -> u64 {
            self.0 * self.0
        }
    }
    /// Moves from the bottom of that many frames, each of which keeps something.
    #[inline(never)]
    fn deep(fiber: &mut MovableFiber<'_>, frames: u64, to: usize) -> u64 {
        let kept = std::hint::black_box([frames; 8]);
        let below = if frames == 0 {
            go(fiber, to);
            0
        } else {
            deep(fiber, frames - 1, to)
        };
        below + std::hint::black_box(&kept).iter().sum::<u64>()
    }
    let arena = fiber.arena().unwrap();
    let mut numbers = arena.try_vec(1).unwrap();
    let boxed = arena.try_box(number).unwrap();
    let mut text = arena.try_text("moved").unwrap();
    let square = Square(number % 100);
    let shape: &dyn Shape = &square;
    let add = |value: u64| value + number + *boxed;
    let mut sum = 0;
    for step in 0..4 {
        numbers.push(step);
        sum += deep(fiber, 20, 1 - fiber.process());
        numbers.push(shape.area());
        text.try_push_str(" on").unwrap();
    }
    assert_eq!(sum, 4 * 8 * 210);
    assert_eq!(&*text, "moved on on on on");
    numbers.iter().map(|value| add(*value)).sum()
}

fn luggage_of(number: u64) -> u64 {
    let area = (number % 100).pow(2);
    8 * 2 * number + 6 + 4 * area
}

fn what_is_held_on_stack_and_arena_moves_along() {
    for way in WAYS {
        let config = kept(way, 64 << 10).arena(4_096).capacity(10);
        let (region, servers, scheduler) = served(config, 2);
        for _ in 0..3 {
            let spawn = |number| {
                scheduler
                    .spawn_movable(number, travels_with_luggage)
                    .unwrap()
            };
            let handles: Vec<_> = (0..10).map(spawn).collect();
            for (number, handle) in handles.into_iter().enumerate() {
                assert_eq!(handle.join().unwrap(), luggage_of(number as u64), "{way:?}");
            }
        }
        end(&region, servers);
    }
}

fn a_panic_elsewhere_is_delivered_at_home() {
    std::panic::set_hook(Box::new(|_| {}));
    let (region, servers, scheduler) = served(movable(64 << 10).capacity(2), 2);
    let body = |fiber: &mut MovableFiber<'_>, number: u64| -> u64 {
        go(fiber, 1);
        panic!("number {number} went wrong")
    };
    let handle = scheduler.spawn_movable(13, body).unwrap();
    let error = handle.join().unwrap_err();
    assert_eq!(error.message(), Some("number 13 went wrong"));
    let caught = |fiber: &mut MovableFiber<'_>, (): ()| {
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            go(fiber, 1);
            panic!("caught in the frame of another process")
        }));
        caught.is_err()
    };
    assert!(scheduler.spawn_movable((), caught).unwrap().join().unwrap());
    end(&region, servers);
}

fn a_dropped_handle_frees_the_slot_of_a_fiber_that_ends_elsewhere() {
    let (region, servers, scheduler) = served(movable(16 << 10).capacity(1), 2);
    for _ in 0..20 {
        let leaves = |fiber: &mut MovableFiber<'_>, (): ()| go(fiber, 1);
        drop(scheduler.spawn_movable((), leaves).unwrap());
        assert_eq!(scheduler.run_until_home(), 0);
    }
    end(&region, servers);
}

/// Any number from another, in a fixed order.
fn scrambled(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

/// Moves at random, with luggage that is checked; some panic.
fn wanders(fiber: &mut MovableFiber<'_>, (seed, moves, processes): (u64, u64, u64)) -> u64 {
    #[inline(never)]
    fn step(fiber: &mut MovableFiber<'_>, seed: u64, depth: u64, to: usize) -> u64 {
        let kept = std::hint::black_box([seed; 6]);
        if depth > 0 {
            let below = step(fiber, seed, depth - 1, to);
            assert_eq!(std::hint::black_box(&kept), &[seed; 6]);
            return below;
        }
        go(fiber, to);
        seed
    }
    let arena = fiber.arena().unwrap();
    let mut sum = 0_u64;
    let mut numbers = arena.try_vec(4).unwrap();
    let choices: [&dyn Fn(u64) -> u64; 2] = [&|value| value ^ seed, &|value| value.rotate_left(7)];
    for number in 0..moves {
        let random = scrambled(seed ^ number);
        if numbers.len() > 30 {
            numbers.clear();
            numbers.shrink_to_fit();
        }
        numbers.push(random);
        let before: u64 = numbers.iter().fold(0, |sum, n| sum ^ n);
        let boxed = arena.try_box([random; 3]).unwrap();
        step(
            fiber,
            seed,
            random % 12,
            (random >> 8) as usize % processes as usize,
        );
        assert_eq!(boxed[2], random);
        assert_eq!(numbers.iter().fold(0, |sum, n| sum ^ n), before);
        sum = sum.wrapping_add(choices[random as usize % 2](random));
    }
    if seed % 10 == 9 {
        panic!("seed {seed} panics");
    }
    sum
}

fn wandered(seed: u64, moves: u64) -> u64 {
    let step = |number| {
        let random = scrambled(seed ^ number);
        match random % 2 {
            0 => random ^ seed,
            _ => random.rotate_left(7),
        }
    };
    (0..moves).map(step).fold(0, u64::wrapping_add)
}

/// `FIBER_TEST_MOVES=100` times 1,000 fibers is the long run.
fn random_moves_get_every_result_right() {
    std::panic::set_hook(Box::new(|_| {}));
    let asked = std::env::var("FIBER_TEST_MOVES").ok();
    let moves = asked.map_or(5, |text| text.parse().unwrap());
    let fibers = 1_000;
    for way in WAYS {
        let processes = 3;
        let config = kept(way, 32 << 10).arena(2_048).capacity(fibers);
        let (region, servers, scheduler) = served(config, processes);
        // Twice, so that slots are used again.
        for _ in 0..2 {
            let spawn = |seed| {
                let argument = (seed, moves, processes as u64);
                scheduler.spawn_movable(argument, wanders).unwrap()
            };
            let handles: Vec<_> = (0..fibers as u64).map(spawn).collect();
            for (seed, handle) in (0..).zip(handles) {
                let result = handle.join();
                if seed % 10 == 9 {
                    let error = result.unwrap_err();
                    assert_eq!(error.message(), Some(&*format!("seed {seed} panics")));
                } else {
                    assert_eq!(result.unwrap(), wandered(seed, moves), "{way:?}");
                }
            }
        }
        assert_eq!((scheduler.away(), scheduler.live()), (0, 0));
        end(&region, servers);
    }
}

/// Runs some of these tests again, under valgrind.
fn valgrind_has_nothing_to_say_of_moves() {
    if Command::new("valgrind").arg("--version").output().is_err() {
        return skipped::skipped("valgrind is not installed: apt-get install valgrind");
    }
    for test in [
        "what_is_held",
        "suspending_and_awakening",
        "a_panic_elsewhere",
        "random_moves",
    ] {
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["--error-exitcode=9", "--leak-check=full"]);
        valgrind.arg("--errors-for-leak-kinds=definite,indirect,possible");
        let ended = valgrind
            .arg(std::env::current_exe().unwrap())
            .arg(test)
            .env("FIBER_TEST_MOVES", "2")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        if said.contains("failed to start tool") {
            return skipped::skipped("valgrind is installed for other processors alone");
        }
        assert!(ended.status.success(), "{said}");
        assert!(!said.contains("client switching stacks?"), "{said}");
    }
}

// ── Ends ─────────────────────────────────────────────────────────────────────────────

fn a_process_that_dies_loses_its_own_fibers_and_no_others() {
    let (region, mut servers, scheduler) = served(movable(16 << 10).capacity(30), 3);
    // Goes there and stays; those that went to process 1 end it when all are there.
    let body = |fiber: &mut MovableFiber<'_>, (who, to): (u64, u64)| {
        go(fiber, to as usize);
        if to == 1 {
            loop {
                fiber.yield_now();
                if who == 4 {
                    (0..100).for_each(|_| fiber.yield_now());
                    // SAFETY: ends the process, as the test wants.
                    unsafe { libc::raise(libc::SIGKILL) };
                }
            }
        }
        (0..100).for_each(|_| fiber.yield_now());
        go(fiber, 0);
        who
    };
    let spawn = |who| scheduler.spawn_movable((who, who % 3), body).unwrap();
    let handles: Vec<_> = (0..30).map(spawn).collect();
    let mut lost = Vec::new();
    for (who, handle) in (0..).zip(handles) {
        match handle.join() {
            Ok(result) => assert_eq!(result, who),
            Err(JoinError::Lost { process: 1 }) => lost.push(who),
            Err(error) => panic!("{error}"),
        }
    }
    let expected: Vec<u64> = (0..30).filter(|who| who % 3 == 1).collect();
    assert_eq!(lost, expected);
    assert_eq!(scheduler.away(), 0);
    let error = JoinError::Lost { process: 1 }.to_string();
    assert!(error.contains("process 1, which had it, died"), "{error}");
    assert_eq!(servers.remove(0).wait(), 1_000 + libc::SIGKILL);
    end(&region, servers);
}

fn whoever_serves_ends_when_all_others_are_gone() {
    let region = Region::reserve(movable(16 << 10).capacity(1), 2).unwrap();
    let mut servers = servers(&region);
    let dies = in_child(|| {
        let region = region.clone();
        let _scheduler = region.join(0).unwrap();
        0
    });
    assert_eq!(dies.wait(), 0);
    assert_eq!(servers.remove(0).wait(), 1, "it was left alone");
}

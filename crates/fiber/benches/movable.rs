//! What it costs to move a fiber to another process, beside what else could be done.
//!
//! ```text
//! cargo bench -p fiber --bench movable [-- [ROUNDS] [--only TEXT]]
//! ```
//!
//! Two processes, forked from this one; on one CPU, and on two. Each sample is a life of its own:
//! the processes are made, and the time is taken inside, from when both are there. All ways run in
//! every round, one after the other; a figure is the median over rounds, with the least and the
//! most, and ratios are to the first way of the same round.
//!
//! * **One at a time**: a fiber goes there and back. Each process sleeps while the fiber is with the
//!   other, so a move is a hand-off between processes, which is measured alone as well.
//!   A process of a region wakes now and then to see whether the others live, so its sleep has a
//!   deadline, which the kernel charges for: a hand-off with one is measured too.
//! * **Many**: a million fibers at once go there and back.
//! * **Pipelined**: 256 fibers go there and back, all at once.
//!
//! The fiber keeps so many bytes on its stack, all of which are written before each move and
//! summed after it: what does not follow the fiber, or is not in a cache, costs. `by copy` is a
//! fiber whose stack is copied to one place at its turn; `memcpy` a hand-off with a copy of the
//! bytes into shared memory and out of it; `socket` sends them through a pair of sockets.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use fiber::Config;
use fiber::movable::{MovableFiber, MoveError, Region, Way};

const SIZES: [usize; 4] = [256, 4 << 10, 64 << 10, 1 << 20];
const WINDOW: usize = 256;

/// ns a move.
type Sample = f64;

fn main() {
    let rounds = std::env::args().skip(1).find_map(|a| a.parse().ok());
    let rounds: usize = rounds.unwrap_or(9);
    println!("{rounds} interleaved rounds; median [least ... most] of us a move, and of the ratio");
    let only = std::env::args().skip_while(|a| a != "--only").nth(1);
    let compare_if = |title: String, ways: &Ways| {
        if only.as_ref().is_none_or(|only| title.contains(only)) {
            println!("\n{title}");
            compare(rounds, ways);
        }
    };
    for (cpus, bytes) in cases() {
        let title = format!("one at a time, {cpus} CPU, {bytes} B of live state");
        compare_if(title, &one_at_a_time(cpus, bytes));
    }
    for (cpus, bytes) in cases() {
        let title = format!("pipelined, {WINDOW} fibers, {cpus} CPU, {bytes} B of live state");
        compare_if(title, &pipelined(cpus, bytes));
    }
    if only.as_ref().is_none_or(|only| only == "many") {
        many();
    }
}

/// A million fibers at once, each of which goes there and back.
fn many() {
    const FIBERS: u64 = 1_000_000;
    let config = Config::movable(1_024).capacity(FIBERS as usize);
    let region = Region::reserve(config, 2).expect("a region");
    let server = forked(|| assert!(region.join(1).expect("a member").serve()));
    let scheduler = region.join(0).expect("a member");
    let there_and_back = |fiber: &mut MovableFiber<'_>, number: u64| {
        step(fiber, 1);
        let there = number + fiber.process() as u64;
        step(fiber, 0);
        there
    };
    let spawn = |number| {
        scheduler
            .spawn_movable(number, there_and_back)
            .expect("a fiber")
    };
    let began = Instant::now();
    let handles: Vec<_> = (0..FIBERS).map(spawn).collect();
    let made = began.elapsed();
    let sum: u64 = handles
        .into_iter()
        .map(|h| h.join().expect("a result"))
        .sum();
    assert_eq!(sum, FIBERS * (FIBERS + 1) / 2);
    let moved = (began.elapsed() - made).as_nanos() as f64 / (2 * FIBERS) as f64;
    region.close();
    reap(server);
    println!("\n{FIBERS} fibers over 2 processes: made in {made:.2?}, {moved:.0} ns a move");
}

fn cases() -> impl Iterator<Item = (usize, usize)> {
    [1, 2]
        .into_iter()
        .flat_map(|cpus| SIZES.map(|bytes| (cpus, bytes)))
}

type Ways = Vec<(&'static str, Box<dyn Fn() -> Sample>)>;

fn one_at_a_time(cpus: usize, bytes: usize) -> Ways {
    let trips = (200_000_000 / (bytes + 40_000)).clamp(100, 4_000) as u64;
    vec![
        (
            "hand-off alone",
            Box::new(move || hand_off(cpus, 0, trips, false)),
        ),
        (
            "hand-off, deadline",
            Box::new(move || hand_off(cpus, 0, trips, true)),
        ),
        (
            "by pointer",
            Box::new(move || moves(cpus, Way::Isomalloc, bytes, 1, trips)),
        ),
        (
            "by copy",
            Box::new(move || moves(cpus, Way::Copied, bytes, 1, trips)),
        ),
        (
            "hand-off and memcpy",
            Box::new(move || hand_off(cpus, bytes, trips, false)),
        ),
        ("socket", Box::new(move || socket(cpus, bytes, trips))),
    ]
}

fn pipelined(cpus: usize, bytes: usize) -> Ways {
    let trips = (100_000_000 / (bytes + 1_000) / WINDOW).clamp(4, 400) as u64;
    vec![
        (
            "by pointer",
            Box::new(move || moves(cpus, Way::Isomalloc, bytes, WINDOW, trips)),
        ),
        (
            "by copy",
            Box::new(move || moves(cpus, Way::Copied, bytes, WINDOW, trips)),
        ),
    ]
}

fn compare(rounds: usize, ways: &Ways) {
    let mut samples = vec![Vec::new(); ways.len()];
    for _ in 0..rounds {
        for ((_, run), samples) in ways.iter().zip(&mut samples) {
            samples.push(run());
        }
    }
    for ((name, _), costs) in ways.iter().zip(&samples) {
        let ratios = costs.iter().zip(&samples[0]).map(|(cost, of)| cost / of);
        let above = costs
            .iter()
            .zip(&samples[0])
            .map(|(cost, of)| (cost - of) / 1e3);
        println!(
            "  {name:22} {}  {}  {} us above",
            spread(costs.iter().map(|ns| ns / 1e3)),
            spread(ratios),
            spread(above)
        );
    }
}

fn spread(values: impl Iterator<Item = f64>) -> String {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let (least, most) = (values[0], values[values.len() - 1]);
    format!(
        "{:9.3} [{least:.3} ... {most:.3}]",
        values[values.len() / 2]
    )
}

/// Puts this process on a CPU of its own, or all on the first.
fn pin(cpus: usize, process: usize) {
    // SAFETY: all-zero bytes are an empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: a number below the size of the set.
    unsafe { libc::CPU_SET(process % cpus, &mut set) };
    // SAFETY: the set lives until the call returns.
    let set = unsafe { libc::sched_setaffinity(0, size_of_val(&set), &raw const set) };
    assert_eq!(set, 0, "this benchmark needs CPUs 0 and 1");
}

/// Forks a process that lives `life` and ends.
fn forked(life: impl FnOnce()) -> libc::pid_t {
    // SAFETY: this process has one thread.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0, "fork");
    if pid == 0 {
        life();
        // SAFETY: ends the process at once.
        unsafe { libc::_exit(0) };
    }
    pid
}

fn reap(pid: libc::pid_t) {
    let mut status = 0;
    // SAFETY: a child of ours.
    unsafe { libc::waitpid(pid, &raw mut status, 0) };
    assert_eq!(status, 0, "a process of the benchmark failed");
}

// ── Fibers ───────────────────────────────────────────────────────────────────────────

/// Keeps `BYTES` on its stack and goes there and back; the time of all trips, in ns.
#[inline(never)]
fn travels<const BYTES: usize>(fiber: &mut MovableFiber<'_>, trips: u64) -> u64 {
    let mut kept = [0_u8; BYTES];
    let mut sum = 0;
    step(fiber, 1);
    step(fiber, 0);
    let began = Instant::now();
    for trip in 0..trips {
        for to in [1, 0] {
            write(&mut kept, trip as u8);
            step(fiber, to);
            sum += read(&kept);
        }
    }
    assert_eq!(sum, expected(trips, BYTES));
    began.elapsed().as_nanos() as u64
}

/// One line in each place, as real work would: all lines, a word each.
#[inline(never)]
fn write(kept: &mut [u8], value: u8) {
    for line in std::hint::black_box(kept).iter_mut().step_by(64) {
        *line = value;
    }
}

#[inline(never)]
fn read(kept: &[u8]) -> u64 {
    let lines = std::hint::black_box(kept).iter().step_by(64);
    lines.map(|line| u64::from(*line)).sum()
}

fn expected(trips: u64, bytes: usize) -> u64 {
    let lines = bytes.div_ceil(64) as u64;
    (0..trips).map(|trip| 2 * lines * (trip & 0xFF)).sum()
}

fn step(fiber: &mut MovableFiber<'_>, to: usize) {
    loop {
        // SAFETY: numbers and the clock, which is the same in every process, are all it keeps.
        match unsafe { fiber.move_to(to) } {
            Ok(()) => return,
            Err(MoveError::Absent { .. }) => fiber.yield_now(),
            Err(error) => panic!("{error}"),
        }
    }
}

/// ns a move of `fibers` fibers that each make so many trips.
fn moves(cpus: usize, way: Way, bytes: usize, fibers: usize, trips: u64) -> Sample {
    let body: fn(&mut MovableFiber<'_>, u64) -> u64 = match bytes {
        256 => travels::<256>,
        4_096 => travels::<4_096>,
        65_536 => travels::<65_536>,
        _ => travels::<1_048_576>,
    };
    let stack = (bytes + (24 << 10)).next_multiple_of(4 << 10);
    let region = Region::reserve(Config::kept(way, stack).capacity(fibers), 2).expect("a region");
    let server = forked(|| {
        pin(cpus, 1);
        let scheduler = region.join(1).expect("a member");
        assert!(scheduler.serve());
    });
    pin(cpus, 0);
    let scheduler = region.join(0).expect("a member");
    let spawn = |_| scheduler.spawn_movable(trips, body).expect("a fiber");
    let handles: Vec<_> = (0..fibers).map(spawn).collect();
    let times = handles.into_iter().map(|h| h.join().expect("a result"));
    // All travel at the same time, so the longest is that of all.
    let longest = times.max().unwrap_or(0);
    region.close();
    reap(server);
    longest as f64 / (2 * trips * fibers as u64) as f64
}

// ── What else could be done ──────────────────────────────────────────────────────────

/// A token that goes there and back by a word of shared memory and a futex, with a copy of
/// `bytes` into shared memory before and out of it after, if there are any.
fn hand_off(cpus: usize, bytes: usize, trips: u64, deadline: bool) -> Sample {
    let shared = shared(4_096 + bytes);
    // SAFETY: zeroed memory that both processes share, aligned to a page.
    let words = unsafe { &*shared.cast::<[AtomicU32; 2]>() };
    let area = shared.wrapping_add(4_096);
    let mut kept = vec![0_u8; bytes];
    let carry = |kept: &mut Vec<u8>, own: usize| {
        wait(&words[own], deadline);
        // SAFETY: `bytes` of the mapping, which the one with the token has to itself.
        unsafe { std::ptr::copy_nonoverlapping(area, kept.as_mut_ptr(), bytes) };
        read(kept)
    };
    let pass = |kept: &mut Vec<u8>, to: usize, value: u64| {
        write(kept, value as u8);
        // SAFETY: the same.
        unsafe { std::ptr::copy_nonoverlapping(kept.as_ptr(), area, bytes) };
        wake(&words[to]);
    };
    let server = forked(|| {
        pin(cpus, 1);
        let mut kept = vec![0_u8; bytes];
        for trip in 0..=trips {
            carry(&mut kept, 1);
            pass(&mut kept, 0, trip);
        }
    });
    pin(cpus, 0);
    let mut began = Instant::now();
    for trip in 0..=trips {
        if trip == 1 {
            began = Instant::now();
        }
        pass(&mut kept, 1, trip);
        carry(&mut kept, 0);
    }
    let ns = began.elapsed().as_nanos() as f64;
    reap(server);
    // SAFETY: our own mapping, which nobody uses any more.
    unsafe { libc::munmap(shared.cast(), 4_096 + bytes) };
    ns / (2 * trips) as f64
}

fn shared(bytes: usize) -> *mut u8 {
    let (access, flags) = (
        libc::PROT_READ | libc::PROT_WRITE,
        libc::MAP_SHARED | libc::MAP_ANONYMOUS,
    );
    // SAFETY: a new mapping.
    let shared = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, flags, -1, 0) };
    assert_ne!(shared, libc::MAP_FAILED, "no shared memory");
    shared.cast()
}

fn wait(word: &AtomicU32, deadline: bool) {
    let soon = libc::timespec {
        tv_sec: 0,
        tv_nsec: 50_000_000,
    };
    let until = if deadline {
        &raw const soon
    } else {
        std::ptr::null()
    };
    while word.load(Ordering::Acquire) == 0 {
        // SAFETY: an aligned word of a shared mapping.
        unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, 0, until) };
    }
    word.store(0, Ordering::Relaxed);
}

fn wake(word: &AtomicU32) {
    word.store(1, Ordering::Release);
    // SAFETY: an aligned word of a shared mapping.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, 1) };
}

/// The bytes through a pair of sockets, there and back.
fn socket(cpus: usize, bytes: usize, trips: u64) -> Sample {
    let (mut ours, mut theirs) = UnixStream::pair().expect("a pair of sockets");
    let server = forked(|| {
        pin(cpus, 1);
        let mut kept = vec![0_u8; bytes];
        for trip in 0..=trips {
            theirs.read_exact(&mut kept).expect("the bytes");
            std::hint::black_box(read(&kept));
            write(&mut kept, trip as u8);
            theirs.write_all(&kept).expect("a peer");
        }
    });
    pin(cpus, 0);
    let mut kept = vec![0_u8; bytes];
    let mut began = Instant::now();
    for trip in 0..=trips {
        if trip == 1 {
            began = Instant::now();
        }
        write(&mut kept, trip as u8);
        ours.write_all(&kept).expect("a peer");
        ours.read_exact(&mut kept).expect("the bytes");
        std::hint::black_box(read(&kept));
    }
    let ns = began.elapsed().as_nanos() as f64;
    reap(server);
    ns / (2 * trips) as f64
}

//! What it is worth to move fibers for balance, beside threads that share a queue.
//!
//! ```text
//! cargo bench -p fiber --bench balance [-- [ROUNDS] [PROCESSES]]
//! ```
//!
//! Work: primes are counted in equal stretches of numbers, by trial division, so that later
//! stretches take longer; each is a piece, and pieces are put in blocks, the first of them in
//! process 0. So process 0 has little to do, the last one much. What differs is the grain: how
//! many pieces the same numbers are cut into.
//!
//! | way | |
//! |---|---|
//! | none | a fiber a piece, which stays where it was put first |
//! | greedy | four steps with a barrier after each: what is left is dealt anew by how long each piece took so far, the longest first, to who has least |
//! | stealing | a process without work wants half of what another has; fibers go there as they yield |
//! | threads, queue | as many threads, which take pieces from a queue: nothing has to move |
//!
//! A figure is the median over rounds, with the least and the most; ratios are to `none` of the
//! same round. Imbalance is the longest CPU time that a process worked over the mean of all; what
//! time is lost by moving and waiting is in the figure alone. Moves include those that put a fiber
//! where it is first. Every sum is checked.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use fiber::movable::{MovableFiber, MoveError, Region};
use fiber::{Config, Fiber};

const NUMBERS: u64 = 400_000;
const MOST: usize = 8;
const MOST_PIECES: usize = 4_096;
/// Steps of a piece, between which a fiber yields or a barrier stands.
const STEPS: u64 = 4;

/// What the processes of one sample share, beside the region.
#[repr(C)]
struct Board {
    /// ns that each process worked.
    worked: [AtomicU64; MOST],
    /// Fibers that each has.
    here: [AtomicU32; MOST],
    moves: AtomicU64,
    /// Fibers that each wants of the others.
    wants: [AtomicU32; MOST],
    primes: AtomicU64,
    /// Pieces that are done.
    done: AtomicUsize,
    /// Pieces that have come to the next barrier, and barriers that are open.
    arrived: AtomicUsize,
    open: AtomicU64,
    /// ns that each piece took so far, and the process that it is dealt to.
    cost: [AtomicU64; MOST_PIECES],
    place: [AtomicUsize; MOST_PIECES],
}

#[derive(Clone, Copy)]
struct Sample {
    ns: f64,
    imbalance: f64,
    moves: f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Balance {
    None,
    Greedy,
    Stealing,
}

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|a| a.parse().ok());
    let rounds = numbers.next().unwrap_or(7);
    let processes = numbers.next().unwrap_or(2).clamp(2, MOST);
    println!(
        "{rounds} interleaved rounds, {processes} processes or threads; median [least ... most]"
    );
    for pieces in [16, 64, 256, 1_024, 4_096] {
        println!("\n{pieces} pieces of {} numbers", NUMBERS / pieces as u64);
        compare(rounds, processes, pieces);
    }
}

fn compare(rounds: usize, processes: usize, pieces: usize) {
    let names = ["none", "greedy", "stealing", "threads, queue"];
    let mut samples: [Vec<Sample>; 4] = Default::default();
    for _ in 0..rounds {
        for (way, samples) in [Balance::None, Balance::Greedy, Balance::Stealing]
            .into_iter()
            .zip(&mut samples)
        {
            samples.push(fibers(way, processes, pieces));
        }
        samples[3].push(threads(processes, pieces));
    }
    for (name, of) in names.into_iter().zip(&samples) {
        let ratios = of.iter().zip(&samples[0]).map(|(s, none)| s.ns / none.ns);
        println!(
            "  {name:15} {} ms  {} x none  imbalance {}  {} moves",
            spread(of.iter().map(|s| s.ns / 1e6)),
            spread(ratios),
            spread(of.iter().map(|s| s.imbalance)),
            spread(of.iter().map(|s| s.moves)),
        );
    }
}

fn spread(values: impl Iterator<Item = f64>) -> String {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let (least, most) = (values[0], values[values.len() - 1]);
    format!("{:.2} [{least:.2} ... {most:.2}]", values[values.len() / 2])
}

// ── The work ─────────────────────────────────────────────────────────────────────────

/// CPU time of this kernel thread: what others do on this machine is not in it.
fn cpu_ns() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the answer lives until the call returns.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Primes in step `step` of piece `piece`.
fn primes(piece: u64, pieces: u64, step: u64) -> u64 {
    let length = NUMBERS / pieces;
    let (first, end) = (step * length / STEPS, (step + 1) * length / STEPS);
    let all = piece * length + first..piece * length + end;
    all.filter(|number| is_prime(*number)).count() as u64
}

fn is_prime(number: u64) -> bool {
    let mut divisors = (2..).take_while(|divisor| divisor * divisor <= number);
    number > 1 && divisors.all(|divisor| !number.is_multiple_of(divisor))
}

/// Primes below 400,000, less those of numbers that no piece has.
fn expected(pieces: usize) -> u64 {
    (0..pieces as u64)
        .map(|piece| {
            (0..STEPS)
                .map(|step| primes(piece, pieces as u64, step))
                .sum::<u64>()
        })
        .sum()
}

// ── Fibers ───────────────────────────────────────────────────────────────────────────

/// What a fiber is given: its piece, of how many, over how many processes, where it begins, how it
/// is balanced, and the address of the board, which is the same in all processes.
type Order = ((u64, u64), (u64, u64, u64), usize);

fn works(fiber: &mut MovableFiber<'_>, order: Order) -> u64 {
    let ((piece, pieces), (processes, begins, balance), board) = order;
    // SAFETY: the board is mapped at this address in every process until the last fiber has ended.
    let board: &'static Board = unsafe { &*std::ptr::with_exposed_provenance(board) };
    board.here[0].fetch_add(1, Ordering::Relaxed);
    go(fiber, board, begins as usize);
    let mut found = 0;
    for step in 0..STEPS {
        let began = cpu_ns();
        found += primes(piece, pieces, step);
        let ns = cpu_ns() - began;
        board.worked[fiber.process()].fetch_add(ns, Ordering::Relaxed);
        board.cost[piece as usize].fetch_add(ns, Ordering::Relaxed);
        match balance {
            _ if step + 1 == STEPS => {}
            1 => {
                barrier(fiber, board, step, (pieces, processes));
                let to = board.place[piece as usize].load(Ordering::Relaxed);
                go(fiber, board, to);
            }
            2 => give(fiber, board, processes),
            _ => fiber.yield_now(),
        }
    }
    board.here[fiber.process()].fetch_sub(1, Ordering::Relaxed);
    board.done.fetch_add(1, Ordering::Relaxed);
    found
}

/// Waits for all; the last one deals what is left.
fn barrier(
    fiber: &mut MovableFiber<'_>,
    board: &Board,
    step: u64,
    (pieces, processes): (u64, u64),
) {
    if board.arrived.fetch_add(1, Ordering::AcqRel) + 1 == pieces as usize {
        deal(board, pieces as usize, processes as usize);
        board.arrived.store(0, Ordering::Relaxed);
        board.open.store(step + 1, Ordering::Release);
    }
    while board.open.load(Ordering::Acquire) <= step {
        fiber.yield_now();
    }
}

/// The longest first, each to who has least so far.
fn deal(board: &Board, pieces: usize, processes: usize) {
    let cost = |piece: &usize| board.cost[*piece].load(Ordering::Relaxed);
    let mut order: Vec<usize> = (0..pieces).collect();
    order.sort_by_key(|piece| std::cmp::Reverse(cost(piece)));
    let mut loads = vec![0; processes];
    for piece in order {
        let least = (0..processes)
            .min_by_key(|process| loads[*process])
            .unwrap_or(0);
        loads[least] += cost(&piece);
        board.place[piece].store(least, Ordering::Relaxed);
    }
}

/// Yields; goes to a process that wants fibers, if there is one.
fn give(fiber: &mut MovableFiber<'_>, board: &Board, processes: u64) {
    let own = fiber.process();
    let wanted = |who: &usize| {
        let wants = &board.wants[*who];
        let one_less = |wants: u32| wants.checked_sub(1);
        *who != own
            && wants
                .fetch_update(Ordering::AcqRel, Ordering::Relaxed, one_less)
                .is_ok()
    };
    match (0..processes as usize).find(wanted) {
        Some(to) => go(fiber, board, to),
        None => fiber.yield_now(),
    }
}

/// Wants half of what the others have whenever its process has nothing, until all is done.
fn begs(board: &'static Board, process: usize, pieces: usize) -> impl FnOnce(&mut Fiber) {
    move |fiber| {
        let has = |process: usize| board.here[process].load(Ordering::Relaxed);
        while board.done.load(Ordering::Relaxed) < pieces {
            if has(process) == 0 {
                let most = (0..MOST).map(has).max().unwrap_or(0);
                board.wants[process].store(most / 2, Ordering::Release);
                std::thread::yield_now();
            }
            fiber.yield_now();
        }
    }
}

fn go(fiber: &mut MovableFiber<'_>, board: &Board, to: usize) {
    let from = fiber.process();
    if from == to {
        fiber.yield_now();
        return;
    }
    board.moves.fetch_add(1, Ordering::Relaxed);
    board.here[to].fetch_add(1, Ordering::Relaxed);
    board.here[from].fetch_sub(1, Ordering::Relaxed);
    go_quietly(fiber, to);
}

fn go_quietly(fiber: &mut MovableFiber<'_>, to: usize) {
    loop {
        // SAFETY: numbers, and a reference that is good everywhere, are all that a fiber keeps.
        match unsafe { fiber.move_to(to) } {
            Ok(()) => return,
            Err(MoveError::Absent { .. }) => fiber.yield_now(),
            Err(error) => panic!("{error}"),
        }
    }
}

fn fibers(balance: Balance, processes: usize, pieces: usize) -> Sample {
    let board = board();
    let config = Config::movable(16 << 10).capacity(pieces + 1);
    let region = Region::reserve(config, processes).expect("a region");
    let member = |process| {
        let scheduler = region.join(process).expect("a member");
        if balance == Balance::Stealing {
            drop(
                scheduler
                    .spawn(begs(board, process, pieces))
                    .expect("a fiber"),
            );
        }
        scheduler
    };
    let servers = (1..processes).map(|process| forked(|| assert!(member(process).serve())));
    let servers: Vec<_> = servers.collect();
    let scheduler = member(0);
    let address = std::ptr::from_ref(board).expose_provenance();
    let spawn = |piece: usize| {
        let begins = (piece * processes / pieces) as u64;
        let order = (
            (piece as u64, pieces as u64),
            (processes as u64, begins, balance as u64),
            address,
        );
        scheduler.spawn_movable(order, works).expect("a fiber")
    };
    let began = Instant::now();
    let handles: Vec<_> = (0..pieces).map(spawn).collect();
    let found: u64 = handles
        .into_iter()
        .map(|h| h.join().expect("a result"))
        .sum();
    let ns = began.elapsed().as_nanos() as f64;
    region.close();
    servers.into_iter().for_each(reap);
    assert_eq!(found, expected(pieces));
    sample(ns, board, processes)
}

fn sample(ns: f64, board: &Board, processes: usize) -> Sample {
    let worked = board.worked[..processes].iter();
    let worked: Vec<f64> = worked.map(|ns| ns.load(Ordering::Relaxed) as f64).collect();
    let mean = worked.iter().sum::<f64>() / processes as f64;
    Sample {
        ns,
        imbalance: worked.iter().fold(0.0, |most: f64, ns| most.max(*ns)) / mean,
        moves: board.moves.load(Ordering::Relaxed) as f64,
    }
}

fn forked(life: impl FnOnce()) -> libc::pid_t {
    // SAFETY: this process has one thread: those of other samples have been joined.
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

/// A board that all processes of a sample share; it stays until this one ends.
fn board() -> &'static Board {
    let (access, flags) = (
        libc::PROT_READ | libc::PROT_WRITE,
        libc::MAP_SHARED | libc::MAP_ANONYMOUS,
    );
    // SAFETY: a new mapping.
    let board = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            size_of::<Board>(),
            access,
            flags,
            -1,
            0,
        )
    };
    assert_ne!(board, libc::MAP_FAILED, "no shared memory");
    // SAFETY: zeroed bytes are a board, and the mapping is never taken away.
    unsafe { &*board.cast::<Board>() }
}

// ── Threads ──────────────────────────────────────────────────────────────────────────

fn threads(threads: usize, pieces: usize) -> Sample {
    let board = board();
    let next = AtomicUsize::new(0);
    let began = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let next = &next;
            scope.spawn(move || {
                let began = cpu_ns();
                loop {
                    let piece = next.fetch_add(1, Ordering::Relaxed);
                    if piece >= pieces {
                        break;
                    }
                    let steps = (0..STEPS).map(|step| primes(piece as u64, pieces as u64, step));
                    board.primes.fetch_add(steps.sum(), Ordering::Relaxed);
                }
                let ns = cpu_ns() - began;
                board.worked[thread].store(ns, Ordering::Relaxed);
            });
        }
    });
    let ns = began.elapsed().as_nanos() as f64;
    assert_eq!(board.primes.load(Ordering::Relaxed), expected(pieces));
    sample(ns, board, threads)
}

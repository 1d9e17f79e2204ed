//! The core-aware allocator beside those that are installed, in one run.
//!
//! `cargo build --release -p flowgauge-alloc-preload && cargo bench -p flowgauge-alloc --bench allocators [-- ROUNDS] [NAME=LIBRARY...]`
//!
//! Besides the installed allocators it takes those that are named, such as `mimalloc-2.4=/opt/libmimalloc.so.2`.
//!
//! Each cell is a fresh process of this program with another library in `LD_PRELOAD`; rounds go
//! through all of them in turn, so drift of the machine meets all alike. Times are medians, with
//! the ratio to the C library's allocator and its range over rounds in brackets.
//!
//! | column | what its threads do |
//! |---|---|
//! | pairs | take and free one block of 16 to 1,032 bytes at a time |
//! | churn | replace random ones of 16,384 blocks of 16 to 1,015 bytes |
//! | batch | take 100,000 blocks, then free them all |
//! | handoff | take blocks that the next thread frees |
//!
//! Then, in CPU time an operation (ns): replace random ones of 500 blocks of a range of sizes and touch
//! the first byte, which asks for nothing but the allocator's own work. Sizes are in bytes.
//!
//! Then what large blocks cost beside that: `grow`, ms to grow 200 blocks by 8 KiB at a time to 1 MiB;
//! `zeros` and `sparse`, resident MB of 1,000 blocks of 1 MB of zeros of which one byte is touched, and of
//! a block of 4 GB of which one byte in 4 MB is.
//!
//! The last table is of 64 MiB live on each CPU by one thread that stays there (`pinned`), and of
//! 64 MiB live from threads that may run anywhere, 8 for each CPU (`mixed`). For each block they note
//! the CPU that asked for it, so they can count the 2 MiB pages that hold live blocks of several CPUs.
//! The notes lie in memory of their own, which does not count.

#![allow(clippy::print_stdout, reason = "a benchmark prints")]
#![allow(
    clippy::unwrap_used,
    reason = "a benchmark ends where something is wrong"
)]

use std::collections::HashMap;
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Barrier;
use std::time::Instant;

const KERNELS: [&str; 4] = ["pairs", "churn", "batch", "handoff"];
/// Sizes of the blocks that are replaced.
const SIZES: [&str; 9] = [
    "16-512",
    "512-4096",
    "4096-16384",
    "16384-32768",
    "32768-65536",
    "65536-262144",
    "64000-900000",
    "262144-1048576",
    "1048576-4194304",
];
const LARGE: [&str; 3] = ["grow", "zeros", "sparse"];
/// What names the kernel of a cell, and its number of threads.
const CELL: &str = "FLOWGAUGE_BENCH_CELL";
/// Allocators by the name of their library, as distributions install them.
const RIVALS: [(&str, &str); 4] = [
    ("jemalloc", "libjemalloc.so.2"),
    ("mimalloc 2", "libmimalloc.so.2"),
    ("mimalloc 3", "libmimalloc.so.3"),
    ("tcmalloc", "libtcmalloc_minimal.so.4"),
];

fn main() {
    if let Ok(cell) = std::env::var(CELL) {
        let (kernel, threads) = cell.split_once(' ').unwrap();
        return run_cell(kernel, threads.parse().unwrap());
    }
    let rounds = std::env::args()
        .filter_map(|word| word.parse().ok())
        .next()
        .unwrap_or(7);
    let cpus = std::thread::available_parallelism().unwrap().get();
    let allocators = allocators();
    for threads in [1, cpus, 8 * cpus] {
        println!("\n{threads} threads, {cpus} CPUs, {rounds} rounds: ms (ratio to libc [range])");
        times(&allocators, &KERNELS, threads, rounds);
    }
    for threads in [1, cpus, 4 * cpus] {
        println!(
            "\n{threads} threads, {cpus} CPUs, {rounds} rounds: ns of CPU (ratio to libc [range])"
        );
        times(&allocators, &SIZES, threads, rounds);
    }
    println!("\nlarge blocks, {rounds} rounds: ms, MB, MB (ratio to libc [range])");
    times(&allocators, &LARGE, 1, rounds);
    println!("\n2 MiB pages with blocks of several CPUs, memory over live blocks, huge pages");
    for (kernel, threads) in [("pinned", cpus), ("mixed", 8 * cpus)] {
        println!("{kernel}, {threads} threads");
        for (name, library) in &allocators {
            println!(
                "{name:12}{}",
                cell(library.as_ref(), kernel, threads).trim()
            );
        }
    }
}

/// Names and libraries: that of the C library first, then ours, what is installed, what is named.
fn allocators() -> Vec<(String, Option<PathBuf>)> {
    let folder = std::env::current_exe().unwrap();
    let folder = folder.ancestors().nth(2).unwrap();
    let ours = folder.join("libflowgauge_malloc.so");
    assert!(
        ours.is_file(),
        "{} is missing: cargo build --release -p flowgauge-alloc-preload",
        ours.display()
    );
    let mut all = vec![
        ("libc".to_owned(), None),
        ("core-aware".to_owned(), Some(ours)),
    ];
    let folders = [
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib64",
        "/usr/lib",
    ];
    for (name, file) in RIVALS {
        let mut places = folders
            .iter()
            .map(|folder| PathBuf::from(folder).join(file));
        match places.find(|place| place.is_file()) {
            Some(place) => all.push((name.to_owned(), Some(place))),
            None => println!("{name}: not installed"),
        }
    }
    for word in std::env::args() {
        if let Some((name, library)) = word.split_once('=') {
            assert!(Path::new(library).is_file(), "{library} is no file");
            all.push((name.to_owned(), Some(library.into())));
        }
    }
    all
}

fn times(
    allocators: &[(String, Option<PathBuf>)],
    kernels: &[&str],
    threads: usize,
    rounds: usize,
) {
    let heads: String = kernels
        .iter()
        .map(|kernel| format!("{kernel:>28}"))
        .collect();
    println!("{:12}{heads}", "");
    let mut ms: HashMap<(usize, usize), Vec<f64>> = HashMap::new();
    for _ in 0..rounds {
        for (kernel, word) in kernels.iter().enumerate() {
            for (place, (_, library)) in allocators.iter().enumerate() {
                let time = cell(library.as_ref(), word, threads)
                    .trim()
                    .parse()
                    .unwrap();
                ms.entry((place, kernel)).or_default().push(time);
            }
        }
    }
    for (place, (name, _)) in allocators.iter().enumerate() {
        print!("{name:12}");
        for kernel in 0..kernels.len() {
            let own = &ms[&(place, kernel)];
            let ratios: Vec<f64> = own
                .iter()
                .zip(&ms[&(0, kernel)])
                .map(|(a, b)| a / b)
                .collect();
            let low = ratios.iter().copied().fold(f64::MAX, f64::min);
            let high = ratios.iter().copied().fold(0.0, f64::max);
            let text = format!(
                "{:.1} ({:.2} [{low:.2}, {high:.2}])",
                median(own),
                median(&ratios)
            );
            print!("{text:>28}");
        }
        println!();
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// What a cell prints.
fn cell(library: Option<&PathBuf>, kernel: &str, threads: usize) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.env(CELL, format!("{kernel} {threads}"));
    if let Some(library) = library {
        command.env("LD_PRELOAD", library);
    }
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{kernel} with {library:?}: {:?}",
        output.status
    );
    String::from_utf8(output.stdout).unwrap()
}

fn run_cell(kernel: &str, threads: usize) {
    match kernel {
        "pinned" => return mixed(threads, 64 << 20, true),
        "mixed" => return mixed(threads, (64 << 20) / threads, false),
        "grow" => return grow(),
        "zeros" => return zeros(),
        "sparse" => return sparse(),
        _ => {}
    }
    if let Some((least, most)) = kernel.split_once('-') {
        return replace(threads, least.parse().unwrap()..most.parse().unwrap());
    }
    let work = match kernel {
        "pairs" => pairs,
        "churn" => churn,
        "batch" => batch,
        _ => handoff,
    };
    let (ready, begin) = (Barrier::new(threads + 1), Barrier::new(threads + 1));
    let relay: Vec<_> = (0..threads)
        .map(|_| std::sync::mpsc::sync_channel(4))
        .collect();
    let (senders, receivers): (Vec<_>, Vec<_>) = relay.into_iter().unzip();
    let time = std::thread::scope(|scope| {
        for (thread, receiver) in receivers.into_iter().enumerate() {
            let (ready, begin, next) = (&ready, &begin, senders[(thread + 1) % threads].clone());
            scope.spawn(move || {
                ready.wait();
                begin.wait();
                work(
                    thread,
                    1 + 400_000 / threads,
                    &Relay {
                        next,
                        own: receiver,
                    },
                );
            });
        }
        drop(senders);
        ready.wait();
        let from = Instant::now();
        begin.wait();
        from
    });
    println!("{:.3}", time.elapsed().as_secs_f64() * 1e3);
}

/// How a thread hands blocks to the next.
struct Relay {
    next: std::sync::mpsc::SyncSender<Vec<usize>>,
    own: std::sync::mpsc::Receiver<Vec<usize>>,
}

fn take(size: usize) -> *mut u8 {
    // SAFETY: any size may be asked for.
    let block = unsafe { libc::malloc(size) }.cast::<u8>();
    assert!(!block.is_null());
    // SAFETY: the block has at least one byte.
    unsafe { block.write_volatile(1) };
    block
}

fn give(block: *mut u8) {
    // SAFETY: callers own what `take` gave them, or pass null.
    unsafe { libc::free(block.cast::<c_void>()) };
}

fn next(random: &mut u32) -> usize {
    *random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    (*random >> 8) as usize
}

fn pairs(_thread: usize, steps: usize, _relay: &Relay) {
    for step in 0..steps * 8 {
        give(take(16 + step % 128 * 8));
    }
}

fn churn(thread: usize, steps: usize, _relay: &Relay) {
    let mut random = thread as u32 + 1;
    let mut held = vec![std::ptr::null_mut(); 1 << 14];
    for _ in 0..steps * 4 {
        let place = &mut held[next(&mut random) % (1 << 14)];
        give(std::mem::replace(
            place,
            take(16 + next(&mut random) % 1_000),
        ));
    }
    held.into_iter().for_each(give);
}

fn batch(_thread: usize, steps: usize, _relay: &Relay) {
    for _ in 0..steps.div_ceil(100_000) * 4 {
        let held: Vec<*mut u8> = (0..100_000.min(steps))
            .map(|step| take(16 + step % 60 * 8))
            .collect();
        held.into_iter().for_each(give);
    }
}

fn handoff(thread: usize, steps: usize, relay: &Relay) {
    let mut random = thread as u32 + 1;
    for _ in 0..steps / 64 {
        let blocks = (0..64).map(|_| take(16 + next(&mut random) % 500).expose_provenance());
        relay.next.send(blocks.collect()).unwrap();
        for block in relay.own.recv().unwrap() {
            give(std::ptr::with_exposed_provenance_mut(block));
        }
    }
}

/// CPU time of the process, in ns.
fn cpu_ns() -> f64 {
    // SAFETY: all zeros is a time.
    let mut now: libc::timespec = unsafe { std::mem::zeroed() };
    // SAFETY: writes the time.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut now) };
    now.tv_sec as f64 * 1e9 + now.tv_nsec as f64
}

fn replace(threads: usize, sizes: std::ops::Range<usize>) {
    let steps = if sizes.end > 40_000 { 100_000 } else { 400_000 };
    let from = cpu_ns();
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let sizes = sizes.clone();
            scope.spawn(move || {
                let mut random = thread as u32 + 77;
                let mut held = [std::ptr::null_mut(); 500];
                for _ in 0..steps / threads {
                    let place = &mut held[next(&mut random) % 500];
                    give(std::mem::replace(place, std::ptr::null_mut()));
                    *place = take(sizes.start + next(&mut random) % (sizes.end - sizes.start));
                }
                held.into_iter().for_each(give);
            });
        }
    });
    println!("{:.1}", (cpu_ns() - from) / steps as f64);
}

fn grow() {
    let from = Instant::now();
    for _ in 0..200 {
        let mut block = std::ptr::null_mut::<u8>();
        for size in (8_192..=1 << 20).step_by(8_192) {
            // SAFETY: the block is null or one that is not used any more.
            block = unsafe { libc::realloc(block.cast(), size) }.cast();
            // SAFETY: the block has that many bytes.
            unsafe { block.wrapping_add(size - 1).write_volatile(1) };
        }
        give(block);
    }
    println!("{:.3}", from.elapsed().as_secs_f64() * 1e3);
}

fn zeros() {
    let before = resident_and_huge().0;
    for _ in 0..1_000 {
        // SAFETY: any size may be asked for.
        let block = unsafe { libc::calloc(1, 1_000_000) }.cast::<u8>();
        // SAFETY: the block has that many bytes.
        unsafe { block.write_volatile(1) };
    }
    println!("{:.2}", (resident_and_huge().0 - before) / 1e6);
}

fn sparse() {
    let before = resident_and_huge().0;
    let block = take(4 << 30);
    for at in (0..4 << 30).step_by(4 << 20) {
        // SAFETY: the block has that many bytes.
        unsafe { block.wrapping_add(at).write_volatile(1) };
    }
    println!("{:.2}", (resident_and_huge().0 - before) / 1e6);
}

/// Keeps blocks live, of threads that may run anywhere or of one on each CPU, and says on which
/// pages those of which CPUs lie.
fn mixed(threads: usize, bytes: usize, is_pinned: bool) {
    let before = resident_and_huge().0;
    let mut tables: Vec<Table> = (0..threads).map(|_| Table::new(bytes / 64)).collect();
    let own = resident_and_huge().0 - before;
    std::thread::scope(|scope| {
        for (thread, table) in tables.iter_mut().enumerate() {
            scope.spawn(move || {
                if is_pinned {
                    pin(thread);
                }
                live(thread, bytes, table);
            });
        }
    });
    let (resident, huge) = resident_and_huge();
    let mut pages: HashMap<usize, u64> = HashMap::new();
    let mut bytes = 0;
    for &(at, size, cpu) in tables.iter().flat_map(Table::blocks) {
        let known = if cpu == UNKNOWN { 0 } else { 1 << (cpu % 64) };
        *pages.entry(at >> 21).or_default() |= known;
        bytes += size;
    }
    let shared = pages.values().filter(|cpus| cpus.count_ones() > 1).count();
    println!(
        "{:>5.1} % shared of {} pages, {:.2} x live, {:.0} % huge",
        100.0 * shared as f64 / pages.len() as f64,
        pages.len(),
        (resident - own) / bytes as f64,
        100.0 * huge / (resident - own)
    );
}

/// Where a block is, how large, and on which CPU it was asked for.
type Block = (usize, usize, usize);
/// A thread that was moved meanwhile does not know which CPU asked.
const UNKNOWN: usize = usize::MAX;

/// Blocks of a thread, in memory that no allocator under test has and that is touched before.
struct Table {
    blocks: &'static mut [Block],
    used: usize,
}

impl Table {
    fn new(blocks: usize) -> Self {
        let bytes = blocks * size_of::<Block>();
        let (access, kind) = (
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_POPULATE,
        );
        // SAFETY: a fresh mapping.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, kind, -1, 0) };
        assert_ne!(at, libc::MAP_FAILED);
        Self {
            // SAFETY: the mapping is that long, zero and never unmapped.
            blocks: unsafe { std::slice::from_raw_parts_mut(at.cast(), blocks) },
            used: 0,
        }
    }

    fn push(&mut self, block: Block) {
        self.blocks[self.used] = block;
        self.used += 1;
    }

    fn swap_remove(&mut self, place: usize) -> Block {
        self.used -= 1;
        let last = self.blocks[self.used];
        std::mem::replace(&mut self.blocks[place], last)
    }

    fn blocks(&self) -> &[Block] {
        &self.blocks[..self.used]
    }
}

fn pin(cpu: usize) {
    // SAFETY: all zeros is the empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the set is a local one.
    unsafe { libc::CPU_SET(cpu, &mut set) };
    // SAFETY: as above.
    let pinned = unsafe { libc::sched_setaffinity(0, size_of_val(&set), &raw const set) };
    assert_eq!(pinned, 0);
}

fn cpu() -> usize {
    // SAFETY: it takes nothing.
    unsafe { libc::sched_getcpu() as usize }
}

/// Fills a table with blocks of the given size in bytes, and then replaces them at random as often again.
fn live(thread: usize, bytes: usize, table: &mut Table) {
    let mut random = thread as u32 * 7_919 + 1;
    let mut have = 0;
    for step in 0..bytes / 128 {
        let size = 16 + next(&mut random) % 500;
        if step % 64 == 0 {
            std::thread::yield_now();
        }
        let (before, block, after) = (cpu(), take(size), cpu());
        // SAFETY: the block has that many bytes.
        unsafe { block.write_bytes(1, size) };
        let asked = if before == after { before } else { UNKNOWN };
        table.push((block.expose_provenance(), size, asked));
        have += size;
        if have > bytes {
            let (at, size, _) = table.swap_remove(next(&mut random) % table.used);
            give(std::ptr::with_exposed_provenance_mut(at));
            have -= size;
        }
    }
}

/// Bytes of anonymous memory that are resident, and those on huge pages.
fn resident_and_huge() -> (f64, f64) {
    let rollup = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap();
    let kib = |name: &str| {
        let line = rollup.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace()
            .nth(1)
            .unwrap()
            .parse::<f64>()
            .unwrap()
            * 1024.0
    };
    (kib("Anonymous:"), kib("AnonHugePages:"))
}

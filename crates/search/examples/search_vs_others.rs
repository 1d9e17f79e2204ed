//! `flowgauge search` beside other searchers, on one tree, interleaved.
//!
//! ```sh
//! cargo build --release -p flowgauge
//! cargo run --release -p flowgauge-search --example search_vs_others -- /usr/src/linux-6.1 15
//! ```
//!
//! Each round runs every command once, in fresh random order, after one run of each that only
//! warms the page cache. Output goes to a file (some searchers stop at the first match when it
//! goes nowhere). The ratio of a round is its own: both sides met the same machine. Shown are
//! the median of the ratios and their quartiles, for wall time and for CPU time, which suffers
//! less where others use the machine; and the peak of resident memory. ripgrep runs with 1, 2
//! and 4 threads: what counts is the ratio to its best. It ends with an error where the sides of
//! a case did not find the same number of lines, since then they did not do the same.
//!
//! ripgrep is `rg` on the path and every program in `RIPGREPS` (separated by colons); ag and
//! ugrep are taken where they are installed. Beside the rarest case stands the floor: the same
//! tree walked and its files read, by a thread per CPU, with nothing searched ([`floor`]).
//!
//! Some cases search other trees, made of the text of the one given: forty small files, and three
//! large ones (`LARGE_MIB`, 150 MiB each).

#![allow(clippy::print_stdout, reason = "it prints its table")]

#[path = "search_vs_others/floor.rs"]
mod floor;
#[path = "search_vs_others/trees.rs"]
mod trees;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use trees::Tree;

/// One way to do a case.
struct Side {
    name: String,
    program: PathBuf,
    args: Vec<String>,
    runs: Vec<Run>,
}

/// What one run took.
#[derive(Clone, Copy)]
struct Run {
    wall_s: f64,
    cpu_s: f64,
    peak_kib: u64,
    lines: usize,
}

/// What all sides do; the first side is ours, with its best settings.
struct Case {
    name: &'static str,
    /// For every searcher.
    args: &'static [&'static str],
    tree: Tree,
    sides: &'static [Way],
}

/// A searcher and its own words.
type Way = (&'static str, &'static [&'static str]);

const AUTO: Way = ours(&[]);
const RG_1: Way = ("rg", &["-j1"]);
const RG_2: Way = ("rg", &["-j2"]);
const RG_4: Way = ("rg", &["-j4"]);
const RG_2_READ: Way = ("rg", &["-j2", "--no-mmap"]);
const AG: Way = ("ag", &[]);
const UGREP: Way = ("ugrep", &["-rIJ2"]);
/// Not a searcher: its lines are not compared.
const FLOOR: Way = ("floor", &[]);

const fn ours(own: &'static [&'static str]) -> Way {
    ("flowgauge", own)
}

const BY_THREADS: &[Way] = &[AUTO, RG_1, RG_2, RG_4];
const BY_READING: &[Way] = &[AUTO, RG_2, RG_2_READ];
const MODELS: &[Way] = &[
    AUTO,
    ours(&["--model", "sequential"]),
    ours(&["--model", "thread-private-files", "-j", "2"]),
    ours(&["--model", "thread-private-files", "-j", "3"]),
    ours(&["--model", "thread-private-files", "-j", "4"]),
    ours(&["--model", "thread-private-files", "-j", "8"]),
    ours(&["--model", "thread-private-files", "-j", "16"]),
    ours(&["--model", "thread-pool", "-j", "2"]),
    ours(&["--model", "process-pool", "-j", "2"]),
    ours(&["--model", "fiber", "-j", "2"]),
    ours(&["--io", "mmap", "--model", "thread-pool", "-j", "2"]),
    ours(&["--io", "mmap", "--model", "process-pool", "-j", "2"]),
    ours(&["--io", "uring", "--model", "thread-pool", "-j", "2"]),
];

const CASES: &[Case] = &[
    Case {
        name: "rare literal",
        args: &["PM_RESUME"],
        tree: Tree::Given,
        sides: &[AUTO, FLOOR, RG_1, RG_2, RG_4, AG, UGREP],
    },
    Case {
        name: "rare expression",
        args: &["pm_[a-z]+_resume_ea"],
        tree: Tree::Given,
        sides: &[AUTO, RG_1, RG_2, RG_4, AG, UGREP],
    },
    Case {
        name: "frequent literal",
        args: &["return"],
        tree: Tree::Given,
        sides: BY_THREADS,
    },
    Case {
        name: "counts",
        args: &["-c", "struct"],
        tree: Tree::Given,
        sides: BY_THREADS,
    },
    Case {
        name: "expression without a literal",
        args: &["[A-Z]{3}[0-9]{4}[a-z]"],
        tree: Tree::Given,
        sides: BY_THREADS,
    },
    Case {
        name: "letters of another script",
        args: &[r"\p{Greek}+"],
        tree: Tree::Given,
        sides: BY_THREADS,
    },
    Case {
        name: "small tree",
        args: &["return"],
        tree: Tree::Small,
        sides: &[AUTO, RG_1, RG_2],
    },
    Case {
        name: "large files, absent literal",
        args: &["PM_RESUME_NOWHERE"],
        tree: Tree::Large,
        sides: BY_READING,
    },
    Case {
        name: "large files, frequent literal",
        args: &["return"],
        tree: Tree::Large,
        sides: BY_READING,
    },
    Case {
        name: "large files, expression without a literal",
        args: &["[A-Z]{3}[0-9]{4}[a-z]"],
        tree: Tree::Large,
        sides: BY_READING,
    },
    Case {
        name: "one flow",
        args: &["PM_RESUME"],
        tree: Tree::Given,
        sides: &[ours(&["--model", "sequential"]), RG_1],
    },
    Case {
        name: "models and counts",
        args: &["PM_RESUME"],
        tree: Tree::Given,
        sides: MODELS,
    },
];

fn main() -> io::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["floor", tree] => floor::run(Path::new(tree)),
        ["make", given, folder] => trees::make(Path::new(given), Path::new(folder)),
        _ => compare(args.into_iter()),
    }
}

fn compare(mut args: impl Iterator<Item = String>) -> io::Result<()> {
    let tree = PathBuf::from(args.next().unwrap_or_else(|| "/usr/src".to_owned()));
    let rounds = args.next().and_then(|text| text.parse().ok()).unwrap_or(11);
    let only = args.next();
    let mut random = Random(u64::from(std::process::id()) | 1);
    let is_asked = |case: &&Case| only.as_deref().is_none_or(|name| name == case.name);
    let asked: Vec<&Case> = CASES.iter().filter(is_asked).collect();
    let made = tempfile::tempdir()?;
    if asked.iter().any(|case| case.tree != Tree::Given) {
        make_trees(&tree, made.path())?;
    }
    for case in asked {
        let tree = trees::place(case.tree, &tree, made.path());
        let mut sides = sides(case, &tree.to_string_lossy())?;
        for round in 0..=rounds {
            let mut order: Vec<usize> = (0..sides.len()).collect();
            random.shuffle(&mut order);
            for index in order {
                let run = run(&sides[index])?;
                if round > 0 {
                    sides[index].runs.push(run);
                }
            }
        }
        show(case, &sides, rounds);
        check(case, &sides)?;
    }
    Ok(())
}

/// Has another process do that: the memory of this one would count as that of the commands.
fn make_trees(given: &Path, folder: &Path) -> io::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    let made = command.arg("make").args([given, folder]).status()?;
    match made.success() {
        true => Ok(()),
        false => Err(io::Error::other(format!("no trees of {}", given.display()))),
    }
}

/// That all sides found as many lines, each time.
fn check(case: &Case, sides: &[Side]) -> io::Result<()> {
    let lines = |side: &Side| side.runs.iter().map(|run| run.lines).collect::<Vec<_>>();
    let wanted = sides.first().and_then(|side| lines(side).first().copied());
    let other = |side: &&Side| lines(side).into_iter().any(|lines| Some(lines) != wanted);
    let others: Vec<&str> = sides
        .iter()
        .filter(|side| !side.name.starts_with(FLOOR.0))
        .filter(other)
        .map(|s| s.name.as_str())
        .collect();
    match others.is_empty() {
        true => Ok(()),
        false => Err(io::Error::other(format!(
            "{}: not the same number of lines as {} by {}",
            case.name,
            sides[0].name,
            others.join(", ")
        ))),
    }
}

/// The sides of a case that are installed here, with their whole command lines.
fn sides(case: &Case, tree: &str) -> io::Result<Vec<Side>> {
    let mut sides = Vec::new();
    for (name, own) in case.sides {
        for program in programs(name)? {
            let first: &[&str] = match *name {
                "flowgauge" => &["search"],
                "floor" => &["floor"],
                _ => &[],
            };
            let what = if *name == FLOOR.0 { &[] } else { case.args };
            let quiet: &[&str] = match *name {
                "rg" => &["--no-config", "--no-heading", "--color", "never"],
                // It reads .gitignore outside repositories too, which the others do not.
                "ag" => &["--nogroup", "--nocolor", "-s", "-U"],
                _ => &[],
            };
            let words = [first, quiet, own, what, &[tree]].concat();
            sides.push(Side {
                name: side_name(name, &program, own),
                program,
                args: words.into_iter().map(str::to_owned).collect(),
                runs: Vec::new(),
            });
        }
    }
    Ok(sides)
}

fn side_name(name: &str, program: &Path, own: &[&str]) -> String {
    let shown = program.display().to_string();
    let first = if name == FLOOR.0 { name } else { &shown };
    [&[first], own].concat().join(" ")
}

/// Where a searcher is: beside this example, or on the path, or nowhere.
fn programs(name: &str) -> io::Result<Vec<PathBuf>> {
    if name == "flowgauge" {
        let own = std::env::current_exe()?;
        let target = own.ancestors().nth(2).unwrap_or(Path::new("."));
        return Ok(vec![target.join(name)]);
    }
    if name == FLOOR.0 {
        return Ok(vec![std::env::current_exe()?]);
    }
    let mut programs = vec![PathBuf::from(name)];
    if name == "rg" {
        let more = std::env::var_os("RIPGREPS").unwrap_or_default();
        programs.extend(std::env::split_paths(&more));
    }
    let starts = |program: &PathBuf| {
        let mut command = Command::new(program);
        command
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.status().is_ok()
    };
    programs.retain(starts);
    Ok(programs)
}

fn run(side: &Side) -> io::Result<Run> {
    let path = std::env::temp_dir().join(format!("search-vs-others-{}", std::process::id()));
    let out = File::create(&path)?;
    let started = Instant::now();
    let child = Command::new(&side.program)
        .args(&side.args)
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(Stdio::null())
        .spawn()?;
    let usage = wait(child.id())?;
    let wall_s = started.elapsed().as_secs_f64();
    let lines = lines(&path)?;
    std::fs::remove_file(&path)?;
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    Ok(Run {
        wall_s,
        cpu_s: seconds(usage.ru_utime) + seconds(usage.ru_stime),
        peak_kib: u64::try_from(usage.ru_maxrss).unwrap_or(0),
        lines,
    })
}

/// Lines of a file. It is not read at once: the memory of this program would count as that of
/// the commands that it starts afterwards.
fn lines(path: &Path) -> io::Result<usize> {
    let (mut file, mut buffer, mut lines) = (File::open(path)?, [0; 8192], 0);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(lines),
            read => lines += memchr::memchr_iter(b'\n', &buffer[..read]).count(),
        }
    }
}

/// Waits for a child: what it and those that it reaped used.
fn wait(pid: u32) -> io::Result<libc::rusage> {
    let mut status = 0;
    // SAFETY: all-zero bytes are a valid `rusage`.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the child is ours and not waited for elsewhere; both pointers are to locals.
    let waited = unsafe { libc::wait4(pid.cast_signed(), &raw mut status, 0, &raw mut usage) };
    match waited {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(usage),
    }
}

fn show(case: &Case, sides: &[Side], rounds: usize) {
    println!("\n{} ({}), {rounds} rounds", case.name, case.args.join(" "));
    println!(
        "  wall ms  CPU ms  peak MiB    lines  ours / it by wall        by CPU                it"
    );
    for side in sides {
        let each = |f: fn(&Run) -> f64| side.runs.iter().map(f).collect::<Vec<_>>();
        let ratio = |f: fn(&Run) -> f64| {
            let ours = sides[0].runs.iter().map(f);
            let pairs = ours.zip(side.runs.iter().map(f));
            quartiles(pairs.map(|(ours, its)| ours / its).collect())
        };
        let [_, wall, _] = quartiles(each(|run| run.wall_s * 1e3));
        let [_, cpu, _] = quartiles(each(|run| run.cpu_s * 1e3));
        let [_, peak, _] = quartiles(each(|run| run.peak_kib as f64 / 1024.0));
        let lines = side.runs.first().map_or(0, |run| run.lines);
        let [low, by_wall, high] = ratio(|run| run.wall_s);
        let [cpu_low, by_cpu, cpu_high] = ratio(|run| run.cpu_s);
        println!(
            "  {wall:7.1} {cpu:7.1} {peak:9.1} {lines:8}  {by_wall:5.3} [{low:.3} ... {high:.3}]  \
             {by_cpu:5.3} [{cpu_low:.3} ... {cpu_high:.3}]  {}",
            side.name
        );
    }
}

fn quartiles(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    let at = |quarter: usize| {
        let place = (values.len() - 1) * quarter / 4;
        values[place]
    };
    [at(1), at(2), at(3)]
}

/// Enough of a random generator for orders.
struct Random(u64);

impl Random {
    fn shuffle(&mut self, order: &mut [usize]) {
        for end in (1..order.len()).rev() {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            order.swap(end, (self.0 % (end as u64 + 1)) as usize);
        }
    }
}

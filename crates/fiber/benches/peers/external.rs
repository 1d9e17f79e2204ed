//! Peers in other languages: small programs beside this file, compiled when the benchmark
//! starts, run as a process a sample. They print yield ns, life ns and bytes.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Peer, Sample, java};

struct Source {
    name: &'static str,
    file: &'static str,
    compiler: &'static [&'static str],
    libraries: &'static [&'static str],
    /// Arguments after flows and yields.
    more: &'static [&'static str],
    most: usize,
    remedy: &'static str,
}

const CPP: &[&str] = &["c++", "-O2", "-std=c++20", "-o"];
const BOOST: &str = "apt install g++ libboost-context-dev libboost-fiber-dev";

const SOURCES: [Source; 5] = [
    Source {
        name: "C++20 coroutines, 4 words (stackless)",
        file: "coroutine.cpp",
        compiler: CPP,
        libraries: &[],
        more: &["words"],
        most: usize::MAX,
        remedy: "apt install g++",
    },
    Source {
        name: "C++20 coroutines, symmetric (stackless)",
        file: "coroutine.cpp",
        compiler: CPP,
        libraries: &[],
        more: &[],
        most: usize::MAX,
        remedy: "apt install g++",
    },
    Source {
        name: "boost.context fcontext, ring, 1,088 B",
        file: "boost_context.cpp",
        compiler: CPP,
        libraries: &["-lboost_context"],
        more: &[],
        most: 1_000_000,
        remedy: BOOST,
    },
    Source {
        name: "boost.fiber, 16 KiB",
        file: "boost_fiber.cpp",
        compiler: CPP,
        libraries: &["-lboost_fiber", "-lboost_context"],
        more: &[],
        most: 100_000,
        remedy: BOOST,
    },
    Source {
        name: "Go Gosched, GOMAXPROCS=1",
        file: "gosched.go",
        compiler: &["go", "build", "-o"],
        libraries: &[],
        more: &[],
        most: 100_000,
        remedy: "install Go from https://go.dev/dl",
    },
];

pub(crate) fn all() -> (Vec<Peer>, Vec<String>) {
    let mut missing = Vec::new();
    let mut peers = Vec::new();
    for made in SOURCES.iter().map(peer).chain([java::peer()]) {
        match made {
            Ok(peer) => peers.push(peer),
            Err(why) => missing.push(why),
        }
    }
    (peers, missing)
}

/// The peer, or why there is none.
fn peer(source: &'static Source) -> Result<Peer, String> {
    let stem = source.file.split('.').next().unwrap_or(source.file);
    let program = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(stem);
    compile(source.compiler, &program, source.file, source.libraries)
        .map_err(|why| format!("{}: {why}; {}", source.name, source.remedy))?;
    let run = move |flows, yields| run(Command::new(&program), flows, yields, source.more);
    Ok(Peer::new(source.name, run).up_to(source.most, "not asked for more"))
}

/// Compiles the file of a peer to `program`, which the last word of `compiler` asks for.
pub(crate) fn compile(
    compiler: &[&str],
    program: &Path,
    file: &str,
    libraries: &[&str],
) -> Result<(), String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("benches/peers");
    let done = Command::new(compiler[0])
        .args(&compiler[1..])
        .arg(program)
        .arg(folder.join(file))
        .args(libraries)
        .output()
        .map_err(|error| format!("{}: {error}", compiler[0]))?;
    if done.status.success() {
        return Ok(());
    }
    let said = said(&done.stderr);
    let error = said.lines().find(|line| line.contains("error"));
    Err(error.unwrap_or("did not compile").to_owned())
}

pub(crate) fn said(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// One sample of a peer that was compiled; it checks its own sum, and ends with 1 if that is
/// not what it must be.
pub(crate) fn run(mut program: Command, flows: usize, yields: usize, more: &[&str]) -> Sample {
    let output = program
        .args([flows.to_string(), yields.to_string()])
        .args(more)
        .output()
        .expect("a peer that was compiled");
    let errors = said(&output.stderr);
    assert!(output.status.success(), "{program:?}: {errors}");
    let said = said(&output.stdout);
    let figures: Vec<f64> = said
        .split_whitespace()
        .filter_map(|w| w.parse().ok())
        .collect();
    let [yield_ns, life_ns, bytes] = figures[..] else {
        panic!("{program:?} said {said:?}");
    };
    Sample {
        yield_ns,
        life_ns,
        bytes: bytes as usize,
    }
}

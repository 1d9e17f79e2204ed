//! Peers in other languages: small programs beside this file, compiled when the benchmark
//! starts, run as a process a sample. They print yield ns, life ns and bytes.

use std::path::PathBuf;
use std::process::Command;

use super::{Peer, Sample};

struct Source {
    name: &'static str,
    file: &'static str,
    compiler: &'static [&'static str],
    libraries: &'static [&'static str],
    most: usize,
    remedy: &'static str,
}

const CPP: &[&str] = &["c++", "-O2", "-std=c++17", "-o"];
const BOOST: &str = "apt install g++ libboost-context-dev libboost-fiber-dev";

const SOURCES: [Source; 3] = [
    Source {
        name: "boost.context fcontext, 4 KiB",
        file: "boost_context.cpp",
        compiler: CPP,
        libraries: &["-lboost_context"],
        most: 1_000_000,
        remedy: BOOST,
    },
    Source {
        name: "boost.fiber, 16 KiB",
        file: "boost_fiber.cpp",
        compiler: CPP,
        libraries: &["-lboost_fiber", "-lboost_context"],
        most: 100_000,
        remedy: BOOST,
    },
    Source {
        name: "Go Gosched, GOMAXPROCS=1",
        file: "gosched.go",
        compiler: &["go", "build", "-o"],
        libraries: &[],
        most: 100_000,
        remedy: "install Go from https://go.dev/dl",
    },
];

pub(crate) fn all() -> (Vec<Peer>, Vec<String>) {
    let mut missing =
        vec!["Java virtual threads: not written (needs a JDK 21 or later)".to_owned()];
    let mut peers = Vec::new();
    for source in &SOURCES {
        match compile(source) {
            Ok(program) => peers.push(peer(source, program)),
            Err(why) => missing.push(format!("{}: {why}; {}", source.name, source.remedy)),
        }
    }
    (peers, missing)
}

fn peer(source: &Source, program: PathBuf) -> Peer {
    let run = move |flows: usize, yields: usize| run(&program, flows, yields);
    Peer::new(source.name, run).up_to(source.most, "not asked for more")
}

fn compile(source: &Source) -> Result<PathBuf, String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("benches/peers");
    let stem = source.file.split('.').next().unwrap_or(source.file);
    let program = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(stem);
    let done = Command::new(source.compiler[0])
        .args(&source.compiler[1..])
        .arg(&program)
        .arg(folder.join(source.file))
        .args(source.libraries)
        .output()
        .map_err(|error| format!("{}: {error}", source.compiler[0]))?;
    if done.status.success() {
        return Ok(program);
    }
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    Err(said
        .lines()
        .find(|l| l.contains("error"))
        .unwrap_or("did not compile")
        .to_owned())
}

fn run(program: &PathBuf, flows: usize, yields: usize) -> Sample {
    let output = Command::new(program)
        .args([flows.to_string(), yields.to_string()])
        .output()
        .expect("a peer that was compiled");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let figures: Vec<f64> = said
        .split_whitespace()
        .filter_map(|w| w.parse().ok())
        .collect();
    let [yield_ns, life_ns, bytes] = figures[..] else {
        panic!("{} said {said:?}", program.display());
    };
    Sample {
        yield_ns,
        life_ns,
        bytes: bytes as usize,
    }
}

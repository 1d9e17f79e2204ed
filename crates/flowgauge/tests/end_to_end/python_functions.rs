//! The module for Python: functions under workers of Python, and those that no other interpreter can have.

use std::path::Path;
use std::process::Command;

use super::common::{Home, PROGRAM, Run, each_at_once, says};

const SCRIPT: &str = r#"
import os
import sys
import threading
import flowgauge

def work(n):
    return sum(i * i for i in range(n))

def falls(n):
    raise KeyError("nothing of that name")

def prints(n):
    print("from the function", n)
    return n

def hashes(text):
    return hash(text)

def differs(n):
    return os.getpid()

def forks(n):
    os.fork()
    return n

def mains_alone(n):
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("not in a thread")
    return n

def gives_a_lock(n):
    return threading.Lock()

def others(call):
    try:
        call()
    except flowgauge.Failed as failed:
        return str(failed), [one["good"] for one in failed.answer.findings["studies"][0]["cases"][0]["variants"]]

def said(call):
    try:
        return call()
    except (TypeError, ValueError, RuntimeError, FileNotFoundError) as error:
        return f"{type(error).__name__}: {error}"

if __name__ == "__main__":
    options = ["--rounds", "1", "--budget", "20s", "--out", sys.argv[2]]
    compare = lambda function, *rest, **more: flowgauge.compare(function, *rest, workers=2, options=options, **more)
    print(said({
        "works": lambda: compare(work, [1000] * 8).findings["finished"],
        "page": lambda: compare(work, [1000] * 8, models=["threads"])._repr_html_()[:5],
        "falls": lambda: compare(falls, [1], models=["serial", "fork"]),
        "differs": lambda: compare(differs, [1, 2], models=["serial", "fork"]),
        "lambda": lambda: compare(lambda n: n, [1]),
        "model": lambda: compare(work, [1], models=["thread"]),
        "prints": lambda: compare(prints, [1, 2]).findings["finished"],
        "hashes": lambda: compare(hashes, ["a", "b"]).findings["finished"],
        "workers": lambda: flowgauge.compare(work, [1], workers=-1),
        "string": lambda: compare(work, [1], models="threads"),
        "nothing": lambda: compare(work, []),
        "forks": lambda: compare(forks, [1, 2], models=["serial", "fork"]),
        "lock": lambda: compare(gives_a_lock, [1], models=["fork", "spawn"]),
        "others": lambda: others(lambda: compare(mains_alone, [1, 2], models=["serial", "threads", "fork"])),
        "out": lambda: flowgauge.compare(work, [1], models=["serial"], options=["--rounds", "1", "--out=-o d"]).folder,
        "no out": lambda: flowgauge.compare(work, [1], options=["--out"]),
        "python": lambda: compare(work, [1], pythons=["true"]),
    }[sys.argv[1]]))
"#;

fn python() -> Option<&'static str> {
    let runs = Command::new("python3")
        .args(["-c", "import concurrent.futures"])
        .output();
    let is_there = runs.is_ok_and(|run| run.status.success());
    if !is_there {
        skipped::skipped("functions of Python: python3 is not installed");
    }
    is_there.then_some("python3")
}

/// The script with one word, in a home of its own.
fn said(program: Option<&Path>, word: &str) -> (Home, Run) {
    let home = Home::new();
    home.write("try.py", SCRIPT);
    let mut command = home.program("python3", &["try.py", word, "out"]);
    let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python");
    command.env("PYTHONPATH", module);
    let command = match program {
        Some(program) => command.env("FLOWGAUGE", program),
        None => command.env_remove("FLOWGAUGE"),
    };
    let run = Run::of(command);
    (home, run)
}

#[test]
fn functions_of_python_run_under_all_of_its_workers() {
    if python().is_none() {
        return;
    }
    let program = Path::new(PROGRAM);
    let rows = [
        ("works", &["True"][..]),
        ("page", &["<pre>"]),
        (
            "falls",
            &["falls under fork failed: KeyError: 'nothing of that name'"],
        ),
        (
            "forks",
            &["forks under serial failed: RuntimeError: it forks, and the child"],
        ),
        ("lock", &["gives_a_lock under spawn failed: "]),
        (
            "others",
            &[
                "mains_alone under threads failed: RuntimeError: not in a thread",
                "[1, 0, 1])",
            ],
        ),
        ("out", &["/-o d"]),
        ("no out", &["ValueError: --out has no folder"]),
        ("python", &["ValueError: true is no Python of 3.9 or later"]),
        ("differs", &["Failed: "]),
        ("lambda", &["<lambda> or its items cannot be sent"]),
        (
            "model",
            &["ValueError: no workers of the kind 'thread' here: use serial, threads, "],
        ),
        ("prints", &["True"]),
        ("hashes", &["True"]),
        (
            "workers",
            &["ValueError: workers is a number from 1 on, and not -1"],
        ),
        (
            "string",
            &["TypeError: models is a list, such as ['threads']"],
        ),
        ("nothing", &["ValueError: no items"]),
    ];
    each_at_once(rows, |(word, expected)| {
        let (home, run) = said(Some(program), word);
        says(&run.stdout, expected);
        home.assert_nothing_left();
    });
    let (_home, run) = said(None, "works");
    let missing = "FileNotFoundError: the program flowgauge is not on the PATH";
    let is_either = run.stdout.contains(missing) || run.stdout.contains("True");
    assert!(is_either, "{}{}", run.stdout, run.stderr);
}

//! `flowgauge body`: functions of C that work, and those that do everything wrong.

use std::process::Command;

use super::common::{Home, Run, results};

/// A body of C, whose faults are chosen by macros.
const SOURCE: &str = r#"
#include "flowgauge.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct { uint64_t n; pid_t made_by; } shared_t;
static const char *const names[] = {"n", "m", NULL};

static int prepare(const flowgauge_arg *args, size_t count, void **shared) {
#ifdef CANNOT
    return 7;
#endif
    shared_t *all = calloc(1, sizeof *all);
    all->n = 1;
    all->made_by = getpid();
    for (size_t i = 0; i < count; i++)
        if (args[i].name[0] == 'n') all->n = args[i].value;
    *shared = all;
    return 0;
}

static int begin(void *shared, uint64_t flow, void **own) {
    (void)shared;
    *own = malloc(sizeof flow);
    *(uint64_t *)*own = flow;
    return 0;
}

static int unit(void *shared, void *own, uint64_t unit, uint64_t ops, flowgauge_proof *proof) {
    shared_t *all = shared;
    uint64_t x = unit;
    for (uint64_t i = 0; i < ops * all->n; i++) x = x * 6364136223846793005u + 1442695040888963407u;
    proof->count = ops;
    proof->checksum = x;
#ifdef CRASHES
    if (unit == 3) abort();
#endif
#ifdef EXITS
    if (unit == 3) exit(0);
#endif
#ifdef REFUSES
    if (unit == 3) return 5;
#endif
#ifdef OTHER_WORK
    if (getpid() != all->made_by) proof->checksum++;
#endif
#ifdef FORKS
    if (unit == 1 && fork() == 0) {
        setsid();
        for (int fd = 0; fd < 64; fd++) close(fd);
        for (;;) pause();
    }
#endif
#ifdef PRINTS
    printf("unit %d\n", (int)unit);
    fflush(stdout);
#endif
#ifdef HANGS
    for (;;) pause();
#endif
    (void)own;
    return 0;
}

static void end(void *shared, void *own) { (void)shared; free(own); }
static void finish(void *shared) { free(shared); }

#ifndef VERSION
#define VERSION 1
#endif
#ifndef TABLE
#define TABLE flowgauge_body
#endif
#ifndef UNIT
#define UNIT unit
#endif
#ifndef FLAGS
#define FLAGS FLOWGAUGE_FIBERS
#endif
FLOWGAUGE_EXPORT const flowgauge_body_v1 TABLE = {
    .version = VERSION, .flags = FLAGS, .args = names,
    .prepare = prepare, .begin = begin, .unit = UNIT, .end = end, .finish = finish,
};
"#;

/// The body of the docs.
pub(crate) fn of_the_docs(home: &Home) {
    let page = include_str!("../../../../docs/body.md");
    let source = page.split("```c\n").nth(1).unwrap();
    compiled(home, source.split("```").next().unwrap(), &[]);
}

/// Compiles the body with these macros.
fn built(home: &Home, macros: &[&str]) -> String {
    compiled(home, SOURCE, macros)
}

fn compiled(home: &Home, source: &str, macros: &[&str]) -> String {
    home.write("flowgauge.h", body::HEADER);
    home.write("mine.c", source);
    let library = home.path("libmine.so");
    let mut compiler = Command::new("cc");
    let compiler = compiler.args([
        "-O2",
        "-Wall",
        "-Wextra",
        "-Wno-unused",
        "-Werror",
        "-shared",
        "-fPIC",
        "-o",
    ]);
    let compiler = compiler.arg(&library).arg(home.path("mine.c"));
    let defined = macros.iter().map(|name| format!("-D{name}"));
    let said = compiler.args(defined).output().unwrap();
    assert!(
        said.status.success(),
        "{}",
        String::from_utf8_lossy(&said.stderr)
    );
    library.to_str().unwrap().to_owned()
}

fn ran(home: &Home, macros: &[&str], further: &[&str]) -> Run {
    let library = built(home, macros);
    let usual = [
        "body", &library, "--flows", "2", "--units", "8", "--rounds", "1", "--budget", "20s",
        "--out", "out",
    ];
    home.run(&[&usual[..], further].concat())
}

#[test]
fn a_body_of_c_proves_the_same_work_under_every_model() {
    let home = Home::new();
    let models = "process,thread,2x1,fiber,fiber/2";
    let run = ran(
        &home,
        &[],
        &["--model", models, "--arg", "n=1,20", "--arg", "m=3"],
    );
    assert!([Some(0), Some(3)].contains(&run.code), "{}", run.stderr);
    let results = results(&home.path("out"));
    let cases = &results.studies[0].cases;
    assert_eq!(cases.len(), 2);
    for case in cases {
        assert_eq!(case.slots.len(), 5, "{}", case.case.name);
        assert!(
            case.slots.iter().all(|slot| slot.value_ns.is_some()),
            "{}",
            run.stderr
        );
    }
    home.assert_nothing_left();
}

#[test]
fn a_file_that_is_no_body_is_refused_with_what_is_wrong() {
    for (macros, said) in [
        (&["TABLE=another"][..], "it does not export flowgauge_body"),
        (
            &["VERSION=9"],
            "a body of interface 9; this flowgauge knows 1",
        ),
        (&["UNIT=NULL"], "its table has no function `unit`"),
        (&["CANNOT"], "its function `prepare` returned 7"),
    ] {
        let home = Home::new();
        let run = ran(&home, macros, &["--model", "process,thread"]);
        run.refused(2, &[said]);
        home.assert_nothing_left();
    }
    let home = Home::new();
    let run = ran(&home, &[], &["--arg", "size=4"]);
    run.refused(2, &["has no argument 'size': use n, m"]);
    home.write("mine.so", "not a library");
    let run = home.run(&["body", "mine.so"]);
    run.refused(2, &["is no shared library"]);
    let run = home.run(&["body", "none.so"]);
    run.refused(2, &["cannot read the body", "No such file"]);
}

#[test]
fn a_body_that_does_not_say_so_is_no_fiber_and_the_other_models_stay() {
    let home = Home::new();
    let run = ran(&home, &["FLAGS=0"], &["--model", "process,thread,fiber"]);
    run.refused(
        2,
        &["does not say that it may run as fiber (FLOWGAUGE_FIBERS)"],
    );
    let results = results(&home.path("out"));
    let slots = &results.studies[0].cases[0].slots;
    let good = |variant| {
        slots
            .iter()
            .any(|slot| slot.variant == variant && slot.value_ns.is_some())
    };
    assert_eq!([good(0), good(1), good(2)], [true, true, false]);
}

#[test]
fn a_body_that_fails_names_itself_and_leaves_nothing() {
    for (macros, said) in [
        ("CRASHES", "SIGABRT"),
        ("EXITS", "exit"),
        (
            "REFUSES",
            "libmine.so cannot do unit 3: its function `unit` returned 5",
        ),
        ("HANGS", "deadline"),
    ] {
        let home = Home::new();
        let run = ran(
            &home,
            &[macros],
            &["--model", "process,thread", "--deadline", "1s"],
        );
        run.refused(2, &[said]);
        home.assert_nothing_left();
    }
}

#[test]
fn a_body_that_does_other_work_as_a_process_is_no_comparison() {
    let home = Home::new();
    let run = ran(&home, &["OTHER_WORK"], &["--model", "process,thread"]);
    run.refused(2, &["different work"]);
}

#[test]
fn what_a_body_prints_is_in_nobodys_way() {
    let home = Home::new();
    let run = ran(
        &home,
        &["PRINTS"],
        &["--model", "process,thread", "--format", "json"],
    );
    assert!([Some(0), Some(3)].contains(&run.code), "{}", run.stderr);
    serde_json::from_str::<serde_json::Value>(&run.stdout).unwrap();
}

/// The body of another language, compiled; `None` where its compiler is not here.
fn of_language(home: &Home, command: &str, sources: &str) -> Option<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../body");
    let [library, modules] = ["libmine.so", ""].map(|name| home.path(name).display().to_string());
    let line = format!("{command} {library} {sources}").replace("MODULES", &modules);
    let (compiler, arguments) = line.split_once(' ').unwrap();
    let built = Command::new(compiler)
        .args(arguments.split(' '))
        .current_dir(folder)
        .output();
    let Ok(built) = built else {
        skipped::skipped(format!(
            "a body of another language: {compiler} is not installed"
        ));
        return None;
    };
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    Some(library)
}

fn runs_once(home: &Home, library: &str, models: &str, out: &str) -> Run {
    let usual = [
        "body", library, "--flows", "2", "--rounds", "1", "--budget", "20s",
    ];
    home.run(&[&usual[..], &["--model", models, "--out", out]].concat())
}

#[test]
fn bodies_of_other_languages_run() {
    let gnu = "-O2 -shared -fPIC -I include -o";
    for (command, sources) in [
        (format!("g++ {gnu}"), "languages/mine.cpp"),
        (
            format!("gfortran {gnu}"),
            "languages/mine.f90 languages/table.c -J MODULES",
        ),
    ] {
        let home = Home::new();
        let Some(library) = of_language(&home, &command, sources) else {
            continue;
        };
        let run = runs_once(&home, &library, "process,thread,fiber", "out");
        assert_eq!(run.code, Some(0), "{command}: {}", run.stderr);
        home.assert_nothing_left();
    }
}

/// The runtime of Go has threads of its own, which no fork has.
#[test]
fn a_body_with_threads_of_its_own_runs_as_threads_alone() {
    let home = Home::new();
    let go = "go build -buildmode=c-shared -o";
    let Some(library) = of_language(&home, go, "languages/mine.go") else {
        return;
    };
    let run = runs_once(&home, &library, "thread,thread-private-files", "out");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let run = runs_once(&home, &library, "process", "no");
    run.refused(
        2,
        &["starts threads when it is loaded, which a fork has not"],
    );
    home.assert_nothing_left();
}

/// A package that is no part of the workspace.
#[test]
fn cargo_bench_of_a_package_of_ones_own_runs_its_body() {
    let home = Home::new();
    let package = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../body/tests/own-crate/Cargo.toml"
    );
    let bench = |program: &str| {
        let mut cargo = Command::new(env!("CARGO"));
        let cargo = cargo.args([
            "bench",
            "--bench",
            "models",
            "--offline",
            "--quiet",
            "--manifest-path",
            package,
            "--",
        ]);
        let out = home.path("out");
        let cargo = cargo
            .args(["--rounds", "1", "--budget", "20s", "--out"])
            .arg(out);
        let cargo = cargo
            .env("CARGO_TARGET_DIR", home.path("target"))
            .env("FLOWGAUGE", program);
        Run::from(cargo.output().unwrap())
    };
    let run = bench("no-such-flowgauge");
    assert_ne!(run.code, Some(0));
    assert!(
        run.stderr
            .contains("no-such-flowgauge is not there: install flowgauge"),
        "{}",
        run.stderr
    );
    let run = bench(env!("CARGO_BIN_EXE_flowgauge"));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("digits"), "{}", run.stdout);
    let results = results(&home.path("out"));
    assert_eq!(results.studies[0].cases[0].slots.len(), 2);
}

/// A rebuilt library was mixed into the rounds of the one before.
#[test]
fn a_library_that_was_replaced_is_not_taken_up() {
    let home = Home::new();
    let run = ran(&home, &[], &["--model", "process,thread"]);
    assert!([Some(0), Some(3)].contains(&run.code), "{}", run.stderr);
    built(&home, &["FLAGS=0"]);
    let run = home.run(&["run", "--resume", "out", "--rounds", "3"]);
    let said = "libmine.so was replaced since the run began: begin another run";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    let results = results(&home.path("out"));
    let good = results.studies[0].cases[0].slots.iter();
    assert_eq!(good.filter(|slot| slot.value_ns.is_some()).count(), 2);
}

/// A body that makes a process with a session of its own left it behind.
#[test]
fn what_a_body_leaves_running_is_ended() {
    let home = Home::new();
    let run = ran(&home, &["FORKS"], &["--model", "process,thread"]);
    assert!([Some(0), Some(3)].contains(&run.code), "{}", run.stderr);
    home.assert_nothing_left();
}

#[test]
fn the_study_that_body_prints_runs() {
    let home = Home::new();
    let library = built(&home, &[]);
    let printed = home.run(&[
        "body", &library, "--flows", "2", "--arg", "n=1,3", "--study",
    ]);
    home.write("mine.toml", &printed.stdout);
    let run = home.run(&["run", "mine.toml", "--rounds", "1", "--out", "out"]);
    assert!([Some(0), Some(3)].contains(&run.code), "{}", run.stderr);
    for twice in [
        ["--arg", "n=1", "--arg", "n=2"],
        ["--arg", "n=1,2", "--arg", "m=1,2"],
    ] {
        let run = home.run(&[&["body", &library][..], &twice].concat());
        assert_eq!(run.code, Some(2), "{}", run.stderr);
    }
}

//! `flowgauge body`: functions of C that work, and those that do everything wrong.

use lab::RawSlot;

use super::common::{Home, Run, each_at_once, labels, results, says};

mod cargo;
mod languages;

/// A body of C, whose faults are chosen by macros.
const SOURCE: &str = r#"
#include "flowgauge.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef UNDEFINED
void nobody_has_this(void);
#endif
#ifdef EXITS_AT_LOAD
__attribute__((constructor)) static void made(void) { _exit(3); }
#endif
#ifdef HANGS_AT_STEP
#define STEP(name) if (HANGS_AT_STEP == name) for (;;) pause()
#elif defined FORKS_AT_STEP
static int is_parent = 1;
#define STEP(name) if (FORKS_AT_STEP == name && is_parent) is_parent = fork()
#elif defined STAYS_AT_STEP
static int has_child;
#define STEP(name) if (STAYS_AT_STEP == name && !has_child++ && fork() == 0) for (;;) pause()
#elif defined CRASHES_AT_STEP
static volatile uintptr_t nowhere = 8;
#define STEP(name) if (CRASHES_AT_STEP == name) *(volatile int *)nowhere = 1
#else
#define STEP(name)
#endif
enum { PREPARE, BEGIN, UNIT_, END, FINISH };
static void *sleeps(void *nothing) { for (;;) pause(); return nothing; }

typedef struct { uint64_t n; pid_t made_by; } shared_t;
static const char *const names[] = {"n", "m", NULL};

static int prepare(const flowgauge_arg *args, size_t count, void **shared) {
#ifdef CANNOT
    return 7;
#endif
#ifdef SAYS
    printf("hello from prepare");
    fflush(stdout);
#endif
#ifdef THREADS
    pthread_t thread;
    pthread_create(&thread, NULL, sleeps, NULL);
#endif
#ifdef UNDEFINED
    nobody_has_this();
#endif
    STEP(PREPARE);
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
    STEP(BEGIN);
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
#ifdef PROVES_NOTHING
    proof->count = proof->checksum = 0;
#endif
#ifdef BLOCKS_AS_THREAD
    if (getpid() == all->made_by) for (;;) pause();
#endif
#ifdef CRASHES
    if (unit == 3) abort();
#endif
    STEP(UNIT_);
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

static void end(void *shared, void *own) { (void)shared; STEP(END); free(own); }
static void finish(void *shared) { STEP(FINISH); free(shared); }

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

/// The body of the docs, and two builds of it.
pub(crate) fn of_the_docs(home: &Home) {
    let page = include_str!("../../../../docs/body.md");
    let source = page.split("```c\n").nth(1).unwrap();
    let library = compiled(home, source.split("```").next().unwrap(), &[]);
    for build in ["old", "new"] {
        std::fs::create_dir_all(home.path(build)).unwrap();
        std::fs::copy(&library, home.path(build).join("libmine.so")).unwrap();
    }
}

/// Compiles the body with these macros.
fn built(home: &Home, macros: &[&str]) -> String {
    compiled(home, SOURCE, macros)
}

fn compiled(home: &Home, source: &str, macros: &[&str]) -> String {
    compiled_as(home, "libmine.so", source, macros)
}

fn compiled_as(home: &Home, name: &str, source: &str, macros: &[&str]) -> String {
    home.write("flowgauge.h", body::HEADER);
    home.write("mine.c", source);
    let library = home.path(name).display().to_string();
    let flags = "-O2 -Wall -Wextra -Wno-unused -Werror -shared -fPIC -o";
    let mut compiler = home.program("cc", &format!("{flags} {library} mine.c"));
    let defined = macros.iter().map(|name| format!("-D{name}"));
    Run::of(compiler.args(defined)).answered();
    library
}

/// What a short run takes.
const SHORT: &str = "--flows 2 --rounds 1 --budget 20s";

/// A short run of the body with these macros into `out`, where `further` names no other folder.
fn ran(home: &Home, macros: &[&str], further: &str) -> Run {
    let library = built(home, macros);
    let out = if further.contains("--out") {
        ""
    } else {
        "--out out"
    };
    home.run(&format!("body {library} {SHORT} --units 8 {out} {further}"))
}

#[test]
fn a_body_of_c_proves_the_same_work_under_every_model() {
    let home = Home::new();
    let models = "process,thread,2x1,fiber,fiber/2";
    let further = format!("--model {models} --arg n=1,20 --arg m=3");
    let run = ran(&home, &[], &further).answered_or_open();
    let cases = &home.results().studies[0].cases;
    assert_eq!(cases.len(), 2);
    for case in cases {
        assert_eq!(case.slots.len(), 5, "{}", case.case.name);
        let is_good = |slot: &RawSlot| slot.value_ns.is_some();
        assert!(case.slots.iter().all(is_good), "{}", run.stderr);
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
        (
            &["UNIT=NULL"],
            "flowgauge_body has no function `unit`: set .unit",
        ),
        (
            &["UNDEFINED"],
            "undefined symbol: nobody_has_this: link it with what",
        ),
        (
            &["EXITS_AT_LOAD"],
            "ends the process that loads it (exit status: 3)",
        ),
        (
            &["FLAGS=0"],
            "does not say that it may run as fiber (FLOWGAUGE_FIBERS)",
        ),
    ] {
        let home = Home::new();
        let run = ran(&home, macros, "--model process,thread,fiber");
        run.refused(2, &[said, "libmine.so"]);
        assert_eq!(run.stderr.matches(said).count(), 1, "{}", run.stderr);
        assert!(!home.path("out").exists(), "nothing was launched");
        home.assert_nothing_left();
    }
    let home = Home::new();
    let library = built(&home, &[]);
    let mut bytes = std::fs::read(&library).unwrap();
    bytes[18] ^= 1;
    home.write("other.so", bytes);
    home.write("mine.so", "not a library");
    let refused = |line: &str, words: &[&str]| home.run(line).refused(2, words);
    refused(
        "body other.so",
        &["other.so is built for another processor"],
    );
    refused("body mine.so", &["is no shared library"]);
    refused("body none.so", &["cannot read the body", "No such file"]);
    let argument = format!("body {library} --arg size=4");
    refused(&argument, &["has no argument 'size': use n, m"]);
}

/// Of three models that which blocks took the time of the others, and no verdict was left.
#[test]
fn a_model_that_hangs_is_named_and_the_others_have_their_answer() {
    let home = Home::new();
    let library = built(&home, &["BLOCKS_AS_THREAD"]);
    let models = "process,thread,process-shared-files";
    let line =
        format!("body {library} --model {models} --flows 2 --budget 12s --rounds 8 --out out");
    let run = home.run(&line);
    let said =
        "error: body, units of libmine.so: thread was given up: 2 of 2 flows were still at work";
    run.refused(2, &[said]);
    let given_up = run.stderr.matches("was given up").count();
    assert_eq!(given_up, 1, "{}", run.stderr);
    let case = home.case();
    let good: Vec<usize> = case.variants.iter().map(|variant| variant.good).collect();
    assert!(good[0] == 8 && good[1] == 0 && good[2] == 8, "{good:?}");
    let mut findings = case.findings.iter();
    let finding = findings.find(|one| one.subject == "process-shared-files");
    assert!(finding.unwrap().estimate.unwrap().interval().is_some());
    let findings = std::fs::read_to_string(home.path("out").join("findings.json")).unwrap();
    assert_eq!(findings.matches("\"lost\":").count(), 1);
    home.assert_nothing_left();
}

/// They named neither the library nor what it was doing.
#[test]
fn a_body_that_fails_names_itself_its_model_and_its_function() {
    let function = |name: &str, how: &str| format!("in its function `{name}` ({how})");
    let crashed = |name| function(name, "SIGSEGV");
    let hung = |name: &str| format!("libmine.so was in its function `{name}`");
    let forks = |name: &str| {
        format!(
            "forks in its function `{name}`, and the child returns from it: end the child by _exit"
        )
    };
    let rows = [
        ("CRASHES", function("unit", "SIGABRT")),
        ("EXITS", function("unit", "exit")),
        ("CANNOT", "its function `prepare` returned 7".to_owned()),
        (
            "REFUSES",
            "cannot do unit 3: its function `unit` returned 5".to_owned(),
        ),
        ("HANGS", hung("unit")),
        ("CRASHES_AT_STEP=PREPARE", crashed("prepare")),
        ("CRASHES_AT_STEP=BEGIN", crashed("begin")),
        ("CRASHES_AT_STEP=FINISH", crashed("finish")),
        ("HANGS_AT_STEP=PREPARE", hung("prepare")),
        ("HANGS_AT_STEP=BEGIN", hung("begin")),
        ("HANGS_AT_STEP=END", hung("end")),
        ("HANGS_AT_STEP=FINISH", hung("finish")),
        ("FORKS_AT_STEP=PREPARE", forks("prepare")),
        ("FORKS_AT_STEP=BEGIN", forks("begin")),
        ("PROVES_NOTHING", "libmine.so proves nothing".to_owned()),
    ];
    each_at_once(rows, |(macros, said)| {
        let home = Home::new();
        let run = ran(&home, &[macros], "--model process,thread --deadline 1s");
        both_are_given_up(&home, &run, &said);
    });
}

/// Processes and threads are given up for that reason, and nothing is left.
#[track_caller]
fn both_are_given_up(home: &Home, run: &Run, why: &str) {
    let [processes, threads] = ["process", "thread"]
        .map(|model| format!("body, units of libmine.so: {model} was given up"));
    run.refused(2, &[why, &processes, &threads]);
    home.assert_nothing_left();
}

/// The launcher waited for its output, which a child held open, until the deadline: no model had a pilot.
#[test]
fn a_child_that_a_body_leaves_costs_no_launch() {
    for step in ["PREPARE", "BEGIN"] {
        let home = Home::new();
        let leaves = format!("STAYS_AT_STEP={step}");
        ran(&home, &[&leaves], "--model process,thread").answered();
        let case = home.case();
        assert!(case.variants.iter().all(|one| one.good == 1), "{step}");
        home.assert_nothing_left();
    }
}

/// It ended with exit code 0, and a note that named no function.
#[test]
fn a_body_that_hangs_under_every_model_is_an_error_that_says_where() {
    each_at_once(
        [("PREPARE", "prepare"), ("UNIT_", "unit")],
        |(step, function)| {
            let home = Home::new();
            let library = built(&home, &[&format!("HANGS_AT_STEP={step}")]);
            let run = home.run(&format!("body {library} --flows 2 --budget 5s --out out"));
            let hung = format!("libmine.so was in its function `{function}`");
            both_are_given_up(&home, &run, &hung);
        },
    );
}

#[test]
fn a_body_whose_prepare_starts_threads_is_no_process() {
    let home = Home::new();
    let models = "--model process,thread,thread-private-files";
    let run = ran(&home, &["THREADS"], models);
    let why = "starts threads of its own, which a fork has not";
    run.refused(2, &["process was given up", why]);
    let good = home.case().variants.into_iter().map(|one| one.good);
    assert_eq!(good.collect::<Vec<_>>(), [0, 1, 1]);
    home.assert_nothing_left();
}

/// What `prepare` printed was read and dropped.
#[test]
fn what_a_body_prints_is_on_standard_error_once_for_each_model() {
    let home = Home::new();
    let run = ran(&home, &["SAYS"], "--model process,thread").answered();
    for model in ["process", "thread"] {
        let said = format!("libmine.so as {model}: hello from prepare\n");
        assert_eq!(run.stderr.matches(&said).count(), 1, "{}", run.stderr);
    }
}

#[test]
fn two_builds_are_compared_under_every_model() {
    let home = Home::new();
    std::fs::create_dir(home.path("old")).unwrap();
    let old = compiled_as(&home, "old/libmine.so", SOURCE, &[]);
    let new = compiled_as(&home, "libmine.so", SOURCE, &["VERBOSE"]);
    let line = format!(
        "body {old} {new} {SHORT} --units 8 --model process,fiber/2 --arg n=2,3 --out both"
    );
    let run = home.run(&line).answered();
    let results = results(&home.path("both"));
    let cases = results.studies[0].cases.iter();
    let names: Vec<&str> = cases.map(|case| &*case.case.name).collect();
    let expected = ["process/2", "process/3", "fiber-over-2/2", "fiber-over-2/3"];
    assert_eq!(names, expected);
    for case in &results.studies[0].cases {
        assert_eq!(labels(case), [&*old, &*new], "{}", case.case.name);
        let mut variants = case.variants.iter();
        assert!(variants.all(|one| one.good == 1), "{}", run.stderr);
    }
    let run = home.run(&["body", old.as_str(), &old]);
    run.refused(2, &["is named twice: name each build once"]);
}

/// Another build was "other work", and not compared.
#[test]
fn runs_of_two_builds_are_compared_and_said_to_be_two() {
    let home = Home::new();
    for (out, macros) in [("old", &[][..]), ("new", &["SAYS"])] {
        ran(&home, macros, &format!("--out {out}")).answered();
    }
    let run = home.run("compare old new");
    says(&run.stdout, &["two builds: libmine.so"]);
    for not_said in ["is not compared", "against the reference of each round"] {
        assert!(!run.stdout.contains(not_said), "{}", run.stdout);
    }
}

#[test]
fn a_body_that_does_other_work_as_a_process_is_no_comparison() {
    let home = Home::new();
    let run = ran(&home, &["OTHER_WORK"], "--model process,thread");
    run.refused(2, &["different work"]);
}

#[test]
fn what_a_body_prints_is_in_nobodys_way() {
    let home = Home::new();
    let further = "--model process,thread --format json";
    let run = ran(&home, &["PRINTS"], further).answered_or_open();
    serde_json::from_str::<serde_json::Value>(&run.stdout).unwrap();
}

/// A rebuilt library was mixed into the rounds of the one before.
#[test]
fn a_library_that_was_replaced_is_not_taken_up() {
    let home = Home::new();
    ran(&home, &[], "--model process,thread").answered_or_open();
    built(&home, &["FLAGS=0"]);
    let run = home.run("run --resume out --rounds 3");
    let said = "libmine.so was replaced since the run began: begin another run";
    says(&run.stderr, &[said]);
    let case = home.case();
    let good = case.slots.iter();
    assert_eq!(good.filter(|slot| slot.value_ns.is_some()).count(), 2);
}

/// A body that makes a process with a session of its own left it behind.
#[test]
fn what_a_body_leaves_running_is_ended() {
    let home = Home::new();
    ran(&home, &["FORKS"], "--model process,thread").answered_or_open();
    home.assert_nothing_left();
}

#[test]
fn the_study_that_body_prints_runs() {
    let home = Home::new();
    let library = built(&home, &[]);
    let line = format!("body {library} --flows 2 --placement one --arg n=1,3 --study");
    let printed = home.run(&line);
    assert_eq!(printed.stdout.matches("placement = \"one\"").count(), 2);
    home.write("mine.toml", &printed.stdout);
    home.run("run mine.toml --rounds 1 --out out")
        .answered_or_open();
    for twice in ["--arg n=1 --arg n=2", "--arg n=1,2 --arg m=1,2"] {
        home.run(&format!("body {library} {twice}")).refused(2, &[]);
    }
}

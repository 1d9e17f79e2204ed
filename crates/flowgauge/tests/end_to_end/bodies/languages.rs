//! Bodies of other languages than C.

use std::process::Command;

use super::SHORT;
use crate::common::{Home, Run};

/// The body of another language, compiled; `None` where its compiler is not here.
fn of_language(home: &Home, command: &str, sources: &str) -> Option<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../body");
    let [library, modules] = ["libmine.so", ""].map(|name| home.path(name).display().to_string());
    let line = format!("{command} {sources}").replace("LIBRARY", &library);
    let line = line.replace("MODULES", &modules);
    let (compiler, arguments) = line.split_once(' ').unwrap();
    let built = Command::new(compiler)
        .args(arguments.split(' '))
        .current_dir(folder)
        .output();
    let Ok(built) = built else {
        let why = format!("a body of another language: {compiler} is not installed");
        skipped::skipped(why);
        return None;
    };
    Run::from(built).answered();
    Some(library)
}

fn runs_once(home: &Home, library: &str, models: &str, out: &str) -> Run {
    home.run(&format!(
        "body {library} {SHORT} --model {models} --out {out}"
    ))
}

#[test]
fn bodies_of_other_languages_run() {
    let gnu = "-O2 -shared -fPIC -I include -o LIBRARY";
    let zig = "zig build-lib -dynamic -lc -O ReleaseFast -I include -femit-bin=LIBRARY";
    for (command, sources) in [
        (format!("g++ {gnu}"), "languages/mine.cpp"),
        (
            format!("gfortran {gnu}"),
            "languages/mine.f90 languages/table.c -J MODULES",
        ),
        (zig.to_owned(), "languages/mine.zig"),
    ] {
        let home = Home::new();
        let Some(library) = of_language(&home, &command, sources) else {
            continue;
        };
        runs_once(&home, &library, "process,thread,fiber", "out").answered();
        home.assert_nothing_left();
    }
}

/// The runtime of Go has threads of its own, which no fork has.
#[test]
fn a_body_with_threads_of_its_own_runs_as_threads_alone() {
    let home = Home::new();
    let go = "go build -buildmode=c-shared -o LIBRARY";
    let Some(library) = of_language(&home, go, "languages/mine.go") else {
        return;
    };
    runs_once(&home, &library, "thread,thread-private-files", "out").answered();
    let run = runs_once(&home, &library, "process", "no");
    run.refused(2, &["starts threads of its own, which a fork has not"]);
    home.assert_nothing_left();
}

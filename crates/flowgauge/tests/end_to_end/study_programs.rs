//! Programs that studies bring along: built once a run, launched once for each process of a
//! variant, and left out where the machine lacks what they need.

use std::fs;

use lab::{Results, Topology};

use super::common::{Home, Run, says};

/// A study whose program is made from two files; each launch writes a line for each of its threads.
const BROUGHT: &str = r##"
schema = 1
name = "brought"
title = "A program that comes with its study"
stands_for = "A study of a program in a language of its own."
headline = "made"

[[case]]
name = "made"
title = "One launch of two threads, or two of one"

[case.work]
kind = "program"
command = "'{built}/made' {threads}"
copies = "processes"
build = "cat '{built}/head' '{built}/tail' > '{built}/made' && chmod +x '{built}/made' && echo built >> '{built}/log'"
check_output = { regex = "^1 thread\n$|^2 threads\n$" }
units = 2

[case.work.needs]
sh = "apt-get install dash"

[case.work.files]
head = "#!/bin/sh\n"
tail = '''
[ "$1" = 1 ] && echo "1 thread" || echo "$1 threads"
'''

[[case.variant]]
model = "process"
flows = 2

[[case.variant]]
model = "thread"
flows = 2
"##;

#[test]
fn a_program_is_built_once_and_launched_for_each_process_of_a_variant() {
    let home = Home::new();
    home.write("brought.toml", BROUGHT);
    home.run("run brought.toml --rounds 2 --out out").answered();
    home.assert_nothing_left();
    let found: Results = home.results();
    let launches = |label: &str| {
        let case = &found.studies[0].cases[0];
        let variant = case.variants.iter().find(|variant| variant.label == label);
        let variant = variant.unwrap();
        (variant.good, variant.self_managed.as_ref().unwrap().made)
    };
    assert_eq!(launches("process"), (2, 2.0));
    assert_eq!(launches("thread"), (2, 1.0));
    let mut built = fs::read_dir(home.path("out"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("made").exists());
    let folder = built.next().unwrap();
    assert!(built.next().is_none());
    assert_eq!(fs::read_to_string(folder.join("log")).unwrap(), "built\n");
}

/// A compiler that was killed left `cc*.s` in the folder for temporary files.
#[test]
fn what_a_build_leaves_in_work_is_in_the_folder_of_the_results() {
    let home = Home::new();
    let leaves = BROUGHT.replace("&& echo built", "&& touch $TMPDIR/ccX.s && echo built");
    assert_ne!(leaves, BROUGHT);
    home.write("brought.toml", &leaves);
    home.run("run brought.toml --rounds 1 --out out").answered();
    home.assert_nothing_left();
}

#[test]
fn a_build_that_fails_says_what_it_said() {
    let home = Home::new();
    let study = BROUGHT.replace("cat '{built}/head'", "cat '{built}/no-such-part'");
    home.write("brought.toml", study);
    let run = home.run("run brought.toml --rounds 1 --out out");
    assert_ne!(run.code, Some(0));
    says(&(run.stdout + &run.stderr), &["no-such-part"]);
    home.assert_nothing_left();
}

#[test]
fn a_program_that_is_not_here_is_named_with_the_command_that_gets_it() {
    let home = Home::new();
    let study = BROUGHT.replace("sh = \"apt", "no-such-compiler = \"apt");
    home.write("brought.toml", &study);
    let run = home.run("run brought.toml --rounds 1 --out out");
    let missing = "there is no no-such-compiler here (to get it: apt-get install dash)";
    run.refused(2, &[missing]);
}

/// A short run of these works.
fn scaling(works: &str) -> String {
    format!(
        "scaling --workload {works} --preset quick --along cores --flows 2 --rounds 1 --out out"
    )
}

#[test]
fn jvms_stand_against_threads_of_one() {
    let is_here = |name: &str| program::command::resolve(name).is_ok();
    if !is_here("java") || !is_here("javac") {
        return skipped::skipped("no JDK: apt-get install default-jdk-headless");
    }
    let home = Home::new();
    home.run(&scaling("managed")).answered();
    home.assert_nothing_left();
    let found = home.results();
    let managed = &found.studies[0].parts.scaling[0];
    assert_eq!(&*managed.workload, "managed");
    assert_eq!(managed.along, Topology::Cores);
    let shapes = managed.points[0].variants.iter();
    let shapes: Vec<_> = shapes.map(|one| (one.processes, one.threads)).collect();
    assert_eq!(shapes, [(2, 1), (1, 2)]);
}

/// A run of all works failed where there was no JDK.
#[test]
fn without_a_jdk_the_managed_heap_is_not_available_and_the_rest_runs() {
    let home = Home::new();
    let mut command = home.command(&scaling("managed,handoff"));
    let run = Run::of(command.env("PATH", home.path("home"))).answered();
    let why = "there is no java here (to get it: apt-get install default-jdk-headless)";
    says(&run.stdout, &[why]);
    assert_eq!(home.results().studies[0].parts.scaling.len(), 1);
    home.assert_nothing_left();
}

use super::*;
use crate::testing::{Says, case};

fn cpus(allowed: u32, cores: &[u32]) -> Cpus {
    Cpus {
        allowed: (0..allowed).collect(),
        cores: cores.to_vec(),
        smt: (0..allowed).collect(),
        numa: Vec::new(),
    }
}

/// A variant of flows, or of a command.
fn labels(knob: &str, model: &str, command: Option<&str>) -> Vec<String> {
    let case = case("one", 1, &[model]);
    let work = command.map(|line| Work::Program(Box::new(Program::new(line.to_owned()))));
    let work = work.unwrap_or(case.work);
    let knob = Knob::of(knob).unwrap();
    let all = knob.turned(&case.variants[0], &work, &cpus(4, &[0, 2]));
    all.into_iter().map(|one| one.label).collect()
}

#[test]
fn names_of_knobs_differ_and_are_found_with_spaces_and_hyphens() {
    for (place, knob) in KNOBS.iter().enumerate() {
        assert!(KNOBS[..place].iter().all(|other| other.name != knob.name));
        assert!(!knob.without.is_empty() && !knob.answers.is_empty() && !knob.turns.is_empty());
        let found = Knob::of(&knob.name.replace(' ', "-")).unwrap();
        assert_eq!(found.name, knob.name);
    }
    assert!(Knob::of("magic").is_none());
}

#[test]
fn the_docs_name_every_knob_and_what_it_takes_away() {
    let docs = include_str!("../../../../../docs/profile.md");
    for knob in &KNOBS {
        let row = format!("| `{}` | ", knob.name.replace(' ', "-"));
        assert!(docs.contains(&row), "{row}");
    }
}

/// What the program says of causes and places, and which knobs are first to take them away.
#[test]
fn causes_are_answered_by_the_knob_that_takes_them_away() {
    for (said, wanted) in [
        (
            "where: 2 ms more: waits at mmap_lock (write) in munmap",
            "private address space",
        ),
        (
            "cause: sharing the file table alone makes it 2x slower",
            "private file table",
        ),
        (
            "where: waits at a lock or condition (futex) in __lll_lock_wait_private",
            "another allocator",
        ),
        (
            "where: 3 ms more: _int_malloc (3 ms against 0 ns)",
            "another allocator",
        ),
        (
            "page faults differ 512x; their share of the gap was not measured",
            "malloc asks for huge pages",
        ),
        ("where: waits for the disk in fsync", "no fsync"),
        (
            "where: waits for the disk in page faults in main",
            "warm files",
        ),
        (
            "where: waits for CPU time (throttled by a quota)",
            "no quota",
        ),
        ("where: waits for a CPU", "half of the workers"),
        (
            "cause: while the last flow works on alone",
            "work in a queue",
        ),
        ("moves between CPUs differ 40x", "a CPU for each flow"),
        ("memory differs 4x", "one malloc arena"),
    ] {
        assert!(
            Knob::answering(said).any(|knob| knob.name == wanted),
            "{said}"
        );
    }
    let nothing = "where: 5 ms more: planted (27 ms against 22 ms)";
    assert_eq!(Knob::answering(nothing).count(), 0);
}

#[test]
fn a_knob_turns_what_it_is_about_and_nothing_else() {
    let own = |knob, model| labels(knob, model, None);
    assert_eq!(own("private-file-table", "thread"), ["private file table"]);
    for (knob, model, why) in [
        ("private-file-table", "process", "it has one"),
        ("no-quota", "thread", "there is none"),
        ("one-malloc-arena", "thread", "it is for commands"),
        ("half-of-the-workers", "thread", "it would be other work"),
    ] {
        assert_eq!(own(knob, model), [""; 0], "{why}");
    }
    let command = |knob| labels(knob, "process", Some("sort -n /etc/passwd"));
    assert_eq!(command("one-malloc-arena"), ["one malloc arena"]);
    assert!(command("private-file-table").is_empty());
    let fewer = [
        "one CPU",
        "half of the CPUs",
        "one hardware thread of each core",
    ];
    assert_eq!(command("fewer-CPUs"), fewer);
    assert!(command("on-any-CPU").is_empty(), "it is there already");
}

#[test]
fn files_that_a_command_names_are_read_before() {
    let mut program = Program::new("sort -n /etc/passwd nowhere".to_owned());
    warm(&mut program);
    let read = "cat /etc/passwd > /dev/null";
    assert_eq!(program.prepare.as_deref(), Some(read));
    warm(&mut program);
    program.prepare.unwrap().begins(&format!("{read} && cat"));
}

#[test]
fn cpus_are_taken_away_where_there_are_some_to_take() {
    let names = |allowed, cores: &[u32]| {
        let all = fewer_cpus(&cpus(allowed, cores)).into_iter();
        all.map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert!(names(1, &[0]).is_empty());
    assert_eq!(names(2, &[0, 1]), ["one CPU"]);
    assert_eq!(names(4, &[0, 1, 2, 3]), ["one CPU", "half of the CPUs"]);
}

#[test]
fn our_own_allocator_is_tried_and_the_c_librarys_is_no_change() {
    let tried: Vec<String> = allocators().map(|(one, _)| one.name().to_owned()).collect();
    assert!(!tried.contains(&"libc".to_owned()));
    let is_here = flow::library::own_allocator().is_ok();
    assert_eq!(tried.contains(&"core-aware".to_owned()), is_here);
}

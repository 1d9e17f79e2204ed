//! `flowgauge search --study` and `flowgauge run search`, for real: every variant finds the
//! same, which another way of counting finds too. Nothing here asserts how fast anything is.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Stdio;

use flow::Answer;
use lab::Results;
use nix::unistd::geteuid;
use workload::Work;

use super::common::{Said, Tree, said, until};

/// 5 folders of 12 files: 3 lines with the word in each third file.
fn tree() -> Tree {
    let tree = Tree::of(&[]);
    for number in 0..60 {
        let lines = if number % 3 == 0 {
            "a needle\n"
        } else {
            "nothing\n"
        };
        let path = format!("tree/d{}/{number}.txt", number % 5);
        tree.write(&path, lines.repeat(3));
    }
    tree.write("tree/d0/.hidden", "a needle\n");
    tree.write("tree/d0/binary", "a needle\0\n");
    tree
}

fn study(tree: &Tree, args: &[&str]) -> Said {
    let usual = ["--rounds", "1", "--seed", "1", "--tables", "--out", "out"];
    tree.run(&[&["--study"], args, &usual].concat())
}

fn results(tree: &Tree) -> Results {
    let out = tree.path().join("out");
    Results::from_journal(&out.join(lab::journal::FILE_NAME)).expect("a journal")
}

/// That every slot is good and found this many lines in this many files.
fn all_found(results: &Results, files: u64, lines: u64) {
    let mut slots = 0;
    for case in &results.studies[0].cases {
        for slot in &case.slots {
            let label = &case.case.variants[slot.variant].label;
            let Answer::Done(record) = &slot.outcome.answer else {
                panic!("{}, {label}: {:?}", case.case.name, slot.outcome.answer)
            };
            let timed = record.timed.as_ref().expect("a repetition with timers");
            for rep in record.reps.iter().chain([timed.as_ref()]) {
                let own = rep.self_managed.as_ref().expect("its own flows");
                assert_eq!((own.counts["files"], own.counts["lines"]), (files, lines));
                assert_eq!(rep.proof(), record.proof, "{label}");
            }
            let timers = timed.self_managed.as_ref().expect("own");
            assert!(!timers.classes_ns.is_empty());
            slots += 1;
        }
    }
    assert!(slots > 20, "{slots} slots");
}

#[test]
fn every_design_model_and_number_of_workers_finds_the_same() {
    let tree = tree();
    let said = study(&tree, &["needle", "tree"]);
    assert!(matches!(said.code, Some(0)), "{}", said.err);
    let results = results(&tree);
    // 60 and the binary one, in which nothing is found.
    all_found(&results, 61, 60);
    for label in ["thread per file", "process per file"] {
        let cases = results.studies[0].cases.iter();
        let mut variants = cases.flat_map(|case| &case.variants);
        let each = variants
            .find(|variant| variant.label == label)
            .expect(label);
        assert_eq!(each.self_managed.as_ref().expect("own flows").made, 61.0);
    }
    let sweep = "Time by the number of workers";
    for text in ["Then and now", "15.134 s", sweep, "walk"] {
        assert!(said.out.contains(text), "{text} is not in {}", said.out);
    }
    let table = std::fs::read_to_string(tree.path().join("out/search.csv")).expect("search.csv");
    let is_row = |line: &str| line.starts_with("search,") || line.starts_with("study,");
    assert!(table.lines().all(is_row));
}

#[test]
fn the_filters_of_a_search_are_those_of_its_study() {
    let tree = tree();
    let args = [
        "-F", "-i", "--hidden", "-a", "-g", "!*7.txt", "NEEDLE", "tree",
    ];
    let said = study(&tree, &args);
    assert!(matches!(said.code, Some(0)), "{}", said.err);
    // Without 7, 17, .. 57, of which 27 and 57 have the word; with .hidden and binary.
    all_found(&results(&tree), 60 - 6 + 2, 60 - 6 + 2);
}

#[test]
fn events_of_flows_that_wait_at_no_gate_are_not_counted_and_that_is_said() {
    let tree = tree();
    let said = study(&tree, &["--events", "software", "needle", "tree"]);
    assert!(matches!(said.code, Some(0)), "{}", said.err);
    let text = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let reason = "migrations: the flows of this work are its own";
    assert_eq!(text.matches(reason).count(), 1, "{text}");
    all_found(&results(&tree), 61, 60);
}

#[test]
fn a_run_takes_the_tree_and_its_bounded_part() {
    let tree = tree();
    let said = tree.run_line("run search --rounds 1 --seed 1 --tree tree --out out");
    assert!(matches!(said.code, Some(0)), "{}", said.err);
    all_found(&results(&tree), 61, 0);
}

/// Writes `mine.toml`, a study of one case that continues as given.
fn write_study(tree: &Tree, case: &str) {
    let head = "schema = 1\nname = \"mine\"\ntitle = \"t\"\nstands_for = \"x\"\nheadline = \"c\"\n";
    let begin = "[[case]]\nname = \"c\"\ntitle = \"t\"\n";
    tree.write("mine.toml", format!("{head}{begin}{case}"));
}

#[test]
fn a_study_file_may_ask_for_a_part_of_a_tree() {
    let tree = tree();
    write_study(
        &tree,
        r#"
work = { kind = "search", pattern = "needle", tree = "tree", most_files = 30 }
[[case.variant]]
model = "process"
flows = [1, 2, "2 cpus"]
[[case.variant]]
model = "thread"
flows = 4
label = "each folder"
work = { design = "per-folder" }
"#,
    );
    let said = tree.run_line("run mine.toml --rounds 1 --out out");
    assert!(matches!(said.code, Some(0)), "{}", said.err);
    let results = results(&tree);
    let case = &results.studies[0].cases[0];
    assert!(case.variants.len() >= 3);
    let Work::Search(search) = &case.case.work else {
        panic!("{:?}", case.case.work)
    };
    // Two folders of twelve files of text fit, one of which has a binary one too.
    let names = search
        .tree
        .iter()
        .map(|path| path.file_name().expect("a name"));
    assert_eq!(names.collect::<Vec<_>>(), ["d0", "d1"]);
    assert!(search.tree.iter().all(|path| path.is_absolute()));
    for variant in &case.variants {
        let own = variant.self_managed.as_ref().expect("own flows");
        assert_eq!(own.counts["files"], 25.0, "{}", variant.label);
    }
}

/// The deadline of a study of searches was heeded three seconds late, which was never.
#[test]
fn slots_that_take_longer_than_the_deadline_have_failed() {
    let tree = tree();
    let said = study(&tree, &["--deadline", "1us", "needle", "tree"]);
    // Nothing was measured, which is an error and no doubt.
    assert_eq!(said.code, Some(2), "{}", said.err);
    let results = results(&tree);
    assert_eq!(results.header.settings.deadline_s, Some(1e-6));
    let reason = "the slot was still at work at the deadline of 0.000001 s and was ended";
    let mut slots = 0;
    for slot in results.studies[0].cases.iter().flat_map(|case| &case.slots) {
        let Answer::Failed { reason: said, .. } = &slot.outcome.answer else {
            panic!("{:?}", slot.outcome.answer)
        };
        assert_eq!(said.to_string(), reason);
        slots += 1;
    }
    assert!(slots > 20, "{slots} slots");
    let out = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = format!("failed: 1 slot each of process, thread-private-files, thread: {reason}");
    assert!(out.contains(&said), "{out}");
}

/// Anyone who closes the outputs has seen enough, and still gets the answer by the exit code.
#[test]
fn a_study_that_nobody_listens_to_comes_to_its_own_end() {
    let tree = tree();
    let closed = || {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        writer
    };
    let code = |args: &[&str]| {
        let mut command = tree.command(args);
        command.stdout(closed()).stderr(closed());
        command.status().expect("the command starts").code()
    };
    let args = ["--study", "--rounds", "1", "needle", "tree", "--out", "out"];
    let ended = code(&args);
    assert!(matches!(ended, Some(0)), "{ended:?}");
    all_found(&results(&tree), 61, 60);
    assert_eq!(code(&["needle", "tree"]), Some(0));
    assert_eq!(code(&["no such word", "tree"]), Some(1));
    assert_eq!(code(&["needle", "tree", "nowhere"]), Some(2));
}

/// What is said about a study that cannot be run.
fn refused(tree: &Tree, args: &[&str]) -> String {
    let said = study(tree, args);
    assert_eq!(said.code, Some(2), "{args:?}: {}", said.err);
    assert!(!tree.path().join("out").exists(), "{args:?} left a folder");
    said.err
}

#[test]
fn what_cannot_be_studied_is_refused_before_it_begins() {
    let tree = tree();
    tree.write("empty/.hidden", "x\n");
    for (args, expected) in [
        (&["needle", "nowhere"][..], "cannot search nowhere"),
        (&["needle", "empty"][..], "no files to search in empty"),
        (&["a(", "tree"][..], "the pattern makes no sense"),
        (&["needle", "-"][..], "standard input can be read once"),
        (
            &["-j", "0", "needle", "tree"][..],
            "'0' is no number of flows",
        ),
        (
            &["-j", "-1", "needle", "tree"][..],
            "'-1' is no number of flows: use 1 to 4294967295",
        ),
        (&["-j", "2", "needle", "tree"][..], "leave --jobs out"),
        (
            &["--explain", "-c", "needle", "tree"][..],
            "leave --count --explain out, or --study",
        ),
        (
            &["-g", "a{", "needle", "tree"][..],
            "the glob 'a{' makes no sense",
        ),
    ] {
        let said = refused(&tree, args);
        assert!(said.contains(expected), "{args:?}: {said}");
    }
}

/// It was reported in two ways, by checksums, of which neither said what to do.
#[test]
fn a_tree_that_changes_while_it_is_studied_is_told_in_one_way() {
    let tree = tree();
    write_study(
        &tree,
        r#"
reps = 2
work = { kind = "search", pattern = "needle", tree = "tree" }
[[case.variant]]
model = "process"
flows = 2
[[case.variant]]
model = "thread"
flows = 2
"#,
    );
    let mut command = tree.flowgauge(&["run", "mine.toml", "--out", "out"]);
    let run = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let journal = tree.path().join("out").join(lab::journal::FILE_NAME);
    let written = || std::fs::read_to_string(&journal).unwrap_or_default();
    until("a slot", || written().contains(r#""line":"slot""#));
    // At once, so that nobody finds a part of it.
    tree.write("new", "a needle\n");
    let place = |name: &str| tree.path().join(name);
    std::fs::rename(place("new"), place("tree/new")).expect("one file system");
    let ended = said(&run.wait_with_output().expect("it ends"));
    assert_eq!(ended.code, Some(2), "{}", ended.err);
    let reason = "the tree changed while it was studied: 61 matching lines, not 60; start again";
    assert!(ended.err.contains(reason), "{}", ended.err);
    for slot in &results(&tree).studies[0].cases[0].slots {
        if let Answer::Failed { reason: said, .. } = &slot.outcome.answer {
            assert_eq!(said.to_string(), reason);
        }
    }
}

#[test]
fn settings_of_a_study_are_for_a_study() {
    let tree = tree();
    let said = tree.run(&["--rounds", "3", "needle", "tree"]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("go with --study alone"), "{}", said.err);
    let said = tree.run(&["--events", "all", "needle", "tree"]);
    assert_eq!(
        said.code,
        Some(2),
        "events of a plain search are counted by nobody"
    );
    let said = tree.run(&["--cold", "needle", "tree"]);
    assert_eq!(said.code, Some(2));
    let what = "leave it out, or add --study";
    assert!(said.err.contains(what), "{}", said.err);
}

#[test]
fn a_cold_search_without_the_right_to_it_is_refused() {
    let tree = tree();
    let mut command = tree.command(&["--study", "--cold", "needle", "tree", "--out", "out"]);
    if geteuid().is_root() {
        // Root may; nobody may not. Where nobody cannot even start the command, that is all
        // that can be tried: emptying the cache of a machine is nothing for a test.
        let open = std::fs::Permissions::from_mode(0o777);
        std::fs::set_permissions(tree.path(), open).expect("our own folder");
        command.uid(NOBODY).gid(NOBODY);
    }
    let output = match command.output() {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => return,
        output => output.expect("the command starts"),
    };
    let said = said(&output);
    assert_eq!(said.code, Some(2), "{}", said.err);
    assert!(!tree.path().join("out").exists(), "it left a folder");
    let said = said.err;
    assert!(said.contains("the page cache cannot be emptied"), "{said}");
    assert!(said.contains("as root"), "{said}");
}

#[test]
fn a_cold_run_is_for_searches_and_for_those_who_may() {
    let tree = tree();
    let run = |study: &str, user: Option<u32>| {
        let mut command = tree.flowgauge(&["run", study, "--cold", "--out", "out"]);
        if let Some(user) = user {
            command.uid(user).gid(user);
        }
        command.output()
    };
    let refused = said(&run("primes", None).expect("the command starts"));
    assert_eq!(refused.code, Some(2));
    let words = "--cold: none of these studies searches files";
    assert!(refused.err.contains(words), "{}", refused.err);
    let open = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(tree.path(), open).expect("our own folder");
    let output = match run("search", geteuid().is_root().then_some(NOBODY)) {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => return,
        output => output.expect("the command starts"),
    };
    let refused = said(&output);
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    let words = "the page cache cannot be emptied";
    assert!(refused.err.contains(words), "{}", refused.err);
}

/// A user without rights.
const NOBODY: u32 = 65_534;

#[test]
fn a_tree_for_a_study_that_searches_nothing_is_refused() {
    let tree = tree();
    let said = tree.run_line("run primes --tree /usr");
    assert_eq!(said.code, Some(2));
    let words = "none of these studies searches files";
    assert!(said.err.contains(words), "{}", said.err);
}

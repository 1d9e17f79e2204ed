//! How searches end: signals, closed output, flows that die or cannot be made, files that
//! nobody may read. Nothing stays behind.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, geteuid};

use super::common::{MODELS, Tree, is_gone, said, until, with_children};

/// Enough files with enough lines that the output does not fit a pipe.
fn many() -> Tree {
    let tree = Tree::of(&[]);
    for folder in 0..10 {
        for file in 0..10 {
            tree.write(
                &format!("{folder}/{file}"),
                "a needle in a line\n".repeat(500),
            );
        }
    }
    tree
}

#[test]
fn output_that_is_closed_early_is_a_clean_end() {
    let tree = many();
    for model in MODELS {
        let mut command = tree.command(&["--model", model, "needle"]);
        let mut run = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = [0; 100];
        run.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let ended = said(&run.wait_with_output().unwrap());
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{model}");
    }
}

/// Of a pool of some hundred processes some outlived the command by seconds.
#[test]
fn an_interrupted_search_ends_with_130_after_all_its_processes() {
    const PROCESSES: usize = 60;
    let tree = Tree::of(&[]);
    for file in 0..2 * PROCESSES {
        // More than the pipe of each process holds.
        tree.write(&format!("{file}"), "a needle in a line\n".repeat(10_000));
    }
    let jobs = PROCESSES.to_string();
    for (signal, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
        // Nobody reads the output: the search stands still with all its processes.
        // Anyone who runs the tests may have SIGINT ignored, as shells do in the background.
        let mut command = Command::new("env");
        command.args(["--default-signal=INT", env!("CARGO_BIN_EXE_flowgauge")]);
        command.args(["search", "--model", "process-pool", "-j", &jobs, "needle"]);
        command.current_dir(tree.path());
        let mut run = command.stdout(Stdio::piped()).spawn().unwrap();
        let children = with_children(&run, PROCESSES);
        kill(Pid::from_raw(run.id().cast_signed()), signal).unwrap();
        assert_eq!(run.wait().unwrap().code(), Some(code));
        let left: Vec<i32> = children.into_iter().filter(|&pid| !is_gone(pid)).collect();
        assert!(left.is_empty(), "{} are left", left.len());
    }
}

#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let tree = Tree::of(&[]);
    let line = format!(
        "trap '' HUP; exec {} search needle -",
        env!("CARGO_BIN_EXE_flowgauge")
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).current_dir(tree.path());
    let mut run = shell
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = run.stdin.take().unwrap();
    let command = || fs::read_to_string(format!("/proc/{}/comm", run.id())).unwrap_or_default();
    until("the command", || command().starts_with("flowgauge"));
    kill(Pid::from_raw(run.id().cast_signed()), Signal::SIGHUP).unwrap();
    std::io::Write::write_all(&mut input, b"a needle\n").unwrap();
    drop(input);
    let ended = said(&run.wait_with_output().unwrap());
    assert_eq!((ended.code, ended.out.as_str()), (Some(0), "a needle\n"));
}

#[test]
fn a_search_that_is_killed_leaves_no_process() {
    let tree = many();
    let mut command = tree.command(&["--model", "process-pool", "-j", "3", "needle"]);
    let mut run = command.stdout(Stdio::piped()).spawn().unwrap();
    let children = with_children(&run, 3);
    run.kill().unwrap();
    run.wait().unwrap();
    for child in children {
        until("the end of a child", || is_gone(child));
    }
}

#[test]
fn a_process_that_dies_is_said_and_the_others_go_on() {
    let tree = many();
    // The first process waits for standard input, which never comes; then it is killed.
    let mut command = tree.command(&["--model", "process-pool", "-j", "3", "needle", "-", "."]);
    let run = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let children = with_children(&run, 3);
    let reads = |pid: i32| {
        let call = fs::read_to_string(format!("/proc/{pid}/syscall")).unwrap_or_default();
        call.starts_with(&format!("{} ", nix::libc::SYS_read))
    };
    until("a process that reads standard input", || {
        children.iter().any(|&pid| reads(pid))
    });
    let first = children.into_iter().find(|&pid| reads(pid)).unwrap();
    kill(Pid::from_raw(first), Signal::SIGKILL).unwrap();
    let ended = said(&run.wait_with_output().unwrap());
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.err.contains("ended early, by SIGKILL"),
        "{}",
        ended.err
    );
    assert!(
        ended
            .out
            .lines()
            .all(|line| line.ends_with("a needle in a line"))
    );
}

/// A command of another user, for whom limits and permissions hold; none unless this is root. Each
/// is of a user of its own, so that none counts for the limit of another.
fn as_somebody(tree: &Tree, shell: &str) -> Option<Command> {
    static USERS: AtomicU32 = AtomicU32::new(54_321);
    if !geteuid().is_root() {
        skipped::skipped("only root can be somebody else");
        return None;
    }
    fs::set_permissions(tree.path(), fs::Permissions::from_mode(0o755)).expect("the mode");
    // The program may lie where others cannot go.
    let program = tree.path().join("flowgauge");
    // By another process: a descriptor that this one writes by may be inherited by a command
    // that another test starts just then, and a file that is written to cannot be run.
    let mut copy = Command::new("cp");
    let copied = copy
        .arg(env!("CARGO_BIN_EXE_flowgauge"))
        .arg(&program)
        .status();
    assert!(copied.expect("cp starts").success());
    let user = USERS.fetch_add(1, Ordering::Relaxed);
    let mut command = Command::new("bash");
    command
        .args(["-c", shell])
        .current_dir(tree.path())
        .uid(user)
        .gid(user);
    Some(command)
}

#[test]
fn what_nobody_may_read_is_said_once_and_counted() {
    let tree = Tree::of(&[
        ("t/a", b"needle\n"),
        ("t/b", b"needle\n"),
        ("t/c/d", b"needle\n"),
    ]);
    for (path, mode) in [("t/b", 0o000), ("t/c", 0o700)] {
        fs::set_permissions(tree.path().join(path), fs::Permissions::from_mode(mode)).unwrap();
    }
    for model in MODELS {
        let line = format!("./flowgauge search --explain --model {model} needle t");
        let Some(mut command) = as_somebody(&tree, &line) else {
            return;
        };
        let ended = said(&command.output().unwrap());
        assert_eq!(
            (ended.code, ended.out.as_str()),
            (Some(2), "t/a:needle\n"),
            "{model}"
        );
        for path in ["t/b: Permission denied", "t/c: Permission denied"] {
            assert_eq!(ended.err.matches(path).count(), 1, "{model}: {}", ended.err);
        }
        assert!(ended.err.contains("2 errors"), "{model}: {}", ended.err);
    }
}

#[test]
fn flows_that_cannot_be_made_are_said_and_the_search_goes_on() {
    let tree = many();
    for (model, says) in [
        ("thread-pool", "the kernel makes no more threads"),
        ("thread-private-files", "the kernel makes no more threads"),
        ("process-pool", "the kernel makes no more processes"),
        ("fiber", "the kernel makes no more threads"),
        ("thread-per-file", "the kernel makes no more threads"),
        ("process-per-file", "the kernel makes no more processes"),
        ("thread-per-directory", "the kernel makes no more threads"),
    ] {
        let line =
            format!("ulimit -u 4; exec ./flowgauge search -c --model {model} -j 60 needle .");
        let Some(mut command) = as_somebody(&tree, &line) else {
            return;
        };
        let ended = said(&command.output().unwrap());
        assert_eq!(
            (ended.code, ended.out.lines().count()),
            (Some(0), 100),
            "{model}"
        );
        assert_eq!(ended.err.matches(says).count(), 1, "{model}: {}", ended.err);
        let answer = "(Resource temporarily unavailable)";
        assert!(ended.err.contains(answer), "{model}: {}", ended.err);
        // It was no cap, so that none is given as the reason.
        assert!(!ended.err.contains(" at a time"), "{model}: {}", ended.err);
    }
}

/// A process that has more of a file to send keeps the outlet, and the flow that walks has
/// something to say: it must not wait for itself.
#[test]
fn a_process_for_each_file_and_folders_that_nobody_may_list_end_nevertheless() {
    let tree = Tree::of(&[]);
    for folder in 0..40 {
        tree.write(
            &format!("t/{folder}/a"),
            "a needle in a line\n".repeat(4_000),
        );
        let closed = tree.path().join(format!("t/{folder}/closed"));
        fs::create_dir(&closed).unwrap();
        fs::set_permissions(closed, fs::Permissions::from_mode(0o700)).unwrap();
    }
    for jobs in ["2", "4"] {
        // The time is for the case that it does not end; it ends in less than a second.
        let line = format!(
            "exec timeout 300 ./flowgauge search --model process-per-file -j {jobs} needle t"
        );
        let Some(mut command) = as_somebody(&tree, &line) else {
            return;
        };
        let ended = said(&command.output().unwrap());
        assert_eq!(
            (ended.code, ended.out.lines().count()),
            (Some(2), 160_000),
            "-j {jobs}"
        );
        let denied = ended.err.matches("closed: Permission denied").count();
        assert_eq!(denied, 40, "{}", ended.err);
    }
}

#[test]
fn few_descriptors_are_enough() {
    let tree = many();
    for model in MODELS {
        for (limit, flags) in [
            (40, ""),
            (16, ""),
            (16, "-j 64"),
            (16, "--io uring"),
            (24, "--io uring"),
        ] {
            let limit = format!("-n {limit}");
            let ended = with_limit(&tree, &limit, &format!("{flags} --model {model}"), ".");
            // Where there is no ring, files are not read in batches, or there is one flow, it
            // says so.
            let refused = |flag, what| flags.contains(flag) && ended.err.contains(what);
            if refused("uring", "uring") || refused("-j", "sequential is one flow") {
                continue;
            }
            assert_eq!(
                (ended.code, ended.out.lines().count()),
                (Some(0), 100),
                "{model} {flags} with {limit}: {}",
                ended.err
            );
        }
    }
}

/// Some sixteen thousand threads and more took every mapping that the kernel allows, and the
/// next one ended the program.
#[test]
fn pools_stay_within_what_a_program_can_have() {
    let tree = many();
    for model in [
        "auto",
        "thread-pool",
        "thread-private-files",
        "process-pool",
        "fiber",
    ] {
        let ended = tree.run(&["-c", "-j", "100000", "--model", model, "needle", "."]);
        assert_eq!(
            (ended.code, ended.out.lines().count()),
            (Some(0), 100),
            "{model}: {}",
            ended.err
        );
        assert!(ended.err.contains(" of 100000 "), "{model}: {}", ended.err);
    }
}

/// What a shell with few descriptors says of a search of `paths`.
fn with_few_descriptors(tree: &Tree, model: &str, paths: &str) -> super::common::Said {
    with_limit(tree, "-n 40", &format!("--model {model}"), paths)
}

/// The same under a limit of the shell.
fn with_limit(tree: &Tree, limit: &str, flags: &str, paths: &str) -> super::common::Said {
    let program = env!("CARGO_BIN_EXE_flowgauge");
    let line = format!("ulimit {limit}; exec {program} search -c {flags} needle {paths}");
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).current_dir(tree.path());
    said(&shell.output().expect("the shell starts"))
}

#[test]
fn more_files_and_folders_may_be_named_than_can_be_open() {
    let tree = Tree::of(&[]);
    for number in 0..60 {
        tree.write(&format!("{number}.txt"), "a needle\n");
        tree.write(&format!("d{number}/in/a"), "a needle\n");
        tree.write(&format!("d{number}/.ignore"), "b\n");
        tree.write(&format!("d{number}/in/b"), "a needle\n");
    }
    for model in MODELS {
        for paths in ["*.txt", "d*", "d* *.txt"] {
            let ended = with_few_descriptors(&tree, model, paths);
            let wanted = if paths.len() > 5 { 120 } else { 60 };
            assert_eq!(
                (ended.code, ended.out.lines().count()),
                (Some(0), wanted),
                "{model}, {paths}: {}",
                ended.err
            );
        }
    }
}

/// Pipes of a pool of processes, and rings, took the last files that may be open, and what was
/// to be searched could not be opened.
#[test]
fn flows_leave_room_for_the_files_that_they_search() {
    let tree = many();
    for limit in ["-n 8", "-n 9", "-n 10", "-n 12", "-n 14"] {
        for io in ["read", "mmap", "uring"] {
            for model in ["thread-pool", "process-pool", "fiber"] {
                let flags = format!("-j 4 --model {model} --io {io}");
                let ended = with_limit(&tree, limit, &flags, ".");
                let no_rings = ended.err.contains("is not to be had here");
                if io == "uring" && no_rings {
                    continue;
                }
                assert_eq!(
                    (ended.code, ended.out.lines().count()),
                    (Some(0), 100),
                    "{limit}, {flags}: {}",
                    ended.err
                );
            }
        }
    }
}

#[test]
fn fibers_of_many_folders_get_by_with_few_descriptors() {
    let tree = Tree::of(&[]);
    for number in 0..100 {
        tree.write(&format!("t/{number}/a"), "a needle\n");
    }
    let ended = with_few_descriptors(&tree, "fiber", "t");
    assert_eq!(
        (ended.code, ended.out.lines().count()),
        (Some(0), 100),
        "{}",
        ended.err
    );
}

//! Places that cannot be written.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{lchown, symlink};
use std::process::Stdio;

use super::common::{Home, Run, primes, results, slots, within};

const SMALL: [&str; 7] = ["primes", "-p", "2", "-b", "1000", "--rounds", "2"];

/// The small run with further arguments.
fn small(home: &Home, further: &[&str]) -> Run {
    home.run(&[&SMALL[..], further].concat())
}

#[test]
fn a_results_folder_that_cannot_be_made_is_named() {
    for folder in ["/dev/null/out", "/proc/out", "file/out"] {
        let home = Home::new();
        home.write("file", "mine");
        let run = small(&home, &["--out", folder]);
        run.refused(2, &["cannot create", folder]);
        home.assert_nothing_left();
        assert_eq!(home.listing("."), ["file"]);
    }
}

#[test]
fn a_results_folder_is_never_overwritten() {
    let home = Home::new();
    small(&home, &["--out", "out"]).answered();
    let before = fs::read(home.path("out/journal.jsonl")).unwrap();
    let run = small(&home, &["--out", "out"]);
    run.refused(2, &["out/journal.jsonl exists", "another folder"]);
    assert_eq!(fs::read(home.path("out/journal.jsonl")).unwrap(), before);
    home.assert_nothing_left();
}

/// Plots went through any link: root, asked for plots in somebody else's folder, wrote wherever
/// that user had it lead.
#[test]
fn nothing_is_written_through_a_link_that_somebody_else_made() {
    let home = Home::new();
    small(&home, &["--out", "out"]).answered();
    for folder in ["room", "room/empty"] {
        fs::create_dir(home.path(folder)).unwrap();
    }
    symlink("room", home.path("own")).unwrap();
    symlink("room/empty", home.path("other")).unwrap();
    if lchown(home.path("other"), Some(54_321), None).is_err() {
        return skipped::skipped("only root can be somebody else");
    }
    let run = home.run(&["report", "out", "--plots", "other"]);
    run.refused(2, &["another user", "54321"]);
    small(&home, &["--out", "other"]).refused(2, &["another user", "54321"]);
    assert!(home.listing("room/empty").is_empty());
    home.run(&["report", "out", "--plots", "own"]).answered();
    assert!(home.listing("room").len() > 1);
    home.assert_nothing_left();
}

/// The one that was refused took the other's journal away.
#[test]
fn of_two_runs_into_one_new_folder_one_is_refused_and_the_other_keeps_everything() {
    for _try in 0..3 {
        let home = Home::new();
        let both = [(); 2].map(|()| {
            let mut command = home.command(&[&SMALL[..], &["--out", "same"]].concat());
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().unwrap()
        });
        let mut runs = both.map(|run| Run::from(run.wait_with_output().unwrap()));
        runs.sort_by_key(|run| run.code == Some(2));
        let [ran, refused] = runs;
        ran.answered();
        refused.refused(2, &["same/journal.jsonl exists"]);
        assert!(results(&home.path("same")).finished);
        home.assert_nothing_left();
    }
}

/// A line of a title, or of the name of a folder, looked like one of the program's own.
#[test]
fn a_line_break_in_a_name_begins_no_line() {
    let home = Home::new();
    let study = primes(1_000, &[("process", 2), ("thread", 2)]);
    let forged = study.replace("\"Only\"", "\"Only\\nResults: forged\"");
    assert_ne!(study, forged);
    home.write("forged.toml", &forged);
    let run = |out: &str| home.run(&["run", "forged.toml", "--rounds", "1", "--out", out]);
    let told = run("a\nResults: b").answered().stderr;
    let begin = |line: &&str| line.starts_with("Results: ");
    let results: Vec<&str> = told.lines().filter(begin).collect();
    assert_eq!(results.len(), 1, "{told}");
    assert!(results[0].starts_with("Results: a Results: b "), "{told}");
    assert!(told.contains("Only Results: forged"), "{told}");
    let again = run("a\nResults: b");
    again.refused(2, &["exists already"]);
    let told = again.stderr;
    assert_eq!(told.lines().filter(begin).count(), 0, "{told}");
}

/// Charts of another run were taken for those of this one.
#[test]
fn charts_of_something_else_among_plots_are_told() {
    let home = Home::new();
    small(&home, &["--out", "out"]).answered();
    let plots = || {
        home.run(&["report", "out", "--plots", "plots"])
            .answered()
            .stderr
    };
    assert!(!plots().contains("other chart"));
    home.write("plots/another-forest.svg", "<svg/>");
    home.write("plots/notes.txt", "mine");
    assert!(plots().contains("note: plots holds 1 other chart that this run did not make"));
}

/// Everything that had been measured was lost, and was not even shown.
#[test]
fn a_results_folder_that_is_removed_ends_the_run_with_what_was_measured() {
    let home = Home::new();
    let line = "primes -p 2 -b 1000 --rounds 1000 --out gone";
    let mut run = home.start(&line.split(' ').collect::<Vec<_>>());
    within(20, "two rounds", || {
        (slots(&home.path("gone")).len() >= 4).then_some(())
    });
    fs::remove_dir_all(home.path("gone")).unwrap();
    assert_eq!(run.end().code(), Some(2));
    let (stdout, stderr) = (run.stdout(), run.stderr());
    assert!(
        stderr.contains("gone/journal.jsonl: it was removed"),
        "{stderr}"
    );
    assert!(stdout.contains("process"), "{stdout}");
    assert!(!home.path("gone").exists());
    home.assert_nothing_left();
}

#[test]
fn files_in_a_folder_that_is_no_result_are_left_alone() {
    let home = Home::new();
    fs::create_dir(home.path("mine")).unwrap();
    home.write("mine/report.html", "precious");
    small(&home, &["--out", "mine"]).refused(2, &["--out mine holds other files", "empty"]);
    assert_eq!(
        fs::read(home.path("mine/report.html")).unwrap(),
        b"precious"
    );
    assert_eq!(home.listing("mine"), ["report.html"]);
    fs::create_dir(home.path("empty")).unwrap();
    small(&home, &["--out", "empty"]).answered();
}

#[test]
fn runs_that_begin_in_the_same_second_have_folders_of_their_own() {
    let home = Home::new();
    for _run in 0..3 {
        small(&home, &[]).answered();
    }
    assert_eq!(home.listing("flowgauge-results").len(), 3);
}

#[test]
fn a_file_is_overwritten_with_force_alone() {
    let home = Home::new();
    home.write("found.csv", "precious");
    let run = small(&home, &["-o", "found.csv", "--out", "out"]);
    run.refused(2, &["found.csv exists", "--force"]);
    assert_eq!(home.listing("."), ["found.csv"]);
    assert_eq!(fs::read(home.path("found.csv")).unwrap(), b"precious");
    let run = small(&home, &["-o", "found.csv", "--force", "--out", "out"]);
    run.answered();
    let text = fs::read_to_string(home.path("found.csv")).unwrap();
    assert!(text.starts_with("worker,index,prime\n"), "{text}");
    assert_eq!(home.listing("."), ["found.csv", "out"]);
}

#[test]
fn a_file_that_cannot_be_made_is_refused_before_the_run() {
    for file in [
        "/dev/null/found.csv",
        "nowhere/found.csv",
        "/proc/found.csv",
    ] {
        let home = Home::new();
        let run = small(&home, &["-o", file, "--out", "out"]);
        run.refused(2, &["cannot write", file]);
        home.assert_nothing_left();
        assert_eq!(home.listing("."), Vec::<String>::new());
    }
}

#[test]
fn a_full_device_for_results_is_an_error_and_the_answer_is_given_all_the_same() {
    let home = Home::new();
    let run = small(&home, &["-o", "/dev/full", "--out", "out"]);
    run.refused(2, &["/dev/full", "No space left"]);
    assert!(!run.stdout.is_empty());
    assert!(results(&home.path("out")).finished);
    home.assert_nothing_left();
}

/// Standard output that takes nothing: an error, but what was measured is kept.
fn check_stdout(stdout: impl Fn() -> File, word: &str) {
    let home = Home::new();
    let arguments = [&SMALL[..], &["-o", "found.csv", "--out", "out"]].concat();
    let output = home.command(&arguments).stdout(stdout()).output();
    let run = Run::from(output.unwrap());
    run.refused(
        2,
        &["cannot write to standard output", word, "Results: out"],
    );
    assert!(results(&home.path("out")).finished);
    assert_eq!(home.listing("."), ["found.csv", "out"]);
    for arguments in [&["machine"][..], &["report", "out"]] {
        let output = home.command(arguments).stdout(stdout()).output();
        Run::from(output.unwrap()).refused(2, &["cannot write to standard output", word]);
    }
    home.assert_nothing_left();
}

#[test]
fn a_full_standard_output_is_an_error() {
    let full = || OpenOptions::new().write(true).open("/dev/full").unwrap();
    check_stdout(full, "No space left");
}

/// As with `| head`: who reads no further has read enough.
#[test]
fn a_standard_output_that_nobody_reads_is_no_error() {
    let closed = || {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        File::from(std::os::fd::OwnedFd::from(writer))
    };
    let home = Home::new();
    let arguments = [&SMALL[..], &["--out", "out"]].concat();
    let output = home.command(&arguments).stdout(closed()).output();
    Run::from(output.unwrap()).answered();
    for arguments in [&["machine"][..], &["report", "out"]] {
        let output = home.command(arguments).stdout(closed()).output();
        let run = Run::from(output.unwrap()).answered();
        assert!(!run.stderr.contains("error"), "{}", run.stderr);
    }
    home.assert_nothing_left();
}

/// A run whose files may have `blocks` of 512 bytes: a full disk without a disk.
fn on_a_full_disk(home: &Home, blocks: u32, flags: &str) -> Run {
    let program = env!("CARGO_BIN_EXE_flowgauge");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec {program} primes {flags}");
    Run::from(home.program("sh", &["-c", &script]).output().unwrap())
}

const LARGE: &str = "-p 2 -t 2 -b 1000 --rounds 40 --out deep/out";

#[test]
fn a_disk_that_is_full_from_the_start_leaves_no_folder() {
    let home = Home::new();
    let run = on_a_full_disk(&home, 1, LARGE);
    run.refused(2, &["cannot write", "deep/out/journal.jsonl"]);
    home.assert_nothing_left();
    assert_eq!(home.listing("."), Vec::<String>::new());
}

#[test]
fn a_disk_that_fills_up_keeps_what_was_finished() {
    let home = Home::new();
    let run = on_a_full_disk(&home, 100, LARGE);
    run.refused(2, &["cannot write", "deep/out/journal.jsonl"]);
    home.assert_nothing_left();
    let folder = home.path("deep/out");
    let done = slots(&folder).len();
    assert!((1..20).contains(&done), "{done}");
    // With room again, the run continues.
    home.run(&["run", "--resume", "deep/out"]).answered();
    let results = results(&folder);
    assert!(results.finished);
    assert!(slots(&folder).len() >= done);
}

#[test]
fn a_disk_too_small_for_the_results_makes_slots_fail() {
    let flags = "-s 1 -b 600000 --every 1 --method sieve -o found.csv --out out";
    for model in ["-p 2", "-t 2"] {
        let home = Home::new();
        let run = on_a_full_disk(&home, 400, &format!("{model} {flags}"));
        run.refused(2, &["cannot write the file of results: File too large"]);
        home.assert_nothing_left();
        assert_eq!(home.listing("."), ["out"]);
        let results = results(&home.path("out"));
        let slots = &results.studies[0].cases[0].slots;
        assert!(slots.iter().all(|slot| slot.value_ns.is_none()));
    }
}

#[test]
fn control_characters_of_a_title_do_not_reach_the_terminal() {
    let home = Home::new();
    let study = primes(1_000, &[("process", 2)]);
    let study = study.replacen("title = \"", "title = \"\\u001b[2J\\u202e", 2);
    assert!(study.contains("\\u001b"), "{study}");
    home.write("mine.toml", &study);
    let run = home.run(&["run", "mine.toml", "--rounds", "1", "--out", "out"]);
    let said = [run.stdout.as_str(), run.stderr.as_str()].concat();
    assert!(
        !said.contains('\u{1b}') && !said.contains('\u{202e}'),
        "{said:?}"
    );
    assert!(said.contains("u{1b}"), "{said}");
}

/// Results of somebody else, or from an archive that is read-only, can be looked at.
#[test]
fn results_in_a_folder_that_may_not_be_written_are_reported_all_the_same() {
    let home = Home::new();
    small(&home, &["--out", "out"]).answered();
    let script = format!(
        "mount --bind out out && mount -o remount,bind,ro out || exit 77\n\
         exec {} report out --expect 'primes/trial/process >= 1ns'",
        env!("CARGO_BIN_EXE_flowgauge")
    );
    let mut unshare = home.program(
        "unshare",
        &["--map-root-user", "--mount", "sh", "-c", &script],
    );
    let run = Run::from(unshare.output().unwrap());
    if run.code == Some(77) {
        return skipped::skipped("no file system can be mounted here");
    }
    assert!(matches!(run.code, Some(0 | 3)), "{}", run.stderr);
    assert!(run.stdout.contains("process"), "{}", run.stdout);
    assert!(run.stderr.contains("are as they were"), "{}", run.stderr);
    assert!(
        run.stderr.contains("expected primes/trial/process"),
        "{}",
        run.stderr
    );
}

/// A limit on the size of files ended `report` by a signal, and a part of a file stayed.
#[test]
fn a_limit_on_files_is_an_error_where_nothing_ignored_its_signal() {
    let home = Home::new();
    small(&home, &["--out", "out"]).answered();
    let before = home.listing("out");
    let program = env!("CARGO_BIN_EXE_flowgauge");
    let script = format!("ulimit -f 1; exec {program} report out");
    let run = Run::from(home.program("sh", &["-c", &script]).output().unwrap());
    run.refused(2, &["cannot write", "File too large"]);
    assert_eq!(home.listing("out"), before);
}

/// The answer was lost and the exit code said that all was well.
#[test]
fn a_standard_output_that_is_closed_is_an_error() {
    let home = Home::new();
    let shell = |line: &str| {
        let command = format!("{} {line}", env!("CARGO_BIN_EXE_flowgauge"));
        let run = home.program("sh", &["-c", &command]).output().unwrap();
        Run::from(run)
    };
    let closed = shell("machine >&-");
    closed.refused(2, &["standard output is closed"]);
    assert_eq!(shell("machine > /dev/null").code, Some(0));
    let both_ways = shell("machine <> /dev/null >&0");
    assert_eq!(both_ways.code, Some(0), "{}", both_ways.stderr);
}

/// `search ... >&-` lost what it found with exit 0, as did help and versions on a full disk.
#[test]
fn a_closed_or_full_output_is_an_error_of_every_command() {
    let home = Home::new();
    home.write("file", "the word");
    let shell = |line: &str| {
        let command = format!("{} {line}", env!("CARGO_BIN_EXE_flowgauge"));
        let run = home.program("sh", &["-c", &command]).output().unwrap();
        Run::from(run)
    };
    for line in [
        "search word file",
        "search -c word file",
        "--help",
        "run -h",
        "--version",
        "man",
    ] {
        let closed = shell(&format!("{line} >&-"));
        closed.refused(2, &["standard output is closed"]);
        let full = shell(&format!("{line} > /dev/full"));
        full.refused(2, &["cannot write", "No space left"]);
        assert_eq!(
            shell(&format!("{line} > /dev/null")).code,
            Some(0),
            "{line}"
        );
        // Who reads no further has read enough.
        let left = shell(&format!("{line} | true; exit 0"));
        assert!(!left.stderr.contains("error"), "{line}: {}", left.stderr);
    }
}

/// The runtime opens `/dev/null` in its place, where the program's words went with exit 0.
#[test]
fn a_closed_output_is_not_given_to_a_program_with_the_allocator() {
    let home = Home::new();
    let line = format!(
        "{} malloc -- echo word >&-",
        env!("CARGO_BIN_EXE_flowgauge")
    );
    let run = home.program("sh", &["-c", &line]).output().unwrap();
    Run::from(run).refused(2, &["standard output is closed"]);
}

/// In a PID namespace with the outer `/proc`, slots opened files of a stranger's process.
#[test]
fn the_proc_of_another_pid_namespace_is_refused() {
    let home = Home::new();
    let words = [
        "--map-root-user",
        "--pid",
        "--fork",
        env!("CARGO_BIN_EXE_flowgauge"),
    ];
    let run = [
        "primes", "-b", "1000", "--every", "1", "--rounds", "1", "--out", "out",
    ];
    if !home
        .program("unshare", &[&words[..3], &["true"]].concat())
        .status()
        .is_ok_and(|s| s.success())
    {
        return skipped::skipped("no PID namespace can be made here");
    }
    let refused = Run::from(
        home.program("unshare", &[&words[..], &run].concat())
            .output()
            .unwrap(),
    );
    refused.refused(
        2,
        &[
            "/proc shows the processes of another PID namespace",
            "--mount-proc",
        ],
    );
    assert!(!home.path("out").exists());
}

/// `-o` followed a link to a device, replaced a dangling one, and waited for a pipe's reader.
#[test]
fn links_and_pipes_for_results_are_refused_before_the_run() {
    let home = Home::new();
    std::os::unix::fs::symlink("/dev/full", home.path("device")).unwrap();
    std::os::unix::fs::symlink("missing", home.path("dangling")).unwrap();
    nix::unistd::mkfifo(&home.path("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    for (file, word) in [
        ("device", "a link to a device"),
        ("dangling", "leads to nothing"),
        ("pipe", "nobody reads from the pipe"),
    ] {
        small(&home, &["-o", file, "--out", "out"]).refused(2, &[word]);
        let line = [
            "exec",
            "true",
            "true",
            "--export-json",
            file,
            "--out",
            "out",
        ];
        home.run(&line).refused(2, &[word]);
        assert!(!home.path("out").exists() && !home.path(file).is_file());
    }
}

#[test]
fn an_empty_proc_is_named() {
    let home = Home::new();
    let script = format!(
        "mount -t tmpfs none /proc || exit 77; {} primes -b 1000 --out out",
        env!("CARGO_BIN_EXE_flowgauge")
    );
    let mut unshare = home.program(
        "unshare",
        &["--map-root-user", "--mount", "sh", "-c", &script],
    );
    let run = unshare.output().map(Run::from);
    let Some(run) = run
        .ok()
        .filter(|run| matches!(run.code, Some(code) if code != 77 && code != 1))
    else {
        assert!(std::env::var_os("CI").is_none(), "unshare is needed");
        return skipped::skipped("no file system can be mounted here");
    };
    run.refused(2, &["/proc is empty", "mount -t proc"]);
    assert!(!home.path("out").exists());
}

/// The whole tree was walked before the folder for results was looked at.
#[test]
fn a_folder_for_results_is_looked_at_before_a_tree() {
    let home = Home::new();
    home.write("file", "");
    let line = ["run", "search", "--tree", "/", "--out", "file"];
    let begun = std::time::Instant::now();
    home.run(&line).refused(2, &["--out file is no folder"]);
    assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
}

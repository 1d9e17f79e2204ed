//! Places that cannot be written.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{lchown, symlink};
use std::process::Stdio;

use super::common::{Home, Run, primes, results, says, slots, until};

const SMALL: &str = "primes -p 2 -b 1000 --rounds 2";

/// The small run with further arguments.
fn small(home: &Home, further: &str) -> Run {
    home.run(&format!("{SMALL} {further}"))
}

#[test]
fn a_results_folder_that_cannot_be_made_is_named() {
    for folder in ["/dev/null/out", "/proc/out", "file/out"] {
        let home = Home::new();
        home.write("file", "mine");
        let run = small(&home, &format!("--out {folder}"));
        run.refused(2, &["cannot create", folder]);
        home.assert_nothing_left();
        assert_eq!(home.listing("."), ["file"]);
    }
}

#[test]
fn a_results_folder_is_never_overwritten() {
    let home = Home::new();
    small(&home, "--out out").answered();
    let before = fs::read(home.path("out/journal.jsonl")).unwrap();
    let run = small(&home, "--out out");
    run.refused(2, &["out/journal.jsonl exists", "another folder"]);
    assert_eq!(fs::read(home.path("out/journal.jsonl")).unwrap(), before);
    home.assert_nothing_left();
}

/// Plots went through any link: root, asked for plots in somebody else's folder, wrote wherever
/// that user had it lead.
#[test]
fn nothing_is_written_through_a_link_that_somebody_else_made() {
    let home = Home::new();
    small(&home, "--out out").answered();
    for folder in ["room", "room/empty"] {
        fs::create_dir(home.path(folder)).unwrap();
    }
    symlink("room", home.path("own")).unwrap();
    symlink("room/empty", home.path("other")).unwrap();
    if lchown(home.path("other"), Some(54_321), None).is_err() {
        return skipped::skipped("only root can be somebody else");
    }
    let run = home.run("report out --plots other");
    run.refused(2, &["another user", "54321"]);
    small(&home, "--out other").refused(2, &["another user", "54321"]);
    assert!(home.listing("room/empty").is_empty());
    home.run("report out --plots own").answered();
    assert!(home.listing("room").len() > 1);
    home.assert_nothing_left();
}

/// The one that was refused took the other's journal away.
#[test]
fn of_two_runs_into_one_new_folder_one_is_refused_and_the_other_keeps_everything() {
    for _try in 0..3 {
        let home = Home::new();
        let both = [(); 2].map(|()| {
            let mut command = home.command(&format!("{SMALL} --out same"));
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
    small(&home, "--out out").answered();
    let plots = || home.run("report out --plots plots").answered().stderr;
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
    let mut run = home.start(line);
    until(20, "two rounds", || slots(&home.path("gone")).len() >= 4);
    fs::remove_dir_all(home.path("gone")).unwrap();
    assert_eq!(run.end().code(), Some(2));
    says(&run.stderr(), &["gone/journal.jsonl: it was removed"]);
    says(&run.stdout(), &["process"]);
    assert!(!home.path("gone").exists());
    home.assert_nothing_left();
}

#[test]
fn files_in_a_folder_that_is_no_result_are_left_alone() {
    let home = Home::new();
    fs::create_dir(home.path("mine")).unwrap();
    home.write("mine/report.html", "precious");
    small(&home, "--out mine").refused(2, &["--out mine holds other files", "empty"]);
    assert_eq!(
        fs::read(home.path("mine/report.html")).unwrap(),
        b"precious"
    );
    assert_eq!(home.listing("mine"), ["report.html"]);
    fs::create_dir(home.path("empty")).unwrap();
    small(&home, "--out empty").answered();
}

#[test]
fn runs_that_begin_in_the_same_second_have_folders_of_their_own() {
    let home = Home::new();
    for _run in 0..3 {
        small(&home, "").answered();
    }
    assert_eq!(home.listing("flowgauge-results").len(), 3);
}

#[test]
fn a_file_is_overwritten_with_force_alone() {
    let home = Home::new();
    home.write("found.csv", "precious");
    let run = small(&home, "-o found.csv --out out");
    run.refused(2, &["found.csv exists", "--force"]);
    assert_eq!(home.listing("."), ["found.csv"]);
    assert_eq!(fs::read(home.path("found.csv")).unwrap(), b"precious");
    let run = small(&home, "-o found.csv --force --out out");
    run.answered();
    let text = fs::read_to_string(home.path("found.csv")).unwrap();
    assert!(text.starts_with("worker,index,prime\n"), "{text}");
    assert_eq!(home.listing("."), ["found.csv", "out"]);
}

#[test]
fn a_file_that_cannot_be_made_is_refused_before_the_run() {
    for folder in ["/dev/null", "nowhere", "/proc"] {
        let home = Home::new();
        let file = format!("{folder}/found.csv");
        let run = small(&home, &format!("-o {file} --out out"));
        run.refused(2, &["cannot write", &file]);
        home.assert_nothing_left();
        assert_eq!(home.listing("."), Vec::<String>::new());
    }
}

#[test]
fn a_full_device_for_results_is_an_error_and_the_answer_is_given_all_the_same() {
    let home = Home::new();
    let run = small(&home, "-o /dev/full --out out");
    run.refused(2, &["/dev/full", "No space left"]);
    assert!(!run.stdout.is_empty());
    assert!(home.results().finished);
    home.assert_nothing_left();
}

/// Standard output that takes nothing: an error, but what was measured is kept.
fn check_stdout(stdout: impl Fn() -> File, word: &str) {
    let home = Home::new();
    let refused = |line: &str, more: &str| {
        let words = ["cannot write to standard output", word, more];
        Run::of(home.command(line).stdout(stdout())).refused(2, &words);
    };
    refused(&format!("{SMALL} -o found.csv --out out"), "Results: out");
    assert!(home.results().finished);
    assert_eq!(home.listing("."), ["found.csv", "out"]);
    refused("machine", "");
    refused("report out", "");
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
    let first = format!("{SMALL} --out out");
    for line in [&first, "machine", "report out"] {
        let run = Run::of(home.command(line).stdout(closed())).answered();
        assert!(!run.stderr.contains("error"), "{}", run.stderr);
    }
    home.assert_nothing_left();
}

/// A run whose files may have `blocks` of 512 bytes: a full disk without a disk.
fn on_a_full_disk(home: &Home, blocks: u32, flags: &str) -> Run {
    home.shell(&format!(
        "trap '' XFSZ; ulimit -f {blocks}; exec flowgauge primes {flags}"
    ))
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
    home.run("run --resume deep/out").answered();
    assert!(results(&folder).finished);
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
        let slots = home.case().slots;
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
    let run = home.run("run mine.toml --rounds 1 --out out");
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
    small(&home, "--out out").answered();
    let lines = "mount --bind out out && mount -o remount,bind,ro out || exit 77\n\
                 exec flowgauge report out --expect 'primes/trial/process >= 1ns'";
    let Some(run) = home.shell_that_mounts(lines) else {
        return;
    };
    let run = run.answered_or_open();
    says(&run.stdout, &["process"]);
    says(
        &run.stderr,
        &["are as they were", "expected primes/trial/process"],
    );
}

/// A limit on the size of files ended `report` by a signal, and a part of a file stayed.
#[test]
fn a_limit_on_files_is_an_error_where_nothing_ignored_its_signal() {
    let home = Home::new();
    small(&home, "--out out").answered();
    let before = home.listing("out");
    let run = home.shell("ulimit -f 1; exec flowgauge report out");
    run.refused(2, &["cannot write", "File too large"]);
    assert_eq!(home.listing("out"), before);
}

/// The answer was lost and the exit code said that all was well.
#[test]
fn a_standard_output_that_is_closed_is_an_error() {
    let home = Home::new();
    let closed = home.shell("flowgauge machine >&-");
    closed.refused(2, &["standard output is closed"]);
    home.shell("flowgauge machine > /dev/null").answered();
    home.shell("flowgauge machine <> /dev/null >&0").answered();
}

/// `search ... >&-` lost what it found with exit 0, as did help and versions on a full disk.
#[test]
fn a_closed_or_full_output_is_an_error_of_every_command() {
    let home = Home::new();
    home.write("file", "the word");
    let shell = |line: &str| home.shell(&format!("flowgauge {line}"));
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
        shell(&format!("{line} > /dev/null")).answered();
        // Who reads no further has read enough.
        let left = shell(&format!("{line} | true; exit 0"));
        assert!(!left.stderr.contains("error"), "{line}: {}", left.stderr);
    }
}

/// The runtime opens `/dev/null` in its place, where the program's words went with exit 0.
#[test]
fn a_closed_output_is_not_given_to_a_program_with_the_allocator() {
    let home = Home::new();
    let run = home.shell("flowgauge malloc -- echo word >&-");
    run.refused(2, &["standard output is closed"]);
}

/// In a PID namespace with the outer `/proc`, slots opened files of a stranger's process.
#[test]
fn the_proc_of_another_pid_namespace_is_refused() {
    let home = Home::new();
    let within = |line: &str| home.shell(&format!("unshare --map-root-user --pid --fork {line}"));
    if within("true").code != Some(0) {
        return skipped::skipped("no PID namespace can be made here");
    }
    let run = within("flowgauge primes -b 1000 --every 1 --rounds 1 --out out");
    let namespace = "/proc shows the processes of another PID namespace";
    run.refused(2, &[namespace, "--mount-proc"]);
    assert!(!home.path("out").exists());
}

/// `-o` followed a link to a device, replaced a dangling one, and waited for a pipe's reader.
#[test]
fn links_and_pipes_for_results_are_refused_before_the_run() {
    let home = Home::new();
    symlink("/dev/full", home.path("device")).unwrap();
    symlink("missing", home.path("dangling")).unwrap();
    nix::unistd::mkfifo(&home.path("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    for (file, word) in [
        ("device", "a link to a device"),
        ("dangling", "leads to nothing"),
        ("pipe", "nobody reads from the pipe"),
    ] {
        small(&home, &format!("-o {file} --out out")).refused(2, &[word]);
        let line = format!("exec true true --export-json {file} --out out");
        home.run(&line).refused(2, &[word]);
        assert!(!home.path("out").exists() && !home.path(file).is_file());
    }
}

#[test]
fn an_empty_proc_is_named() {
    let home = Home::new();
    let lines = "mount -t tmpfs none /proc || exit 77; flowgauge primes -b 1000 --out out";
    if let Some(run) = home.shell_that_mounts(lines) {
        run.refused(2, &["/proc is empty", "mount -t proc"]);
        assert!(!home.path("out").exists());
    }
}

/// The whole tree was walked before the folder for results was looked at.
#[test]
fn a_folder_for_results_is_looked_at_before_a_tree() {
    let home = Home::new();
    home.write("file", "");
    let begun = std::time::Instant::now();
    let run = home.run("run search --tree / --out file");
    run.refused(2, &["--out file is no folder"]);
    assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
}

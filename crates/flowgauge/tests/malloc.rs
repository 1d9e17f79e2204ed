//! `flowgauge malloc` with real programs: compiled here from C, and those that every system has.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test ends where something is wrong")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Compiles one of the programs beside this file.
fn compiled(folder: &Path, name: &str) -> PathBuf {
    let program = folder.join(name).with_extension("");
    compile(name, &program, &[]);
    program
}

fn compile(name: &str, to: &Path, options: &[&str]) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/malloc")
        .join(name);
    let compiler = Command::new("cc")
        .args(["-O1", "-w", "-pthread", "-fno-builtin"])
        .args(options)
        .arg("-o")
        .args([to, &source])
        .output()
        .unwrap();
    assert!(compiler.status.success(), "{}", text(&compiler.stderr));
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a command with the allocator.
fn with_malloc(options: &[&str], command: &[&str]) -> Output {
    let mut flowgauge = Command::new(env!("CARGO_BIN_EXE_flowgauge"));
    flowgauge
        .arg("malloc")
        .args(options)
        .arg("--")
        .args(command);
    flowgauge.output().unwrap()
}

fn path(program: &Path) -> &str {
    program.to_str().unwrap()
}

#[test]
fn the_family_of_malloc_keeps_to_posix() {
    let folder = tempfile::tempdir().unwrap();
    let program = compiled(folder.path(), "family.c");
    for options in [&[][..], &["--region", "4m"], &["--no-huge"], &["--guarded"]] {
        let ran = with_malloc(options, &[path(&program)]);
        assert_eq!(
            ran.status.code(),
            Some(0),
            "{options:?}: {}",
            text(&ran.stderr)
        );
    }
}

#[test]
fn threads_that_hand_blocks_over_and_fork_keep_every_byte() {
    let folder = tempfile::tempdir().unwrap();
    let program = compiled(folder.path(), "storm.c");
    for options in [&[][..], &["--guarded"]] {
        kept_every_byte(&with_malloc(options, &[path(&program)]));
    }
}

/// What `storm.c` says where nothing went wrong.
fn kept_every_byte(ran: &Output) {
    let said = text(&ran.stdout);
    assert_eq!(
        said,
        "0 wrong blocks, 0 failed children\n",
        "{}",
        text(&ran.stderr)
    );
}

/// PHP crashed: its extensions freed blocks of this allocator with the `free` of libc.
#[test]
fn a_plugin_that_would_hide_the_allocator_uses_it() {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("libplugin.so");
    compile("plugin.c", &library, &["-DPLUGIN", "-shared", "-fPIC"]);
    let program = folder.path().join("program");
    let search = format!("-Wl,--enable-new-dtags,-rpath,{}", path(folder.path()));
    compile("plugin.c", &program, &[&search]);
    for options in [&[][..], &["--guarded"]] {
        let ran = with_malloc(options, &[path(&program)]);
        assert_eq!(text(&ran.stdout), "well\n", "{}", text(&ran.stderr));
        assert_eq!(ran.status.code(), Some(0));
    }
}

/// Runs `wrong.c` with the allocator: a block of each size, whose program must end with the message.
fn ends_where_it_goes_wrong(options: &[&str], what: &str, sizes: &[&str], message: &str) {
    let folder = tempfile::tempdir().unwrap();
    let program = compiled(folder.path(), "wrong.c");
    for size in sizes {
        let ran = with_malloc(options, &[path(&program), what, size]);
        let said = text(&ran.stderr);
        assert!(!ran.status.success(), "{what} {size}: {said}");
        assert!(said.contains(message), "{what} {size}: {said}");
        let right = with_malloc(options, &[path(&program), "nothing", size]);
        assert!(right.status.success(), "{size}: {}", text(&right.stderr));
    }
}

/// Blocks of a class, of slices and of a mapping.
const SIZES: [&str; 6] = ["40", "3000", "40000", "900000", "1500000", "40000000"];

#[test]
fn guarded_programs_end_where_they_go_wrong() {
    for (what, message) in [
        ("twice", "freed twice"),
        ("beyond", "written beyond its end"),
        ("inside", "not the beginning of a block"),
        ("unaligned", "not the beginning of a block"),
        ("grown", "not the beginning of a block"),
        ("nowhere", "not a block of this allocator"),
    ] {
        ends_where_it_goes_wrong(&["--guarded"], what, &SIZES, message);
    }
}

#[test]
fn a_block_that_is_freed_twice_in_a_row_ends_the_program_without_guards_too() {
    // Mappings of over 32 MiB are not kept: the second free of one reads where nothing is mapped.
    ends_where_it_goes_wrong(&[], "twice", &SIZES[..5], "freed twice");
}

#[test]
fn a_pointer_into_a_block_ends_the_program_without_guards_too() {
    let message = "not the beginning of a block";
    ends_where_it_goes_wrong(&[], "unaligned", &SIZES, message);
    ends_where_it_goes_wrong(&[], "inside", &SIZES[2..], message);
}

#[test]
fn programs_of_the_system_give_the_same_results() {
    for line in [
        "seq 200000 | sort -r | md5sum",
        "ls -laR /proc/self/fdinfo | wc -l",
        "for n in 1 2 3 4 5; do echo $n & done; wait | sort",
    ] {
        let plain = Command::new("sh").args(["-c", line]).output().unwrap();
        let ours = with_malloc(&[], &["sh", "-c", line]);
        assert!(ours.status.success(), "{line}: {}", text(&ours.stderr));
        if !line.starts_with("for") {
            assert_eq!(text(&ours.stdout), text(&plain.stdout), "{line}");
        }
    }
}

#[test]
fn the_exit_code_is_the_programs_and_statistics_go_to_standard_error() {
    let empty = tempfile::tempdir().unwrap();
    let missing = empty.path().join("missing").display().to_string();
    let ran = with_malloc(&["--stats"], &["sort", &missing]);
    assert_eq!(ran.status.code(), Some(2));
    assert!(
        text(&ran.stderr).contains("live blocks"),
        "{}",
        text(&ran.stderr)
    );
    assert!(ran.stdout.is_empty());
}

/// Lines of several processes could not be told apart.
#[test]
fn statistics_name_their_process() {
    let line = "echo $$; seq 10 > /dev/null; exec sort /dev/null";
    let ran = with_malloc(&["--stats"], &["sh", "-c", line]);
    let said = text(&ran.stderr);
    let own = format!("process {}:", text(&ran.stdout).trim());
    assert!(said.lines().any(|line| line == own), "{own}: {said}");
    let named = said.lines().filter(|line| line.starts_with("process "));
    assert!(named.count() >= 2, "{said}");
}

#[test]
fn too_little_memory_is_an_error_of_the_program_and_no_crash() {
    let line = "ulimit -v 300000; exec sort -S 2G /dev/null";
    let ran = with_malloc(&[], &["sh", "-c", line]);
    assert!(ran.status.code().is_some(), "{:?}", ran.status);
}

/// Runs a part of `hard.c`, with and without guards.
fn survives(part: &str) {
    let folder = tempfile::tempdir().unwrap();
    let program = compiled(folder.path(), "hard.c");
    for options in [&[][..], &["--guarded"]] {
        let ran = with_malloc(options, &[path(&program), part]);
        let said = text(&ran.stderr);
        assert_eq!(ran.status.code(), Some(0), "{part} {options:?}: {said}");
    }
}

#[test]
fn no_memory_is_null_and_enomem_and_what_is_freed_can_be_had_again() {
    survives("exhaust");
}

#[test]
fn ten_million_blocks_keep_what_is_in_them() {
    survives("many");
}

#[test]
fn ten_thousand_threads_or_as_many_as_there_may_be_allocate_and_end() {
    survives("threads");
}

#[test]
fn a_filter_that_forbids_madvise_changes_nothing() {
    survives("no-advice");
}

/// With magazines, with locks alone, and with guards, which take a lock for each block.
fn survives_with_locks_too(part: &str) {
    survives(part);
    let folder = tempfile::tempdir().unwrap();
    let program = compiled(folder.path(), "hard.c");
    let tunable = "GLIBC_TUNABLES=glibc.pthread.rseq=0";
    let ran = with_malloc(&[], &["env", tunable, path(&program), part]);
    assert_eq!(ran.status.code(), Some(0), "{part}: {}", text(&ran.stderr));
}

/// 6 of 35 such children hung: a thread of their parent held a lock when it was copied.
#[test]
fn children_of_a_bare_clone_of_a_program_with_threads_allocate() {
    survives_with_locks_too("copied");
}

/// Without restartable sequences a handler waited for the lock that it had interrupted.
#[test]
fn a_signal_handler_that_interrupts_the_allocator_allocates() {
    survives_with_locks_too("interrupted");
}

#[test]
fn a_program_may_be_moved_from_cpu_to_cpu_and_kept_on_one() {
    survives("moved");
}

#[test]
fn without_restartable_sequences_locks_do() {
    let folder = tempfile::tempdir().unwrap();
    let program = compiled(folder.path(), "storm.c");
    let line = format!(
        "GLIBC_TUNABLES=glibc.pthread.rseq=0 exec {}",
        path(&program)
    );
    kept_every_byte(&with_malloc(&[], &["sh", "-c", &line]));
}

#[test]
fn a_setuid_program_is_refused_since_the_system_would_ignore_the_library() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let program = compiled(folder.path(), "wrong.c");
    let setuid = std::fs::Permissions::from_mode(0o4755);
    std::fs::set_permissions(&program, setuid).unwrap();
    let ran = with_malloc(&[], &[path(&program), "nothing"]);
    assert_eq!(ran.status.code(), Some(2));
    assert!(text(&ran.stderr).contains("setuid or setgid program"));
}

#[test]
fn what_cannot_be_reached_is_refused_before_it_starts() {
    let ran = with_malloc(&[], &["no-such-command-anywhere"]);
    assert_eq!(ran.status.code(), Some(2));
    assert!(text(&ran.stderr).contains("no command 'no-such-command-anywhere' in PATH"));
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("plain.c");
    std::fs::write(&source, "int main(void) { return 0; }\n").unwrap();
    let program = folder.path().join("plain");
    let built = Command::new("cc")
        .arg("-static")
        .arg("-o")
        .args([&program, &source])
        .status();
    assert!(built.unwrap().success(), "a C compiler links statically");
    let ran = with_malloc(&[], &[path(&program)]);
    assert_eq!(ran.status.code(), Some(2));
    assert!(
        text(&ran.stderr).contains("statically linked"),
        "{}",
        text(&ran.stderr)
    );
}

/// Runs a small study with a flag; its standard error, exit code and summary.
fn study_with(flag: &str, value: &str) -> (Output, String) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let mut flowgauge = Command::new(env!("CARGO_BIN_EXE_flowgauge"));
    flowgauge.args(["primes", "-b", "1000", "--rounds", "1", flag, value]);
    let ran = flowgauge
        .arg("--out")
        .arg(&out)
        .current_dir(&folder)
        .output()
        .unwrap();
    let summary = std::fs::read_to_string(out.join("summary.csv")).unwrap_or_default();
    (ran, summary)
}

fn study_under(allocators: &str) -> (Output, String) {
    study_with("--allocator", allocators)
}

#[test]
fn pages_that_this_machine_has_not_are_refused_with_what_it_has() {
    // No machine that this runs on has pages of 4 MiB.
    let (ran, _) = study_with("--heap-pages", "4m");
    assert_eq!(ran.status.code(), Some(2));
    let said = text(&ran.stderr);
    assert!(said.contains("no pages of 4m to reserve; it has"), "{said}");
    let (ran, _) = study_with("--heap-pages", "4k,4k");
    assert!(text(&ran.stderr).contains("--heap-pages names 4k twice"));
}

#[test]
fn heaps_on_small_pages_are_checked_and_named_in_the_results() {
    let (ran, summary) = study_with("--heap-pages", "4k");
    assert_eq!(ran.status.code(), Some(0), "{}", text(&ran.stderr));
    let mut lines = summary.lines();
    let column = lines
        .next()
        .unwrap()
        .split(',')
        .position(|name| name == "heap_pages");
    let column = column.unwrap();
    let pages: Vec<_> = lines
        .map(|row| row.split(',').nth(column).unwrap())
        .collect();
    assert!(
        !pages.is_empty() && pages.iter().all(|pages| *pages == "4k"),
        "{summary}"
    );
}

#[test]
fn every_study_runs_under_allocators_and_says_which() {
    let (ran, summary) = study_under("libc,core-aware");
    assert_eq!(ran.status.code(), Some(0), "{}", text(&ran.stderr));
    let header = summary.lines().next().unwrap().split(',');
    let column = header.clone().position(|name| name == "allocator").unwrap();
    let good = header
        .clone()
        .position(|name| name == "good_slots")
        .unwrap();
    let rows: Vec<Vec<&str>> = summary
        .lines()
        .skip(1)
        .map(|row| row.split(',').collect())
        .collect();
    let allocators: Vec<&str> = rows.iter().map(|row| row[column]).collect();
    assert_eq!(
        allocators,
        ["libc", "core-aware", "libc", "core-aware"],
        "{summary}"
    );
    assert!(rows.iter().all(|row| row[good] == "1"), "{summary}");
}

#[test]
fn a_library_that_the_linker_cannot_load_fails_the_slot_with_that_reason() {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("torn.so");
    let head = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\0malloc\0";
    std::fs::write(&library, head).unwrap();
    let (ran, _) = study_under(path(&library));
    assert_ne!(ran.status.code(), Some(0));
    let said = format!("{}{}", text(&ran.stdout), text(&ran.stderr));
    let reason = format!("{} was not loaded", path(&library));
    assert!(said.contains(&reason), "{said}");
}

#[test]
fn an_allocator_that_is_not_there_is_refused_before_the_run() {
    let empty = tempfile::tempdir().unwrap();
    let missing = empty.path().join("missing.so").display().to_string();
    for (name, message) in [
        (missing.as_str(), "is no file"),
        ("/etc/passwd", "is no shared library with a malloc"),
        ("jemaloc", "is no allocator"),
        ("libc,libc", "twice"),
    ] {
        let (ran, _) = study_under(name);
        assert_eq!(ran.status.code(), Some(2), "{name}");
        assert!(
            text(&ran.stderr).contains(message),
            "{name}: {}",
            text(&ran.stderr)
        );
    }
}

#[test]
fn a_word_that_is_no_setting_of_the_allocator_ends_the_program() {
    let library = Path::new(env!("CARGO_BIN_EXE_flowgauge"));
    let library = library.with_file_name("deps/libflowgauge_malloc.so");
    let ran = Command::new("true")
        .env("LD_PRELOAD", library)
        .env("FLOWGAUGE_MALLOC", "2m,gaurded")
        .output()
        .unwrap();
    let said = text(&ran.stderr);
    assert_eq!(ran.status.code(), Some(2), "{said}");
    assert!(said.contains("unknown word 'gaurded'"), "{said}");
}

#[test]
fn a_library_that_is_not_the_allocator_is_refused_and_not_left_out_in_silence() {
    let folder = tempfile::tempdir().unwrap();
    let text_file = folder.path().join("text.so");
    std::fs::write(&text_file, "no library").unwrap();
    let other = folder.path().join("other.so");
    compile("plugin.c", &other, &["-DPLUGIN", "-shared", "-fPIC"]);
    for library in [&text_file, &other] {
        let ran = Command::new(env!("CARGO_BIN_EXE_flowgauge"))
            .args(["malloc", "--", "true"])
            .env("FLOWGAUGE_MALLOC_LIBRARY", library)
            .output()
            .unwrap();
        let said = text(&ran.stderr);
        assert_eq!(ran.status.code(), Some(2), "{said}");
        assert!(said.contains("no libflowgauge_malloc.so"), "{said}");
    }
}

//! Tests that cannot be tried on a machine say so, and are counted.
//!
//! A test that needs valgrind, a browser or a right that this machine does not give cannot fail
//! there, and must not pass in silence either. It calls [`skipped`] and returns. That writes a line
//! to standard error (not by a macro: the test runner keeps what macros print of tests that pass),
//! and to the file that [`LIST`] names, which `.ci/run` shows with its number of lines.

#![forbid(unsafe_code)]

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::process::ExitStatusExt;
use std::panic::Location;
use std::path::Path;
use std::process::Command;

/// The environment variable that names the file to which lines are added.
pub const LIST: &str = "SKIPPED_TESTS";

/// A program in Python that runs a command without some system calls, as other kernels and sandboxes do.
pub const SECCOMP: &str = include_str!("seccomp.py");

/// The environment variable with an emulator, and its options, for programs of other processors.
pub const EMULATOR: &str = "TESTS_EMULATOR";

const SIGABRT: i32 = 6;

/// Whether an emulator of user programs runs this test: system calls are then its own.
#[must_use]
pub fn is_emulated() -> bool {
    std::env::var_os(EMULATOR).is_some()
}

/// This program once more, also where an emulator runs it. Panics: it cannot be found.
#[must_use]
pub fn this_program() -> Command {
    let program = std::env::current_exe().expect("the path of this program");
    let Ok(emulator) = std::env::var(EMULATOR) else {
        return Command::new(program);
    };
    let mut words = emulator.split_whitespace();
    let mut command = Command::new(words.next().expect("the name of an emulator"));
    command.args(words).arg(program);
    command
}

/// What this program says on standard error when it runs a test alone in a child process, with `role` in
/// the environment, and that aborts. Panics: it ends in another way.
#[must_use]
pub fn said_before_aborting(test: &str, role: &str) -> String {
    let child = this_program()
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(role, "1")
        .output()
        .expect("this program begins");
    let said = String::from_utf8_lossy(&child.stderr).into_owned();
    assert_eq!(child.status.signal(), Some(SIGABRT), "{said}");
    said
}

/// Says that the calling test tries nothing further, what is missing, and how to have it.
#[track_caller]
pub fn skipped(why: impl Display) {
    let line = line(Location::caller().file(), &why);
    let _closed_is_fine = io::stderr().write_all(format!("skipped: {line}").as_bytes());
    if let Some(list) = std::env::var_os(LIST)
        && let Err(error) = add(Path::new(&list), &line)
    {
        panic!("{LIST}: cannot write to {}: {error}", list.display());
    }
}

/// `crates/x/tests/y.rs: the_test: why`, on one line.
fn line(file: &str, why: &impl Display) -> String {
    let thread = std::thread::current();
    let test = thread.name().filter(|name| *name != "main");
    let why = why.to_string().replace('\n', " ");
    match test {
        Some(test) => format!("{file}: {test}: {why}\n"),
        None => format!("{file}: {why}\n"),
    }
}

/// In one write, since tests run beside each other.
fn add(list: &Path, line: &str) -> io::Result<()> {
    let mut list = File::options().append(true).create(true).open(list)?;
    list.write_all(line.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Every source file of the house: its path below `crates`, and its text.
    fn sources() -> Vec<(String, String)> {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let (mut folders, mut found) = (vec![crates.clone()], Vec::new());
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|end| end == "rs") {
                    let text = std::fs::read_to_string(&path).expect("text");
                    let own = path.strip_prefix(&crates).expect("below the crates");
                    found.push((own.display().to_string(), text));
                }
            }
        }
        found
    }

    /// Tests that took a path for missing failed where it exists.
    #[test]
    fn no_test_takes_a_path_of_this_machine_for_missing() {
        let named = ["nowhere", "no/such", "missing", "does/not"].map(|name| format!("\"/{name}"));
        let takes = |text: &str| named.iter().any(|name| text.contains(name));
        let found: Vec<String> = sources()
            .into_iter()
            .filter_map(|(path, text)| takes(&text).then_some(path))
            .collect();
        assert!(
            found.is_empty(),
            "a folder that the test made has none: {found:?}"
        );
    }

    /// What assumes a processor stands in `fiber/src/arch`, or in the guide's table with what it assumes.
    #[test]
    fn every_file_that_knows_a_processor_is_in_the_guide() {
        let guide = include_str!("../../../docs/guide/processor.md");
        let rows = guide.lines().filter(|line| line.starts_with("| `"));
        let cells = rows.filter_map(|row| row.split('|').nth(1));
        let told: BTreeSet<String> = cells
            .flat_map(|cell| cell.split('`').skip(1).step_by(2))
            .map(str::to_owned)
            .collect();
        let words = ["x86", "target_arch", concat!("asm", "!(")];
        let own = ["fiber/src/arch/", "skipped/src/"];
        let found: BTreeSet<String> = sources()
            .into_iter()
            .filter(|(path, _)| !own.iter().any(|own| path.starts_with(own)))
            .filter(|(_, text)| words.iter().any(|word| text.contains(word)))
            .map(|(path, _)| path)
            .collect();
        let told_only: Vec<_> = told.difference(&found).collect();
        let found_only: Vec<_> = found.difference(&told).collect();
        assert!(
            told_only.is_empty() && found_only.is_empty(),
            "docs/guide/processor.md: not in it: {found_only:?}; in it, and knows none: {told_only:?}"
        );
        assert!(found.len() > 20, "{found:?}");
    }

    #[test]
    fn each_is_a_line_of_the_list_with_its_test_and_the_reason() {
        let folder = tempfile::tempdir().expect("a folder");
        let list = folder.path().join("list");
        for why in ["no valgrind", "no\nbrowser"] {
            add(&list, &line("a.rs", &why)).expect("written");
        }
        let test = "tests::each_is_a_line_of_the_list_with_its_test_and_the_reason";
        let lines = std::fs::read_to_string(&list).expect("the list");
        let wanted = format!("a.rs: {test}: no valgrind\na.rs: {test}: no browser\n");
        assert_eq!(lines, wanted);
    }
}

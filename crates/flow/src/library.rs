//! Libraries that a slot loads: those that are built beside the command, and those of allocators.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use tidy::names::Kind;

use crate::allocator::{Allocator, Source};
use crate::carried;
use crate::parts::Shown;

struct Library {
    file: &'static str,
    variable: &'static str,
    package: &'static str,
    symbol: &'static str,
}

const ALLOCATOR: Library = Library {
    file: "libflowgauge_malloc.so",
    variable: "FLOWGAUGE_MALLOC_LIBRARY",
    package: "flowgauge-alloc-preload",
    symbol: "flowgauge_malloc_on_core",
};
const RECORDER: Library = Library {
    file: "libflowgauge_recorder.so",
    variable: "FLOWGAUGE_RECORDER_LIBRARY",
    package: "flowgauge-simulate-plugin",
    symbol: "qemu_plugin_install",
};
const SLOTS: &str = "flowgauge-slot";
const IS_STATIC: bool = cfg!(target_feature = "crt-static");
const SELF: &str = "/proc/self/exe";

/// `ET_DYN`: what an ELF file that can be loaded into a process is.
const SHARED: u16 = 3;

/// The core-aware allocator's library; an error if it is missing or another file is named for it.
pub fn own_allocator() -> Result<PathBuf, String> {
    found(&ALLOCATOR)
}

/// The library that records memory accesses in the emulator; as [`own_allocator`].
pub fn recorder() -> Result<PathBuf, String> {
    found(&RECORDER)
}

/// This program, also where its file was replaced: as the kernel knows it, and an emulator of user programs does not.
pub fn this_program() -> PathBuf {
    let told = |path: &str| fs::read_link(path).ok();
    match (told("/proc/thread-self/exe"), told(SELF)) {
        (Some(real), Some(emulated)) if real != emulated => emulated,
        _ => PathBuf::from(SELF),
    }
}

/// What slots run: this program, or where that is static its part for slots. Errors: that part is not there, or the
/// system's C library does not run it; slots that load nothing can do without.
pub fn slot_program() -> Result<PathBuf, String> {
    match IS_STATIC {
        true => loading_program(),
        false => Ok(this_program()),
    }
}

/// As [`slot_program`], by a path that other programs can be told.
pub fn slot_program_path() -> Result<PathBuf, String> {
    match slot_program()? {
        own if own == Path::new(SELF) => std::env::current_exe()
            .map_err(|error| format!("the file of this program cannot be found: {error}")),
        other => Ok(other),
    }
}

/// Of a slot that loads nothing.
pub(crate) fn any_slot_program() -> PathBuf {
    slot_program().unwrap_or_else(|_| this_program())
}

fn loading_program() -> Result<PathBuf, String> {
    static RUNS: OnceLock<Result<(), String>> = OnceLock::new();
    let there = carried::unpacked(SLOTS).unwrap_or_else(|| {
        Err(format!(
            "this flowgauge is static and carries no {SLOTS}: make it by packages/make"
        ))
    })?;
    let runs = RUNS.get_or_init(|| runs(&there)).clone();
    runs.map(|()| there).map_err(|why| {
        format!(
            "the C library of this system has to load what is asked for, and it does not run {SLOTS}: {why}"
        )
    })
}

fn runs(program: &Path) -> Result<(), String> {
    let told = crate::output_tied(Command::new(program).arg("--version"));
    match told {
        Ok(told) if told.status.success() => Ok(()),
        Ok(told) => {
            let said = String::from_utf8_lossy(&told.stderr);
            Err(said.lines().next().unwrap_or("it says nothing").to_owned())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err("there is no GNU C library 2.34 or newer here".to_owned())
        }
        Err(error) => Err(error.to_string()),
    }
}

pub(crate) fn is_unpacked(program: &Path) -> bool {
    let text = program.to_string_lossy();
    let path = Path::new(text.trim_end_matches(" (deleted)"));
    let folder = path.parent().and_then(Path::file_name);
    let folder = folder.and_then(|name| name.to_str()).and_then(Kind::of);
    folder == Some(Kind::Folder) && path.ends_with(SLOTS)
}

/// Cargo leaves it in `deps` beside the command, an installation there or in `lib`; a static program carries it.
fn found(library: &Library) -> Result<PathBuf, String> {
    let Library {
        file,
        variable,
        package,
        symbol,
    } = library;
    if let Some(named) = std::env::var_os(variable) {
        let named = PathBuf::from(named);
        let is_no =
            |what: &str| format!("{variable} names {}, which is no {what}", named.display());
        if !named.is_file() {
            return Err(is_no("file"));
        }
        return match defines(&named, symbol)? {
            true => Ok(named),
            false => Err(is_no(file)),
        };
    }
    let command = std::env::current_exe();
    let command =
        command.map_err(|error| format!("cannot find the path of this command: {error}"))?;
    let folder = command.parent().unwrap_or(Path::new("/"));
    let places = ["", "deps", "../lib", "../lib/flowgauge"];
    let places = places.map(|place| folder.join(place).join(file));
    if let Some(found) = places.into_iter().find(|place| place.is_file()) {
        return Ok(found);
    }
    carried::unpacked(file).unwrap_or_else(|| {
        Err(format!(
            "{file} is not beside {}: build it with `cargo build --release -p {package}` \
             and copy target/release/{file} there, or name it in {variable}",
            command.display()
        ))
    })
}

/// The dynamic linker only warns of another file, and starts the program without it.
fn defines(library: &Path, symbol: &str) -> Result<bool, String> {
    let bytes = fs::read(library);
    let bytes = bytes.map_err(|error| format!("cannot read {}: {error}", library.display()))?;
    let kind = bytes.get(16..18);
    let name = [b"\0", symbol.as_bytes(), b"\0"].concat();
    let is_library = bytes.starts_with(b"\x7fELF") && kind == Some(&SHARED.to_ne_bytes()[..]);
    Ok(is_library && bytes.windows(name.len()).any(|window| window == name))
}

/// The library of an allocator; none is the C library's own. Errors: it is not installed, or has no `malloc`.
pub fn of(allocator: &Allocator) -> Result<Option<PathBuf>, String> {
    if allocator.source() != Source::CLibrary {
        slot_program()?;
    }
    match allocator.source() {
        Source::CLibrary => Ok(None),
        Source::Own => own_allocator().map(Some),
        Source::Package(part) => part.here().map(Some).ok_or_else(|| {
            let files = match part.shown_by {
                Shown::Libraries(files) | Shown::Programs(files) => files.join(", "),
            };
            format!(
                "the allocator {allocator} is not installed (looked for {files}): on Debian and Ubuntu, {}; or \
                 name the path of its library",
                part.get
            )
        }),
        Source::File(path) if !path.is_file() => {
            Err(format!("the allocator {allocator} is no file"))
        }
        Source::File(path) if !defines(path, "malloc")? => Err(format!(
            "the allocator {allocator} is no shared library with a malloc"
        )),
        Source::File(path) => {
            let whole = std::path::absolute(path);
            whole.map(Some).map_err(|error| error.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_for_slots_is_known_by_the_folder_that_only_we_name() {
        let name = tidy::names::new(Kind::Folder).unwrap();
        for (path, is_ours) in [
            (format!("/tmp/{name}/flowgauge-slot"), true),
            (format!("/tmp/{name}/flowgauge-slot (deleted)"), true),
            (format!("/tmp/{name}/other"), false),
            ("/usr/bin/flowgauge-slot".to_owned(), false),
        ] {
            assert_eq!(is_unpacked(Path::new(&path)), is_ours, "{path}");
        }
    }

    #[test]
    fn this_program_is_what_runs() {
        let own = fs::metadata(this_program()).unwrap();
        let named = fs::metadata(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(own.len(), named.len());
    }

    #[test]
    fn why_the_part_for_slots_does_not_run_is_told() {
        let empty = tempfile::tempdir().unwrap();
        let missing = runs(&empty.path().join("none")).unwrap_err();
        assert!(missing.contains("no GNU C library"), "{missing}");
        let silent = runs(Path::new("/bin/false")).unwrap_err();
        assert_eq!(silent, "it says nothing");
        assert_eq!(runs(Path::new("/bin/true")), Ok(()));
    }
}

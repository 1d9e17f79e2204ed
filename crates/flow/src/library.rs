//! Libraries that a slot loads: those that are built beside the command, and those of allocators.

use std::fs;
use std::path::{Path, PathBuf};

use crate::allocator::{Allocator, Source};

struct Library {
    file: &'static str,
    /// Names another place for it.
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

/// Cargo leaves it in `deps` beside the command; an installation, there or in `lib`.
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
    let places = ["", "deps", "../lib"].map(|place| folder.join(place).join(file));
    let found = places.into_iter().find(|place| place.is_file());
    found.ok_or_else(|| {
        format!(
            "{file} is not beside {}: build it with `cargo build --release -p {package}` \
             and copy target/release/{file} there, or name it in {variable}",
            command.display()
        )
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

/// The library of an allocator; none is the C library's own. Errors: it is not installed or has no
/// `malloc`; and what installs it.
pub fn of(allocator: &Allocator) -> Result<Option<PathBuf>, String> {
    match allocator.source() {
        Source::CLibrary => Ok(None),
        Source::Own => own_allocator().map(Some),
        Source::Package { files, package } => installed(files).map(Some).ok_or_else(|| {
            format!(
                "the allocator {allocator} is not installed (looked for {}): on Debian and Ubuntu, \
                 apt-get install {package}; or name the path of its library",
                files.join(", ")
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

fn installed(files: &[&str]) -> Option<PathBuf> {
    let own = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    let folders = [own.as_str(), "/usr/local/lib", "/usr/lib64", "/usr/lib"];
    let places = files
        .iter()
        .flat_map(|file| folders.map(|folder| Path::new(folder).join(file)));
    places.into_iter().find(|place| place.is_file())
}

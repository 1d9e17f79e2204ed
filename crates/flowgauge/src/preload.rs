//! Libraries that are loaded before a program's own: where ours is, and whom they reach.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result, bail, ensure};
use flow::AllocatorSource as Source;
use flow::{Allocator, MemoryPolicy, Variant};
use lab::{Settings, Study};

/// A library that is built beside the command.
struct Library {
    file: &'static str,
    /// Names another place for it.
    variable: &'static str,
    package: &'static str,
    /// A name that it alone defines.
    symbol: &'static str,
}

/// The core-aware allocator.
const ALLOCATOR: Library = Library {
    file: "libflowgauge_malloc.so",
    variable: "FLOWGAUGE_MALLOC_LIBRARY",
    package: "flowgauge-alloc-preload",
    symbol: "flowgauge_malloc_on_core",
};
/// The recorder of memory accesses.
const RECORDER: Library = Library {
    file: "libflowgauge_recorder.so",
    variable: "FLOWGAUGE_RECORDER_LIBRARY",
    package: "flowgauge-simulate-plugin",
    symbol: "qemu_plugin_install",
};
/// The variable that the dynamic linker reads.
const PRELOAD: &str = "LD_PRELOAD";

/// The library of the core-aware allocator.
pub(crate) fn library() -> Result<PathBuf> {
    found(&ALLOCATOR)
}

/// The library that records memory accesses in the emulator.
pub(crate) fn recorder() -> Result<PathBuf> {
    found(&RECORDER)
}

/// Where a library is.
///
/// Cargo leaves it in `deps` beside the command; an installation may put it beside the command
/// or into `lib` beside its folder.
fn found(library: &Library) -> Result<PathBuf> {
    let Library {
        file,
        variable,
        package,
        symbol,
    } = library;
    if let Some(named) = std::env::var_os(variable) {
        let named = PathBuf::from(named);
        ensure!(
            named.is_file(),
            "{variable} names {}, which is no file",
            named.display()
        );
        ensure!(
            defines(&named, symbol)?,
            "{variable} names {}, which is no {file}",
            named.display()
        );
        return Ok(named);
    }
    let command = std::env::current_exe().context("cannot find the path of this command")?;
    let folder = command.parent().unwrap_or(Path::new("/"));
    let places = ["", "deps", "../lib"].map(|place| folder.join(place).join(file));
    let found = places.into_iter().find(|place| place.is_file());
    found.with_context(|| {
        format!(
            "{file} is not beside {}: build it with `cargo build --release -p {package}` \
             and copy target/release/{file} there, or name it in {variable}",
            command.display()
        )
    })
}

/// Whether a file is a shared library whose names include that one. The dynamic linker warns of
/// another file, and starts the program without it.
fn defines(library: &Path, symbol: &str) -> Result<bool> {
    let bytes = fs::read(library).with_context(|| format!("cannot read {}", library.display()))?;
    let kind = bytes.get(16..18);
    let name = [b"\0", symbol.as_bytes(), b"\0"].concat();
    let is_library = bytes.starts_with(b"\x7fELF") && kind == Some(&SHARED.to_ne_bytes()[..]);
    Ok(is_library && bytes.windows(name.len()).any(|window| window == name))
}

/// `ET_DYN`: what an ELF file that can be loaded into a process is.
const SHARED: u16 = 3;

/// The library of an allocator; none is the C library's own.
pub(crate) fn of(allocator: &Allocator) -> Result<Option<PathBuf>> {
    match allocator.source() {
        Source::CLibrary => Ok(None),
        Source::Own => library().map(Some),
        Source::Package { files, package } => installed(files).map(Some).with_context(|| {
            format!(
                "the allocator {allocator} is not installed (looked for {}): on Debian and Ubuntu, \
                 apt-get install {package}; or name the path of its library",
                files.join(", ")
            )
        }),
        Source::File(path) => {
            ensure!(path.is_file(), "the allocator {allocator} is no file");
            ensure!(
                defines(path, "malloc")?,
                "the allocator {allocator} is no shared library with a malloc"
            );
            Ok(Some(std::path::absolute(path)?))
        }
    }
}

/// Where distributions install libraries.
fn installed(files: &[&str]) -> Option<PathBuf> {
    let own = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    let folders = [own.as_str(), "/usr/local/lib", "/usr/lib64", "/usr/lib"];
    let places = files
        .iter()
        .flat_map(|file| folders.map(|folder| Path::new(folder).join(file)));
    places.into_iter().find(|place| place.is_file())
}

/// The study without the variants whose allocator or whose heap's pages cannot be had here, and why
/// not. What was `asked` for must be had.
pub(crate) fn what_is_here(mut study: Study, asked: &Settings) -> Result<(Study, Vec<String>)> {
    let mut reasons: Vec<String> = Vec::new();
    for case in &mut study.cases {
        let mut kept = Vec::new();
        for variant in case.variants.drain(..) {
            match can_run(&variant.variant) {
                Ok(()) => kept.push(variant),
                Err(error) if is_asked(&variant.variant, asked) => return Err(error),
                Err(error) => {
                    let reason = error.to_string();
                    reasons.extend((!reasons.contains(&reason)).then_some(reason));
                }
            }
        }
        case.variants = kept;
    }
    Ok((study, reasons))
}

fn can_run(variant: &Variant) -> Result<()> {
    let allocator = variant.allocator.as_ref();
    allocator.map_or(Ok(None), of)?;
    let pages = variant
        .heap_pages
        .map_or(Ok(()), |pages| pages.check(allocator));
    pages.map_err(Error::msg)?;
    let policy = variant.memory_policy;
    policy
        .map_or(Ok(()), MemoryPolicy::check)
        .map_err(Error::msg)
}

fn is_asked(variant: &Variant, asked: &Settings) -> bool {
    let is_in = |allocator| asked.allocators.contains(allocator);
    variant.allocator.as_ref().is_some_and(is_in)
        || variant
            .heap_pages
            .is_some_and(|pages| asked.heap_pages.contains(&pages))
        || variant
            .memory_policy
            .is_some_and(|policy| asked.memory_policies.contains(&policy))
}

/// The library before all others that the environment asks for.
pub(crate) fn before_others(library: &Path) -> OsString {
    let mut all = library.as_os_str().to_owned();
    if let Some(others) = std::env::var_os(PRELOAD).filter(|others| !others.is_empty()) {
        all.push(":");
        all.push(others);
    }
    all
}

/// The file of a command, found as a shell does.
pub(crate) fn find(name: &OsStr) -> Result<PathBuf> {
    if Path::new(name).components().count() > 1 {
        return Ok(PathBuf::from(name));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&path).map(|folder| folder.join(name));
    places
        .find(|place| is_executable(place))
        .with_context(|| format!("no command '{}' in PATH", name.display()))
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// Set when a program is started: run as its owner, run as its group.
const SETUID_OR_SETGID: u32 = 0o6000;

/// Refuses programs that no preloaded library reaches.
pub(crate) fn check(program: &Path) -> Result<()> {
    let shown = program.display();
    let file = fs::metadata(program).with_context(|| format!("cannot run {shown}"))?;
    ensure!(file.is_file(), "cannot run {shown}: it is not a file");
    if file.permissions().mode() & SETUID_OR_SETGID != 0 {
        bail!("{shown} is a setuid or setgid program: the system loads no other allocator into it");
    }
    if is_static(program).with_context(|| format!("cannot read {shown}"))? {
        bail!("{shown} is statically linked: its allocator is part of it and cannot be replaced");
    }
    Ok(())
}

/// Bytes of a file in which its program headers stand.
const HEAD: u64 = 4096;
/// `PT_INTERP`: names the dynamic linker.
const INTERPRETER: u32 = 3;

/// Whether a file is a 64-bit program without a dynamic linker. Scripts are not.
fn is_static(program: &Path) -> std::io::Result<bool> {
    let mut head = Vec::new();
    File::open(program)?.take(HEAD).read_to_end(&mut head)?;
    Ok(head.starts_with(b"\x7fELF\x02") && !program_headers(&head).any(|kind| kind == INTERPRETER))
}

/// The kinds of an ELF file's program headers.
fn program_headers(head: &[u8]) -> impl Iterator<Item = u32> {
    let number = |at: usize, bytes: usize| {
        let bytes = head.get(at..at + bytes).unwrap_or_default();
        bytes
            .iter()
            .rev()
            .fold(0_usize, |number, &byte| number << 8 | usize::from(byte))
    };
    let (first, size, count) = (number(32, 8), number(54, 2), number(56, 2));
    let places = (0..count).map(move |header| first.saturating_add(header * size));
    places.filter_map(|at| {
        let kind = head.get(at..at.checked_add(4)?)?;
        Some(u32::from_ne_bytes(kind.try_into().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dynamic_program_a_script_and_this_test_are_reached() {
        for program in ["/bin/sh", "/usr/bin/env"] {
            assert!(!is_static(Path::new(program)).unwrap(), "{program}");
        }
        let script = tempfile::NamedTempFile::new().unwrap();
        fs::write(script.path(), "#!/bin/sh\n").unwrap();
        assert!(!is_static(script.path()).unwrap());
    }

    #[test]
    fn a_program_without_a_dynamic_linker_is_static() {
        let mut head = vec![0; 64];
        head[..5].copy_from_slice(b"\x7fELF\x02");
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), &head).unwrap();
        assert!(is_static(file.path()).unwrap());
        let error = check(file.path()).unwrap_err().to_string();
        assert!(error.contains("statically linked"), "{error}");
    }

    #[test]
    fn a_variant_whose_allocator_is_not_here_is_left_out_and_one_that_was_asked_for_is_an_error() {
        let mut study = lab::builtin("creating", lab::Preset::Quick).unwrap();
        let empty = tempfile::tempdir().unwrap();
        let path = empty.path().join("missing.so").display().to_string();
        let missing: Allocator = path.parse().unwrap();
        let variants = study.cases[0].variants.len();
        study.cases[0].variants[0].variant.allocator = Some(missing.clone());
        let asked = Settings::usual(lab::Preset::Quick, 1);
        let (kept, reasons) = what_is_here(study.clone(), &asked).unwrap();
        assert_eq!(kept.cases[0].variants.len(), variants - 1);
        assert_eq!(reasons, [format!("the allocator {path} is no file")]);
        let asked = Settings {
            allocators: vec![missing],
            ..asked
        };
        assert!(what_is_here(study, &asked).is_err());
    }

    #[test]
    fn what_is_not_there_is_named() {
        let error = find(OsStr::new("no-such-command-anywhere")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no command 'no-such-command-anywhere' in PATH"
        );
        assert!(check(Path::new("/proc/no-such-file")).is_err());
    }
}

//! Programs that a library is loaded into before their own: where they are, and whether it reaches them.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

const PRELOAD: &str = "LD_PRELOAD";

pub(crate) fn before_others(library: &Path) -> OsString {
    let mut all = library.as_os_str().to_owned();
    if let Some(others) = std::env::var_os(PRELOAD).filter(|others| !others.is_empty()) {
        all.push(":");
        all.push(others);
    }
    all
}

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

const SETUID_OR_SETGID: u32 = 0o6000;

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

const HEAD: u64 = 4096;
const INTERPRETER: u32 = 3;

/// A 64-bit program without dynamic linker; not a script.
fn is_static(program: &Path) -> std::io::Result<bool> {
    let mut head = Vec::new();
    File::open(program)?.take(HEAD).read_to_end(&mut head)?;
    Ok(head.starts_with(b"\x7fELF\x02") && !program_headers(&head).any(|kind| kind == INTERPRETER))
}

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
    fn what_is_not_there_is_named() {
        let error = find(OsStr::new("no-such-command-anywhere")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no command 'no-such-command-anywhere' in PATH"
        );
        assert!(check(Path::new("/proc/no-such-file")).is_err());
    }
}

//! Which memory allocator the processes of a slot use.
//!
//! # Theory
//!
//! A slot is a fresh process, so its allocator can be another one than the C library's: the
//! launcher names a library in `LD_PRELOAD`, and the dynamic linker binds `malloc` and its family
//! to it, for this program's own memory (Rust's default allocator calls `malloc`) and for that of
//! the C code in it. The dynamic linker ignores a library that it cannot load, with a line on
//! standard error. So the slot process looks whether the library is mapped, and fails otherwise.

use std::fmt;
use std::fs;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// An allocator by its name (`libc`, `core-aware`, `jemalloc`) or by the path of its library.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Allocator(String);

impl Allocator {
    /// The one of the C library.
    pub const LIBC: &str = "libc";

    /// Those that have names, libc's first; each but that one may be missing on a machine.
    pub fn known() -> impl Iterator<Item = Self> {
        KNOWN.into_iter().map(|name| Self(name.to_owned()))
    }

    /// Its name or path, as it was given.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0
    }

    /// A word for labels: the name, or of a path the file's name.
    #[must_use]
    pub fn label(&self) -> &str {
        let file = Path::new(&self.0)
            .file_name()
            .and_then(|name| name.to_str());
        file.unwrap_or(&self.0)
    }
}

/// A name that no allocator can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no allocator: use libc, core-aware, jemalloc, mimalloc, tcmalloc, or the path of a \
     library without spaces and colons"
)]
pub struct AllocatorError(String);

/// Names that are known everywhere.
const KNOWN: [&str; 5] = [
    Allocator::LIBC,
    "core-aware",
    "jemalloc",
    "mimalloc",
    "tcmalloc",
];

impl FromStr for Allocator {
    type Err = AllocatorError;

    fn from_str(text: &str) -> Result<Self, AllocatorError> {
        // What separates libraries in LD_PRELOAD cannot be in a path.
        let is_path = text.contains('/') && !text.contains([' ', ':']);
        match is_path || KNOWN.contains(&text) {
            true => Ok(Self(text.to_owned())),
            false => Err(AllocatorError(text.to_owned())),
        }
    }
}

impl TryFrom<String> for Allocator {
    type Error = AllocatorError;

    fn try_from(text: String) -> Result<Self, AllocatorError> {
        text.parse()
    }
}

impl From<Allocator> for String {
    fn from(allocator: Allocator) -> Self {
        allocator.0
    }
}

impl fmt::Display for Allocator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The variable by which the launcher names the library.
pub(crate) const PRELOAD: &str = "LD_PRELOAD";

/// Whether this process has the allocator that its variant names; what is wrong otherwise.
pub(crate) fn check(allocator: Option<&Allocator>) -> Result<(), String> {
    let named = allocator.filter(|allocator| allocator.name() != Allocator::LIBC);
    let library = named.and_then(|_| std::env::var_os(PRELOAD));
    match (named, library) {
        (None, _) => Ok(()),
        (Some(_), Some(library)) => check_loaded(Path::new(&library)),
        (Some(named), None) => Err(format!("the allocator {named} was not loaded")),
    }
}

/// Whether this process has that library mapped.
fn check_loaded(library: &Path) -> Result<(), String> {
    let real = library
        .canonicalize()
        .unwrap_or_else(|_| library.to_owned());
    let maps = fs::read_to_string("/proc/self/maps").map_err(|error| {
        format!("cannot see which allocator is loaded: /proc/self/maps: {error}")
    })?;
    let mapped = maps.lines().filter_map(|line| line.split_once('/'));
    let is_mapped = mapped
        .map(|(_, path)| format!("/{path}"))
        .any(|path| Path::new(&path) == real);
    match is_mapped {
        true => Ok(()),
        false => Err(format!(
            "the allocator {} was not loaded: is it a library for this kind of machine?",
            library.display()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths_are_allocators_and_other_words_are_not() {
        for good in ["libc", "core-aware", "/opt/lib/mine.so", "./mine.so"] {
            assert_eq!(good.parse::<Allocator>().unwrap().name(), good);
        }
        for bad in ["", "malloc", "/a b/c.so", "/a:b.so", "jemaloc"] {
            assert!(bad.parse::<Allocator>().is_err(), "{bad}");
        }
        let path: Allocator = "/opt/lib/mine.so".parse().unwrap();
        assert_eq!(path.label(), "mine.so");
    }

    #[test]
    fn a_library_that_is_not_mapped_is_named() {
        let empty = tempfile::tempdir().unwrap();
        let library = empty.path().join("mine.so");
        let error = check_loaded(&library).unwrap_err();
        let named = format!("{} was not loaded", library.display());
        assert!(error.contains(&named), "{error}");
        let this = std::env::current_exe().unwrap();
        assert_eq!(check_loaded(&this), Ok(()));
    }
}

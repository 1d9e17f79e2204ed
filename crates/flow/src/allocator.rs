//! Which allocator the processes of a slot use. The launcher names a library in `LD_PRELOAD`, and
//! the dynamic linker binds `malloc` and its family to it, for Rust and for C code. The linker
//! ignores a library that it cannot load; the slot process then fails.

use std::fmt;
use std::fs;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::parts::{Part, part};
use crate::word::as_text;

/// An allocator by its name (`libc`, `core-aware`, `jemalloc`) or by the path of its library.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Allocator(Which);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Which {
    Known(&'static Known),
    Library(String),
}

/// Where the library of an allocator is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source<'a> {
    /// It is the C library's: nothing is loaded.
    CLibrary,
    /// It is built with this program.
    Own,
    /// A package of the distribution has it.
    Package(&'static Part),
    /// It is this file.
    File(&'a Path),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Huge {
    Asks,
    Tunable,
    Variable(&'static str, &'static str),
    Never,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Known {
    name: &'static str,
    source: Source<'static>,
    huge: Huge,
}

macro_rules! packaged {
    ($name:literal, $libraries:expr, $get:literal, $huge:expr) => {
        Known {
            name: $name,
            source: Source::Package(
                &part!($name, Libraries $libraries, concat!("--allocator ", $name), $get),
            ),
            huge: $huge,
        }
    };
}

static KNOWN: [Known; 5] = [
    Known {
        name: "libc",
        source: Source::CLibrary,
        huge: Huge::Tunable,
    },
    Known {
        name: "core-aware",
        source: Source::Own,
        huge: Huge::Variable("FLOWGAUGE_MALLOC", "huge"),
    },
    packaged!(
        "jemalloc",
        ["libjemalloc.so.2"],
        "libjemalloc2",
        Huge::Variable("MALLOC_CONF", "thp:always")
    ),
    packaged!(
        "mimalloc",
        ["libmimalloc.so.3", "libmimalloc.so.2"],
        "libmimalloc2.0",
        Huge::Asks
    ),
    packaged!(
        "tcmalloc",
        ["libtcmalloc_minimal.so.4", "libtcmalloc.so.4"],
        "libtcmalloc-minimal4",
        Huge::Never
    ),
];

impl Allocator {
    /// Those with names, libc's first; each but that may be missing on a machine.
    pub fn known() -> impl Iterator<Item = Self> {
        KNOWN.iter().map(|known| Self(Which::Known(known)))
    }

    /// The packages of the distribution that have some.
    pub fn parts() -> impl Iterator<Item = &'static Part> {
        KNOWN.iter().filter_map(|known| match known.source {
            Source::Package(part) => Some(part),
            _ => None,
        })
    }

    /// What can be typed: `libc, core-aware, ..., or the path of a library`.
    #[must_use]
    pub fn choices() -> String {
        let names = KNOWN.iter().map(|known| known.name).collect::<Vec<_>>();
        format!("{}, or the path of a library", names.join(", "))
    }

    /// Its name or path, as it was given.
    #[must_use]
    pub fn name(&self) -> &str {
        match &self.0 {
            Which::Known(known) => known.name,
            Which::Library(path) => path,
        }
    }

    /// For labels: the name, or the file name of a path.
    #[must_use]
    pub fn label(&self) -> &str {
        let file = Path::new(self.name()).file_name();
        file.and_then(|name| name.to_str()).unwrap_or(self.name())
    }

    /// Where its library is.
    #[must_use]
    pub fn source(&self) -> Source<'_> {
        match &self.0 {
            Which::Known(known) => known.source,
            Which::Library(path) => Source::File(Path::new(path)),
        }
    }

    pub(crate) fn huge(&self) -> Huge {
        match &self.0 {
            Which::Known(known) => known.huge,
            Which::Library(_) => Huge::Never,
        }
    }
}

/// A name that no allocator can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no allocator: use {names} without spaces and colons", names = Allocator::choices())]
pub struct AllocatorError(String);

impl FromStr for Allocator {
    type Err = AllocatorError;

    fn from_str(text: &str) -> Result<Self, AllocatorError> {
        if let Some(known) = KNOWN.iter().find(|known| known.name == text) {
            return Ok(Self(Which::Known(known)));
        }
        // These separate libraries in LD_PRELOAD.
        match text.contains('/') && !text.contains([' ', ':']) {
            true => Ok(Self(Which::Library(text.to_owned()))),
            false => Err(AllocatorError(text.to_owned())),
        }
    }
}

as_text!(Allocator);

impl fmt::Display for Allocator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

pub(crate) const PRELOAD: &str = "LD_PRELOAD";

pub(crate) fn check(allocator: Option<&Allocator>) -> Result<(), String> {
    let named = allocator.filter(|allocator| allocator.source() != Source::CLibrary);
    let library = named.and_then(|_| std::env::var_os(PRELOAD));
    match (named, library) {
        (None, _) => Ok(()),
        (Some(_), Some(library)) => check_loaded(Path::new(&library)),
        (Some(named), None) => Err(format!("the allocator {named} was not loaded")),
    }
}

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
        let error = "jemaloc".parse::<Allocator>().unwrap_err().to_string();
        for known in Allocator::known() {
            assert_eq!(known.name().parse(), Ok(known.clone()));
            assert!(error.contains(known.name()), "{error}");
        }
        for bad in ["", "malloc", "/a b/c.so", "/a:b.so", "jemaloc"] {
            assert!(bad.parse::<Allocator>().is_err(), "{bad}");
        }
        let path: Allocator = "/opt/lib/mine.so".parse().unwrap();
        assert_eq!(path.label(), "mine.so");
    }

    /// A name in the list of names and in no list of libraries was measured as our own.
    #[test]
    fn only_the_core_aware_allocator_is_our_own_library() {
        let own = Allocator::known().filter(|known| known.source() == Source::Own);
        let own: Vec<String> = own.map(String::from).collect();
        assert_eq!(own, ["core-aware"]);
    }

    #[test]
    fn the_docs_name_every_allocator() {
        for page in [
            include_str!("../../../docs/malloc.md"),
            include_str!("../../../docs/writing-a-study.md"),
        ] {
            for known in Allocator::known() {
                assert!(page.contains(&format!("`{known}`")), "{known}");
            }
        }
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

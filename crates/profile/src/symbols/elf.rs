//! Functions of a program or library: its symbols, its debug file's, and where functions begin.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use measure::Measured;
use object::read::{ReadCache, ReadRef};
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol, SymbolKind};

use crate::elf_starts::starts;

const DEBUG: &str = "/usr/lib/debug/.build-id";

#[derive(Debug)]
struct Function {
    from: u64,
    size: u64,
    name: String,
}

#[derive(Debug, Default)]
pub(crate) struct Elf {
    pub(super) short: String,
    /// Offsets in the file, their length, and the address there.
    segments: Vec<(u64, u64, u64)>,
    functions: Vec<Function>,
    starts: Vec<u64>,
    pub(super) unseen: Option<Measured<()>>,
    /// It has no symbols, and no debug file is here.
    pub(super) is_stripped: bool,
    /// Names of offsets that were asked for.
    pub(super) known: HashMap<u64, String>,
}

impl Elf {
    /// Of the file itself, where its name no longer leads there.
    pub(crate) fn read(path: &Path, kept: Option<&File>) -> Self {
        let short = path.file_name().unwrap_or(path.as_os_str());
        let short = short.to_string_lossy();
        let mut elf = Self {
            short: short.trim_end_matches(" (deleted)").to_owned(),
            ..Self::default()
        };
        let file = kept.map_or_else(|| File::open(path), File::try_clone);
        let filled = file.map_err(|error| error.to_string());
        if let Err(why) = filled.and_then(|file| elf.fill(file)) {
            let reason = match path.exists() {
                true => format!("{} has no names of functions: {why}", path.display()),
                // Each launch may have one of another name.
                false => {
                    "deleted file".clone_into(&mut elf.short);
                    "what was deleted while it ran has no names of functions".to_owned()
                }
            };
            elf.unseen = Some(Measured::not_available(reason, ""));
        }
        elf
    }

    fn fill(&mut self, file: File) -> Result<(), String> {
        let is_file = file.metadata().is_ok_and(|about| about.is_file());
        if !is_file {
            return Err("it is no file".to_owned());
        }
        let cache = ReadCache::new(file);
        let elf = object::File::parse(&cache).map_err(|error| error.to_string())?;
        self.segments = elf
            .segments()
            .map(|one| (one.file_range().0, one.file_range().1, one.address()))
            .collect();
        self.take_symbols(&elf);
        if let Some(header) = elf.section_by_name(".eh_frame_hdr") {
            self.starts = starts(header.data().unwrap_or_default(), header.address());
        }
        if elf.symbol_table().is_none() {
            let debug = elf.build_id().ok().flatten().and_then(debug_file);
            match debug.and_then(|debug| File::open(debug).ok()) {
                Some(debug) => {
                    let cache = ReadCache::new(debug);
                    if let Ok(debug) = object::File::parse(&cache) {
                        self.take_symbols(&debug);
                    }
                }
                None => self.is_stripped = true,
            }
        }
        self.functions.sort_by_key(|function| function.from);
        self.functions.dedup_by_key(|function| function.from);
        Ok(())
    }

    fn take_symbols<'data, R: ReadRef<'data>>(&mut self, elf: &object::File<'data, R>) {
        for symbol in elf.symbols().chain(elf.dynamic_symbols()) {
            if symbol.kind() != SymbolKind::Text || symbol.address() == 0 {
                continue;
            }
            if let Ok(name) = symbol.name() {
                self.functions.push(Function {
                    from: symbol.address(),
                    size: symbol.size(),
                    name: name.to_owned(),
                });
            }
        }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        self.functions.iter().map(|one| readable(&one.name))
    }

    pub(super) fn name(&self, offset: u64) -> String {
        let here = |&&(from, length, _): &&(u64, u64, u64)| offset.wrapping_sub(from) < length;
        let segment = self.segments.iter().find(here);
        let Some(&(from, _, address)) = segment else {
            return format!("[{}]", self.short);
        };
        let address = offset - from + address;
        let at = self.functions.partition_point(|one| one.from <= address);
        let function = at.checked_sub(1).map(|at| &self.functions[at]);
        let start = self.starts.partition_point(|&one| one <= address);
        let start = start.checked_sub(1).map(|at| self.starts[at]);
        match (function, start) {
            (Some(function), _) if address - function.from < function.size => {
                readable(&function.name)
            }
            // Written in assembly: without a size.
            (Some(function), start)
                if function.size == 0 && start.is_none_or(|at| at <= function.from) =>
            {
                readable(&function.name)
            }
            (_, Some(start)) => format!("{}@{start:#x}", self.short),
            _ => format!("[{}]", self.short),
        }
    }
}

fn debug_file(id: &[u8]) -> Option<PathBuf> {
    let (first, rest) = id.split_first()?;
    let rest: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(format!("{DEBUG}/{first:02x}/{rest}.debug").into())
}

/// Demangled, without the marks of compilers and versions.
fn readable(name: &str) -> String {
    if let Ok(rust) = rustc_demangle::try_demangle(name) {
        return format!("{rust:#}");
    }
    let (plain, _version) = name.split_once('@').unwrap_or((name, ""));
    if let Some(cpp) = cpp_demangle::Symbol::new(plain)
        .ok()
        .and_then(|symbol| symbol.demangle().ok())
    {
        return cpp;
    }
    without_marks(plain).to_owned()
}

/// `f.isra.0.cold` is `f`.
pub(super) fn without_marks(name: &str) -> &str {
    let marks = [
        ".isra.",
        ".constprop.",
        ".part.",
        ".cold",
        ".llvm.",
        ".lto_priv.",
    ];
    let ends = marks.iter().filter_map(|mark| name.find(mark));
    &name[..ends.filter(|&at| at > 0).min().unwrap_or(name.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_source() {
        for (name, wanted) in [
            (
                "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE",
                "core::fmt::Formatter::pad",
            ),
            ("_ZN3foo3barEi", "foo::bar(int)"),
            ("spin.constprop.0.cold", "spin"),
            ("memcpy@@GLIBC_2.14", "memcpy"),
            ("main", "main"),
        ] {
            assert_eq!(readable(name), wanted);
        }
    }

    /// Never merged into its caller: it keeps a symbol whatever the compiler does.
    #[inline(never)]
    fn a_function_of_this_file() -> usize {
        std::hint::black_box(a_function_of_this_file as fn() -> usize as usize)
    }

    #[test]
    fn a_function_is_found_by_its_place_in_the_file() {
        let elf = Elf::read(Path::new("/proc/self/exe"), None);
        assert_ne!(a_function_of_this_file(), 0);
        let known = elf
            .functions
            .iter()
            .find(|one| one.name.contains("a_function_of_this_file"));
        let known = known.expect("it has a symbol");
        let &(offset, _, address) = elf
            .segments
            .iter()
            .find(|(_, length, address)| known.from.wrapping_sub(*address) < *length)
            .expect("it lies in a segment");
        let name = elf.name(known.from - address + offset + known.size / 2);
        assert!(name.contains("a_function_of_this_file"), "{name}");
    }

    /// All of it was read, and a debug build of a browser has 2 GB.
    #[test]
    fn a_large_file_is_not_read_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let large = folder.path().join("large");
        std::fs::copy("/proc/self/exe", &large).expect("it is copied");
        let file = File::options().write(true).open(&large);
        let file = file.expect("it opens");
        file.set_len(1 << 35).expect("the file may have holes");
        let elf = Elf::read(&large, None);
        assert!(elf.functions.len() > 100, "{:?}", elf.unseen);
    }

    #[test]
    fn what_cannot_be_read_is_named_by_its_file_and_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let gone = folder.path().join("gzip (deleted)");
        let elf = Elf::read(&gone, None);
        assert_eq!(elf.name(0x10), "[deleted file]");
        let said = format!("{:?}", elf.unseen);
        assert!(said.contains("deleted while it ran has no names"), "{said}");
        let text = folder.path().join("text");
        std::fs::write(&text, "no program").expect("it is written");
        let elf = Elf::read(&text, None);
        assert_eq!(elf.name(0x10), "[text]");
        let said = format!("{:?}", elf.unseen);
        assert!(said.contains("text has no names of functions"), "{said}");
    }
}

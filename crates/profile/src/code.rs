//! Which functions a program can run, as far as its file tells before it runs: its own, and those of the libraries that
//! it names. What it loads or starts is in no file.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use object::read::ReadCache;
use object::{Object, ObjectSection};

use crate::place::short;
use crate::symbols::{Elf, calls};

/// Calls with which a program starts others or loads code.
const FURTHER: [&str; 12] = [
    "execve",
    "execv",
    "execvp",
    "execl",
    "execlp",
    "execle",
    "execvpe",
    "posix_spawn",
    "posix_spawnp",
    "system",
    "popen",
    "dlopen",
];
const NEEDED: u64 = 1;
const RPATH: u64 = 15;
const RUNPATH: u64 = 29;
const FOLDERS: [&str; 5] = ["/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib"];

/// Functions that programs can run.
#[derive(Debug, Default)]
pub struct Code {
    /// By their names in a profile.
    pub functions: BTreeSet<String>,
    /// Whether they can run code that is not among these.
    pub has_more: bool,
}

impl Code {
    /// The system calls of this kernel alone.
    #[must_use]
    pub fn of_kernel() -> Self {
        let functions: BTreeSet<String> = calls().into_iter().collect();
        Self {
            has_more: functions.is_empty(),
            functions,
        }
    }

    /// Adds those of a program's file and of its libraries.
    pub fn add(&mut self, program: &Path) {
        let mut files = vec![program.to_owned()];
        let mut at = 0;
        while let Some(path) = files.get(at).cloned() {
            // A library may call what this program never does.
            let is_program = at == 0;
            match About::read(&path) {
                Ok(about) => {
                    self.has_more |= is_program && about.starts_others;
                    for library in about.libraries {
                        match library {
                            Some(library) if files.contains(&library) => {}
                            Some(library) => files.push(library),
                            None => self.has_more = true,
                        }
                    }
                    let functions: Vec<String> = Elf::read(&path, None).names().collect();
                    // A static program has these itself.
                    let starts = |name: &String| FURTHER.contains(&name.as_str());
                    self.has_more |= is_program && functions.iter().any(starts);
                    self.functions.extend(functions);
                }
                // A script, which its interpreter runs.
                Err(_) => self.has_more = true,
            }
            at += 1;
        }
    }

    /// Whether one of them is called so, with or without the types of its arguments.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.functions.contains(name) || self.functions.iter().any(|one| short(one) == name)
    }
}

struct About {
    starts_others: bool,
    libraries: Vec<Option<PathBuf>>,
}

impl About {
    fn read(path: &Path) -> Result<Self, String> {
        let cache = ReadCache::new(File::open(path).map_err(|error| error.to_string())?);
        let elf = object::File::parse(&cache).map_err(|error| error.to_string())?;
        let imports = elf.imports().map_err(|error| error.to_string())?;
        let mut names = imports.iter().map(object::Import::name);
        let section = |name: &str| {
            let section = elf.section_by_name(name);
            section.and_then(|one| one.data().ok()).unwrap_or_default()
        };
        let text = |bytes: &[u8]| {
            let end = bytes.iter().position(|&byte| byte == 0);
            String::from_utf8_lossy(&bytes[..end.unwrap_or(bytes.len())]).into_owned()
        };
        let strings = section(".dynstr");
        let entries = section(".dynamic").as_chunks::<16>().0.iter().map(|entry| {
            let (words, _) = entry.as_chunks::<8>();
            let at = usize::try_from(u64::from_ne_bytes(words[1])).unwrap_or(usize::MAX);
            let value = text(strings.get(at..).unwrap_or_default());
            (u64::from_ne_bytes(words[0]), value)
        });
        let entries: Vec<(u64, String)> = entries.collect();
        let of = |wanted: &[u64]| {
            let own = entries.iter().filter(|(tag, _)| wanted.contains(tag));
            own.map(|(_, value)| value.clone()).collect::<Vec<_>>()
        };
        let folders = folders(path, &text(section(".interp")), &of(&[RPATH, RUNPATH]));
        let find = |name: String| {
            let mut all = folders.iter().map(|folder| folder.join(&name));
            all.find(|path| path.is_file())
        };
        Ok(Self {
            starts_others: names.any(|name| FURTHER.iter().any(|one| one.as_bytes() == name)),
            libraries: of(&[NEEDED]).into_iter().map(find).collect(),
        })
    }
}

fn folders(path: &Path, loader: &str, asked: &[String]) -> Vec<PathBuf> {
    let here = |path: &Path| path.canonicalize().ok()?.parent().map(Path::to_owned);
    let own = here(path).unwrap_or_default().display().to_string();
    let asked = asked.iter().flat_map(|all| all.split(':'));
    let asked = asked.map(|one| PathBuf::from(one.replace("$ORIGIN", &own)));
    let usual = FOLDERS.iter().map(PathBuf::from);
    // Libraries lie beside their loader, and beside each other.
    let beside = [here(Path::new(loader)), here(path)];
    asked
        .chain(beside.into_iter().flatten())
        .chain(usual)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_its_own_functions_and_those_of_its_libraries() {
        let mut code = Code::default();
        code.add(&std::env::current_exe().unwrap());
        let own = "code::tests::a_program_has_its_own_functions_and_those_of_its_libraries";
        let is_own = |name: &&String| name.ends_with(own);
        let own = code.functions.iter().find(is_own).expect("this test");
        assert!(code.has(own));
        assert!(code.has("malloc"), "of the C library");
        assert!(!code.has("no_such_function"));
    }

    #[test]
    fn a_script_may_run_anything() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("script");
        std::fs::write(&script, "#!/bin/sh\nwork\n").unwrap();
        let mut code = Code::default();
        code.add(&script);
        assert!(code.has_more && code.functions.is_empty());
    }
}

//! Names of addresses: of programs and libraries, of code made at run time, of the kernel.

mod elf;
mod kernel;
mod package;
mod perf_map;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use measure::Measured;

use crate::files::Files;
pub(crate) use elf::Elf;
use kernel::Kernel;
pub(crate) use kernel::calls;
use measure::ring_record::Mapping;
use perf_map::PerfMap;

/// Of a file without symbols; its name follows behind a colon.
pub const STRIPPED: &str = "stripped, so functions are named by address";
const SYMBOLS: &str = "install its debug symbols (Debian: its package's name and -dbgsym or -dbg), or do not strip it";

#[derive(Debug, Default)]
pub(crate) struct Symbols {
    files: HashMap<(PathBuf, u64), Elf>,
    kernel: Option<Kernel>,
    made: HashMap<i32, Option<PerfMap>>,
    kept: Files,
    /// When the slot began: an older map is of another process.
    since: Option<SystemTime>,
    unseen: Vec<Measured<()>>,
}

impl Symbols {
    pub(crate) fn of_slot(kept: Files, since: SystemTime) -> Self {
        Self {
            kept,
            since: Some(since),
            ..Self::default()
        }
    }

    /// Removes the maps and logs that the processes of a slot wrote: each launch would leave one.
    pub(crate) fn remove_maps(&self, pids: impl Iterator<Item = i32>) {
        for pid in pids {
            if let Some(since) = self.since {
                perf_map::remove(pid, since, self.kept.folder(pid));
            }
        }
    }

    pub(crate) fn user(&mut self, pid: i32, mapping: &Mapping, address: u64) -> String {
        let path = mapping.path.as_path();
        if path == Path::new("[vdso]") {
            return "[vdso]".to_owned();
        }
        if !path.is_absolute() || is_made(path) {
            return self.made(pid, address);
        }
        let known = self.files.entry((path.to_owned(), mapping.inode));
        let file = known.or_insert_with(|| Elf::read(path, self.kept.of(mapping)));
        let why = file.unseen.take();
        let new = why.filter(|why| !self.unseen.contains(why));
        self.unseen.extend(new);
        let offset = address - mapping.from + mapping.offset;
        if let Some(name) = file.known.get(&offset) {
            return name.clone();
        }
        let name = file.name(offset);
        file.known.insert(offset, name.clone());
        name
    }

    /// What has no names, with what would show them.
    pub(crate) fn take_unseen(&mut self) -> Vec<Measured<()>> {
        let files = self.files.iter().filter(|(_, file)| file.is_stripped);
        let files = files.map(|((path, _), file)| (path.as_path(), file.short.as_str()));
        let (paths, names): (Vec<&Path>, Vec<&str>) =
            files.collect::<BTreeMap<_, _>>().into_iter().unzip();
        let packages = package::packages(&paths);
        let mut unseen = std::mem::take(&mut self.unseen);
        unseen.extend(names.into_iter().zip(packages).map(|(name, package)| {
            let package = package.map_or(String::new(), |package| format!(" (package {package})"));
            let reason = format!("{STRIPPED}: {name}{package}");
            Measured::not_available(reason, SYMBOLS)
        }));
        unseen
    }

    fn made(&mut self, pid: i32, address: u64) -> String {
        let since = self.since;
        let map = self.made.entry(pid);
        let map = map.or_insert_with(|| PerfMap::of(pid, since));
        // Who asks while it runs finds new functions.
        let is_old = |map: &PerfMap| map.name(address).is_none() && map.has_grown(pid);
        if map.as_ref().is_none_or(is_old) {
            *map = PerfMap::of(pid, since);
        }
        if map.is_none() {
            let why = Measured::not_available(
                "code that a program made at run time has no names",
                "python3 (3.12 and later) and node name it where the command names them; of the JVM no \
                 agent is here: java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit (17 and later)",
            );
            if !self.unseen.contains(&why) {
                self.unseen.push(why);
            }
        }
        let name = map.as_ref().and_then(|map| map.name(address));
        name.map_or_else(|| "[code made at run time]".to_owned(), str::to_owned)
    }

    /// Of a function of the kernel; `None` for one that says nothing of what is done.
    pub(crate) fn kernel(&mut self, address: u64) -> Option<String> {
        self.read_kernel();
        self.kernel.as_ref()?.frame(address)
    }

    /// Reads the kernel's names, some hundred thousand, unless they were read before; whether that was so.
    pub(crate) fn read_kernel(&mut self) -> bool {
        if self.kernel.is_some() {
            return true;
        }
        let kernel = Kernel::read();
        if kernel.is_empty() {
            self.unseen.push(Measured::not_available(
                "the names of the kernel's functions are hidden from this user",
                "sysctl kernel.kptr_restrict=0, or run as root",
            ));
        }
        self.kernel = Some(kernel);
        false
    }
}

/// Code without a file that lasts.
fn is_made(path: &Path) -> bool {
    ["//", "/memfd:", "/dev/zero", "/SYSV"].iter().any(|made| {
        path.as_os_str()
            .as_encoded_bytes()
            .starts_with(made.as_bytes())
    })
}

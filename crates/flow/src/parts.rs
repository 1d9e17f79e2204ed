//! What may be installed for flowgauge to do more, for messages and `flowgauge doctor`; packages of Debian and Ubuntu.

use std::path::PathBuf;

/// Programs or libraries that are optional.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Part {
    /// What it is called.
    pub name: &'static str,
    /// What there is with it.
    pub adds: &'static str,
    /// The command that gets it.
    pub get: &'static str,
    /// What shows that it is here.
    pub shown_by: Shown,
}

/// What shows that a part is here: any one of these.
#[derive(Debug, PartialEq, Eq, Hash)]
pub enum Shown {
    /// Programs on the path.
    Programs(&'static [&'static str]),
    /// Shared libraries, the best first.
    Libraries(&'static [&'static str]),
}

macro_rules! part {
    ($name:literal, $shown:ident $files:expr, $adds:expr, $get:literal) => {
        $crate::parts::Part {
            name: $name,
            adds: $adds,
            get: concat!("apt-get install ", $get),
            shown_by: $crate::parts::Shown::$shown(&$files),
        }
    };
}
pub(crate) use part;

macro_rules! parts {
    ($($constant:ident = $name:literal, $shown:ident $files:expr, $adds:literal, $get:literal;)*) => {
        $(
            #[doc = $name]
            pub const $constant: Part = part!($name, $shown $files, $adds, $get);
        )*
        /// All of them but allocators, which [`crate::Allocator::parts`] lists.
        pub static PARTS: &[Part] = &[$($constant),*];
    };
}

parts! {
    COMPILER = "C compiler", Programs ["cc"], "functions and servers of your own in C: body, decide", "gcc libc6-dev";
    QEMU = "qemu-x86_64", Programs ["qemu-x86_64"], "caches and TLBs of other machines: --simulate", "qemu-user";
    EATMYDATA = "libeatmydata", Libraries ["libeatmydata.so"], "--confirm tries commands without fsync",
        "libeatmydata1";
    OPEN_MPI = "Open MPI", Programs ["mpirun.openmpi"], "ranks against threads: hybrid",
        "openmpi-bin libopenmpi-dev gcc";
    MPICH = "MPICH", Programs ["mpirun.mpich"], "ranks against threads: hybrid", "mpich libmpich-dev gcc";
    SLURM = "Slurm", Programs ["srun"], "ranks and fleets in jobs: hybrid --launcher srun, fleet", "slurm-client";
    SSH = "ssh", Programs ["ssh"], "studies on many machines: fleet", "openssh-client";
}

impl Part {
    /// Where it is, if it is here.
    #[must_use]
    pub fn here(&self) -> Option<PathBuf> {
        match self.shown_by {
            Shown::Libraries(files) => library(files),
            Shown::Programs(names) => {
                let path = std::env::var_os("PATH").unwrap_or_default();
                let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
                first(&folders, names)
            }
        }
    }
}

/// The first of these shared libraries that is installed.
#[must_use]
pub fn library(files: &[&str]) -> Option<PathBuf> {
    let own = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    let folders = [own.as_str(), "/usr/local/lib", "/usr/lib64", "/usr/lib"];
    first(&folders.map(PathBuf::from), files)
}

fn first(folders: &[PathBuf], files: &[&str]) -> Option<PathBuf> {
    let in_all = |file| folders.iter().map(move |folder| folder.join(file));
    files.iter().flat_map(in_all).find(|place| place.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_file_goes_before_the_first_folder() {
        let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
        std::fs::write(folders[0].path().join("old.so"), "").unwrap();
        std::fs::write(folders[1].path().join("new.so"), "").unwrap();
        let paths = folders.each_ref().map(|folder| folder.path().to_owned());
        let found = first(&paths, &["new.so", "old.so"]);
        assert_eq!(found, Some(paths[1].join("new.so")));
        assert_eq!(first(&paths, &["none.so"]), None);
    }

    #[test]
    fn each_part_has_a_name_of_its_own_and_a_way_to_get_it() {
        let all: Vec<&Part> = PARTS.iter().chain(crate::Allocator::parts()).collect();
        let mut names: Vec<&str> = all.iter().map(|part| part.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all.len());
        let is_gotten = |part: &&Part| part.get.starts_with("apt-get install ");
        assert!(all.iter().all(is_gotten));
    }
}

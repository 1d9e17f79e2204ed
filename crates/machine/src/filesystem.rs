//! The file system of a folder, and whether waiting for its disk means anything: on `tmpfs` a
//! synchronous write returns at once. It follows from `/proc/self/mountinfo` (of the mounts with
//! the longest path above it the last), and by the magic number of `statfs`, which wins where it
//! names memory or the file cannot be read. Some are followed down:
//!
//! | file system | is followed to | why |
//! |---|---|---|
//! | `overlay` | its `upperdir` | that is where new files go; in a container it often cannot be seen |
//! | on `/dev/loopN` | the file behind the device | a disk image may lie in memory |
//! | on `/dev/ramN`, `/dev/zramN` | nothing | a disk of memory |
//!
//! An overlay mounted `volatile` skips syncs, `nobarrier` (`barrier=0`) leaves data in the disk's
//! own cache, and the preloaded library `eatmydata` takes syncs away. What lies behind a network or
//! a virtual machine is not looked at.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use nix::sys::statfs::{OVERLAYFS_SUPER_MAGIC, TMPFS_MAGIC, statfs};
use serde::{Deserialize, Serialize};

use crate::root::Root;

/// An overlay on an image on an overlay has three layers.
const DEPTH: usize = 8;
/// `ramfs`, which the library does not name.
const RAMFS_MAGIC: nix::libc::c_long = 0x8584_58f6;
const MEMORY: [&str; 4] = ["tmpfs", "ramfs", "devtmpfs", "hugetlbfs"];
const MEMORY_DEVICES: [&str; 2] = ["/dev/ram", "/dev/zram"];

/// The file system of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filesystem {
    /// The folder that was asked about.
    pub folder: PathBuf,
    /// Type of the file system, as the kernel names it (`ext4`).
    pub kind: String,
    /// What is mounted there (`/dev/vda1`); empty if it is not known.
    pub source: String,
    /// What a synchronous write waits for.
    pub sync: Sync,
}

/// What a synchronous write waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "waits_for", rename_all = "snake_case")]
pub enum Sync {
    /// The disk, as far as this machine can tell.
    Disk,
    /// Nothing: the files are in memory.
    Memory {
        /// How: `tmpfs`, `overlay on tmpfs`.
        how: String,
    },
    /// Nothing, or not for the disk itself, though there is one.
    Weakened {
        /// By what.
        by: String,
    },
    /// It cannot be distinguished from here.
    Unknown {
        /// Why not.
        why: String,
    },
}

impl Filesystem {
    /// The file system of `folder`, or of its nearest ancestor that is there.
    #[must_use]
    pub fn of(folder: &Path) -> Self {
        let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let mut above = absolute.ancestors();
        let there = above.find_map(|path| path.canonicalize().ok());
        let there = there.unwrap_or_else(|| PathBuf::from("/"));
        let mut found = Self::below(&Root::new(Path::new("/")), &there);
        if let Some(kind) = magic(&there).filter(|kind| *kind != found.kind) {
            let is_memory = MEMORY.contains(&kind);
            if is_memory {
                found.sync = in_memory(kind);
            }
            if is_memory || found.kind.is_empty() {
                kind.clone_into(&mut found.kind);
            }
        }
        if is_disk(&found.sync) && without_syncs(std::env::var("LD_PRELOAD").ok().as_deref()) {
            found.sync = weakened("the library eatmydata, which is preloaded");
        }
        Self {
            folder: folder.to_owned(),
            ..found
        }
    }

    fn below(root: &Root, folder: &Path) -> Self {
        let table = root.told("/proc/self/mountinfo").unwrap_or_default();
        let mounts: Vec<Mount> = table.lines().filter_map(Mount::parse).collect();
        let mount = mount_of(&mounts, folder);
        Self {
            folder: folder.to_owned(),
            kind: mount.map_or_else(String::new, |mount| mount.kind.clone()),
            source: mount.map_or_else(String::new, |mount| mount.source.clone()),
            sync: sync(root, &mounts, folder, DEPTH),
        }
    }

    /// What a reader of times must know, and what to do.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let there = format!("the files of the workers are in {}", self.folder.display());
        let remedy = "name a folder on a local disk: --folder DIR";
        match &self.sync {
            Sync::Disk => None,
            Sync::Memory { how } => Some(format!(
                "{there}, which is in memory ({how}): a synchronous write waits for nothing \
                 there, so io measures system calls and not a disk; {remedy}"
            )),
            Sync::Weakened { by } => Some(format!(
                "{there}, where a synchronous write does not wait for the disk itself: {by}; \
                 {remedy}"
            )),
            Sync::Unknown { why } => Some(format!(
                "{there}: whether a synchronous write waits for a disk there is not known \
                 ({why}); to be sure, {remedy}"
            )),
        }
    }
}

fn is_disk(sync: &Sync) -> bool {
    matches!(sync, Sync::Disk | Sync::Unknown { .. })
}

fn in_memory(how: &str) -> Sync {
    let how = how.to_owned();
    Sync::Memory { how }
}

fn weakened(by: &str) -> Sync {
    let by = by.to_owned();
    Sync::Weakened { by }
}

fn unknown(why: &str) -> Sync {
    let why = why.to_owned();
    Sync::Unknown { why }
}

fn magic(path: &Path) -> Option<&'static str> {
    let kind = statfs(path).ok()?.filesystem_type();
    match kind {
        TMPFS_MAGIC => Some("tmpfs"),
        OVERLAYFS_SUPER_MAGIC => Some("overlay"),
        _ if kind.0 == RAMFS_MAGIC => Some("ramfs"),
        _ => None,
    }
}

fn without_syncs(preloaded: Option<&str>) -> bool {
    preloaded.is_some_and(|libraries| libraries.contains("eatmydata"))
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Mount {
    at: PathBuf,
    kind: String,
    source: String,
    options: BTreeSet<String>,
}

impl Mount {
    /// `36 35 98:0 /root /at options tags - kind source options`, with any number of tags.
    fn parse(line: &str) -> Option<Self> {
        let (mount, file_system) = line.split_once(" - ")?;
        let mut mount = mount.split(' ').skip(4);
        let (at, own) = (mount.next()?, mount.next()?);
        let mut fields = file_system.splitn(3, ' ');
        let (kind, source) = (fields.next()?, fields.next()?);
        let options = own.split(',').chain(fields.next()?.split(','));
        Some(Self {
            at: unescaped(at).into(),
            kind: kind.to_owned(),
            source: unescaped(source),
            options: options.map(unescaped).collect(),
        })
    }

    fn option(&self, name: &str) -> Option<&str> {
        let mut options = self.options.iter();
        options.find_map(|option| option.strip_prefix(name)?.strip_prefix('='))
    }

    fn has(&self, option: &str) -> bool {
        self.options.contains(option)
    }
}

fn unescaped(text: &str) -> String {
    let codes = [
        ("\\040", " "),
        ("\\011", "\t"),
        ("\\012", "\n"),
        ("\\134", "\\"),
    ];
    let codes = codes.iter();
    codes.fold(text.to_owned(), |text, (code, c)| text.replace(code, c))
}

fn mount_of<'a>(mounts: &'a [Mount], path: &Path) -> Option<&'a Mount> {
    let above = mounts.iter().filter(|mount| path.starts_with(&mount.at));
    above.max_by_key(|mount| mount.at.components().count())
}

fn sync(root: &Root, mounts: &[Mount], path: &Path, depth: usize) -> Sync {
    let Some(mount) = mount_of(mounts, path).filter(|_| depth > 0) else {
        return unknown("/proc/self/mountinfo does not tell what is mounted there");
    };
    let kind = mount.kind.as_str();
    if MEMORY.contains(&kind) {
        return in_memory(kind);
    }
    if kind == "overlay" {
        return of_overlay(root, mounts, mount, depth);
    }
    of_device(root, mounts, mount, depth)
}

fn of_overlay(root: &Root, mounts: &[Mount], mount: &Mount, depth: usize) -> Sync {
    if mount.has("volatile") {
        return weakened("the overlay is mounted volatile");
    }
    match mount.option("upperdir") {
        Some(upper) if root.is_there(upper) => {
            on("overlay", sync(root, mounts, Path::new(upper), depth - 1))
        }
        Some(_) => unknown(
            "it is an overlay whose upper folder cannot be seen from here, as in most containers",
        ),
        None => unknown("it is an overlay that names no upper folder"),
    }
}

fn of_device(root: &Root, mounts: &[Mount], mount: &Mount, depth: usize) -> Sync {
    let Mount { kind, source, .. } = mount;
    let device = |prefix: &str| {
        let number = source.strip_prefix(prefix);
        number.is_some_and(|n| n.chars().all(|c| c.is_ascii_digit()))
    };
    if MEMORY_DEVICES.iter().any(|prefix| device(prefix)) {
        return in_memory(&format!("{kind} on {source}"));
    }
    if mount.has("nobarrier") || mount.has("barrier=0") {
        return weakened(&format!("{kind} is mounted without barriers"));
    }
    if let Some(number) = source.strip_prefix("/dev/loop") {
        let image = root.told(format!("/sys/block/loop{number}/loop/backing_file"));
        if let Some(image) = image {
            let below = sync(root, mounts, Path::new(&image), depth - 1);
            return on(&format!("{kind} in the image {image}"), below);
        }
    }
    Sync::Disk
}

fn on(layer: &str, below: Sync) -> Sync {
    match below {
        Sync::Memory { how } => in_memory(&format!("{layer} on {how}")),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    const PLAIN: &str = "\
24 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
25 24 0:22 / /dev/shm rw - tmpfs tmpfs rw
26 24 0:30 / /merged rw - overlay overlay rw,lowerdir=/lower,upperdir=/dev/shm/upper,workdir=/w
27 24 0:31 / /safe rw - overlay overlay rw,lowerdir=/lower,upperdir=/data/upper,workdir=/w
28 24 0:32 / /fast rw - overlay overlay rw,lowerdir=/l,upperdir=/data/upper,workdir=/w,volatile
29 24 0:33 / /far rw - overlay overlay rw,lowerdir=/l,upperdir=/host/upper,workdir=/w
30 24 1:0 / /ram rw - ext4 /dev/ram0 rw
31 24 252:0 / /zram rw - ext4 /dev/zram0 rw
32 24 7:1 / /image rw - ext4 /dev/loop1 rw
33 24 8:1 / /cached rw - ext4 /dev/sda1 rw,nobarrier
34 24 0:40 / /a\\040b rw - tmpfs none rw
35 24 0:41 / /twice rw shared:1 - tmpfs none rw
36 35 8:2 / /twice rw shared:2 master:1 - xfs /dev/sdb rw
";

    fn tree() -> Fixture {
        Fixture::new()
            .file("/proc/self/mountinfo", PLAIN)
            .file("/sys/block/loop1/loop/backing_file", "/dev/shm/disk.img")
            .file("/dev/shm/upper/x", "")
            .file("/data/upper/x", "")
    }

    fn at(path: &str) -> Filesystem {
        let tree = tree();
        Filesystem::below(&tree.root(), Path::new(path))
    }

    fn memory(path: &str) -> String {
        match at(path).sync {
            Sync::Memory { how } => how,
            other => panic!("{path}: {other:?}"),
        }
    }

    #[test]
    fn a_disk_is_a_disk() {
        for path in ["/", "/home/me", "/safe/x", "/twice/x", "/dev/shmx"] {
            assert_eq!(at(path).sync, Sync::Disk, "{path}");
            assert_eq!(at(path).warning(), None);
        }
        assert_eq!(at("/twice/x").kind, "xfs");
        assert_eq!(at("/home/me").source, "/dev/vda");
    }

    #[test]
    fn memory_is_found_whatever_lies_on_it() {
        assert_eq!(memory("/dev/shm/x"), "tmpfs");
        assert_eq!(memory("/a b/x"), "tmpfs");
        assert_eq!(memory("/merged/x"), "overlay on tmpfs");
        assert_eq!(memory("/ram"), "ext4 on /dev/ram0");
        assert_eq!(memory("/zram"), "ext4 on /dev/zram0");
        assert_eq!(
            memory("/image"),
            "ext4 in the image /dev/shm/disk.img on tmpfs"
        );
        let said = at("/merged/x").warning().unwrap();
        assert!(said.contains("overlay on tmpfs"), "{said}");
        assert!(said.contains("--folder"), "{said}");
    }

    #[test]
    fn syncs_that_are_skipped_are_told() {
        let said = at("/fast").warning().unwrap();
        assert!(said.contains("volatile"), "{said}");
        let said = at("/cached").warning().unwrap();
        assert!(said.contains("without barriers"), "{said}");
        assert!(without_syncs(Some("/usr/lib/libeatmydata.so")));
        assert!(!without_syncs(Some("/usr/lib/libjemalloc.so")) && !without_syncs(None));
    }

    #[test]
    fn what_cannot_be_seen_is_not_called_a_disk() {
        let said = at("/far/x").warning().unwrap();
        assert!(said.contains("is not known"), "{said}");
        assert!(said.contains("containers"), "{said}");
        let found = Filesystem::below(&Fixture::new().root(), Path::new("/x"));
        assert!(matches!(found.sync, Sync::Unknown { .. }));
    }

    #[test]
    fn this_machine_tells_its_own() {
        let here = Filesystem::of(Path::new("missing/for/sure"));
        assert!(!here.kind.is_empty(), "{here:?}");
        let proc = Filesystem::of(Path::new("/proc"));
        assert_eq!(proc.kind, "proc");
    }
}

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, openat};
use nix::sys::stat::{Mode, SFlag, fstatat};
use nix::sys::statfs::fstatfs;

use super::entry::{Entry, entries, getdents};
use super::levels::{Chain, Present, Verdict};
use super::rules::Rules;
use crate::plan::FileId;
use crate::read::rolling::Reads;
use crate::walk::Root;

const PART_BYTES: usize = 32 << 10;
const ROOM_BYTES: usize = 4 << 10;
/// Longer paths are opened in pieces (`PATH_MAX` less the NUL).
const PATH_BYTES: usize = 4095;

const FOLDER: OFlag = OFlag::O_RDONLY
    .union(OFlag::O_DIRECTORY)
    .union(OFlag::O_CLOEXEC)
    .union(OFlag::O_NOFOLLOW);

/// A pipe in the file's place must not block, nor a link lead elsewhere.
pub(crate) const FILE: OFlag = OFlag::O_RDONLY
    .union(OFlag::O_CLOEXEC)
    .union(OFlag::O_NOFOLLOW)
    .union(OFlag::O_NONBLOCK)
    .union(OFlag::O_NOCTTY);

#[derive(Debug, Default)]
pub(crate) struct Listing {
    raw: Vec<u8>,
    pub(crate) files: Vec<u8>,
    pub(crate) folders: Vec<u8>,
    path: Vec<u8>,
}

#[derive(Debug)]
pub(crate) struct Folder<'r> {
    fd: OwnedFd,
    root: &'r Root,
    /// Below its root; empty: the root.
    path: &'r [u8],
    pub(crate) chain: Chain,
    begun: bool,
    ended: bool,
}

impl<'r> Folder<'r> {
    pub(crate) fn open(root: &'r Root, path: &'r [u8], chain: Chain) -> io::Result<Folder<'r>> {
        Ok(Folder {
            fd: root.folder(path)?,
            root,
            path,
            chain,
            begun: false,
            ended: false,
        })
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    pub(crate) fn next(
        &mut self,
        listing: &mut Listing,
        rules: &Rules,
        skip: Option<FileId>,
    ) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        let length = self.fill(&mut listing.raw)?;
        if !self.begun {
            self.begun = true;
            self.extend_chain(&listing.raw[..length], rules);
        }
        self.select(length, listing, rules, skip);
        Ok(true)
    }

    fn fill(&mut self, raw: &mut Vec<u8>) -> io::Result<usize> {
        raw.resize(PART_BYTES, 0);
        let mut length = 0;
        while PART_BYTES - length >= ROOM_BYTES {
            match getdents(self.fd.as_fd(), &mut raw[length..]) {
                Ok(0) => self.ended = true,
                Err(error) if error.raw_os_error() == Some(libc::ENOENT) => self.ended = true,
                Ok(more) => length += more,
                Err(error) if length == 0 => return Err(error),
                // The error comes again after these entries.
                Err(_) => break,
            }
            if self.ended {
                break;
            }
        }
        Ok(length)
    }

    fn extend_chain(&mut self, listed: &[u8], rules: &Rules) {
        if !rules.reads_files() {
            return;
        }
        let present = if self.ended {
            Present::among(entries(listed).map(|entry| entry.name()))
        } else {
            Present::MAYBE_ALL
        };
        if present.any() {
            let offset = if self.path.is_empty() {
                0
            } else {
                self.path.len() + 1
            };
            self.chain = rules.extend(&self.chain, self.fd.as_fd(), present, offset);
        }
    }

    fn select(&self, length: usize, listing: &mut Listing, rules: &Rules, skip: Option<FileId>) {
        listing.files.clear();
        listing.folders.clear();
        let Listing {
            raw,
            files,
            folders,
            path,
        } = listing;
        for entry in entries(&raw[..length]) {
            let is_folder = match self.kind(&entry) {
                libc::DT_REG => false,
                libc::DT_DIR => true,
                _ => continue,
            };
            if self.is_left_out(&entry, is_folder, rules, path) || self.is(&entry, skip) {
                continue;
            }
            let chosen = if is_folder {
                &mut *folders
            } else {
                &mut *files
            };
            chosen.extend_from_slice(entry.name_with_nul);
        }
    }

    /// `libc::DT_*`; asked for if the file system lacks it.
    fn kind(&self, entry: &Entry<'_>) -> u8 {
        if entry.kind != libc::DT_UNKNOWN {
            return entry.kind;
        }
        let name = CStr::from_bytes_with_nul(entry.name_with_nul).unwrap_or(c"");
        let stat = fstatat(&self.fd, name, AtFlags::AT_SYMLINK_NOFOLLOW);
        let kind = stat.map(|stat| SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT);
        match kind {
            Ok(SFlag::S_IFREG) => libc::DT_REG,
            Ok(SFlag::S_IFDIR) => libc::DT_DIR,
            _ => libc::DT_UNKNOWN,
        }
    }

    fn is_left_out(
        &self,
        entry: &Entry<'_>,
        is_folder: bool,
        rules: &Rules,
        path: &mut Vec<u8>,
    ) -> bool {
        let hidden = entry.name().first() == Some(&b'.') && !rules.shows_hidden();
        if !rules.asks_path(&self.chain) {
            return hidden;
        }
        path.clear();
        path.extend_from_slice(self.path);
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(entry.name());
        match rules.judge(self.root, path, &self.chain, is_folder) {
            Verdict::Out => true,
            Verdict::In => false,
            Verdict::Open => hidden,
        }
    }

    fn is(&self, entry: &Entry<'_>, skip: Option<FileId>) -> bool {
        let Some(file) = skip.filter(|file| file.inode == entry.inode) else {
            return false;
        };
        let name = CStr::from_bytes_with_nul(entry.name_with_nul).unwrap_or(c"");
        fstatat(&self.fd, name, AtFlags::AT_SYMLINK_NOFOLLOW)
            .is_ok_and(|stat| FileId::told(&stat) == file)
    }
}

pub(crate) fn open_file(folder: BorrowedFd<'_>, name: &CStr) -> Result<OwnedFd, Errno> {
    openat(folder, name, FILE, Mode::empty())
}

pub(crate) fn open_place(at: BorrowedFd<'_>, path: &[u8]) -> io::Result<OwnedFd> {
    if path.len() <= PATH_BYTES {
        return Ok(openat(at, path, FOLDER, Mode::empty())?);
    }
    let head = &path[..PATH_BYTES];
    let cut = memchr::memrchr(b'/', head).ok_or(Errno::ENAMETOOLONG)?;
    let head = openat(at, &path[..cut], FOLDER, Mode::empty())?;
    open_place(head.as_fd(), &path[cut + 1..])
}

pub(crate) fn open_below(at: BorrowedFd<'_>, path: &[u8], name: &CStr) -> Result<OwnedFd, Errno> {
    if path.is_empty() {
        return open_file(at, name);
    }
    let whole = [path, b"/", name.to_bytes()].concat();
    if whole.len() <= PATH_BYTES {
        return openat(at, whole.as_slice(), FILE, Mode::empty());
    }
    let folder = open_place(at, path).map_err(|error| errno_of(&error))?;
    open_file(folder.as_fd(), name)
}

pub(crate) fn errno_of(error: &io::Error) -> Errno {
    Errno::from_raw(error.raw_os_error().unwrap_or(libc::EIO))
}

pub(crate) fn reads_of(file: BorrowedFd<'_>) -> Reads {
    match fstatfs(file) {
        Ok(stat) if reads_whole(stat.filesystem_type().0) => Reads::Whole,
        _ => Reads::Parts,
    }
}

/// Disks and memory: only the end cuts a read short, unlike in `/proc`, FUSE, networks.
#[expect(
    clippy::unreadable_literal,
    reason = "magic numbers as the kernel writes them"
)]
fn reads_whole(kind: nix::libc::__fsword_t) -> bool {
    matches!(
        kind,
        0xEF53          // ext2, ext3, ext4
        | 0x58465342    // xfs
        | 0x9123683E    // btrfs
        | 0xF2F52010    // f2fs
        | 0x01021994    // tmpfs
        | 0x858458f6    // ramfs
        | 0x794c7630    // overlayfs
        | 0x73717368    // squashfs
        | 0xE0F5E1E2    // erofs
        | 0x9660        // isofs
        | 0x4d44        // vfat
        | 0x2011BAB0    // exfat
        | 0x2fc12fc1    // zfs
        | 0xca451a4e // bcachefs
    )
}

//! An open folder: what is made or removed through it is in it, whatever becomes of its path.

use std::ffi::{CStr, CString, OsStr};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use nix::dir::Dir;
use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, AtFlags, OFlag, open, openat, readlinkat};
use nix::sys::stat::{FileStat, Mode, SFlag, fstat, fstatat, mkdirat};
use nix::unistd::{UnlinkatFlags, geteuid, unlinkat};

/// Prefix of the folders that flows make within their slot's folder; a number follows.
pub const OF_FLOW: &str = "of-";

/// Levels of folders below such a one.
const DEEPEST: u32 = 16;
const ALWAYS: OFlag = OFlag::O_CLOEXEC.union(OFlag::O_NOFOLLOW);
const FOLDER: OFlag = OFlag::O_RDONLY
    .union(OFlag::O_DIRECTORY)
    .union(OFlag::O_CLOEXEC);

/// An open folder.
#[derive(Debug)]
pub struct Folder {
    handle: File,
}

impl Folder {
    /// Opens the folder at `path`, which is the user's and may go through links.
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = match path.as_os_str().is_empty() {
            true => Path::new("."),
            false => path,
        };
        Ok(open(path, FOLDER, Mode::empty())?.into())
    }

    /// Opens a folder to put files into it. Its last name may be a link of this user or root.
    pub fn open_for_files(path: &Path) -> io::Result<Self> {
        Self::open_for(path, geteuid().as_raw())
    }

    fn open_for(path: &Path, user: u32) -> io::Result<Self> {
        // Without a final `.`, which would be looked up behind the link.
        let path: PathBuf = path.components().collect();
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
            return Self::open(&path);
        };
        // A handle needs no right to read, and stays the same whatever gets its name.
        let handle = |at: Option<&File>, name: &CStr, more| -> nix::Result<File> {
            let flags = OFlag::O_PATH | OFlag::O_CLOEXEC | more;
            let at = at.map_or(AT_FDCWD, File::as_fd);
            Ok(openat(at, name, flags, Mode::empty())?.into())
        };
        let above = match above.as_os_str().is_empty() {
            true => c".".to_owned(),
            false => c_name(above)?,
        };
        let above = handle(None, &above, OFlag::O_DIRECTORY)?;
        let found = handle(Some(&above), &c_name(name)?, OFlag::O_NOFOLLOW)?;
        let about = fstat(&found)?;
        if !is(&about, SFlag::S_IFLNK) {
            return Ok(openat(&found, c".", FOLDER, Mode::empty())?.into());
        }
        if about.st_uid != user && about.st_uid != 0 {
            return Err(io::Error::other(format!(
                "the folder is a link that another user made (user {}): name the one it leads to",
                about.st_uid
            )));
        }
        let leads_to = readlinkat(&found, c"")?;
        Ok(openat(&above, &*leads_to, FOLDER, Mode::empty())?.into())
    }

    pub(crate) fn enter(&self, name: &CStr) -> io::Result<Self> {
        Ok(self.opened(name)?.into())
    }

    fn opened(&self, name: &CStr) -> nix::Result<OwnedFd> {
        openat(&self.handle, name, FOLDER | ALWAYS, Mode::empty())
    }

    pub(crate) fn make_folder(&self, name: &CStr) -> io::Result<Self> {
        mkdirat(&self.handle, name, Mode::S_IRWXU)?;
        self.enter(name)
    }

    /// The file must be new; `mode` is lowered by the umask.
    pub(crate) fn make_file(&self, name: &CStr, mode: Mode) -> io::Result<File> {
        let flags = OFlag::O_RDWR | OFlag::O_CREAT | OFlag::O_EXCL | ALWAYS;
        Ok(openat(&self.handle, name, flags, mode)?.into())
    }

    pub(crate) fn open_own(&self, name: &CStr) -> io::Result<File> {
        // A pipe or device would block.
        let flags = OFlag::O_RDONLY | OFlag::O_NONBLOCK | ALWAYS;
        let file = openat(&self.handle, name, flags, Mode::empty())?;
        let stat = fstat(&file)?;
        match is(&stat, SFlag::S_IFREG) && is_own(&stat) && stat.st_nlink == 1 {
            true => Ok(file.into()),
            false => Err(io::ErrorKind::PermissionDenied.into()),
        }
    }

    pub(crate) fn look(&self, name: &CStr) -> nix::Result<FileStat> {
        fstatat(&self.handle, name, AtFlags::AT_SYMLINK_NOFOLLOW)
    }

    pub(crate) fn about(&self) -> nix::Result<FileStat> {
        fstat(&self.handle)
    }

    pub(crate) fn names(&self) -> io::Result<Vec<CString>> {
        let mut dir = Dir::from_fd(self.opened(c".")?)?;
        let mut names = Vec::new();
        for entry in dir.iter() {
            let entry = entry?;
            let name = entry.file_name();
            if name != c"." && name != c".." {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    pub(crate) fn remove_file(&self, name: &CStr) -> nix::Result<()> {
        unlinkat(&self.handle, name, UnlinkatFlags::NoRemoveDir)
    }

    pub(crate) fn remove_folder(&self, name: &CStr) -> nix::Result<()> {
        unlinkat(&self.handle, name, UnlinkatFlags::RemoveDir)
    }

    /// Removes files, and the folders of flows and of Open MPI with all in them. What cannot be removed stays.
    pub(crate) fn empty(&self) {
        self.empty_of(DEEPEST, &|name| is_of_flow(name) || is_of_open_mpi(name));
    }

    fn empty_of(&self, levels: u32, is_wanted: &dyn Fn(&CStr) -> bool) {
        let device = self.about().map(|about| about.st_dev);
        for name in self.names().unwrap_or_default() {
            if let Err(Errno::EISDIR | Errno::EPERM) = self.remove_file(&name)
                && levels > 0
                && is_wanted(&name)
                && let Ok(inner) = self.enter(&name)
                && let Ok(about) = inner.about()
                && Ok(about.st_dev) == device
                && is_own(&about)
            {
                inner.empty_of(levels - 1, &|_| true);
                let _full_stays = self.remove_folder(&name);
            }
        }
    }

    pub(crate) fn handle(&self) -> &File {
        &self.handle
    }
}

impl From<OwnedFd> for Folder {
    fn from(handle: OwnedFd) -> Self {
        let handle = File::from(handle);
        Self { handle }
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

pub(crate) fn is(stat: &FileStat, kind: SFlag) -> bool {
    SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT == kind
}

pub(crate) fn is_own(stat: &FileStat) -> bool {
    stat.st_uid == geteuid().as_raw()
}

/// `ompi.HOST.USER`: what its launcher leaves when it is killed.
fn is_of_open_mpi(name: &CStr) -> bool {
    name.to_bytes().starts_with(b"ompi.")
}

fn is_of_flow(name: &CStr) -> bool {
    let number = name.to_bytes().strip_prefix(OF_FLOW.as_bytes());
    number.is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
}

pub(crate) fn c_name(name: impl AsRef<OsStr>) -> io::Result<CString> {
    Ok(CString::new(name.as_ref().as_bytes())?)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, lchown, symlink};

    use super::*;

    /// A user's own link to a disk with more room was followed, and so was anybody else's.
    #[test]
    fn files_go_through_a_link_of_ones_own_and_not_of_somebody_else() {
        let root = tempfile::tempdir().unwrap();
        let (room, link) = (root.path().join("room"), root.path().join("link"));
        fs::create_dir(&room).unwrap();
        symlink("room", &link).unwrap();
        if geteuid().is_root() {
            let _not_in_every_user_namespace = lchown(&link, Some(1234), None);
        }
        let owner = link.symlink_metadata().unwrap().uid();
        let through = Folder::open_for(&link, owner).unwrap().about().unwrap();
        assert_eq!(through.st_ino, room.metadata().unwrap().ino());
        for path in [link.clone(), link.join("."), link.join("")] {
            let stranger = Folder::open_for(&path, owner + 1).map_err(|error| error.to_string());
            match owner {
                0 => assert!(stranger.is_ok(), "{stranger:?}"),
                _ => assert!(stranger.unwrap_err().contains("another user"), "{path:?}"),
            }
        }
        Folder::open_for(&room, owner + 1).unwrap();
        Folder::open_for(Path::new(""), owner).unwrap();
        Folder::open_for(Path::new("/"), owner).unwrap();
        assert!(Folder::open_for(&root.path().join("none"), owner).is_err());
    }
}

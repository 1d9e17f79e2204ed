//! An open folder: what is made and removed through it is in this folder and no other, whatever
//! becomes of its path.

use std::ffi::{CStr, CString, OsStr};
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use nix::dir::Dir;
use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, open, openat};
use nix::sys::stat::{FileStat, Mode, SFlag, fstat, fstatat, mkdirat};
use nix::unistd::{UnlinkatFlags, geteuid, unlinkat};

/// Folders that flows make within the folder of their slot: this and a number.
pub const OF_FLOW: &str = "of-";

/// What every handle is opened with.
const ALWAYS: OFlag = OFlag::O_CLOEXEC.union(OFlag::O_NOFOLLOW);

/// An open folder.
#[derive(Debug)]
pub struct Folder {
    handle: File,
}

impl Folder {
    /// Opens the folder at `path`. The path is the user's and may go through links.
    ///
    /// # Errors
    /// It is not there, is no folder, or may not be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = match path.as_os_str().is_empty() {
            true => Path::new("."),
            false => path,
        };
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        let handle = open(path, flags, Mode::empty())?;
        Ok(Self {
            handle: File::from(handle),
        })
    }

    /// Opens a folder in this one, which must not be a link.
    pub(crate) fn enter(&self, name: &CStr) -> io::Result<Self> {
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | ALWAYS;
        let handle = openat(&self.handle, name, flags, Mode::empty())?;
        Ok(Self {
            handle: File::from(handle),
        })
    }

    /// Makes a folder in this one that nobody else may enter, and opens it.
    pub(crate) fn make_folder(&self, name: &CStr) -> io::Result<Self> {
        mkdirat(&self.handle, name, Mode::S_IRWXU)?;
        self.enter(name)
    }

    /// Makes a file that was not there; `mode` is lowered by the umask.
    pub(crate) fn make_file(&self, name: &CStr, mode: Mode) -> io::Result<File> {
        let flags = OFlag::O_RDWR | OFlag::O_CREAT | OFlag::O_EXCL | ALWAYS;
        Ok(openat(&self.handle, name, flags, mode)?.into())
    }

    /// Opens a regular file of this user that has one name, to read it.
    pub(crate) fn open_own(&self, name: &CStr) -> io::Result<File> {
        // A pipe or a device would be waited for.
        let flags = OFlag::O_RDONLY | OFlag::O_NONBLOCK | ALWAYS;
        let file = openat(&self.handle, name, flags, Mode::empty())?;
        let stat = fstat(&file)?;
        match is(&stat, SFlag::S_IFREG) && is_own(&stat) && stat.st_nlink == 1 {
            true => Ok(file.into()),
            false => Err(io::ErrorKind::PermissionDenied.into()),
        }
    }

    /// What is at `name`; a link itself and not what it leads to.
    pub(crate) fn look(&self, name: &CStr) -> nix::Result<FileStat> {
        fstatat(&self.handle, name, AtFlags::AT_SYMLINK_NOFOLLOW)
    }

    /// What this folder is.
    pub(crate) fn about(&self) -> nix::Result<FileStat> {
        fstat(&self.handle)
    }

    /// The names in it.
    pub(crate) fn names(&self) -> io::Result<Vec<CString>> {
        let again = openat(
            &self.handle,
            c".",
            OFlag::O_RDONLY | OFlag::O_DIRECTORY | ALWAYS,
            Mode::empty(),
        )?;
        let mut dir = Dir::from_fd(again)?;
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

    /// Removes a name that is no folder.
    pub(crate) fn remove_file(&self, name: &CStr) -> nix::Result<()> {
        unlinkat(&self.handle, name, UnlinkatFlags::NoRemoveDir)
    }

    /// Removes a folder that is empty.
    pub(crate) fn remove_folder(&self, name: &CStr) -> nix::Result<()> {
        unlinkat(&self.handle, name, UnlinkatFlags::RemoveDir)
    }

    /// Removes the files in it, and the folders that flows have made with theirs. What cannot be
    /// removed stays.
    pub(crate) fn empty(&self) {
        let device = self.about().map(|about| about.st_dev);
        for name in self.names().unwrap_or_default() {
            // What unlinking a folder is refused with.
            if let Err(Errno::EISDIR | Errno::EPERM) = self.remove_file(&name)
                && is_of_flow(&name)
                && let Ok(inner) = self.enter(&name)
                && let Ok(about) = inner.about()
                && Ok(about.st_dev) == device
                && is_own(&about)
            {
                for file in inner.names().unwrap_or_default() {
                    let _a_folder_stays = inner.remove_file(&file);
                }
                let _full_stays = self.remove_folder(&name);
            }
        }
    }

    /// The handle, to lock it or to make something in it.
    pub(crate) fn handle(&self) -> &File {
        &self.handle
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

/// Whether it is of that type.
pub(crate) fn is(stat: &FileStat, kind: SFlag) -> bool {
    SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT == kind
}

/// Whether it belongs to this user.
pub(crate) fn is_own(stat: &FileStat) -> bool {
    stat.st_uid == geteuid().as_raw()
}

fn is_of_flow(name: &CStr) -> bool {
    let number = name.to_bytes().strip_prefix(OF_FLOW.as_bytes());
    number.is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
}

/// A name as the system takes it.
pub(crate) fn c_name(name: impl AsRef<OsStr>) -> io::Result<CString> {
    Ok(CString::new(name.as_ref().as_bytes())?)
}

//! Files that are whole or as they were: a full disk or a signal leaves no half of one.
//! ```text
//! open folder ─▶ a file without a name (O_TMPFILE) ─▶ filled ─▶ linked to its name
//!                                                            ╰▶ linked to a random name ─▶ renamed
//! ```
//! A link replaces nothing, so a file that is there is replaced by renaming another over it, which
//! needs a name for a moment. Signals that ask to end wait until it is over ([`crate::held`]); a
//! `SIGKILL` does not, and [`sweep`] removes what it leaves. Renaming replaces a link itself.
//!
//! Where a file system gives no file without a name, or there is no `/proc` to link through, the
//! file has its random name from the beginning. Such signals then wait from the beginning too, and
//! one that waits has the file removed after the present piece. The file is locked while it is
//! written, so that [`sweep`] knows which are abandoned.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::AsRawFd;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, AtFlags, OFlag, openat, renameat};
use nix::sys::stat::{Mode, SFlag};
use nix::unistd::linkat;

use crate::folder::{Folder, c_name};
use crate::held::Held;
use crate::names::{self, Kind};

/// Between two looks for a blocked signal.
const PIECE: u64 = 1 << 20;

/// Puts `bytes` at `path` in one step; a folder of that name is an error.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    put(path, &mut bytes.as_ref(), |_| Ok(()))
}

/// Puts all that `content` still holds at `path` in one step, after it has reached the disk.
pub fn replace(path: &Path, content: &mut impl Read) -> io::Result<()> {
    put(path, content, File::sync_all)
}

fn put(
    path: &Path,
    content: &mut dyn Read,
    settle: impl Fn(&File) -> io::Result<()>,
) -> io::Result<()> {
    let (folder, name) = place(path)?;
    let Some(mut file) = nameless(&folder) else {
        return put_named(&folder, &name, content, settle);
    };
    io::copy(content, &mut file)?;
    settle(&file)?;
    match link(&file, &folder, &name) {
        Err(Errno::EEXIST) => over(&folder, &name, |part| link(&file, &folder, part)),
        Err(_) => {
            file.seek(SeekFrom::Start(0))?;
            put_named(&folder, &name, &mut file, settle)
        }
        Ok(()) => Ok(()),
    }
}

fn place(path: &Path) -> io::Result<(Folder, CString)> {
    let name = c_name(path.file_name().ok_or(io::ErrorKind::InvalidInput)?)?;
    let folder = Folder::open_for_files(path.parent().unwrap_or(Path::new(".")))?;
    Ok((folder, name))
}

fn over(
    folder: &Folder,
    name: &CStr,
    make: impl FnOnce(&CStr) -> nix::Result<()>,
) -> io::Result<()> {
    let part = c_name(names::new(Kind::Part)?)?;
    let _held = Held::from_here()?;
    make(&part)?;
    rename_or_remove(folder, &part, name)
}

fn put_named(
    folder: &Folder,
    name: &CStr,
    content: &mut dyn Read,
    settle: impl Fn(&File) -> io::Result<()>,
) -> io::Result<()> {
    let part = c_name(names::new(Kind::Part)?)?;
    let held = Held::from_here()?;
    let mut file = named(folder, &part)?;
    let filled = fill(&mut file, content, &held).and_then(|()| settle(&file));
    match filled {
        Ok(()) => rename_or_remove(folder, &part, name),
        Err(error) => {
            let _as_good_as_gone = folder.remove_file(&part);
            Err(error)
        }
    }
}

fn fill(file: &mut File, content: &mut dyn Read, held: &Held) -> io::Result<()> {
    let mut piece = Vec::new();
    while content.take(PIECE).read_to_end(&mut piece)? > 0 {
        file.write_all(&piece)?;
        piece.clear();
        if held.one_waits() {
            return Err(io::Error::other("a signal came while it was written"));
        }
    }
    Ok(())
}

fn rename_or_remove(folder: &Folder, part: &CStr, name: &CStr) -> io::Result<()> {
    renameat(folder, part, folder, name).inspect_err(|_| {
        let _as_good_as_gone = folder.remove_file(part);
    })?;
    Ok(())
}

/// Before the umask.
const ANYBODY: Mode = Mode::from_bits_truncate(0o666);

fn nameless(folder: &Folder) -> Option<File> {
    let flags = OFlag::O_TMPFILE | OFlag::O_RDWR | OFlag::O_CLOEXEC;
    let file = File::from(openat(folder, c".", flags, ANYBODY).ok()?);
    file.lock().ok()?;
    Some(file)
}

fn named(folder: &Folder, name: &CStr) -> io::Result<File> {
    let file = folder.make_file(name, ANYBODY)?;
    // A file that cannot be locked is left alone by the sweep.
    let _no_locks_here = file.lock();
    Ok(file)
}

fn link(file: &File, folder: &Folder, name: &CStr) -> nix::Result<()> {
    let open = format!("/proc/self/fd/{}", file.as_raw_fd());
    linkat(
        AT_FDCWD,
        open.as_str(),
        folder,
        name,
        AtFlags::AT_SYMLINK_FOLLOW,
    )
}

/// Removes from `folder` what killed programs began to write.
pub fn sweep(folder: &Path) {
    let Ok(folder) = Folder::open_for_files(folder) else {
        return;
    };
    for name in folder.names().unwrap_or_default() {
        if name.to_str().ok().and_then(Kind::of) != Some(Kind::Part) {
            continue;
        }
        if let Ok(file) = folder.open_own(&name)
            && file.try_lock().is_ok()
        {
            let _gone_already_is_fine = folder.remove_file(&name);
        }
    }
}

/// Opens a regular file with exactly this one name, not through a link, to read and append.
pub fn open_to_append(path: &Path) -> io::Result<File> {
    let (folder, name) = place(path)?;
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
    let flags = flags | OFlag::O_RDWR | OFlag::O_APPEND;
    let file = openat(&folder, &*name, flags, Mode::empty());
    let file = file.map_err(|error| match path.is_symlink() {
        true => io::Error::other("it is a link: name the folder that the file itself is in"),
        false => error.into(),
    })?;
    let file = File::from(file);
    let stat = nix::sys::stat::fstat(&file)?;
    match crate::folder::is(&stat, SFlag::S_IFREG) {
        true if stat.st_nlink <= 1 => Ok(file),
        true => Err(io::Error::other(
            "the file has a second name (a hard link): use a copy of it",
        )),
        false => Err(io::Error::other("it is no regular file")),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// What cannot be read.
    struct Cut;

    impl Read for Cut {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
    }

    /// Text without an end, in which a signal comes that asks to end.
    struct Signalled(usize);

    impl Read for Signalled {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            if self.0 == 0 {
                crate::held::tests::signal_this_thread();
            }
            self.0 += into.len();
            assert!(self.0 < 100 << 20, "the signal is not heard of");
            Ok(into.len())
        }
    }

    fn listing(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
        let names = entries.map(|entry| entry.file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_and_nothing_else_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("slots.csv");
        for text in ["first", "second"] {
            write(&path, text).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(listing(folder.path()), ["slots.csv"]);
    }

    /// A link of the right name in somebody else's folder had any file overwritten.
    #[test]
    fn a_link_that_waits_is_replaced_and_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let precious = folder.path().join("precious");
        fs::write(&precious, "mine").unwrap();
        let path = folder.path().join("report.html");
        symlink(&precious, &path).unwrap();
        write(&path, "page").unwrap();
        assert_eq!(fs::read_to_string(&precious).unwrap(), "mine");
        assert!(path.symlink_metadata().unwrap().is_file());
        assert_eq!(fs::read_to_string(&path).unwrap(), "page");
    }

    #[test]
    fn a_file_that_had_its_name_from_the_beginning_is_made_anew_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let (open, name) = (Folder::open(folder.path()).unwrap(), c"part");
        symlink(folder.path().join("elsewhere"), folder.path().join("part")).unwrap();
        assert!(named(&open, name).is_err());
        fs::remove_file(folder.path().join("part")).unwrap();
        named(&open, name).unwrap();
        assert!(named(&open, name).is_err());
        assert!(!folder.path().join("elsewhere").exists());
    }

    #[test]
    fn what_cannot_be_written_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a folder");
        fs::create_dir(&path).unwrap();
        assert!(write(&path, "text").is_err());
        let other = folder.path().join("other");
        assert!(replace(&other, &mut Cut).is_err());
        let open = Folder::open(folder.path()).unwrap();
        for cut in [&mut Cut as &mut dyn Read, &mut Signalled(0)] {
            assert!(put_named(&open, c"other", cut, File::sync_all).is_err());
        }
        assert_eq!(listing(folder.path()), ["a folder"]);
    }

    #[test]
    fn a_file_with_a_name_from_the_beginning_replaces_another_one_all_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let (open, path) = (Folder::open(folder.path()).unwrap(), folder.path());
        for text in ["first", "second"] {
            put_named(&open, c"page", &mut text.as_bytes(), File::sync_all).unwrap();
            assert_eq!(fs::read_to_string(path.join("page")).unwrap(), text);
        }
        assert_eq!(listing(path), ["page"]);
    }

    #[test]
    fn parts_that_nobody_writes_are_swept_and_all_else_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let [dead, at_work, linked, is_folder] = [(); 4].map(|()| names::new(Kind::Part).unwrap());
        fs::write(path(&dead), "half").unwrap();
        let written = named(
            &Folder::open(folder.path()).unwrap(),
            &c_name(&at_work).unwrap(),
        );
        fs::write(path("mine"), "mine").unwrap();
        symlink(path("mine"), path(&linked)).unwrap();
        fs::create_dir(path(&is_folder)).unwrap();
        for other in [".slots.csv.4194999.part", "notes.part"] {
            fs::write(path(other), "mine").unwrap();
        }
        sweep(folder.path());
        assert!(!path(&dead).exists());
        let mut kept = [&at_work, &linked, &is_folder].map(String::as_str).to_vec();
        kept.extend([".slots.csv.4194999.part", "mine", "notes.part"]);
        kept.sort_unstable();
        assert_eq!(listing(folder.path()), kept);
        drop(written);
        sweep(folder.path());
        assert!(!path(&at_work).exists());
    }

    #[test]
    fn nothing_is_appended_through_a_link_or_to_a_pipe() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("journal"), "line\n").unwrap();
        assert!(open_to_append(&path("journal")).is_ok());
        symlink(path("journal"), path("link")).unwrap();
        nix::unistd::mkfifo(&path("pipe"), Mode::S_IRWXU).unwrap();
        for (name, word) in [("link", "it is a link"), ("pipe", "no regular file")] {
            let error = open_to_append(&path(name)).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
        fs::hard_link(path("journal"), path("second")).unwrap();
        let error = open_to_append(&path("journal")).unwrap_err().to_string();
        assert!(error.contains("hard link"), "{error}");
    }
}

//! What a user names for a file to be written: looked at before a run, and written after it.
//!
//! | what is there                                  | what becomes of it                              |
//! |------------------------------------------------|-------------------------------------------------|
//! | nothing                                        | a new file gets the name                        |
//! | a regular file, or a link to one               | a new file takes its place, where [`Over`] says |
//! | a link to anything else, or to nothing         | refused, unless [`Over::All`]                   |
//! | a block device                                 | the same                                        |
//! | another device, a named pipe, `/dev/null`      | written into: its own name states it            |
//! | a descriptor of this process, `/dev/stdout`    | written into                                    |
//!
//! A link may be somebody else's, so none is followed that was not meant: what is written into is
//! opened when looked at, without a wait, and kept open. A pipe that nobody reads is refused.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::stat::{fstat, major, minor};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Over {
    Nothing,
    Files,
    All,
}

#[derive(Debug)]
pub(crate) struct Target {
    path: PathBuf,
    open: Option<File>,
}

impl Target {
    pub(crate) fn prepare(path: &Path, over: Over) -> Result<Self> {
        let shown = path.display();
        let target = |open| Target {
            path: path.to_owned(),
            open,
        };
        let Ok(named) = fs::symlink_metadata(path) else {
            tempfile::tempfile_in(folder_of(path))
                .with_context(|| format!("cannot write {shown}: its folder takes no new file"))?;
            return Ok(target(None));
        };
        let is_free = over == Over::All;
        let Ok(found) = fs::metadata(path) else {
            match is_free {
                true => return Ok(target(None)),
                false => bail!(
                    "{shown} is a link that leads to nothing: name the file that is meant, or remove \
                     the link"
                ),
            }
        };
        if found.is_dir() {
            bail!("{shown} is a folder: name a file");
        }
        if is_own_descriptor(path, &found) {
            return Ok(target(Some(open(path, &found, OFlag::empty())?)));
        }
        if found.is_file() {
            if over == Over::Nothing {
                bail!("{shown} exists: use --force to overwrite it, or name another file");
            }
            may_be_written(path)?;
            return Ok(target(None));
        }
        if named.is_symlink() && !is_free {
            bail!(
                "{shown} is a link to {}: name what it leads to",
                kind(&found)
            );
        }
        if found.file_type().is_block_device() && !is_free {
            bail!("{shown} is a block device: what it holds would be lost; name a file");
        }
        let follow = if is_free {
            OFlag::empty()
        } else {
            OFlag::O_NOFOLLOW
        };
        Ok(target(Some(open(path, &found, follow)?)))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// In one step over a regular file or link; else into it.
    pub(crate) fn write(&mut self, content: &mut impl io::Read) -> Result<()> {
        let written = match &mut self.open {
            Some(open) => io::copy(content, open).map(drop),
            None => tidy::whole::replace(&self.path, content),
        };
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// Never waits for a pipe's reader; checks that it is what was found.
fn open(path: &Path, found: &Metadata, more: OFlag) -> Result<File> {
    let flags = OFlag::O_NONBLOCK | OFlag::O_NOCTTY | more;
    let mut options = OpenOptions::new();
    let opened = options.append(true).custom_flags(flags.bits()).open(path);
    let shown = path.display();
    let is_pipe = found.file_type().is_fifo();
    let file = opened.map_err(|error| match error.raw_os_error() {
        Some(errno) if is_pipe && errno == Errno::ENXIO as i32 => {
            anyhow::anyhow!("nobody reads from the pipe {shown}: start its reader first")
        }
        _ => anyhow::Error::new(error).context(format!("cannot write {shown}")),
    })?;
    if !is_same(&file.metadata()?, found) {
        bail!("{shown} became something else while it was looked at");
    }
    let flags = OFlag::from_bits_retain(fcntl(&file, FcntlArg::F_GETFL)?);
    fcntl(&file, FcntlArg::F_SETFL(flags - OFlag::O_NONBLOCK))?;
    Ok(file)
}

fn may_be_written(path: &Path) -> Result<()> {
    let opened = OpenOptions::new().write(true).open(path);
    opened.with_context(|| format!("cannot write {}", path.display()))?;
    Ok(())
}

fn is_own_descriptor(path: &Path, found: &Metadata) -> bool {
    let is_null =
        found.file_type().is_char_device() && (major(found.rdev()), minor(found.rdev())) == (1, 3);
    let own = PathBuf::from(format!("/proc/{}/fd", std::process::id()));
    let is_named =
        flow::proc_is_own() && fs::canonicalize(folder_of(path)).is_ok_and(|of| of == own);
    is_null
        || is_named
        || is_open_as(io::stdout(), path, found)
        || is_open_as(io::stderr(), path, found)
}

fn is_open_as(stream: impl AsFd, path: &Path, found: &Metadata) -> bool {
    let is = fstat(stream).is_ok_and(|own| (own.st_dev, own.st_ino) == (found.dev(), found.ino()));
    is && path.is_symlink()
}

fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

fn kind(found: &Metadata) -> &'static str {
    let kind = found.file_type();
    match () {
        () if kind.is_fifo() => "a named pipe",
        () if kind.is_block_device() => "a block device",
        () if kind.is_char_device() => "a device",
        () => "what is no regular file",
    }
}

pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::symlink;

    use nix::sys::stat::Mode;

    use super::*;

    fn refused(path: &Path, over: Over) -> String {
        Target::prepare(path, over).unwrap_err().to_string()
    }

    fn put(path: &Path, over: Over, text: &str) {
        let mut target = Target::prepare(path, over).unwrap();
        target.write(&mut text.as_bytes()).unwrap();
    }

    /// What the user named was opened through any link, and what that led to was written over.
    #[test]
    fn a_link_is_replaced_and_not_followed_and_a_device_is_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let (other, link) = (folder.path().join("other"), folder.path().join("link"));
        fs::write(&other, "of somebody else").unwrap();
        symlink(&other, &link).unwrap();
        put(&link, Over::Files, "times");
        assert_eq!(fs::read_to_string(&other).unwrap(), "of somebody else");
        assert_eq!(fs::read_to_string(&link).unwrap(), "times");
        assert!(!fs::symlink_metadata(&link).unwrap().is_symlink());
        put(Path::new("/dev/null"), Over::Nothing, "times");
        assert!(!Path::new("/dev/null").is_file());
    }

    /// `-o LINK` wrote over a block device through somebody else's link, and into other processes'
    /// open files.
    #[test]
    fn a_link_to_what_is_no_regular_file_is_not_followed_unless_that_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        nix::unistd::mkfifo(&path("pipe"), Mode::S_IRWXU).unwrap();
        symlink("pipe", path("to-pipe")).unwrap();
        symlink("/dev/full", path("to-device")).unwrap();
        for over in [Over::Nothing, Over::Files] {
            assert!(refused(&path("to-pipe"), over).contains("a link to a named pipe"));
            assert!(refused(&path("to-device"), over).contains("a link to a device"));
        }
        let mut full = Target::prepare(&path("to-device"), Over::All).unwrap();
        let error = format!("{:#}", full.write(&mut "times".as_bytes()).unwrap_err());
        assert!(error.contains("No space left"), "{error}");
        symlink("/dev/null", path("to-null")).unwrap();
        put(&path("to-null"), Over::Nothing, "times");
        assert!(path("to-null").is_symlink());
    }

    /// A link that led to nothing was replaced as if nothing had been there.
    #[test]
    fn a_link_that_leads_to_nothing_stays() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        symlink("missing", &link).unwrap();
        assert!(refused(&link, Over::Files).contains("leads to nothing"));
        assert!(link.is_symlink());
        put(&link, Over::All, "times");
        assert!(fs::symlink_metadata(&link).unwrap().is_file());
    }

    /// `-o PIPE` waited for a reader for ever, without a word, and after the whole run.
    #[test]
    fn a_pipe_that_nobody_reads_is_refused_at_once_and_another_keeps_its_reader() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        nix::unistd::mkfifo(&pipe, Mode::S_IRWXU).unwrap();
        assert!(refused(&pipe, Over::Nothing).contains("nobody reads from the pipe"));
        let reads = OpenOptions::new()
            .read(true)
            .custom_flags(OFlag::O_NONBLOCK.bits())
            .open(&pipe);
        let mut reader = reads.unwrap();
        put(&pipe, Over::Nothing, "times");
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "times");
    }

    /// `/dev/stdout` that goes to a file would have been replaced by a file.
    #[test]
    fn a_descriptor_is_written_to_and_its_name_stays() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "the answer, ").unwrap();
        let number = file.as_file().as_raw_fd();
        for named in ["/proc/self/fd", "/dev/fd"] {
            put(
                &Path::new(named).join(number.to_string()),
                Over::Nothing,
                "times",
            );
        }
        assert_eq!(
            fs::read_to_string(file.path()).unwrap(),
            "the answer, timestimes"
        );
        assert!(Target::prepare(Path::new("/dev/stdout"), Over::Nothing).is_ok());
    }
}

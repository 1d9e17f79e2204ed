//! The folder for the files of one slot, and the name of its pipe: for this user alone, with an
//! empty file as its maker's mark, and locked by its maker while that lives.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::stat::{Mode, SFlag};

use crate::folder::{Folder, c_name, is, is_own};
use crate::names::Kind;

/// Empty: it takes no room on the measured disk.
const MARK: &CStr = c".flowgauge-slot";
/// How long removing is retried: a killed flow may still be in a system call that makes a file.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(2);
/// Flows unlink a pipe as soon as they have it: one of this age is unused.
const FIFO_AGE: Duration = Duration::from_secs(600);

/// Folder of a slot's files. Dropping it removes nothing: call [`remove`](Self::remove).
#[derive(Debug)]
pub struct SlotFolder {
    path: PathBuf,
    base: Folder,
    name: CString,
    inner: Folder,
}

impl SlotFolder {
    /// Makes the folder at `path`, whose name is [`crate::names::new`]'s and must be new.
    pub fn make(path: &Path) -> io::Result<Self> {
        let parent = path.parent().unwrap_or(Path::new("."));
        let named = |error: io::Error| {
            let text = format!(
                "cannot make a folder for the files of a slot in {}: {error}",
                parent.display()
            );
            io::Error::new(error.kind(), text)
        };
        let name = c_name(path.file_name().unwrap_or_default())?;
        let base = Folder::open(parent).map_err(named)?;
        let inner = base.make_folder(&name).map_err(named)?;
        // A folder that cannot be locked is left alone by the sweep.
        let _no_locks_here = inner.handle().try_lock();
        let marked = inner.make_file(MARK, Mode::S_IRUSR);
        marked.map_err(named).inspect_err(|_| {
            let _empty_and_ours = base.remove_folder(&name);
        })?;
        Ok(Self {
            path: path.canonicalize()?,
            base,
            name,
            inner,
        })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// From now on it stays locked also for the programs that this process becomes or starts.
    pub fn keep_over_exec(&self) -> io::Result<()> {
        let flags = FcntlArg::F_SETFD(FdFlag::empty());
        fcntl(self.inner.handle(), flags)?;
        Ok(())
    }

    /// Removes it with the files in it.
    pub fn remove(&self) {
        remove(&self.base, &self.name, &self.inner, PATIENCE);
    }
}

fn remove(base: &Folder, name: &CStr, inner: &Folder, patience: Duration) {
    let until = Instant::now() + patience;
    loop {
        inner.empty();
        if base.remove_folder(name) != Err(Errno::ENOTEMPTY) || Instant::now() >= until {
            return;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Removes folders and pipes that dead runs left in `base`.
pub fn sweep(base: &Path) {
    let Ok(base) = Folder::open(base) else {
        return;
    };
    for name in base.names().unwrap_or_default() {
        sweep_one(&base, &name, Maker::Unknown);
    }
}

/// Removes what is ours and unused at these paths. The caller knows that their maker is dead.
pub fn remove_left(paths: &[PathBuf]) {
    for path in paths {
        let base = path.parent().map(Folder::open);
        let name = path.file_name().map(c_name);
        if let (Some(Ok(base)), Some(Ok(name))) = (base, name) {
            sweep_one(&base, &name, Maker::Dead);
        }
    }
}

/// What is known of who made a file or folder. What a dead one left need not be old, and removing is retried.
#[derive(PartialEq)]
enum Maker {
    Dead,
    Unknown,
}

fn sweep_one(base: &Folder, name: &CStr, maker: Maker) {
    let is_dead = maker == Maker::Dead;
    match name.to_str().ok().and_then(Kind::of) {
        Some(Kind::Folder) => {
            let patience = if is_dead { PATIENCE } else { Duration::ZERO };
            sweep_folder(base, name, patience);
        }
        Some(Kind::Fifo) if is_own_fifo(base, name).is_some_and(|at| is_dead || is_old(at)) => {
            let _gone_already_is_fine = base.remove_file(name);
        }
        _ => {}
    }
}

fn sweep_folder(base: &Folder, name: &CStr, patience: Duration) {
    let Ok(inner) = base.enter(name) else {
        return;
    };
    let is_ours = inner.about().is_ok_and(|about| {
        let closed = about.st_mode & 0o077 == 0;
        is_own(&about) && closed
    });
    if !is_ours || inner.handle().try_lock().is_err() {
        return;
    }
    match is_marked(&inner) {
        true => remove(base, name, &inner, patience),
        // Its maker was killed before it could put the mark there; anything else in it keeps it.
        false => drop(base.remove_folder(name)),
    }
}

fn is_marked(folder: &Folder) -> bool {
    let mark = folder.open_own(MARK).and_then(|mark: File| mark.metadata());
    mark.is_ok_and(|mark| mark.len() == 0)
}

fn is_old(changed_s: i64) -> bool {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let now_s = now.map_or(0, |now| now.as_secs() as i64);
    now_s.saturating_sub(changed_s) > FIFO_AGE.as_secs() as i64
}

/// Time of its last write in seconds; `None` unless it is a named pipe of ours.
fn is_own_fifo(base: &Folder, name: &CStr) -> Option<i64> {
    let stat = base.look(name).ok()?;
    (is(&stat, SFlag::S_IFIFO) && is_own(&stat) && stat.st_nlink == 1).then_some(stat.st_mtime)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::names;

    fn new_in(base: &Path) -> SlotFolder {
        SlotFolder::make(&base.join(names::new(Kind::Folder).unwrap())).unwrap()
    }

    /// The folder of a slot as a run leaves it that is killed.
    fn left_in(base: &Path) -> PathBuf {
        let made = new_in(base);
        fs::write(made.path().join("inOut_0.dat"), "x").unwrap();
        fs::create_dir(made.path().join("of-3")).unwrap();
        fs::write(made.path().join("of-3/flow-3"), "x").unwrap();
        made.path().to_owned()
    }

    #[test]
    fn a_folder_is_for_this_user_alone_and_goes_with_its_files() {
        let base = tempfile::tempdir().unwrap();
        let made = new_in(base.path());
        assert_eq!(
            made.path().metadata().unwrap().permissions().mode() & 0o777,
            0o700
        );
        for number in 0..300 {
            fs::write(made.path().join(format!("inOut_{number}.dat")), "x").unwrap();
        }
        made.remove();
        assert_eq!(fs::read_dir(base.path()).unwrap().count(), 0);
        let missing = base
            .path()
            .join("missing")
            .join(names::new(Kind::Folder).unwrap());
        let error = SlotFolder::make(&missing).unwrap_err().to_string();
        assert!(error.contains("missing"), "{error}");
    }

    /// A launcher that was killed leaves folders some levels deep.
    #[test]
    fn folders_of_open_mpi_go_with_all_in_them() {
        let base = tempfile::tempdir().unwrap();
        let left = left_in(base.path());
        fs::create_dir_all(left.join("ompi.vm.0/pid.18298/0/1")).unwrap();
        fs::write(left.join("ompi.vm.0/pid.18298/contact.txt"), "x").unwrap();
        sweep(base.path());
        assert!(!left.exists());
    }

    #[test]
    fn what_a_killed_run_left_is_swept_and_what_a_live_one_uses_stays() {
        let base = tempfile::tempdir().unwrap();
        let (left, used) = (left_in(base.path()), new_in(base.path()));
        sweep(base.path());
        assert!(!left.exists() && used.path().exists());
        used.remove();
    }

    /// Any folder named like one of ours was removed with all that was below it.
    #[test]
    fn the_sweep_removes_nothing_that_is_not_provably_ours() {
        let base = tempfile::tempdir().unwrap();
        let name = || names::new(Kind::Folder).unwrap();
        let not_ours = [
            "flowgauge-2147483646-5.files".to_owned(),
            "flowgauge-notes.files".to_owned(),
            name(),
        ];
        for name in &not_ours {
            let folder = base.path().join(name);
            fs::create_dir(&folder).unwrap();
            fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
            fs::write(folder.join("thesis"), "mine").unwrap();
        }
        let fifo = base.path().join(names::new(Kind::Fifo).unwrap());
        fs::write(&fifo, "a file that is called like a pipe").unwrap();
        let open_to_all = left_in(base.path());
        fs::set_permissions(&open_to_all, fs::Permissions::from_mode(0o755)).unwrap();
        let link = base.path().join(name());
        symlink(&open_to_all, &link).unwrap();
        sweep(base.path());
        for name in &not_ours {
            assert!(base.path().join(name).join("thesis").exists(), "{name}");
        }
        assert!(fifo.exists() && open_to_all.join("inOut_0.dat").exists() && link.is_symlink());
    }

    #[test]
    fn a_folder_outlives_its_maker_where_the_program_that_this_becomes_uses_it() {
        let base = tempfile::tempdir().unwrap();
        let made = new_in(base.path());
        made.keep_over_exec().unwrap();
        let mut user = std::process::Command::new("sleep");
        let mut user = user.arg("60").spawn().unwrap();
        let path = made.path().to_owned();
        drop(made);
        sweep(base.path());
        assert!(path.exists());
        user.kill().unwrap();
        user.wait().unwrap();
        sweep(base.path());
        assert!(!path.exists());
    }

    #[test]
    fn links_and_folders_of_other_names_are_not_gone_into() {
        let base = tempfile::tempdir().unwrap();
        let kept = base.path().join("kept");
        fs::create_dir(&kept).unwrap();
        fs::write(kept.join("file"), "mine").unwrap();
        let left = left_in(base.path());
        symlink(&kept, left.join("link")).unwrap();
        symlink(&kept, left.join("of-7")).unwrap();
        sweep(base.path());
        assert!(!left.exists() && kept.join("file").exists());
        let left = left_in(base.path());
        fs::create_dir(left.join("photos")).unwrap();
        fs::write(left.join("photos/one"), "mine").unwrap();
        sweep(base.path());
        assert!(left.join("photos/one").exists());
    }

    #[test]
    fn a_pipe_of_a_moment_ago_may_be_in_use_and_stays() {
        let base = tempfile::tempdir().unwrap();
        let fifo = base.path().join(names::new(Kind::Fifo).unwrap());
        nix::unistd::mkfifo(&fifo, Mode::S_IRUSR).unwrap();
        sweep(base.path());
        assert!(fifo.exists());
        // Anyone who knows that its maker is dead does not wait.
        remove_left(&[fifo.clone(), base.path().join("other")]);
        assert!(!fifo.exists());
    }
}

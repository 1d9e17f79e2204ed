//! How results travel from flows to the parent.
//!
//! A result is a `u64`. Results of one unit are gathered into a **batch** of at most `PIPE_BUF`
//! (4,096) bytes: writes up to that size are atomic, and cost about as much as one value.
//! ```text
//! batch, in 8-byte words:   count │ unit │ first │ value 0 │ value 1 │ … (at most 509)
//! ```
//! They travel by a **named pipe** that each flow opens (as in the 2010 study), an inherited
//! **pipe**, or a **ring** in shared memory without system calls unless a side sleeps.
//! [`Inlet::drain`] never blocks; the waiting is in [`crate::rep`].

mod inlet;
mod outlet;
mod sink;

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::stat::Mode;
use nix::unistd::{mkfifo, pipe2};

use crate::notify::Notify;
pub use crate::ring::BATCH_VALUES;
use crate::ring::{BATCH_WORDS, HEAD_WORDS};
use crate::shared_memory::SharedMemory;
use crate::variant::Channel;

pub(crate) use inlet::Inlet;
use inlet::Source;
pub use outlet::Outlet;
use outlet::Way;
pub use sink::{NoSink, Sink};

#[derive(Debug)]
pub(crate) enum Entrance {
    None,
    Fifo(PathBuf),
    Pipe(OwnedFd),
    Rings,
}

impl Entrance {
    pub(crate) fn outlet<'a>(
        &'a self,
        shared: &'a SharedMemory,
        notify: &'a Notify,
        index: usize,
    ) -> io::Result<Outlet<'a>> {
        let mut options = OpenOptions::new();
        Ok(Outlet::new(match self {
            Self::None => Way::None,
            Self::Fifo(path) => {
                let options = options.write(true).custom_flags(libc::O_NOFOLLOW);
                Way::Own(options.open(path)?)
            }
            Self::Pipe(writer) => Way::Inherited(writer),
            Self::Rings => Way::Ring(shared, index, notify),
        }))
    }

    pub(crate) fn all_open(&self) {
        if let Self::Fifo(path) = self {
            let _gone_is_fine = std::fs::remove_file(path);
        }
    }
}

impl Drop for Entrance {
    fn drop(&mut self) {
        self.all_open();
    }
}

pub(crate) fn open(channel: Option<Channel>, fifo: &Path) -> io::Result<(Entrance, Inlet)> {
    let (entrance, source) = match channel {
        None => (Entrance::None, Source::None),
        Some(Channel::Fifo) => open_fifo(fifo)?,
        Some(Channel::Pipe) => open_pipe()?,
        Some(Channel::Shm) => (Entrance::Rings, Source::Rings),
    };
    Ok((entrance, Inlet::new(source)))
}

const PIPE_BYTES: libc::c_int = 1 << 20;

/// Writer and reader take turns less often (a third of the cost of a value).
fn widen(pipe: &impl AsFd) {
    let _smaller_works_too = fcntl(pipe, FcntlArg::F_SETPIPE_SZ(PIPE_BYTES));
}

fn open_fifo(path: &Path) -> io::Result<(Entrance, Source)> {
    mkfifo(path, Mode::S_IRUSR | Mode::S_IWUSR).map_err(|errno| {
        io::Error::other(format!(
            "cannot make the named pipe {}: {}; set TMPDIR to a folder on a local disk that \
                 can be written, or use --channel pipe",
            path.display(),
            errno.desc()
        ))
    })?;
    let entrance = Entrance::Fifo(path.to_owned());
    let mut options = OpenOptions::new();
    let options = options.read(true);
    let reader = options
        .custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW)
        .open(path)?;
    widen(&reader);
    Ok((entrance, Source::Pipe(reader)))
}

fn open_pipe() -> io::Result<(Entrance, Source)> {
    let (reader, writer) = pipe2(OFlag::O_CLOEXEC)?;
    widen(&reader);
    fcntl(&reader, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
    Ok((Entrance::Pipe(writer), Source::Pipe(File::from(reader))))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::inlet::whole_batch;
    use super::*;

    /// Keeps results by unit and checks that their numbers have no gaps.
    #[derive(Default)]
    struct Keeper(BTreeMap<u64, Vec<u64>>);

    impl Sink for Keeper {
        fn begin(&mut self) -> io::Result<()> {
            Ok(())
        }

        fn take(&mut self, unit: u64, first: u64, values: &[u64]) -> io::Result<()> {
            let kept = self.0.entry(unit).or_default();
            assert_eq!(first, kept.len() as u64, "a gap in unit {unit}");
            kept.extend_from_slice(values);
            Ok(())
        }

        fn end(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Sends `units` (their sizes) through `channel` from another thread.
    fn through(channel: Channel, units: &[usize]) -> (BTreeMap<u64, Vec<u64>>, u64) {
        let folder = tempfile::tempdir().unwrap();
        let (entrance, mut inlet) = open(Some(channel), &folder.path().join("fifo")).unwrap();
        let (shared, notify) = (SharedMemory::new(1, 1).unwrap(), Notify::new().unwrap());
        let mut keeper = Keeper::default();
        std::thread::scope(|scope| {
            let flow = scope.spawn(|| {
                let mut outlet = entrance.outlet(&shared, &notify, 0).unwrap();
                for (unit, &size) in units.iter().enumerate() {
                    outlet.begin(unit as u64);
                    (0..size as u64).for_each(|value| outlet.push(value * 7));
                }
                outlet.finish().unwrap();
                (outlet.sent(), outlet)
            });
            while !flow.is_finished() {
                inlet.drain(&shared, &mut keeper).unwrap();
            }
            let (sent, _open_until_here) = flow.join().unwrap();
            inlet.drain(&shared, &mut keeper).unwrap();
            assert_eq!(inlet.received(), sent);
        });
        entrance.all_open();
        let left = std::fs::read_dir(folder.path()).unwrap();
        assert_eq!(left.count(), 0, "a pipe was left");
        (keeper.0, inlet.received())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn every_result_arrives_once_and_in_its_place(
            units in prop::collection::vec(0_usize..3 * BATCH_VALUES, 0..12)
        ) {
            for channel in [Channel::Fifo, Channel::Pipe, Channel::Shm] {
                let (kept, received) = through(channel, &units);
                prop_assert_eq!(received, units.iter().sum::<usize>() as u64);
                for (unit, &size) in units.iter().enumerate() {
                    let expected: Vec<u64> = (0..size as u64).map(|value| value * 7).collect();
                    prop_assert_eq!(kept.get(&(unit as u64)).cloned().unwrap_or_default(), expected);
                }
            }
        }
    }

    #[test]
    fn batches_that_cannot_be_are_refused() {
        assert!(whole_batch(&[0, 1, 2, 3]).is_err());
        assert!(whole_batch(&[BATCH_VALUES as u64 + 1]).is_err());
        assert_eq!(whole_batch(&[2, 0, 0, 9]).unwrap(), None);
        assert_eq!(whole_batch(&[]).unwrap(), None);
        let whole = whole_batch(&[1, 4, 0, 9, 8]).unwrap();
        assert_eq!(whole, Some([1, 4, 0, 9].as_slice()));
    }

    #[test]
    fn a_workload_without_channel_must_not_send() {
        let mut outlet = Outlet::nowhere();
        outlet.push(1);
        assert!(outlet.finish().is_err());
    }

    #[test]
    fn a_pipe_in_an_impossible_place_says_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing/fifo");
        let error = open(Some(Channel::Fifo), &missing).unwrap_err();
        assert!(error.to_string().contains("TMPDIR"), "{error}");
    }
}

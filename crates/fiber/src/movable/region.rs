//! The range of addresses that several processes agree on. What lies in it: `shared`. A forked
//! process inherits the mapping; one started by itself maps the same file, or memory of its own, at
//! the address that the other names ([`Region::reserve_at`]), unless that is taken. The file has no
//! name: it is gone with the last process that maps it.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::NonNull;
use std::rc::Rc;
use std::sync::atomic::AtomicU64;

use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::unistd::ftruncate;

use super::member::Member;
use super::shared::{Layout, Shared};
use super::wire::Wire;
use crate::arch;
use crate::config::{Config, Stack};
use crate::core::{Core, next_number};
use crate::error::ConfigError;
use crate::memory::Mapping;
use crate::scheduler::Scheduler;

/// Between the heap and the stacks of a usual process, if free.
const FIRST_CHOICE: usize = 0x6000_0000_0000;
const CHOICE_STEP: usize = 1 << 40;
const CHOICES: usize = 16;

/// Memory for the fibers of several processes, at one address; each calls [`Region::join`].
#[derive(Debug, Clone)]
pub struct Region {
    shared: Rc<Shared>,
}

#[derive(Clone, Copy)]
pub(super) struct Terms {
    pub(super) config: Config,
    pub(super) processes: usize,
    pub(super) number: u32,
    pub(super) address: usize,
}

impl Region {
    /// Reserves the range for `processes` processes, each with `config`'s capacity of fibers; takes
    /// next to no memory. Errors: a configuration without sense, no room, no shared memory.
    pub fn reserve(config: Config, processes: usize) -> Result<Region, ConfigError> {
        let layout = Layout::of(&config, processes)?;
        let range = reserve_anywhere(layout.reserved)?;
        let file = shared_file(layout.file)?;
        Region::over(range, config, layout, file, next_number())
    }

    /// As [`Region::reserve`], at `address` and nowhere else. Errors: also when something is there.
    pub fn reserve_at(
        address: usize,
        config: Config,
        processes: usize,
    ) -> Result<Region, ConfigError> {
        let number = next_number();
        let terms = Terms {
            config,
            processes,
            number,
            address,
        };
        Region::on(terms, None)
    }

    pub(super) fn on(terms: Terms, file: Option<OwnedFd>) -> Result<Region, ConfigError> {
        let Terms {
            config, address, ..
        } = terms;
        let layout = Layout::of(&config, terms.processes)?;
        let taken = |source| ConfigError::Taken { address, source };
        let range = reserve_range(address, layout.reserved).map_err(taken)?;
        let file = file.map_or_else(|| shared_file(layout.file), Ok)?;
        Region::over(range, config, layout, file, terms.number)
    }

    pub(crate) fn send_by(&self, wire: Wire) -> bool {
        self.shared.link(wire)
    }

    fn over(
        range: Mapping,
        config: Config,
        layout: Layout,
        file: OwnedFd,
        number: u32,
    ) -> Result<Region, ConfigError> {
        let shared = Shared::over(range, config, layout, file, number)?;
        Ok(Region {
            shared: Rc::new(shared),
        })
    }

    /// The scheduler of process `process`, from 0, on the kernel thread that forked or was forked.
    /// Errors: no such process, it has joined already, or the kernel has no room.
    pub fn join(&self, process: usize) -> Result<Scheduler, ConfigError> {
        Scheduler::over(self.core(process)?)
    }

    pub(crate) fn core(&self, process: usize) -> Result<Core, ConfigError> {
        let member = Member::join(&self.shared, process)?;
        Core::build(&self.shared.config, Some(member))
    }

    /// Whether process `process` has joined: fibers can move to it. It may have ended since.
    #[must_use]
    pub fn has_joined(&self, process: usize) -> bool {
        process < self.processes() && self.shared.has_joined(process)
    }

    /// No fiber will be made or moved any more: every [`Scheduler::serve`] returns.
    pub fn close(&self) {
        self.shared.header().close();
        if let Some(wire) = self.shared.wire() {
            wire.close();
        }
        for process in 0..self.shared.processes() {
            self.shared.mailbox(process).wake();
        }
    }

    pub(super) fn terms(&self) -> Terms {
        Terms {
            config: self.shared.config,
            processes: self.processes(),
            number: self.shared.number,
            address: self.address(),
        }
    }

    pub(crate) fn file(&self) -> i32 {
        self.shared.file.as_raw_fd()
    }

    /// The processes that the region has room for.
    #[must_use]
    pub fn processes(&self) -> usize {
        self.shared.processes()
    }

    /// Words that all processes share, zero at first ([`Config::common`]), at one address: a fiber
    /// may keep a reference over a move while no process drops the region. A socket shares none.
    #[must_use]
    pub fn common(&self) -> &[AtomicU64] {
        self.shared.common()
    }

    /// Where the region begins, which is the same in all its processes.
    #[must_use]
    pub fn address(&self) -> usize {
        self.shared.address()
    }
}

impl Core {
    /// A scheduler that stands alone: with movable stacks in a region of one process.
    pub(crate) fn new(config: &Config) -> Result<Core, ConfigError> {
        match config.stack {
            Stack::Movable { .. } => Region::reserve(*config, 1)?.core(0),
            Stack::Packed { .. } | Stack::Guarded { .. } => Core::build(config, None),
        }
    }
}

fn reserve_anywhere(bytes: usize) -> Result<Mapping, ConfigError> {
    for choice in 0..CHOICES {
        if let Ok(range) = reserve_range(FIRST_CHOICE + choice * CHOICE_STEP, bytes) {
            return Ok(range);
        }
    }
    Mapping::untouchable(bytes).map_err(|source| ConfigError::Memory { bytes, source })
}

fn reserve_range(address: usize, bytes: usize) -> io::Result<Mapping> {
    let flags =
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    let wanted = std::ptr::without_provenance_mut(address);
    // SAFETY: a new mapping, which replaces none.
    let got = unsafe { libc::mmap(wanted, bytes, libc::PROT_NONE, flags, -1, 0) };
    if got == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    let base = NonNull::new(got.cast()).ok_or_else(io::Error::last_os_error)?;
    // SAFETY: the mapping made just now, which nobody else knows of.
    let own = unsafe { sys::Mapping::from_raw(base, bytes) };
    let range = Mapping::above(own, 0);
    // A hint before Linux 4.17.
    if got.addr() == address {
        Ok(range)
    } else {
        Err(io::Error::from_raw_os_error(libc::EEXIST))
    }
}

/// Whether fibers that move between processes can be made here; else why not.
pub fn movable_available() -> Result<(), String> {
    arch::available()?;
    let tried = shared_file(sys::PAGE);
    tried.map(drop).map_err(|error| error.to_string())
}

fn shared_file(bytes: usize) -> Result<OwnedFd, ConfigError> {
    let file = memfd_create(c"fibers", MFdFlags::MFD_CLOEXEC);
    let file = file.map_err(|errno| ConfigError::NoSharedMemory(errno.into()))?;
    let memory = |source| ConfigError::Memory { bytes, source };
    let length = i64::try_from(bytes).map_err(|_| memory(io::Error::other("too large")))?;
    ftruncate(&file, length).map_err(|errno| memory(errno.into()))?;
    Ok(file)
}

//! What lies in a region, and who has joined it.
//! ```text
//!  base (a boundary of huge pages)
//!  ├ header, mailboxes, common words │ whereabouts │ parcels ┤ … ├ landing │ slot 0 │ slot 1 │ … ┤ guard │ window ┤
//!  └─────────────────────── one file without a name, mapped shared ─────────────────────────────┘         private
//! ```
//! The whole range is reserved first, at a free address, and then the file is mapped over it. The page below the
//! landing and the one below the window (where stacks without addresses of their own take turns) stay untouchable.
//!
//! **Shares.** Process p makes fibers in slots p K .. (p + 1) K, its *home*: there is no lock.
//!
//! **Huge pages.** A file in memory rarely gets them by the system's settings. But a process may ask for a block at a
//! time (`MADV_COLLAPSE`, Linux 6.1): dense slots do so when the first slot in it is used (1 ms a block of 2 MiB,
//! against 45 us for private memory).
//!
//! **Who lives.** Each member holds a lock of the kernel's on its byte of the file, which ends with the process: no
//! lock in shared memory can stay behind.

use std::cell::{Cell, OnceCell};
use std::io;
use std::mem::offset_of;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;

use super::mail::{Header, Mailbox, Whereabouts};
use super::staged::Staged;
use super::wire::Wire;
use crate::config::{Config, Stack};
use crate::control::Control;
use crate::error::ConfigError;
use crate::memory::{HUGE_PAGE, Mapping, PAGE, Table};
use crate::slots::{LANDING, Slots};
use crate::valgrind;

/// Processes are numbered in 16 bits.
const MOST_PROCESSES: usize = u16::MAX as usize - 1;
/// Slots larger than this are used too sparsely to fill a huge page.
const DENSE: usize = PAGE;

#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    processes: usize,
    total: usize,
    common: usize,
    whereabouts: usize,
    parcels: usize,
    slots: usize,
    slots_bytes: usize,
    pub(super) file: usize,
    window: usize,
    window_bytes: usize,
    pub(super) reserved: usize,
}

impl Layout {
    pub(super) fn of(config: &Config, processes: usize) -> Result<Layout, ConfigError> {
        config.check()?;
        let too_many = |most| ConfigError::Capacity {
            capacity: config.capacity.saturating_mul(processes),
            most,
        };
        if processes == 0 || processes > MOST_PROCESSES {
            return Err(ConfigError::Processes {
                processes,
                most: MOST_PROCESSES,
            });
        }
        let most = config.most();
        let total = config.capacity.saturating_mul(processes);
        if total > most {
            return Err(too_many(most));
        }
        Ok(Layout::sized(config, processes, total))
    }

    /// Products are bounded by what `Config::most` lets a process address.
    fn sized(config: &Config, processes: usize, total: usize) -> Layout {
        let common = size_of::<Header>() + processes * size_of::<Mailbox>();
        let words = config.common as usize * size_of::<u64>();
        let whereabouts = (common + words).next_multiple_of(64);
        let parcels = (whereabouts + total * size_of::<Whereabouts>()).next_multiple_of(64);
        let tables = parcels + total * size_of::<Control>();
        let slots = (tables + PAGE).next_multiple_of(HUGE_PAGE);
        let stride = Slots::stride_of(config.stack, valgrind::is_watching());
        let slots_bytes = (LANDING + stride * total).next_multiple_of(PAGE);
        let file = slots + slots_bytes;
        let window = file + PAGE;
        let window_bytes = match config.stack.takes_turns() {
            true => config.stack.bytes(),
            false => 0,
        };
        Layout {
            processes,
            total,
            common,
            whereabouts,
            parcels,
            slots,
            slots_bytes,
            file,
            window,
            window_bytes,
            reserved: window + window_bytes,
        }
    }
}

pub(crate) const TABLE_BYTES: usize = size_of::<Whereabouts>() + size_of::<Control>();

/// For that many fibers of one process, beyond their slots and tables.
pub(crate) fn bytes_between(config: &Config, fibers: usize) -> usize {
    let each = Slots::stride_of(config.stack, false) + TABLE_BYTES;
    let all = Layout::sized(config, 1, fibers).reserved;
    all.saturating_sub(fibers * each)
}

#[derive(Debug)]
pub(crate) struct Shared {
    range: Mapping,
    pub(super) file: OwnedFd,
    pub(super) config: Config,
    layout: Layout,
    pub(crate) number: u32,
    /// Blocks of slots below this offset were asked to be huge pages.
    dense_up_to: Cell<usize>,
    wire: OnceCell<Wire>,
}

impl Shared {
    pub(super) fn over(
        range: Mapping,
        config: Config,
        layout: Layout,
        file: OwnedFd,
        number: u32,
    ) -> Result<Shared, ConfigError> {
        let shared = Shared {
            file,
            number,
            range,
            config,
            layout,
            dense_up_to: Cell::new(0),
            wire: OnceCell::new(),
        };
        shared.map()?;
        Ok(shared)
    }

    pub(super) fn link(&self, wire: Wire) -> bool {
        self.wire.set(wire).is_ok()
    }

    pub(super) fn address(&self) -> usize {
        self.range.base().addr()
    }

    pub(super) fn common(&self) -> &[AtomicU64] {
        let first = self.at(self.layout.common).cast::<AtomicU64>();
        // SAFETY: the layout has room for as many words, aligned and zeroed, which live as long as `self` and are used
        // as atomic ones only.
        unsafe { std::slice::from_raw_parts(first, self.config.common as usize) }
    }

    pub(crate) fn processes(&self) -> usize {
        self.layout.processes
    }

    pub(crate) fn total(&self) -> usize {
        self.layout.total
    }

    pub(crate) fn share(&self) -> usize {
        self.config.capacity
    }

    #[inline]
    pub(crate) fn home(&self, index: u32) -> usize {
        index as usize / self.config.capacity
    }

    #[inline]
    pub(crate) fn wire(&self) -> Option<&Wire> {
        self.wire.get()
    }

    #[inline]
    pub(crate) fn wire_to(&self, process: usize) -> Option<&Wire> {
        self.wire().filter(|wire| wire.peer == process)
    }

    pub(crate) fn header(&self) -> &Header {
        // SAFETY: the range starts with a header (zeroed bytes are one) and outlives `self`.
        unsafe { self.range.base().cast::<Header>().as_ref_unchecked() }
    }

    #[inline]
    pub(crate) fn has_joined(&self, process: usize) -> bool {
        match self.wire_to(process) {
            Some(wire) => wire.is_open(),
            None => self.mailbox(process).owner() != 0,
        }
    }

    pub(crate) fn mailbox(&self, process: usize) -> &Mailbox {
        assert!(process < self.layout.processes, "no such process");
        let first = self.at(size_of::<Header>()).cast::<Mailbox>();
        // SAFETY: in range (just checked); zeroed bytes are a mailbox.
        unsafe { first.wrapping_add(process).as_ref_unchecked() }
    }

    #[inline]
    pub(crate) fn whereabouts(&self, index: u32) -> &Whereabouts {
        assert!((index as usize) < self.layout.total, "no such slot");
        let first = self.at(self.layout.whereabouts).cast::<Whereabouts>();
        // SAFETY: in range (just checked); zeroed bytes are a value.
        unsafe { first.wrapping_add(index as usize).as_ref_unchecked() }
    }

    pub(crate) fn parcels(&self) -> Table<Control> {
        let bytes = self.layout.total * size_of::<Control>();
        Table::over(self.part(self.layout.parcels, bytes, 0), self.layout.total)
    }

    pub(crate) fn slots(&self) -> Slots {
        let mapping = self.part(self.layout.slots, self.layout.slots_bytes, PAGE);
        Slots::within(mapping, self.config.stack, valgrind::is_watching())
    }

    pub(crate) fn staged(&self) -> Option<Staged> {
        let Stack::Movable { way, .. } = self.config.stack else {
            return None;
        };
        let bytes = self.layout.window_bytes;
        (bytes > 0).then(|| {
            let window = self.part(self.layout.window, bytes, PAGE);
            Staged::new(way, window, self.file.as_raw_fd(), self.layout.slots)
        })
    }

    fn part(&self, offset: usize, bytes: usize, below: usize) -> Mapping {
        let base = NonNull::new(self.at(offset)).unwrap_or(NonNull::dangling());
        Mapping::part(base, bytes, below)
    }

    fn at(&self, offset: usize) -> *mut u8 {
        self.range.base().wrapping_add(offset)
    }

    fn map(&self) -> Result<(), ConfigError> {
        let (layout, file) = (&self.layout, self.file.as_raw_fd());
        let tables = layout.parcels + layout.total * size_of::<Control>();
        let memory = |source| ConfigError::Memory {
            bytes: layout.reserved,
            source,
        };
        self.map_part(0, tables, libc::MAP_SHARED, file)
            .and_then(|()| self.map_part(layout.slots, layout.slots_bytes, libc::MAP_SHARED, file))
            .and_then(|()| {
                let private = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
                self.map_part(layout.window, layout.window_bytes, private, -1)
            })
            .map_err(memory)
    }

    fn map_part(&self, offset: usize, bytes: usize, kind: i32, file: i32) -> io::Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        let at = self.at(offset).cast();
        let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, kind | libc::MAP_FIXED);
        let place = if file < 0 { 0 } else { offset };
        // SAFETY: the bytes are reserved and ours, and nothing is there yet.
        let mapped = unsafe { libc::mmap(at, bytes, access, flags, file, place as i64) };
        if mapped == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    /// Has the block of a slot used for the first time become a huge page, where slots fill one.
    #[inline]
    pub(crate) fn about_to_use(&self, slot: *const u8, bytes: usize) {
        let end = slot.addr() + bytes - self.range.base().addr();
        if end > self.dense_up_to.get() {
            self.next_block(slot, end);
        }
    }

    #[cold]
    fn next_block(&self, slot: *const u8, end: usize) {
        let layout = &self.layout;
        let stride = Slots::stride_of(self.config.stack, false);
        let last = (layout.slots + layout.slots_bytes) / HUGE_PAGE * HUGE_PAGE;
        if stride > DENSE || end > last {
            self.dense_up_to.set(usize::MAX);
            return;
        }
        let block = (end - 1) / HUGE_PAGE * HUGE_PAGE;
        self.dense_up_to.set(block + HUGE_PAGE);
        // Only a block with a page in it can become one: this slot's, since others may be in use.
        // SAFETY: the first word of a slot of our mapping, which has no fiber yet.
        unsafe { slot.cast_mut().cast::<u64>().write_volatile(0) };
        let first = self.at(block.max(layout.slots));
        // SAFETY: whole blocks of our own mapping; no contents change.
        unsafe { libc::madvise(first.cast(), HUGE_PAGE, libc::MADV_COLLAPSE) };
    }

    pub(crate) fn claim(&self, process: usize) -> io::Result<()> {
        self.lock(libc::F_SETLK, process).map(drop)
    }

    pub(crate) fn is_claimed(&self, process: usize) -> bool {
        let held = self.lock(libc::F_GETLK, process);
        held.is_ok_and(|lock| i32::from(lock.l_type) != libc::F_UNLCK)
    }

    fn lock(&self, command: i32, process: usize) -> io::Result<libc::flock> {
        // SAFETY: all-zero bytes are a lock request.
        let mut lock: libc::flock = unsafe { std::mem::zeroed() };
        lock.l_type = libc::F_WRLCK as i16;
        lock.l_start = process as i64;
        lock.l_len = 1;
        // SAFETY: the descriptor is ours, and the request lives until the call returns.
        match unsafe { libc::fcntl(self.file.as_raw_fd(), command, &raw mut lock) } {
            -1 => Err(io::Error::last_os_error()),
            _ => Ok(lock),
        }
    }
}

const _: () = assert!(
    offset_of!(Control, saved) == 0 && size_of::<Header>().is_multiple_of(align_of::<Mailbox>()),
    "mailboxes follow the header"
);

//! Where the stacks lie.
//!
//! # Theory
//!
//! A slot is the memory of one flow; slots lie side by side, lowest index first.
//!
//! ```text
//! packed                                   guarded
//! ┌──────────────┬ slot i+1 ─ ─            ┌──────────────┬ slot i+1 ─ ─
//! │ closure or   │ ◀─ top                  │ 0..31 lines  │    colour of slot i
//! │ result       │                         │ closure or   │ ◀─ top
//! │ stack        │                         │ result       │
//! │   ↓          │                         │ stack        │
//! │              │                         │   ↓          │
//! │ canary, 8 B  │                         │ guard page   │
//! └──────────────┴ base of slot i          └──────────────┴ base of slot i
//! ```
//!
//! **Sets.** A cache picks the set of a line by the low bits of its address. Flows are
//! touched in the same place of every slot, so with slots of 256 bytes they meet in a
//! quarter of the sets, and 10,000 flows that would fit the second-level cache do not
//! (measured: 4.6 ns a switch, against 1.2 with slots of 192 or 320 bytes). So a packed
//! slot is an odd number of lines, except the smallest (two); and the tops of guarded
//! slots, which lie a multiple of a page apart, are shifted by a colour of 0 to 31 lines.
//!
//! **Canary.** A packed slot has no guard. Its lowest word holds a value that is looked at
//! when its flow ends, and in some rounds whenever it gives up the processor, before any other
//! flow goes on: in each round the word would be one more cache line a switch (8 ns at a
//! million flows). A frame that jumps over the word without writing it is not found.
//!
//! **Landing.** Below the first packed slot lies room for a panic message: printing needs
//! more stack than a small slot has, runs over slots below that nobody will use any more,
//! and ends the program. Below the landing is a page that may not be touched: a flow that
//! runs through all slots below its own faults there, before it spoils anything else.
//!
//! **Arena.** A movable slot keeps what its flow allocates at its low end, below canary and
//! stack.
//!
//! **Guard.** Since Linux 6.13 a page can be marked in the page table alone
//! (`MADV_GUARD_INSTALL`), in slots that lie side by side by one call; before, each guard cuts a mapping in two, and
//! `vm.max_map_count` ends it at some 32,000 flows.

use std::cell::Cell;
use std::io;

use crate::config::{Config, Stack};
use crate::error::{ConfigError, SpawnError};
use crate::memory::{Mapping, PAGE};
use crate::movable::Way;
use crate::valgrind::RED_ZONE;

/// The value of an intact canary: one that a comparison holds as a constant.
pub(crate) const CANARY: u64 = 0x5AFE_57AC;

pub(crate) const LINE: usize = 64;
const COLOURS: usize = 32;
pub(crate) const LANDING: usize = 256 << 10;
/// `MADV_GUARD_INSTALL`, which the C library does not name yet.
const GUARD_INSTALL: i32 = 102;
/// `PIDFD_SELF_THREAD`, by which `process_madvise` knows its caller's memory (since Linux 6.14), also
/// that of a process which was forked meanwhile.
const OWN_MEMORY: i32 = -10_000;
/// Guards that one call installs at most.
const BATCH: usize = 64;

#[derive(Debug)]
pub(crate) struct Slots {
    mapping: Mapping,
    stack: Stack,
    /// From one slot to the next, in bytes.
    stride: usize,
    usable: usize,
    /// Bytes below the stack that are the fiber's arena.
    arena: usize,
    guard: Guard,
    capacity: usize,
    guarded: Cell<u32>,
    in_batches: Cell<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Guard {
    None,
    /// By `MADV_GUARD_INSTALL`.
    Installed,
    /// By `mprotect`.
    Protected,
    /// Below the one place where all stacks take their turns.
    Elsewhere,
}

/// From one slot to the next: what `stack` asks for and what lies around it.
pub(crate) fn stride(stack: Stack) -> usize {
    match stack {
        Stack::Packed { bytes } => {
            let lines = bytes / LINE;
            (lines + usize::from(lines > 2 && lines.is_multiple_of(2))) * LINE
        }
        // The guard, and room for the colour.
        Stack::Guarded { bytes } => bytes.saturating_add(2 * PAGE),
        Stack::Movable { way, bytes, arena } => {
            let bytes = bytes.saturating_add(arena);
            match way {
                Way::Isomalloc => stride(Stack::Packed { bytes }),
                // Mapped at each switch, so whole pages; copied ones as well.
                Way::Copied | Way::Aliased => bytes.next_multiple_of(PAGE),
            }
        }
    }
}

/// Bytes at the low end of a slot that are its fiber's arena.
fn arena(stack: Stack) -> usize {
    match stack {
        Stack::Movable { arena, .. } => arena,
        Stack::Packed { .. } | Stack::Guarded { .. } => 0,
    }
}

/// How many slots of such a stack a process can address, watched by valgrind or not.
pub(crate) fn most(stack: Stack) -> usize {
    let stride = stride(stack).saturating_add(RED_ZONE);
    (isize::MAX as usize - LANDING) / stride
}

impl Slots {
    /// Reserves all slots; takes no memory yet. Packed ones are further apart if `watched`
    /// by valgrind.
    pub(crate) fn new(config: &Config, watched: bool) -> Result<Slots, ConfigError> {
        let usual = stride(config.stack);
        let (usable, stride) = match config.stack {
            Stack::Packed { .. } if watched => (usual - size_of_val(&CANARY), usual + RED_ZONE),
            Stack::Packed { .. } => (usual - size_of_val(&CANARY), usual),
            Stack::Guarded { bytes } | Stack::Movable { bytes, .. } => (bytes, usual),
        };
        let bytes = LANDING + stride * config.capacity;
        let mapping = match config.stack {
            Stack::Packed { .. } => Mapping::in_huge_pages_above(PAGE, bytes),
            Stack::Guarded { .. } | Stack::Movable { .. } => Mapping::private(bytes),
        };
        let mapping = mapping.map_err(|source| ConfigError::Memory { bytes, source })?;
        let mut slots = Slots {
            usable,
            capacity: config.capacity,
            ..Slots::within(mapping, config.stack, stride)
        };
        if let Stack::Guarded { .. } = config.stack {
            slots.guard = slots.best_guard();
            slots.in_batches.set(slots.guard == Guard::Installed);
        }
        Ok(slots)
    }

    /// The slots of a movable region, which lie in `mapping` above a landing.
    pub(crate) fn movable(mapping: Mapping, stack: Stack, watched: bool) -> Slots {
        let slots = Slots::within(mapping, stack, Slots::stride_of(stack, watched));
        match stack {
            Stack::Movable {
                way: Way::Copied | Way::Aliased,
                ..
            } => Slots {
                guard: Guard::Elsewhere,
                ..slots
            },
            _ => Slots {
                usable: stride(stack) - slots.arena - size_of_val(&CANARY),
                ..slots
            },
        }
    }

    fn within(mapping: Mapping, stack: Stack, stride: usize) -> Slots {
        Slots {
            mapping,
            stack,
            stride,
            usable: stack.bytes(),
            arena: arena(stack),
            guard: Guard::None,
            capacity: 0,
            guarded: Cell::new(0),
            in_batches: Cell::new(false),
        }
    }

    /// From one slot to the next, in bytes.
    pub(crate) fn stride_of(stack: Stack, watched: bool) -> usize {
        let runs_elsewhere = matches!(
            stack,
            Stack::Movable {
                way: Way::Copied | Way::Aliased,
                ..
            }
        );
        let red_zone = if watched && !runs_elsewhere {
            RED_ZONE
        } else {
            0
        };
        stride(stack) + red_zone
    }

    pub(crate) fn landing(&self) -> *mut u8 {
        self.mapping.base()
    }

    /// The lowest address of slot `index`: its arena, canary or guard.
    #[inline(always)]
    pub(crate) fn base(&self, index: u32) -> *mut u8 {
        let first = self.mapping.base().wrapping_add(LANDING);
        first.wrapping_add(index as usize * self.stride)
    }

    /// The lowest address of slot `index` that its flow may use.
    pub(crate) fn lowest(&self, index: u32) -> *mut u8 {
        let below = match self.guard {
            Guard::None => size_of_val(&CANARY),
            Guard::Installed | Guard::Protected => PAGE,
            Guard::Elsewhere => 0,
        };
        self.canary(index).wrapping_add(below)
    }

    /// The word below the stack of slot `index`, above its arena.
    #[inline(always)]
    pub(crate) fn canary(&self, index: u32) -> *mut u8 {
        self.base(index).wrapping_add(self.arena)
    }

    /// All memory of slot `index`, and its bytes.
    pub(crate) fn extent(&self, index: u32) -> (*mut u8, usize) {
        (self.base(index), self.stride)
    }

    /// The arena of slot `index`, and its bytes.
    pub(crate) fn arena(&self, index: u32) -> (*mut u8, usize) {
        (self.base(index), self.arena)
    }

    /// The end of the stack of slot `index`, 16-byte aligned.
    #[inline(always)]
    pub(crate) fn top(&self, index: u32) -> *mut u8 {
        let end = self.base(index).wrapping_add(self.stride);
        match self.guard {
            Guard::None | Guard::Elsewhere => end,
            Guard::Installed | Guard::Protected => {
                end.wrapping_sub(index as usize % COLOURS * LINE)
            }
        }
    }

    /// The slot whose guard holds `address`.
    pub(crate) fn guard_at(&self, address: usize) -> Option<u32> {
        let first = self.base(0).addr();
        let end = self.mapping.base().addr() + self.mapping.bytes();
        if !self.is_guarded() || !(first..end).contains(&address) {
            return None;
        }
        let within = (address - first) % self.stride;
        (within < PAGE).then_some(((address - first) / self.stride) as u32)
    }

    /// Is `address` in the page below all slots, where a flow ends that runs through those
    /// below its own?
    pub(crate) fn is_below_all(&self, address: usize) -> bool {
        self.is_packed() && self.mapping.is_below(address)
    }

    #[inline(always)]
    pub(crate) fn is_packed(&self) -> bool {
        self.guard == Guard::None
    }

    pub(crate) fn is_guarded(&self) -> bool {
        matches!(self.guard, Guard::Installed | Guard::Protected)
    }

    /// Is the canary of slot `index` whole? Guarded slots have none to lose.
    #[inline(always)]
    pub(crate) fn is_whole(&self, index: u32) -> bool {
        // SAFETY: the lowest word of a packed slot is mapped and only ever written whole.
        !self.is_packed() || unsafe { self.canary(index).cast::<u64>().read_volatile() } == CANARY
    }

    pub(crate) fn stack(&self) -> Stack {
        self.stack
    }

    /// Bytes that closure, result and frames of a fiber can have.
    #[inline(always)]
    pub(crate) fn usable(&self) -> usize {
        self.usable
    }

    /// Readies a slot that was never used: sets its canary or guard. The lowest such slot is first.
    #[inline]
    pub(crate) fn prepare(&self, index: u32) -> Result<(), SpawnError> {
        if self.is_packed() {
            // SAFETY: the lowest word of a slot that nobody uses yet.
            unsafe { self.canary(index).cast::<u64>().write(CANARY) };
            return Ok(());
        }
        if self.guard == Guard::Elsewhere {
            return Ok(());
        }
        if index < self.guarded.get() {
            return Ok(());
        }
        if self.in_batches.get() {
            self.in_batches.set(self.install_batch(index));
            return self.prepare(index);
        }
        self.install(index, self.guard)
            .map_err(|source| SpawnError::Guard {
                made: index,
                source,
                by_mapping: self.guard == Guard::Protected,
            })
    }

    /// Installs the guards of slot `index` and of some that follow: more each time, so that few fibers
    /// do not pay for many. False if that was not done, since the kernel is too old or forbids it.
    #[cold]
    fn install_batch(&self, index: u32) -> bool {
        let first = index as usize;
        let count = first.clamp(1, BATCH).min(self.capacity - first);
        let guards: [_; BATCH] = std::array::from_fn(|place| libc::iovec {
            iov_base: self.base(index + place as u32).cast(),
            iov_len: PAGE,
        });
        // SAFETY: pages of ours that hold nothing yet: the guards of `count` slots that nobody has
        // used. The call reads the first `count` entries of `guards`.
        let bytes = unsafe {
            libc::syscall(
                libc::SYS_process_madvise,
                OWN_MEMORY,
                guards.as_ptr(),
                count,
                GUARD_INSTALL,
                0,
            )
        };
        let is_done = usize::try_from(bytes).is_ok_and(|bytes| bytes == count * PAGE);
        if is_done {
            self.guarded.set(index + count as u32);
        }
        is_done
    }

    fn best_guard(&self) -> Guard {
        #[cfg(test)]
        if tests::guards_are_to_be_mappings() {
            return Guard::Protected;
        }
        match self.install(0, Guard::Installed) {
            Ok(()) => Guard::Installed,
            Err(_too_old) => Guard::Protected,
        }
    }

    fn install(&self, index: u32, guard: Guard) -> io::Result<()> {
        let page = self.base(index).cast();
        let done = match guard {
            Guard::None | Guard::Elsewhere => 0,
            // SAFETY: a page of ours that holds nothing yet.
            Guard::Installed => unsafe { libc::madvise(page, PAGE, GUARD_INSTALL) },
            // SAFETY: the same.
            Guard::Protected => unsafe { libc::mprotect(page, PAGE, libc::PROT_NONE) },
        };
        if done == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }
}

#[cfg(test)]
mod tests;

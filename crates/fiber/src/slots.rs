//! Where the stacks lie: in slots, side by side, lowest index first.
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
//! **Sets.** A cache picks the set of a line by the low bits of its address, and flows are touched
//! in the same place of every slot: in slots of 256 bytes they meet in a quarter of the sets, and
//! 10,000 flows take 4.6 ns a switch, against 1.2 with slots of 192 or 320 bytes. So a packed slot
//! is an odd number of lines, except the smallest (two); and the tops of guarded slots are shifted
//! by a colour of 0 to 31 lines.
//!
//! **Canary.** A packed slot's lowest word holds a value that is looked at when its flow ends, and
//! in some rounds: in each it would be one more cache line a switch (8 ns at a million flows). A
//! frame that jumps over it is not found.
//!
//! **Landing.** Below the first packed slot lies room for a panic message, which needs more stack
//! than a small slot has, and below it an untouchable page: what runs so deep faults.
//!
//! **Arena.** A movable slot keeps what its flow allocates at its low end, below canary and stack.
//!
//! **Guard.** Since Linux 6.13 one call marks pages of several slots in the page table alone
//! (`MADV_GUARD_INSTALL`); before, `vm.max_map_count` allows some 32,000.

use std::cell::Cell;
use std::io;

use crate::config::{Config, Stack};
use crate::error::{ConfigError, SpawnError};
use crate::memory::{LINE, Mapping, PAGE};
use crate::valgrind::RED_ZONE;

pub(crate) const CANARY: u64 = 0x5AFE_57AC;

/// In 32 bits, and one number means "nobody".
const MOST: usize = u32::MAX as usize - 1;
const COLOURS: usize = 32;
pub(crate) const LANDING: usize = 256 << 10;
/// `MADV_GUARD_INSTALL`, which the C library does not name yet.
const GUARD_INSTALL: i32 = 102;
/// By which `process_madvise` knows its caller's memory (since Linux 6.14), also after a fork.
const OWN_MEMORY: i32 = -10_000;
const BATCH: usize = 64;

#[derive(Debug)]
pub(crate) struct Slots {
    mapping: Mapping,
    stack: Stack,
    stride: usize,
    usable: usize,
    arena: usize,
    guard: Guard,
    capacity: usize,
    guarded: Cell<u32>,
    in_batches: Cell<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Guard {
    None,
    Installed,
    Protected,
    /// Below the one place of all stacks' turns.
    Elsewhere,
}

pub(crate) fn stride(stack: Stack) -> usize {
    let bytes = stack.bytes().saturating_add(stack.arena());
    if stack.has_canary() {
        let lines = bytes / LINE;
        return (lines + usize::from(lines > 2 && lines.is_multiple_of(2))) * LINE;
    }
    match stack.takes_turns() {
        // Mapped at each switch, so whole pages; copied ones as well.
        true => bytes.next_multiple_of(PAGE),
        // The guard, and room for the colour.
        false => bytes.saturating_add(2 * PAGE),
    }
}

impl Config {
    /// How many slots a process can address, watched by valgrind or not.
    pub(crate) fn most(&self) -> usize {
        let stride = stride(self.stack).saturating_add(RED_ZONE);
        MOST.min((isize::MAX as usize - LANDING) / stride)
    }
}

impl Slots {
    pub(crate) fn new(config: &Config, watched: bool) -> Result<Slots, ConfigError> {
        let bytes = LANDING + Slots::stride_of(config.stack, watched) * config.capacity;
        let mapping = match config.stack {
            Stack::Packed { .. } => Mapping::in_huge_pages(PAGE, bytes),
            Stack::Guarded { .. } | Stack::Movable { .. } => Mapping::private(0, bytes),
        };
        let mapping = mapping.map_err(|source| ConfigError::Memory { bytes, source })?;
        let mut slots = Slots {
            capacity: config.capacity,
            ..Slots::within(mapping, config.stack, watched)
        };
        if let Stack::Guarded { .. } = config.stack {
            slots.guard = slots.best_guard();
            slots.in_batches.set(slots.guard == Guard::Installed);
        }
        Ok(slots)
    }

    pub(crate) fn within(mapping: Mapping, stack: Stack, watched: bool) -> Slots {
        Slots {
            mapping,
            stack,
            stride: Slots::stride_of(stack, watched),
            usable: match stack.has_canary() {
                true => stride(stack) - stack.arena() - size_of_val(&CANARY),
                false => stack.bytes(),
            },
            arena: stack.arena(),
            guard: match stack.takes_turns() {
                true => Guard::Elsewhere,
                false => Guard::None,
            },
            capacity: 0,
            guarded: Cell::new(0),
            in_batches: Cell::new(false),
        }
    }

    /// Those with a canary are further apart if `watched` by valgrind.
    pub(crate) fn stride_of(stack: Stack, watched: bool) -> usize {
        match watched && stack.has_canary() {
            true => stride(stack) + RED_ZONE,
            false => stride(stack),
        }
    }

    pub(crate) fn landing(&self) -> *mut u8 {
        self.mapping.base()
    }

    #[inline(always)]
    pub(crate) fn base(&self, index: u32) -> *mut u8 {
        let first = self.mapping.base().wrapping_add(LANDING);
        first.wrapping_add(index as usize * self.stride)
    }

    pub(crate) fn lowest(&self, index: u32) -> *mut u8 {
        let below = match self.guard {
            Guard::None => size_of_val(&CANARY),
            Guard::Installed | Guard::Protected => PAGE,
            Guard::Elsewhere => 0,
        };
        self.canary(index).wrapping_add(below)
    }

    #[inline(always)]
    pub(crate) fn canary(&self, index: u32) -> *mut u8 {
        self.base(index).wrapping_add(self.arena)
    }

    pub(crate) fn extent(&self, index: u32) -> (*mut u8, usize) {
        (self.base(index), self.stride)
    }

    pub(crate) fn arena(&self, index: u32) -> (*mut u8, usize) {
        (self.base(index), self.arena)
    }

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

    pub(crate) fn guard_at(&self, address: usize) -> Option<u32> {
        let first = self.base(0).addr();
        let end = self.mapping.base().addr() + self.mapping.bytes();
        if !self.is_guarded() || !(first..end).contains(&address) {
            return None;
        }
        let within = (address - first) % self.stride;
        (within < PAGE).then_some(((address - first) / self.stride) as u32)
    }

    /// Where a flow ends that runs through the slots below its own.
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

    /// Guarded slots have none to lose.
    #[inline(always)]
    pub(crate) fn is_whole(&self, index: u32) -> bool {
        // SAFETY: the lowest word of a packed slot is mapped and only ever written whole.
        !self.is_packed() || unsafe { self.canary(index).cast::<u64>().read_volatile() } == CANARY
    }

    pub(crate) fn stack(&self) -> Stack {
        self.stack
    }

    #[inline(always)]
    pub(crate) fn usable(&self) -> usize {
        self.usable
    }

    /// Sets the canary or guard of a slot never used. The lowest such slot is first.
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

    /// Some at once, more each time. False if the kernel is too old or forbids it.
    #[cold]
    fn install_batch(&self, index: u32) -> bool {
        let first = index as usize;
        let count = first.clamp(1, BATCH).min(self.capacity - first);
        let guards: [_; BATCH] = std::array::from_fn(|place| libc::iovec {
            iov_base: self.base(index + place as u32).cast(),
            iov_len: PAGE,
        });
        // SAFETY: guard pages of `count` unused slots. The call reads as many entries of `guards`.
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
            Ok(()) if self.has_guard(0) => Guard::Installed,
            Ok(()) | Err(_) => Guard::Protected,
        }
    }

    /// An emulator of user programs says yes to advice that it does not know (qemu-user 7.2).
    fn has_guard(&self, index: u32) -> bool {
        let page = self.base(index).cast();
        // SAFETY: a page of ours; to map it changes no contents, and a guard cannot be mapped.
        unsafe { libc::madvise(page, PAGE, libc::MADV_POPULATE_READ) != 0 }
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

use crate::arch;
use crate::error::ConfigError;
use crate::memory::{LINE, PAGE};
use crate::movable::Way;

/// The first frame, the least closure and the canary, in whole lines.
const PACKED_MINIMUM: usize = (arch::FRAME_BYTES + 16 + size_of::<u64>()).next_multiple_of(LINE);
const GUARDED_MINIMUM: usize = PAGE;
/// From this size on a panic in a fiber is caught and delivered at `join`.
pub(crate) const CATCHES_FROM: usize = 16 << 10;
/// The largest stack: beyond 512 MiB it is no stack but a mistake.
const LARGEST: usize = 1 << 29;

/// How the stacks of a scheduler are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stack {
    /// Dense slots without a guard, on huge pages if possible; canaries find overflows.
    Packed {
        /// Bytes of a slot.
        bytes: usize,
    },
    /// A guard page below each stack. An overflow is found at once, and ends the program.
    Guarded {
        /// Bytes of a stack.
        bytes: usize,
    },
    /// At addresses that several processes agree on ([`movable`](crate::movable)).
    Movable {
        /// How a stack comes to lie where its fiber expects it.
        way: Way,
        /// Bytes of a stack.
        bytes: usize,
        /// Bytes beside it for what the fiber allocates.
        arena: usize,
    },
}

impl Stack {
    pub(crate) fn bytes(self) -> usize {
        let (Stack::Packed { bytes } | Stack::Guarded { bytes } | Stack::Movable { bytes, .. }) =
            self;
        bytes
    }

    pub(crate) fn arena(self) -> usize {
        match self {
            Stack::Movable { arena, .. } => arena,
            Stack::Packed { .. } | Stack::Guarded { .. } => 0,
        }
    }

    /// At one place, with all others: it has no address of its own.
    pub(crate) fn takes_turns(self) -> bool {
        matches!(self, Stack::Movable { way, .. } if way != Way::Isomalloc)
    }

    pub(crate) fn has_canary(self) -> bool {
        !matches!(self, Stack::Guarded { .. }) && !self.takes_turns()
    }
}

/// Which stacks, and how many fibers at most at one time. Capacity costs address space, not memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Config {
    pub(crate) stack: Stack,
    pub(crate) capacity: usize,
    pub(crate) common: u32,
}

impl Config {
    /// Packed slots of `bytes`: a multiple of 64, at least 128 (256 on aarch64, where a call keeps
    /// twice as many bytes). Sizes of four, six, eight … cache lines get one line more, to spread
    /// slots over all sets of the caches. In 128 bytes fits an optimised loop over a few words, and
    /// hardly a call. For code not known to fit: [`Config::guarded`].
    /// # Safety
    /// No fiber needs more of its slot than that holds: closure or result, and its deepest frames,
    /// those of signal handlers and library functions included. A canary ends the program only when
    /// the fiber next gives up the processor in a round in which canaries are looked at (the first,
    /// and every 64th), or ends: its neighbour is written over by then. A fiber that its scheduler
    /// cannot unwind when it is dropped (in a slot below 16 KiB, or if panics abort) has lent
    /// neither its stack nor a thread-local to other threads.
    #[must_use]
    pub unsafe fn packed(bytes: usize) -> Config {
        Config::new(Stack::Packed { bytes })
    }

    /// Guarded stacks of `bytes`: a multiple of 4 KiB.
    #[must_use]
    pub fn guarded(bytes: usize) -> Config {
        Config::new(Stack::Guarded { bytes })
    }

    /// Movable stacks of `bytes` at their own addresses: a multiple of 64, from 128 (aarch64: 256).
    /// # Safety
    /// As [`Config::packed`]; neighbours may be in shared memory. Each scheduler, also of
    /// [`Region::join`](crate::movable::Region::join), ends as
    /// [`Scheduler::new`](crate::Scheduler::new) asks.
    #[must_use]
    pub unsafe fn movable(bytes: usize) -> Config {
        // SAFETY: the caller's promise is the one asked for.
        unsafe { Config::kept(Way::Isomalloc, bytes) }
    }

    /// Movable stacks kept in one of the three ways: with addresses of their own, or taking turns
    /// at one address above a guard page. Then `bytes` is a multiple of 4 KiB.
    /// # Safety
    /// Where `way` is [`Way::Isomalloc`], as [`Config::movable`]. With the other two a stack lies
    /// at its address during its fiber's turn alone: nobody reads or writes a local of a fiber that
    /// does not run, no other fiber, no other thread (`std::thread::scope` lends to those), no
    /// signal handler, and not the kernel in a system call. Each scheduler ends as
    /// [`Scheduler::new`](crate::Scheduler::new) asks.
    #[must_use]
    pub unsafe fn kept(way: Way, bytes: usize) -> Config {
        let arena = 0;
        Config::new(Stack::Movable { way, bytes, arena })
    }

    /// Room of `bytes` for what a movable fiber allocates, in whole cache lines or pages.
    #[must_use]
    pub fn arena(mut self, bytes: usize) -> Config {
        if let Stack::Movable { way, arena, .. } = &mut self.stack {
            let unit = if *way == Way::Aliased { PAGE } else { LINE };
            *arena = bytes.checked_next_multiple_of(unit).unwrap_or(LARGEST);
        }
        self
    }

    fn new(stack: Stack) -> Config {
        Config {
            stack,
            capacity: 1 << 16,
            common: 0,
        }
    }

    /// Room for `fibers` at one time (65,536 unless told).
    #[must_use]
    pub fn capacity(mut self, fibers: usize) -> Config {
        self.capacity = fibers;
        self
    }

    /// Words that processes of a region share ([`Region::common`](crate::movable::Region::common)).
    #[must_use]
    pub fn common(mut self, words: u32) -> Config {
        self.common = words;
        self
    }

    /// Whether a panic in such a fiber reaches its `join`. With `panic = "abort"` none does.
    #[must_use]
    pub fn catches_panics(&self) -> bool {
        self.stack.bytes() >= CATCHES_FROM && can_unwind()
    }

    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        arch::available().map_err(ConfigError::Unavailable)?;
        let bytes = self.stack.bytes();
        let (minimum, multiple) = match self.stack.has_canary() {
            true => (PACKED_MINIMUM, LINE),
            false => (GUARDED_MINIMUM, PAGE),
        };
        if bytes < minimum || !bytes.is_multiple_of(multiple) {
            return Err(ConfigError::Stack {
                bytes,
                minimum,
                multiple,
            });
        }
        let slot = bytes.saturating_add(self.stack.arena());
        if slot > LARGEST {
            return Err(ConfigError::TooLarge {
                bytes: slot,
                most: LARGEST,
            });
        }
        let most = self.most();
        if self.capacity == 0 || self.capacity > most {
            return Err(ConfigError::Capacity {
                capacity: self.capacity,
                most,
            });
        }
        Ok(())
    }
}

pub(crate) fn can_unwind() -> bool {
    #[cfg(test)]
    if tests::is_as_if_built_to_abort() {
        return false;
    }
    cfg!(panic = "unwind")
}

#[cfg(test)]
mod tests;

//! The inside of a scheduler: the queue, and what happens at its turns.
//!
//! The run queue is an array of addresses of control blocks, read in order. A round:
//! ```text
//!  ring  │ fiber 0 │ fiber 1 │ hole │ fiber 3 │ … │ lap │ (stale) …
//!                       ▲ turn: the cell of the fiber that runs
//! ```
//! * To **yield** is to save a few words in one's control block, step the turn, and load those of
//!   the next. The queue never moves: the processor knows the next addresses early, works on
//!   several flows at once and fetches their memory ahead.
//! * **Control blocks lie apart from stacks**, side by side, a cache line each, read in order.
//!   **Marks** lie apart from both: who awakens fibers in any order touches nothing else of them.
//! * A context in the last cell spares a test for the end of the array. It begins the ring again
//!   where nobody came or left, and else goes on with the scheduler.
//! * Who **suspends** or **ends** leaves a *hole*, which hands the turn on, until the round ends.
//! * Fibers made or awakened during a round join the ring after it, in order: every runnable fiber
//!   runs once a round, none can keep others out by awakening, and both arrays are bounded.
//!
//! **Canaries** lie in slots, where a fiber in registers has no other business. So they are looked
//! at when a fiber ends, and in the first round and every [`rounds::LOOK_EVERY`]th: then the cell
//! after a turn is the scheduler's, which looks before another fiber goes on.
//!
//! What a fiber must not do on its small stack when it ends (wake whoever waits, drop what nobody
//! joins) is done on a stack that the scheduler keeps. Here is the queue; `rounds` runs it, `slots`
//! says who has which slot, `turns` is what fibers do at theirs, `ending` how they end. Everything
//! belongs to one kernel thread: no locks, no atomics.

mod ending;
pub(crate) mod rounds;
mod slots;
mod turns;

pub(crate) use slots::unheard;

use std::cell::{Cell, OnceCell};
use std::io;
use std::ptr;
use std::rc::{Rc, Weak};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::arch::{self, Context, Floats, Lap, Saved, Turn};
use crate::config::{Config, Stack};
use crate::control::{Control, Mark, NOBODY};
use crate::current;
use crate::error::ConfigError;
use crate::memory::{Mapping, PAGE, Table};
use crate::movable::member::Member;
use crate::movable::shared::Shared;
use crate::movable::staged::Staged;
use crate::slots::Slots;
use crate::valgrind::Stacks;

/// In flows: some 10 % from 100,000 on (4, 8 and 16 gain less), free where all is near.
pub(crate) const AHEAD: usize = 32;

/// Bytes of a fiber in each table: controls, marks, ring, late ones.
pub(crate) const TABLES: [usize; 4] = [
    size_of::<Control>(),
    size_of::<Mark>(),
    size_of::<Context>(),
    size_of::<Context>(),
];

pub(crate) const TABLE_BYTES: usize = TABLES[0] + TABLES[1] + TABLES[2] + TABLES[3];

/// At least as much as a fiber's own stack, for destructors at its end.
pub(crate) fn last_stack_bytes(stack: Stack) -> usize {
    let whole = stack.bytes().checked_next_multiple_of(PAGE);
    whole.unwrap_or(usize::MAX).max(256 << 10)
}

static NUMBERS: AtomicU32 = AtomicU32::new(0);

pub(crate) fn next_number() -> u32 {
    NUMBERS.fetch_add(1, Ordering::Relaxed)
}

#[derive(Debug)]
pub(crate) struct Core {
    number: u32,
    own: OnceCell<Weak<Core>>,
    /// For valgrind; dropped before the stacks.
    pub(crate) watched: Option<Stacks>,
    pub(crate) slots: Slots,
    pub(crate) controls: Table<Control>,
    marks: Table<Mark>,
    pub(crate) ring: Table<Cell<Context>>,
    pub(crate) len: Cell<usize>,
    holes: Cell<usize>,
    late: Table<Cell<Context>>,
    late_len: Cell<usize>,
    in_round: Cell<bool>,
    pub(crate) hole: Saved,
    lap: Lap,
    own_context: Saved,
    last_stack: Mapping,
    /// Waits on this kernel thread meanwhile; or null.
    pub(crate) below: Cell<*const Core>,
    rounds: Cell<u32>,
    used: Cell<u32>,
    free: Cell<u32>,
    live: Cell<usize>,
    ending: Cell<u32>,
    floats_asked: Cell<bool>,
    /// Of fibers without their own.
    common_floats: Cell<Option<Floats>>,
    dropper: Cell<Context>,
    dropped: Cell<bool>,
    first_slot: u32,
    slots_end: usize,
    catches: bool,
    pub(crate) staged: Option<Staged>,
    pub(crate) member: Option<Member>,
}

/// The fibers' stacks, the hole's, and the one for ends.
fn watched(capacity: usize, last_stack: &Mapping, hole_top: *mut u8) -> io::Result<Option<Stacks>> {
    let watched = Stacks::if_watched(capacity + 2)?;
    if let Some(stacks) = &watched {
        stacks.add(last_stack.base(), hole_top);
        stacks.add(hole_top, last_stack.end());
    }
    Ok(watched)
}

impl Core {
    pub(crate) fn build(config: &Config, member: Option<Member>) -> Result<Core, ConfigError> {
        config.check()?;
        let shared = member.as_ref().map(|member| &*member.shared);
        let capacity = shared.map_or(config.capacity, Shared::total);
        let first_slot = member.as_ref().map_or(0, Member::first_slot);
        let memory = |source| ConfigError::Memory {
            bytes: capacity * TABLE_BYTES,
            source,
        };
        let last_stack = Mapping::private(PAGE, last_stack_bytes(config.stack)).map_err(memory)?;
        // The low end of a stack whose high end is used.
        let hole_top = last_stack
            .base()
            .wrapping_add(arch::FRAME_BYTES.next_multiple_of(64));
        // SAFETY: aligned, and that many bytes lie below it in a mapping of our own.
        let hole = unsafe { arch::hole(hole_top) };
        // SAFETY: the same; neither writes anything else there.
        let lap = unsafe { Lap::new(hole_top) };
        let watched = watched(capacity, &last_stack, hole_top).map_err(memory)?;
        let slots = match shared {
            Some(shared) => shared.slots(),
            None => Slots::new(config, watched.is_some())?,
        };
        let staged = shared.and_then(Shared::staged);
        if let (Some(stacks), Some(_)) = (&watched, shared) {
            match &staged {
                Some(staged) => staged.tell(stacks),
                None => (0..capacity as u32)
                    .for_each(|index| stacks.add(slots.lowest(index), slots.top(index))),
            }
        }
        Ok(Core {
            number: shared.map_or_else(next_number, |shared| shared.number),
            own: OnceCell::new(),
            slots,
            staged,
            watched,
            controls: Table::new(capacity).map_err(memory)?,
            marks: Table::new(capacity).map_err(memory)?,
            ring: Table::apart(capacity + 1 + AHEAD).map_err(memory)?,
            len: Cell::new(0),
            holes: Cell::new(0),
            late: Table::new(capacity).map_err(memory)?,
            late_len: Cell::new(0),
            in_round: Cell::new(false),
            hole,
            lap,
            own_context: Saved::default(),
            last_stack,
            below: Cell::new(ptr::null()),
            rounds: Cell::new(0),
            used: Cell::new(first_slot),
            free: Cell::new(NOBODY),
            live: Cell::new(0),
            ending: Cell::new(NOBODY),
            floats_asked: Cell::new(false),
            common_floats: Cell::new(None),
            dropper: Cell::new(ptr::null()),
            dropped: Cell::new(false),
            first_slot,
            slots_end: first_slot as usize + config.capacity,
            catches: config.catches_panics(),
            member,
        })
    }

    #[inline(always)]
    pub(crate) fn index_at(&self, turn: Turn) -> u32 {
        // SAFETY: a turn is a cell of the ring, and holds its fiber's context.
        self.index_of(unsafe { turn.read() })
    }

    #[inline(always)]
    pub(crate) fn index_of(&self, context: Context) -> u32 {
        let bytes = context.addr() - self.controls.address(0).addr();
        (bytes / size_of::<Control>()) as u32
    }

    /// Counted: join handles may outlive it.
    pub(crate) fn counted(self) -> Rc<Core> {
        let core = Rc::new(self);
        let _is_first = core.own.set(Rc::downgrade(&core));
        core
    }

    /// `None` before [`Core::counted`] and while the last one is dropped.
    pub(crate) fn another_count(&self) -> Option<Rc<Core>> {
        self.own.get()?.upgrade()
    }

    #[inline(always)]
    pub(crate) fn running_index(&self) -> u32 {
        let turn = current::turn();
        if turn == current::NOBODYS {
            self.ending.get()
        } else {
            self.index_at(turn)
        }
    }

    /// Of the fiber whose end touched `address` below the stack for ends; with its bytes.
    pub(crate) fn last_guard_at(&self, address: usize) -> Option<(u32, usize)> {
        let is_guard = self.last_stack.is_below(address);
        is_guard.then(|| (self.ending.get(), self.last_stack.bytes()))
    }

    pub(crate) fn acting_index(&self) -> u32 {
        match current::is_turn(current::turn()) {
            true => self.running_index(),
            false => self.ending.get(),
        }
    }

    #[inline]
    pub(crate) fn was_made(&self) {
        self.live.set(self.live.get() + 1);
    }

    #[inline(always)]
    pub(crate) fn left(&self) {
        self.live.set(self.live.get() - 1);
    }

    pub(crate) fn live(&self) -> usize {
        self.live.get()
    }

    pub(crate) fn is_running(&self) -> bool {
        self.in_round.get()
    }

    pub(crate) fn is_dropped(&self) -> bool {
        self.dropped.get()
    }

    pub(crate) fn catches(&self) -> bool {
        self.catches
    }
}

//! A scheduler as one of several in a region. A fiber that moves leaves a hole in the ring; after
//! the round, when its context is saved, it is sent as a parcel with all that left in it. Parcels
//! are taken before the next round, in the order of sending. A fiber that ends away from home is
//! sent home: its result lies in its slot, and slots never change hands.
//!
//! **Loss.** While a process waits for fibers that are away, it looks now and then whether their
//! holders live. A fiber is lost if it was at a process that died, or on its way to one. (Under way
//! when its sender died, it is lost once its destination has looked into its mailbox.)

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::mail::Chain;
use super::shared::Shared;
use crate::arch::{self, Turn};
use crate::control::{Control, NOBODY, Stage};
use crate::core::Core;
use crate::current::{self, arrive};
use crate::error::ConfigError;
use crate::memory::{Table, Zeroed};
use crate::valgrind;

/// Before looking whether the others live.
const LOOK_EVERY_MS: u16 = 50;

#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) shared: Rc<Shared>,
    pub(crate) process: usize,
    parcels: Table<Control>,
    /// In this round, with destinations.
    leaving: Table<Cell<Leaving>>,
    leaving_len: Cell<usize>,
    chains: RefCell<Vec<Option<Chain>>>,
    away: Cell<usize>,
    arrived: Cell<u64>,
    /// Possibly lost, with the looks of their destination.
    doubtful: RefCell<Vec<(u32, u32)>>,
}

#[derive(Debug, Clone, Copy)]
struct Leaving {
    index: u32,
    to: u32,
}

pub(crate) const TABLE_BYTES: usize = size_of::<Leaving>();

// SAFETY: two numbers, which need no drop.
unsafe impl Zeroed for Cell<Leaving> {}

impl Member {
    pub(crate) fn join(shared: &Rc<Shared>, process: usize) -> Result<Member, ConfigError> {
        let (processes, total) = (shared.processes(), shared.total());
        if process >= processes {
            return Err(ConfigError::NoProcess { process, processes });
        }
        let owner = std::process::id();
        let mailbox = shared.mailbox(process);
        let is_elsewhere = shared.wire_to(process).is_some();
        if is_elsewhere || mailbox.owner() == owner || shared.claim(process).is_err() {
            return Err(ConfigError::Joined { process });
        }
        let bytes = total * size_of::<Leaving>();
        let memory = |source| ConfigError::Memory { bytes, source };
        let member = Member {
            shared: Rc::clone(shared),
            process,
            parcels: shared.parcels(),
            leaving: Table::new(total).map_err(memory)?,
            leaving_len: Cell::new(0),
            chains: RefCell::new(vec![None; processes]),
            away: Cell::new(0),
            arrived: Cell::new(0),
            doubtful: RefCell::default(),
        };
        mailbox.set_owner(owner);
        Ok(member)
    }

    pub(crate) fn parcel(&self, index: u32) -> &Control {
        self.parcels.at(index as usize)
    }

    pub(crate) fn first_slot(&self) -> u32 {
        (self.process * self.shared.share()) as u32
    }

    pub(crate) fn is_home_of(&self, index: u32) -> bool {
        self.shared.home(index) == self.process
    }

    fn note(&self, index: u32, to: usize) {
        let place = self.leaving_len.get();
        let to = to as u32;
        self.leaving.at(place).set(Leaving { index, to });
        self.leaving_len.set(place + 1);
        if self.is_home_of(index) {
            self.away.set(self.away.get() + 1);
        }
    }

    pub(crate) fn lives(&self, process: usize) -> bool {
        if let Some(wire) = self.shared.wire_to(process) {
            return wire.is_open();
        }
        let owner = self.shared.mailbox(process).owner();
        owner == std::process::id() || owner != 0 && self.shared.is_claimed(process)
    }

    fn is_left_alone(&self) -> bool {
        let mut others = (0..self.shared.processes()).filter(|who| *who != self.process);
        others.clone().any(|who| self.died(who)) && !others.any(|who| self.lives(who))
    }

    fn died(&self, process: usize) -> bool {
        let is_linked = self.shared.wire_to(process).is_some();
        (is_linked || self.shared.has_joined(process)) && !self.lives(process)
    }
}

impl Core {
    #[inline(always)]
    pub(crate) fn is_home_of(&self, index: u32) -> bool {
        let member = self.member.as_ref();
        member.is_none_or(|member| member.is_home_of(index))
    }

    /// Returns there. Never inlined: nothing that this process knows may be kept over the switch.
    #[inline(never)]
    pub(crate) fn move_to(&self, turn: Turn, to: usize) -> Turn {
        let index = self.index_at(turn);
        self.check_now(index);
        let control = self.control(index);
        self.mark(index).stage.set(Stage::Away);
        self.leave_hole(turn);
        self.left();
        if let Some(member) = &self.member {
            member.note(index, to);
        }
        let own = control.own_floats.get().then(|| self.put_floats_away());
        // SAFETY: its own context; a fiber, a hole or the scheduler is in the next cell.
        let turn = unsafe { arch::switch(control.context(), turn.wrapping_add(1)) };
        if let Some(own) = own {
            // SAFETY: the fiber that left has arrived here and runs.
            unsafe { current::running() }.take_floats_back(own);
        }
        arrive(turn);
        turn
    }

    pub(crate) fn send_home(&self, index: u32) {
        if let Some(member) = &self.member {
            member.note(index, member.shared.home(index));
        }
    }

    #[inline]
    pub(crate) fn exchange(&self) {
        let Some(member) = &self.member else {
            return;
        };
        if member.leaving_len.get() > 0 {
            self.send(member);
        }
        if let Some(wire) = member.shared.wire() {
            return self.take_from(member, wire);
        }
        let last = member.shared.mailbox(member.process).take_all();
        if last != NOBODY {
            self.take_in(member, last);
        }
    }

    #[inline(never)]
    fn send(&self, member: &Member) {
        let mut chains = member.chains.borrow_mut();
        for place in 0..member.leaving_len.take() {
            let Leaving { index, to } = member.leaving.at(place).get();
            let parcel = member.parcels.at(index as usize);
            parcel.copy_from(self.control(index));
            parcel.mark.copy_from(self.mark(index));
            let whereabouts = member.shared.whereabouts(index);
            whereabouts.set(member.process, to as usize);
            if let Some(wire) = member.shared.wire() {
                self.post(wire, index);
                continue;
            }
            let chain: &mut Option<Chain> = &mut chains[to as usize];
            let last = chain.map_or(index, |chain| {
                parcel.link.set(chain.first);
                chain.last
            });
            *chain = Some(Chain { first: index, last });
        }
        for (to, chain) in chains.iter_mut().enumerate() {
            if let Some(chain) = chain.take() {
                member.shared.mailbox(to).put(&member.parcels, chain);
            }
        }
    }

    /// Its last parcel is the first link.
    fn take_in(&self, member: &Member, mut last: u32) {
        let mut first = NOBODY;
        while last != NOBODY {
            let link = &member.parcels.at(last as usize).link;
            let before = link.replace(first);
            first = last;
            last = before;
        }
        while first != NOBODY {
            let next = member.parcels.at(first as usize).link.get();
            self.take_one(member, first);
            first = next;
        }
    }

    pub(crate) fn take_one(&self, member: &Member, index: u32) {
        let (parcel, control) = (member.parcels.at(index as usize), self.control(index));
        let is_home = member.is_home_of(index);
        if self.watched.is_some() {
            let (slot, bytes) = self.slots.extent(index);
            valgrind::came_from_elsewhere(slot, bytes);
        }
        let (link, detached) = if is_home {
            member.away.set(member.away.get() - 1);
            (control.link.get(), control.detached.get())
        } else {
            (NOBODY, false)
        };
        control.copy_from(parcel);
        self.mark(index).copy_from(&parcel.mark);
        control.link.set(link);
        control.detached.set(detached);
        let whereabouts = member.shared.whereabouts(index);
        whereabouts.set(member.process, member.process);
        member.arrived.set(member.arrived.get() + 1);
        if control.own_floats.get() {
            self.floats_are_asked();
        }
        if self.mark(index).stage.get().is_over() {
            self.came_home(control, index);
        } else {
            self.was_made();
            self.resume(index);
        }
    }

    fn came_home(&self, control: &Control, index: u32) {
        if control.detached.get() {
            self.discard_unheard(index);
            self.free(control, index);
        } else if control.link.get() != NOBODY && !self.is_dropped() {
            self.resume(control.link.get());
        }
    }

    pub(crate) fn elsewhere(&self) -> usize {
        self.member.as_ref().map_or(0, |member| member.away.get())
    }

    pub(crate) fn arrived(&self) -> u64 {
        self.member
            .as_ref()
            .map_or(0, |member| member.arrived.get())
    }

    /// False if not closed, but no other process is left.
    pub(crate) fn serve(&self) -> bool {
        let Some(member) = &self.member else {
            self.run(|| false);
            return true;
        };
        loop {
            self.run(|| false);
            if member.shared.header().is_closed() {
                return true;
            }
            if self.sleep(member) && member.is_left_alone() {
                return false;
            }
        }
    }

    /// Waits also while all fibers are elsewhere.
    pub(crate) fn run_and_wait(&self, until: impl Fn() -> bool) {
        self.run(&until);
        while let Some(member) = self
            .member
            .as_ref()
            .filter(|_| !until() && self.elsewhere() > 0)
        {
            if self.sleep(member) {
                self.look_for_the_lost(member);
            }
            self.run(&until);
        }
    }

    /// True when it is time to look who lives.
    fn sleep(&self, member: &Member) -> bool {
        if let Some(wire) = member.shared.wire() {
            return wire.sleep(LOOK_EVERY_MS, member.shared.header().is_closed());
        }
        let mailbox = member.shared.mailbox(member.process);
        mailbox.sleep(LOOK_EVERY_MS.into(), || member.shared.header().is_closed())
    }

    fn look_for_the_lost(&self, member: &Member) {
        let dead: Vec<bool> = (0..member.shared.processes())
            .map(|process| member.died(process))
            .collect();
        if !dead.contains(&true) {
            return;
        }
        for index in self.used_slots() {
            let control = self.control(index);
            let stage = &self.mark(index).stage;
            if stage.get() == Stage::Away && self.is_lost(member, index, &dead) {
                stage.set(Stage::Lost);
                control.set_discard(None);
                member.away.set(member.away.get() - 1);
                self.came_home(control, index);
            }
        }
    }

    fn is_lost(&self, member: &Member, index: u32, dead: &[bool]) -> bool {
        let (at, to) = member.shared.whereabouts(index).get();
        if dead[to] || !dead[at] {
            return dead[to];
        }
        let looks = member.shared.mailbox(to).looks();
        let mut doubtful = member.doubtful.borrow_mut();
        let since = doubtful.iter().find(|(who, _)| *who == index);
        match since.map(|(_, looks)| *looks) {
            Some(before) => looks.wrapping_sub(before) > 1,
            None => {
                doubtful.push((index, looks));
                member.shared.mailbox(to).wake();
                false
            }
        }
    }

    pub(crate) fn lost_with(&self, index: u32) -> usize {
        let member = self.member.as_ref();
        member.map_or(0, |member| {
            let (at, to) = member.shared.whereabouts(index).get();
            if member.died(to) { to } else { at }
        })
    }
}

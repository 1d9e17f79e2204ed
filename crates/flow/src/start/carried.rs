//! What the user-level flows of one carrier share. Its flows never run at the same time: plain
//! cells suffice. They go through the stations of kernel flows as a body:
//! ```text
//!  born, state ─┤release├─ units, or laps ─┤checks├─ checked laps ─┤end├
//!     create                steady                                 tear-down
//! ```
//! The carrier opens each station when all have arrived, and stamps the time outside of them: a
//! million flows read no clock. No flow ends before memory is read.

use std::cell::{Cell, RefCell};

use measure::usage;

use crate::body::Body;
use crate::channel::Outlet;
use crate::context::InContext;
use crate::flow_run::{self, Trouble};
use crate::flow_status::Tally;
use crate::record::Turns;
use crate::turn::is_orderly;
use crate::variant::Schedule;
use crate::{Proof, flow_run::finish};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Station {
    Release,
    Checks,
    End,
    Gone,
}

impl Station {
    #[inline]
    pub(super) fn next(self) -> Self {
        match self {
            Self::Release => Self::Checks,
            Self::Checks => Self::End,
            Self::End | Self::Gone => Self::Gone,
        }
    }
}

pub(super) struct Carried<'a, B: Body> {
    pub(super) work: InContext<'a, B>,
    pub(super) flows: u64,
    outlet: RefCell<Option<Outlet<'a>>>,
    tally: RefCell<Tally>,
    turns: Cell<Turns>,
    drawn: Cell<u64>,
    arrived: Cell<u64>,
    shut: Cell<Station>,
}

impl<'a, B: Body> Carried<'a, B> {
    pub(super) fn new(work: InContext<'a, B>, flows: u64) -> Self {
        Self {
            work,
            flows,
            outlet: RefCell::default(),
            tally: RefCell::default(),
            turns: Cell::default(),
            drawn: Cell::new(0),
            arrived: Cell::new(0),
            shut: Cell::new(Station::Release),
        }
    }

    #[inline]
    pub(super) fn arrive(&self) {
        self.arrived.set(self.arrived.get() + 1);
    }

    #[inline]
    pub(super) fn all_arrived(&self) -> bool {
        self.arrived.get() == self.flows
    }

    #[inline]
    pub(super) fn is_open(&self, station: Station) -> bool {
        station < self.shut.get()
    }

    pub(super) fn open_up_to(&self, station: Station) {
        self.arrived.set(0);
        self.shut.set(station);
    }

    /// With a queue flows hand over between units, or the first would take them all.
    pub(super) fn is_queue(&self) -> bool {
        self.work.variant.schedule == Schedule::Queue
    }

    pub(super) fn unit_of_queue(&self, state: &mut B::State) -> bool {
        self.with_outlet(|outlet, tally| flow_run::unit_of_queue(self.work, state, outlet, tally))
    }

    pub(super) fn units(&self, index: usize, state: &mut B::State) {
        self.with_outlet(|outlet, tally| {
            flow_run::units(self.work, index, state, outlet, tally);
            true
        });
    }

    /// False without an outlet, which is one flow's for a whole unit; who sends nothing needs none.
    fn with_outlet(&self, work: impl FnOnce(&mut Outlet<'a>, &mut Tally) -> bool) -> bool {
        if B::SENDS {
            let mut outlet = self.outlet.borrow_mut();
            let outlet = outlet.as_mut();
            return outlet.is_some_and(|outlet| work(outlet, &mut self.tally.borrow_mut()));
        }
        let mut own = Tally::default();
        let is_open = self.outlet.borrow().is_some();
        let worked = is_open && work(&mut Outlet::nowhere(), &mut own);
        self.add(own.units, own.proof);
        worked
    }

    fn add(&self, units: u64, proof: Proof) {
        let mut tally = self.tally.borrow_mut();
        tally.units += units;
        tally.proof += proof;
    }

    pub(super) fn took_turns(&self, proof: Proof) {
        self.add(1, proof);
    }

    #[inline]
    pub(super) fn draw(&self) -> u64 {
        self.drawn.replace(self.drawn.get() + 1)
    }

    /// Compares at once with the flow's `last`: a flow keeps nothing of it.
    #[inline]
    pub(super) fn draw_after(&self, last: u64) -> u64 {
        let number = self.draw();
        let mut turns = self.turns.get();
        turns.checked += 1;
        turns.orderly += u64::from(is_orderly(last, number, self.flows));
        self.turns.set(turns);
        number
    }

    /// `lap` lets all flows come to the next station.
    pub(super) fn timed(&self, outlet: Outlet<'a>, lap: impl FnOnce()) -> Result<Tally, Trouble> {
        self.outlet.replace(Some(outlet));
        let before = usage::this_thread();
        let start_ns = flow_run::begin().start_ns;
        lap();
        let mut outlet = self.outlet.take().unwrap_or_else(Outlet::nowhere);
        let mut tally = *self.tally.borrow();
        tally.start_ns = start_ns;
        tally.carried = self.flows;
        finish(tally, before, &mut outlet)
    }

    pub(super) fn checked(&self, tally: Tally) -> Tally {
        let taken = self.flows * self.work.body.laps(true);
        let turns = Turns {
            taken,
            ..self.turns.get()
        };
        Tally { turns, ..tally }
    }
}

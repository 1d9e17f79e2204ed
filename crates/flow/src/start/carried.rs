//! What the user-level flows of one carrier share.
//!
//! # Theory
//!
//! A carrier is one of the kernel's threads, so its flows never run at the same time and
//! plain slot processes suffice between them. They go through the same stations as flows of the
//! kernel, but as a body:
//!
//! ```text
//!  born, state ─┤release├─ units, or laps ─┤checks├─ checked laps ─┤end├
//!     create                steady                                 tear-down
//! ```
//!
//! The carrier opens each station when all have arrived at it, and stamps the time outside
//! of them: a million flows read no clock. No flow ends before the second release, so that
//! memory is read while all of them exist.

use std::cell::{Cell, RefCell};

use measure::usage;

use crate::body::Body;
use crate::channel::Outlet;
use crate::flow_run::{self, Context, Trouble};
use crate::flow_status::Tally;
use crate::record::Turns;
use crate::turn::is_orderly;
use crate::variant::Schedule;
use crate::{Proof, flow_run::finish};

/// The stations behind which flows wait, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Station {
    /// Made, and not released yet.
    Release,
    /// Done with the timed part.
    Checks,
    /// Done with everything.
    End,
    /// Where none waits: all may end.
    Gone,
}

impl Station {
    /// The one behind it.
    #[inline]
    pub(super) fn next(self) -> Self {
        match self {
            Self::Release => Self::Checks,
            Self::Checks => Self::End,
            Self::End | Self::Gone => Self::Gone,
        }
    }
}

/// What the flows of one carrier share.
#[derive(Debug)]
pub(super) struct Carried<'a, B: Body> {
    pub(super) context: &'a Context<'a, B>,
    /// How many flows this carrier has.
    pub(super) flows: u64,
    outlet: RefCell<Option<Outlet<'a>>>,
    tally: RefCell<Tally>,
    turns: Cell<Turns>,
    drawn: Cell<u64>,
    arrived: Cell<u64>,
    /// Flows may pass all stations before this one.
    shut: Cell<Station>,
}

impl<'a, B: Body> Carried<'a, B> {
    pub(super) fn new(context: &'a Context<'a, B>, flows: u64) -> Self {
        Self {
            context,
            flows,
            outlet: RefCell::default(),
            tally: RefCell::default(),
            turns: Cell::default(),
            drawn: Cell::new(0),
            arrived: Cell::new(0),
            shut: Cell::new(Station::Release),
        }
    }

    /// Arrives at a station.
    #[inline]
    pub(super) fn arrive(&self) {
        self.arrived.set(self.arrived.get() + 1);
    }

    /// Whether all flows have arrived at the station that is shut.
    #[inline]
    pub(super) fn all_arrived(&self) -> bool {
        self.arrived.get() == self.flows
    }

    /// Whether flows may pass `station`.
    #[inline]
    pub(super) fn is_open(&self, station: Station) -> bool {
        station < self.shut.get()
    }

    /// Lets all flows go on to `station`.
    pub(super) fn open_up_to(&self, station: Station) {
        self.arrived.set(0);
        self.shut.set(station);
    }

    /// Whether units come from a queue: then flows hand over between two of them, or the
    /// first flow would take them all.
    pub(super) fn is_queue(&self) -> bool {
        self.context.variant.schedule == Schedule::Queue
    }

    /// Does the next unit of the queue; false when there is none. Within a unit no flow
    /// hands over, so the outlet is one flow's at a time.
    pub(super) fn unit_of_queue(&self, state: &mut B::State) -> bool {
        let mut outlet = self.outlet.borrow_mut();
        outlet.as_mut().is_some_and(|outlet| {
            let tally = &mut self.tally.borrow_mut();
            flow_run::unit_of_queue(self.context, state, outlet, tally)
        })
    }

    /// Does the units that were dealt to flow `index`, one after the other.
    pub(super) fn units(&self, index: usize, state: &mut B::State) {
        if let Some(outlet) = self.outlet.borrow_mut().as_mut() {
            let tally = &mut self.tally.borrow_mut();
            flow_run::units(self.context, index, state, outlet, tally);
        }
    }

    /// Takes what a flow proved by its turns.
    pub(super) fn took_turns(&self, proof: Proof) {
        let mut tally = self.tally.borrow_mut();
        tally.units += 1;
        tally.proof += proof;
    }

    /// The number of a flow's first checked turn.
    #[inline]
    pub(super) fn draw(&self) -> u64 {
        self.drawn.replace(self.drawn.get() + 1)
    }

    /// The number of a checked turn, after that of the same flow's turn before. What that
    /// says of the order is counted here and at once: a flow keeps nothing of it.
    #[inline]
    pub(super) fn draw_after(&self, last: u64) -> u64 {
        let number = self.draw();
        let mut turns = self.turns.get();
        turns.checked += 1;
        turns.orderly += u64::from(is_orderly(last, number, self.flows));
        self.turns.set(turns);
        number
    }

    /// Times `lap`, which lets all flows come to the next station.
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

    /// The tally with what the checked laps showed.
    pub(super) fn checked(&self, tally: Tally) -> Tally {
        let taken = self.flows * self.context.body.laps(true);
        let turns = Turns {
            taken,
            ..self.turns.get()
        };
        Tally { turns, ..tally }
    }
}

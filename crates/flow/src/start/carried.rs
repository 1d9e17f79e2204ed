//! What the user-level flows of one carrier share.
//!
//! # Theory
//!
//! A carrier is one of the kernel's threads, so its flows never run at the same time and
//! plain cells suffice between them. They go through the same stations as flows of the
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
use crate::flow_cell::Tally;
use crate::flow_run::{self, Context, Trouble};
use crate::record::Turns;
use crate::turn::Order;
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

    /// Does the units of flow `index`. They never hand over, so the outlet is one flow's at
    /// a time.
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

    /// The number of a checked turn.
    #[inline]
    pub(super) fn draw(&self) -> u64 {
        self.drawn.replace(self.drawn.get() + 1)
    }

    /// Takes what a flow saw of the order.
    pub(super) fn saw(&self, order: Order) {
        let mut turns = self.turns.get();
        order.add_to(&mut turns);
        self.turns.set(turns);
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

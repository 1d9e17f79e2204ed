//! All machines of a fleet begin together, when each is ready or has failed. Until then
//! `--parallel` machines are prepared at a time: jump hosts refuse more unfinished connections.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Result, ensure};
use flow::Interrupt;

use super::wire::INTERRUPTED;

const LOOK: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub(super) struct Start {
    machines: usize,
    quorum: usize,
    places: AtomicUsize,
    arrived: AtomicUsize,
    ready: AtomicUsize,
}

/// Dropping it means that the machine failed.
#[derive(Debug)]
pub(super) struct Arrival<'a>(&'a Start);

#[derive(Debug)]
pub(super) struct Place<'a>(&'a Start);

#[derive(Debug)]
pub(super) struct Others<'a>(&'a Start);

impl Start {
    pub(super) fn of(machines: usize, at_once: usize, quorum: usize) -> Self {
        Self {
            machines,
            quorum,
            places: AtomicUsize::new(at_once),
            arrived: AtomicUsize::new(0),
            ready: AtomicUsize::new(0),
        }
    }

    pub(super) fn machine(&self) -> Arrival<'_> {
        Arrival(self)
    }
}

impl<'a> Arrival<'a> {
    pub(super) fn place(&self, interrupt: &Interrupt) -> Result<Place<'a>> {
        let one_less = |places: usize| places.checked_sub(1);
        let places = &self.0.places;
        while places
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less)
            .is_err()
        {
            ensure!(interrupt.signal().is_none(), INTERRUPTED);
            std::thread::sleep(LOOK);
        }
        Ok(Place(self.0))
    }

    pub(super) fn arrive(self, is_ready: bool) -> Others<'a> {
        self.0
            .ready
            .fetch_add(usize::from(is_ready), Ordering::SeqCst);
        Others(self.0)
    }
}

impl Drop for Arrival<'_> {
    fn drop(&mut self) {
        self.0.arrived.fetch_add(1, Ordering::SeqCst);
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.places.fetch_add(1, Ordering::SeqCst);
    }
}

impl Others<'_> {
    pub(super) fn are_ready(&self) -> Result<bool> {
        let start = self.0;
        if start.arrived.load(Ordering::SeqCst) < start.machines {
            return Ok(false);
        }
        let ready = start.ready.load(Ordering::SeqCst);
        ensure!(
            ready >= start.quorum,
            "it was not begun: {ready} of {} machines are ready, and --quorum asks for {}",
            start.machines,
            start.quorum
        );
        Ok(true)
    }
}

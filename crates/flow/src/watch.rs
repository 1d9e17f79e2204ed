//! Waiting for flows: one `poll` over everything that can happen to them. The parent sleeps on the
//! doorbell that the last flow to arrive (or to be done) rings, the channel, and a signalfd for
//! `SIGCHLD`: it burns no CPU beside the flows, and learns at once of a child that dies. Until the
//! end gate opens every child's end is a death. Only children that are flows are listened for:
//! processes that the *work* of threads makes would wake it and disturb the flows.
//!
//! Flows of a dead process count as gone: the others are released and their results kept. The bell
//! rings for the full number only: from the first death on the parent looks every 10 ms.

use std::io;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::Pid;
use std::os::fd::AsFd;

use crate::channel::{Inlet, Sink};
use crate::flow_status::Stage;
use crate::latency::Together;
use crate::notify::Notify;
use crate::pace;
use crate::polled::{readable, wait};
use crate::record::FlowState;
use crate::shared_memory::SharedMemory;
use crate::start::reap_now;
use crate::{SlotSpec, Variant};

#[derive(Debug)]
pub(crate) struct SlotResources {
    pub(crate) shared: SharedMemory,
    pub(crate) notify: Notify,
    pub(crate) latencies: Option<Together>,
    children: SignalFd,
    deadline: Instant,
    deadline_text: String,
}

impl SlotResources {
    /// From here on `SIGCHLD` comes through a descriptor.
    pub(crate) fn new<W>(
        spec: &SlotSpec<W>,
        left: Duration,
        rings: bool,
        times: bool,
    ) -> io::Result<Self> {
        let flows = spec.variant.carriers() as usize;
        let mut child = SigSet::empty();
        child.add(Signal::SIGCHLD);
        child.thread_block()?;
        let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
        Ok(Self {
            shared: SharedMemory::new(flows, if rings { flows } else { 0 })?,
            notify: Notify::new()?,
            latencies: times.then(Together::new).transpose()?,
            children: SignalFd::with_flags(&child, flags).map_err(sys::refused("signalfd4"))?,
            deadline: Instant::now() + left,
            deadline_text: spec.deadline_text(),
        })
    }

    pub(crate) fn clear(&self) -> io::Result<()> {
        self.shared.clear();
        pace::clear();
        self.latencies.iter().for_each(Together::clear);
        self.notify.clear()?;
        self.clear_children()
    }

    pub(crate) fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    pub(crate) fn deadline_text(&self) -> &str {
        &self.deadline_text
    }

    fn clear_children(&self) -> io::Result<()> {
        while self.children.read_signal()?.is_some() {}
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WaitFor {
    Arrived,
    Done,
    Surveyed,
}

#[derive(Debug)]
pub(crate) struct Watch<'a> {
    resources: &'a SlotResources,
    flows: usize,
    flows_in_each: usize,
    /// First flow of each dead process, and its end.
    deaths: Vec<(usize, String)>,
    hung: bool,
}

/// 10 ms, of which [`wait`] adds one.
const LOOK_AGAIN: Duration = Duration::from_millis(9);

impl<'a> Watch<'a> {
    pub(crate) fn new(resources: &'a SlotResources, variant: &Variant) -> Self {
        let shape = variant.model.shape(variant.flows);
        Self {
            resources,
            flows: variant.carriers() as usize,
            flows_in_each: shape.flows_in_each as usize,
            deaths: Vec::new(),
            hung: false,
        }
    }

    pub(crate) fn hung(&self) -> bool {
        self.hung
    }

    pub(crate) fn first_death(&self) -> Option<String> {
        self.deaths.first().map(|(_, how)| how.clone())
    }

    pub(crate) fn fate(&self, index: usize) -> Option<FlowState> {
        let mut deaths = self.deaths.iter();
        let (_, how) = deaths.find(|(first, _)| self.holds(*first, index))?;
        Some(FlowState::Died { how: how.clone() })
    }

    fn holds(&self, first: usize, index: usize) -> bool {
        (first..first + self.flows_in_each).contains(&index)
    }

    /// Ends at `wait_for` or the deadline ([`Watch::hung`]). Dead children leave `children`.
    pub(crate) fn until(
        &mut self,
        wait_for: WaitFor,
        children: &mut Vec<(Pid, usize)>,
        inlet: &mut Inlet,
        sink: &mut dyn Sink,
    ) -> io::Result<()> {
        loop {
            self.resources.notify.clear()?;
            if self.reached(wait_for) {
                return Ok(());
            }
            inlet.drain(&self.resources.shared, sink)?;
            if self.hung || Instant::now() >= self.resources.deadline {
                self.hung = true;
                return Ok(());
            }
            if self.sleep(wait_for, inlet, !children.is_empty())? {
                self.note_deaths(children)?;
            }
        }
    }

    fn reached(&self, wait_for: WaitFor) -> bool {
        let header = self.resources.shared.header();
        let counter = match wait_for {
            WaitFor::Arrived => &header.arrived.0,
            WaitFor::Done => &header.done.0,
            WaitFor::Surveyed => &header.surveyed.0,
        };
        if counter.load(Ordering::Acquire) as usize == self.flows {
            return true;
        }
        !self.deaths.is_empty() && (0..self.flows).all(|index| self.settled(wait_for, index))
    }

    fn settled(&self, wait_for: WaitFor, index: usize) -> bool {
        match self.resources.shared.flow(index).stage() {
            Stage::Done | Stage::Troubled => true,
            Stage::Arrived if wait_for == WaitFor::Arrived => true,
            Stage::Arrived | Stage::Absent => self.fate(index).is_some(),
        }
    }

    fn sleep(&self, wait_for: WaitFor, inlet: &Inlet, has_children: bool) -> io::Result<bool> {
        let sleeps = &self.resources.shared.header().parent_sleeps.0;
        sleeps.store(1, Ordering::SeqCst);
        let mut rings = self.resources.shared.rings().iter();
        if self.reached(wait_for) || rings.any(|ring| !ring.is_empty()) {
            sleeps.store(0, Ordering::SeqCst);
            return Ok(false);
        }
        let child_ended = self.poll(inlet, has_children)?;
        sleeps.store(0, Ordering::SeqCst);
        Ok(child_ended)
    }

    fn poll(&self, inlet: &Inlet, has_children: bool) -> io::Result<bool> {
        let mut all = vec![readable(self.resources.notify.descriptor())];
        all.extend(inlet.descriptor().map(readable));
        let others = all.len();
        if has_children {
            all.push(readable(self.resources.children.as_fd()));
        }
        let left = match self.deaths.is_empty() {
            true => self.resources.left(),
            false => LOOK_AGAIN,
        };
        wait(&mut all, left)?;
        Ok(all[others..].iter().any(|fd| fd.any() == Some(true)))
    }

    fn note_deaths(&mut self, children: &mut Vec<(Pid, usize)>) -> io::Result<()> {
        self.resources.clear_children()?;
        for place in (0..children.len()).rev() {
            if let Some(how) = reap_now(children[place].0) {
                let (_, first) = children.swap_remove(place);
                self.deaths.push((first, how));
            }
        }
        Ok(())
    }
}

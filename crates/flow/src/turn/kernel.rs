//! Turns of processes and threads. In a ring each flow waits for a token, has its turn, and passes
//! it on; one untimed lap lines all up. `sched_yield` names nobody: its flows yield until all run,
//! or those that the gate wakes first would hand over to a few. Reading usage takes as long as a
//! switch: it is read, and hand-overs are counted, a lap before the timed and after the checked.

use std::pin::{Pin, pin};
use std::sync::atomic::Ordering;
use std::task::{Context as Poller, Poll, Waker};

use measure::clock::now_ns;
use measure::usage;

use super::{CHECKED_LAPS, HandOver, Order, Pipes, Turn};
use crate::flow_status::Tally;
use crate::futex;
use crate::record::Turns;
use crate::shared_memory::SharedMemory;

#[derive(Debug)]
pub(crate) struct KernelTurn<'a> {
    pub(crate) shared: &'a SharedMemory,
    pub(crate) pipes: &'a Pipes,
    pub(crate) how: HandOver,
    pub(crate) index: usize,
    pub(crate) flows: usize,
    pub(crate) handed: u64,
}

impl Turn for KernelTurn<'_> {
    const USER_LEVEL: bool = false;

    #[inline]
    async fn next(&mut self) {
        self.step();
    }
}

impl KernelTurn<'_> {
    #[inline]
    fn step(&mut self) {
        self.handed += 1;
        self.pass();
        self.wait();
    }

    #[inline]
    fn pass(&self) {
        let next = (self.index + 1) % self.flows;
        match self.how {
            HandOver::SchedYield => std::thread::yield_now(),
            HandOver::Ignored => {
                std::hint::black_box(std::os::unix::process::parent_id());
            }
            HandOver::Pipe => self.pipes.pass_to(next),
            HandOver::Futex => futex::hand_token(self.shared.flow(next).token()),
        }
    }

    #[inline]
    fn wait(&self) {
        match self.how {
            HandOver::SchedYield | HandOver::Ignored => {}
            HandOver::Pipe => self.pipes.wait_for(self.index),
            HandOver::Futex => futex::take_token(self.shared.flow(self.index).token()),
        }
    }

    pub(crate) fn run<F: AsyncFnOnce(&mut Self) -> crate::Proof>(
        &mut self,
        laps: u64,
        timed: F,
    ) -> Tally {
        self.enter();
        let (before, handed) = (usage::this_thread(), self.handed);
        self.step();
        let start_ns = now_ns();
        let proof = at_once(pin!(timed(self)));
        let end_ns = now_ns();
        self.line_up(&self.shared.header().laps_done.0);
        let order = self.checked_laps();
        let steady = usage::this_thread().since(before);
        let handed = self.handed - handed;
        self.leave();
        let mut turns = Turns {
            taken: laps,
            handed_over: handed,
            switches: steady.voluntary_switches + steady.involuntary_switches,
            ..Turns::default()
        };
        order.add_to(&mut turns);
        Tally {
            start_ns,
            end_ns,
            steady,
            units: 1,
            proof,
            turns,
            ..Tally::default()
        }
    }

    fn enter(&mut self) {
        if self.index > 0 {
            self.wait();
        }
        self.line_up(&self.shared.header().lined_up.0);
    }

    fn line_up(&mut self, count: &std::sync::atomic::AtomicU32) {
        if self.how.is_ring() {
            return;
        }
        count.fetch_add(1, Ordering::AcqRel);
        while (count.load(Ordering::Acquire) as usize) < self.flows {
            self.step();
            if self.how == HandOver::Ignored {
                // `HandOver::Ignored` ignores only measured hand-overs.
                std::thread::yield_now();
            }
        }
    }

    fn checked_laps(&mut self) -> Order {
        let mut order = Order::default();
        for _ in 0..CHECKED_LAPS {
            let number = self.shared.header().turn.0.fetch_add(1, Ordering::Relaxed);
            order.take(number, self.flows as u64);
            self.step();
        }
        order
    }

    fn leave(&self) {
        if self.how.is_ring() && self.index + 1 < self.flows {
            self.pass();
        }
    }
}

/// Never waits: a hand-over of kernel flows and fibers returns at the next turn.
#[inline(always)]
pub(crate) fn at_once<T>(mut future: Pin<&mut impl Future<Output = T>>) -> T {
    match future.as_mut().poll(&mut Poller::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => unreachable!("a hand-over came back before its turn"),
    }
}

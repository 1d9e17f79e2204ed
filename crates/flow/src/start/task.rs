//! `task`: stackless flows, futures that one kernel thread polls in turn: the bound that stacks are
//! compared with, without box, waker or queue. The futures have one type and lie side by side; the
//! carrier polls them in order until all have come to their next station. One that waits costs a
//! call and two comparisons. What a task keeps between two hand-overs lies in its future.

use std::future::poll_fn;
use std::io;
use std::mem::replace;
use std::pin::Pin;
use std::task::{Context as Poller, Poll, Waker};

use super::carried::{Carried, Station};
use crate::body::Body;
use crate::context::InContext;
use crate::flow_run::{Step, at_gate, leave, prepare};
use crate::turn::{CHECKED_LAPS, Turn};

pub(super) fn carry<B: Body>(work: InContext<'_, B>, index: usize) {
    let context = work.context;
    let ready = prepare(context, index);
    let carried = Carried::new(work, work.variant.flows.into());
    let made = Tasks::new(&carried).map(|mut tasks| {
        tasks.run();
        tasks
    });
    at_gate(context, index);
    let worked = ready.and_then(|outlet| {
        let mut tasks = made.map_err(|error| (Step::Tasks, error))?;
        carried.open_up_to(Station::Checks);
        let tally = carried.timed(outlet, || tasks.run())?;
        carried.open_up_to(Station::End);
        tasks.run();
        Ok((carried.checked(tally), tasks))
    });
    let (tally, tasks) = match worked {
        Ok((tally, tasks)) => (Ok(tally), Some(tasks)),
        Err(trouble) => (Err(trouble), None),
    };
    leave(context, index, tally);
    drop(tasks);
}

pub(super) fn hold<B: Body>(work: InContext<'_, B>) -> io::Result<()> {
    let carried = Carried::new(work, work.variant.flows.into());
    Tasks::new(&carried)?.run();
    Ok(())
}

struct Tasks<'c, 'a, B: Body, F> {
    carried: &'c Carried<'a, B>,
    futures: Vec<F>,
}

impl<'c, 'a, B: Body> Tasks<'c, 'a, B, ()> {
    #[allow(
        clippy::new_ret_no_self,
        reason = "the type of a future has no name to be written here"
    )]
    fn new(carried: &'c Carried<'a, B>) -> io::Result<Tasks<'c, 'a, B, impl Future<Output = ()>>> {
        let flows = carried.work.variant.flows as usize;
        let mut futures = Vec::new();
        let room = futures.try_reserve_exact(flows);
        room.map_err(|_too_many| io::Error::from_raw_os_error(libc::ENOMEM))?;
        futures.extend((0..flows).map(|flow| life(carried, flow)));
        Ok(Tasks { carried, futures })
    }
}

impl<B: Body, F: Future<Output = ()>> Tasks<'_, '_, B, F> {
    fn run(&mut self) {
        let mut poller = Poller::from_waker(Waker::noop());
        while !self.carried.all_arrived() {
            for future in &mut self.futures {
                // SAFETY: the vector is never grown, sorted or given away after `new`: no future
                // moves from first poll to drop.
                let future = unsafe { Pin::new_unchecked(future) };
                let _waits_at_the_end_for_ever = future.poll(&mut poller);
            }
        }
    }
}

/// Never ends by itself: its carrier drops it.
async fn life<B: Body>(carried: &Carried<'_, B>, index: usize) {
    let body = carried.work.body;
    let mut state = body.state(index);
    at(carried, Station::Release).await;
    if B::TURNS {
        let proof = body.turns(&mut state, index as u64, &mut TaskTurn).await;
        carried.took_turns(proof);
    } else if carried.is_queue() {
        while carried.unit_of_queue(&mut state) {
            TaskTurn.next().await;
        }
    } else {
        carried.units(index, &mut state);
    }
    at(carried, Station::Checks).await;
    if B::TURNS {
        checked_laps(carried).await;
    } else {
        carried.work.settle(&mut state);
    }
    at(carried, Station::End).await;
}

async fn at<B: Body>(carried: &Carried<'_, B>, station: Station) {
    carried.arrive();
    poll_fn(|_| match carried.is_open(station) {
        true => Poll::Ready(()),
        false => Poll::Pending,
    })
    .await;
}

async fn checked_laps<B: Body>(carried: &Carried<'_, B>) {
    let mut last = carried.draw();
    TaskTurn.next().await;
    for _ in 1..CHECKED_LAPS {
        last = carried.draw_after(last);
        TaskTurn.next().await;
    }
}

struct TaskTurn;

impl Turn for TaskTurn {
    const USER_LEVEL: bool = true;

    #[inline]
    async fn next(&mut self) {
        let mut handed = false;
        poll_fn(|_| match replace(&mut handed, true) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        })
        .await;
    }
}

pub(crate) fn bytes_each<B: Body>() -> usize {
    fn bytes<'c, 'a: 'c, B: Body + 'a, F>(_made: impl Fn(&'c Carried<'a, B>, usize) -> F) -> usize {
        size_of::<F>()
    }
    bytes(life::<B>)
}

//! A flow a piece, which moves to where it is wanted. All are made in process 0; the first move, to
//! its own process, does not count. A flow that waits looks now and then whether all processes
//! live: a dead one brings nobody to the barrier. Then it ends, and the lost flows are named.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use ::fiber::Config;
use ::fiber::movable::MovableFiber;
use measure::clock::now_ns;

use super::{Balance, Balancing, Board, Order, Times, Uneven};
use crate::migration::region_members::{RegionMembers, go};

const STACK: usize = if cfg!(debug_assertions) {
    64 << 10
} else {
    16 << 10
};
const ARENA: usize = 512;
const LOOK_EVERY_NS: u64 = 20_000_000;

impl<U: Uneven> Order<'_, U> {
    pub(super) fn by_flows(&self) -> io::Result<Times> {
        let mut times = Times::begin();
        let (processes, pieces) = (self.plan.processes, self.plan.pieces);
        // SAFETY: a piece computes with its arena, so its frames fit; schedulers, of
        // `RegionMembers`, are dropped locals.
        let config = unsafe { Config::movable(STACK) };
        let config = config
            .arena(ARENA + self.work.state_bytes())
            .capacity(pieces + 1);
        let address = std::ptr::from_ref(self).expose_provenance();
        let group =
            RegionMembers::begin(config, processes, &self.plan.cpus, |scheduler, number| {
                if self.plan.balance == Balance::Stealing {
                    let asks = scheduler.spawn_movable((address, number), asks::<U>);
                    drop(asks.map_err(io::Error::other)?);
                }
                Ok(())
            })?;
        let spawn = |piece: usize| {
            let made = group.scheduler.spawn_movable((address, piece), works::<U>);
            made.map_err(io::Error::other)
        };
        let handles = (0..pieces).map(spawn).collect::<io::Result<Vec<_>>>()?;
        times.go();
        group.results(handles)?;
        times.done();
        group.end()?;
        Ok(times.end())
    }
}

fn at<'a, U>(address: usize) -> &'a Order<'a, U> {
    // SAFETY: `by_flows` gave the address of an `Order` that lives until the last flow has ended,
    // made before the other processes were forked, which have it at the same place.
    unsafe { &*std::ptr::with_exposed_provenance(address) }
}

fn works<U: Uneven>(fiber: &mut MovableFiber<'_>, (address, piece): (usize, usize)) {
    let order = at::<U>(address);
    let (board, plan) = (&order.board, order.plan);
    let first = piece * plan.processes / plan.pieces;
    board.here(first).fetch_add(1, Ordering::Relaxed);
    if first > 0 {
        go(fiber, first);
    }
    let Some(arena) = fiber.arena() else {
        return;
    };
    let mut state = order.begin(fiber.process(), piece, arena);
    for step in 0..plan.steps {
        order.step(fiber.process(), &mut state, piece, step);
        let is_over = step + 1 == plan.steps;
        if !is_over && !turns_to_where_it_is_wanted(fiber, order, piece, step) {
            return;
        }
    }
    board.here(fiber.process()).fetch_sub(1, Ordering::Relaxed);
    board.done.fetch_add(1, Ordering::Relaxed);
}

fn turns_to_where_it_is_wanted<U>(
    fiber: &mut MovableFiber<'_>,
    order: &Order<'_, U>,
    piece: usize,
    step: u64,
) -> bool {
    let (board, plan) = (&order.board, order.plan);
    match plan.balance {
        Balance::Greedy => {
            if !barrier(fiber, board, plan, step) {
                return false;
            }
            let to = board.place(piece).load(Ordering::Relaxed);
            moves(fiber, board, to as usize);
        }
        Balance::Stealing => gives(fiber, board, plan.processes),
        Balance::None | Balance::Queue => fiber.yield_now(),
    }
    true
}

/// The last one deals the rest. False if somebody will not come.
fn barrier(fiber: &mut MovableFiber<'_>, board: &Board<'_>, plan: &Balancing, step: u64) -> bool {
    if board.arrived.fetch_add(1, Ordering::AcqRel) + 1 == plan.pieces as u64 {
        deal(board, plan);
        board.arrived.store(0, Ordering::Relaxed);
        board.open.store(step + 1, Ordering::Release);
    }
    let mut watch = Watch::begin();
    while board.open.load(Ordering::Acquire) <= step {
        if !watch.all_live(fiber, plan.processes) {
            return false;
        }
        fiber.yield_now();
    }
    true
}

/// The longest piece first, each to the process with the least so far.
fn deal(board: &Board<'_>, plan: &Balancing) {
    let cost = |piece: &usize| board.cost(*piece).load(Ordering::Relaxed);
    let mut order: Vec<usize> = (0..plan.pieces).collect();
    order.sort_by_key(|piece| std::cmp::Reverse(cost(piece)));
    let mut loads = vec![0; plan.processes];
    for piece in order {
        let least = (0..plan.processes).min_by_key(|process| loads[*process]);
        let least = least.unwrap_or(0);
        loads[least] += cost(&piece);
        board.place(piece).store(least as u64, Ordering::Relaxed);
    }
}

/// While its process is idle, asks for half of what another has. Never moves.
fn asks<U>(fiber: &mut MovableFiber<'_>, (address, process): (usize, usize)) {
    let Order { board, plan, .. } = at::<U>(address);
    let has = |process: usize| board.here(process).load(Ordering::Relaxed);
    let mut watch = Watch::begin();
    while board.done.load(Ordering::Relaxed) < plan.pieces as u64 {
        if has(process) == 0 {
            let most = (0..plan.processes).map(has).max().unwrap_or(0);
            board.wants(process).store(most / 2, Ordering::Release);
            if !watch.all_live(fiber, plan.processes) {
                return;
            }
            std::thread::yield_now();
        }
        fiber.yield_now();
    }
}

fn gives(fiber: &mut MovableFiber<'_>, board: &Board<'_>, processes: usize) {
    let own = fiber.process();
    let other = (0..processes).find(|who| *who != own && takes_one(board.wants(*who)));
    match other {
        Some(to) => moves(fiber, board, to),
        None => fiber.yield_now(),
    }
}

fn takes_one(wants: &AtomicU64) -> bool {
    let one_less = |wants: u64| wants.checked_sub(1);
    let taken = wants.fetch_update(Ordering::AcqRel, Ordering::Relaxed, one_less);
    taken.is_ok()
}

fn moves(fiber: &mut MovableFiber<'_>, board: &Board<'_>, to: usize) {
    let from = fiber.process();
    if from == to {
        fiber.yield_now();
        return;
    }
    board.moves.fetch_add(1, Ordering::Relaxed);
    board.here(to).fetch_add(1, Ordering::Relaxed);
    board.here(from).fetch_sub(1, Ordering::Relaxed);
    go(fiber, to);
}

struct Watch {
    next: u64,
}

impl Watch {
    fn begin() -> Self {
        let next = now_ns() + LOOK_EVERY_NS;
        Self { next }
    }

    fn all_live(&mut self, fiber: &MovableFiber<'_>, processes: usize) -> bool {
        let now = now_ns();
        if now < self.next {
            return true;
        }
        self.next = now + LOOK_EVERY_NS;
        (0..processes).all(|process| fiber.lives(process))
    }
}

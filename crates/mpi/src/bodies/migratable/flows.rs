//! The life of flows: one for each unit, and one in each rank that asks for more.

use std::sync::atomic::Ordering;

use fiber::movable::{Movable, MovableFiber};
use flow::Proof;
use workload::Primes;

use super::board::Board;

const STEPS: u64 = 64;

/// Moves with the flow: numbers, and the board's address.
pub(super) struct Flow {
    pub(super) work: Primes,
    pub(super) unit: u64,
    pub(super) board: Board,
}

// SAFETY: numbers, the name of a method, and a movable board.
unsafe impl Movable for Flow {}

pub(super) fn works(fiber: &mut MovableFiber<'_>, flow: Flow) {
    let (home, board) = (fiber.process(), flow.board);
    let mut before = Proof::default();
    for step in 0..STEPS {
        let here = board.rank(fiber.process());
        before += here.step(|| flow.work.part(flow.unit, step, STEPS, before));
        if step + 1 < STEPS {
            gives(fiber, &board);
        }
    }
    let here = fiber.process();
    board.rank(here).has.fetch_sub(1, Ordering::Relaxed);
    if here != home {
        go(fiber, home);
    }
    board.note_done();
}

/// While its rank is idle, asks for half the flows of the rank with the most. Never moves.
pub(super) fn asks(fiber: &mut MovableFiber<'_>, (board, units): (Board, u64)) {
    let own = board.rank(fiber.process());
    while board.done() < units {
        if own.has.load(Ordering::Relaxed) == 0 {
            own.waits();
            let wants = board.most() / 2;
            if own.wants.load(Ordering::Relaxed) != wants {
                own.wants.store(wants, Ordering::Release);
            }
            std::hint::spin_loop();
        }
        fiber.yield_now();
    }
}

fn gives(fiber: &mut MovableFiber<'_>, board: &Board) {
    let here = fiber.process();
    let mut others = (0..board.ranks).filter(|rank| *rank != here);
    let Some(to) = others.find(|rank| board.rank(*rank).takes_one()) else {
        fiber.yield_now();
        return;
    };
    let left = board.rank(here);
    left.moves.set(left.moves.get() + 1);
    board.rank(to).has.fetch_add(1, Ordering::Relaxed);
    left.has.fetch_sub(1, Ordering::Relaxed);
    go(fiber, to);
}

fn go(fiber: &mut MovableFiber<'_>, to: usize) {
    // SAFETY: a flow keeps numbers and the address of the board, which all ranks have at one place.
    if let Err(error) = unsafe { fiber.move_to(to) } {
        panic!("a flow cannot go to rank {to}: {error}");
    }
}

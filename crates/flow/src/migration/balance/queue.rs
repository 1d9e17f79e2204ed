use std::io;
use std::sync::atomic::Ordering;

use allocator_api2::alloc::Global;

use super::{Order, Times, Uneven};
use crate::flow_run::bind_in_turn;
use crate::migration::forked::Forked;

impl<U: Uneven> Order<'_, U> {
    fn takes(&self, process: usize) {
        loop {
            let piece = self.board.taken.fetch_add(1, Ordering::Relaxed) as usize;
            if piece >= self.plan.pieces {
                return;
            }
            let mut state = self.begin(process, piece, Global);
            (0..self.plan.steps).for_each(|step| self.step(process, &mut state, piece, step));
        }
    }

    pub(super) fn by_threads(&self) -> io::Result<Times> {
        let mut times = Times::begin();
        let bind = |thread| bind_in_turn(&self.plan.cpus, thread);
        std::thread::scope(|scope| {
            times.go();
            let others = (1..self.plan.processes)
                .map(|thread| scope.spawn(move || bind(thread).map(|()| self.takes(thread))));
            let others: Vec<_> = others.collect();
            bind(0)?;
            self.takes(0);
            for other in others {
                let ended = other.join();
                ended.map_err(|_| io::Error::other("a thread panicked"))??;
            }
            times.done();
            io::Result::Ok(())
        })?;
        Ok(times.end())
    }

    pub(super) fn by_processes(&self) -> io::Result<Times> {
        let mut times = Times::begin();
        let board = &self.board;
        let forked = Forked::fork(self.plan.processes, &self.plan.cpus, |number| {
            board.ready.fetch_add(1, Ordering::Release);
            while board.open.load(Ordering::Acquire) == 0 {
                std::thread::yield_now();
            }
            self.takes(number);
            board.done.fetch_add(1, Ordering::Release);
            Ok(())
        })?;
        let others = self.plan.processes as u64 - 1;
        forked.wait_until(|| board.ready.load(Ordering::Acquire) == others)?;
        times.go();
        board.open.store(1, Ordering::Release);
        self.takes(0);
        forked.wait_busily(|| board.done.load(Ordering::Acquire) == others)?;
        times.done();
        forked.dismiss()?;
        Ok(times.end())
    }
}

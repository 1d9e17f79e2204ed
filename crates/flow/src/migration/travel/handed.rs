use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::AtomicU64;

use super::Trips;
use super::state::{LINE, Line, arrive, put};
use crate::Relay;
use crate::migration::forked::Forked;
use crate::migration::times::Times;

impl Trips {
    pub(super) fn relayed(&self, lines: usize) -> io::Result<(Times, Vec<u64>)> {
        let words = lines * LINE / size_of::<u64>();
        let slots = u32::try_from(self.flows).map_err(io::Error::other)?;
        let queues = (0..self.processes).map(|_| Relay::new(slots, words));
        let queues: Vec<Relay> = queues.collect::<io::Result<_>>()?;
        let take = |number: usize, state: &mut [Line]| {
            queues[number].pop(|_, words| copy_out(words, state));
            Ok(())
        };
        let give = |to: usize, state: &[Line]| {
            queues[to].push(|_, words| copy_in(state, words));
            Ok(())
        };
        self.handed(lines, take, give)
    }

    pub(super) fn sent(&self) -> io::Result<(Times, Vec<u64>)> {
        let pairs = (0..self.processes).map(|_| UnixStream::pair());
        let pairs: Vec<(UnixStream, UnixStream)> = pairs.collect::<io::Result<_>>()?;
        let take = |number: usize, state: &mut [Line]| {
            (&pairs[number].0).read_exact(bytemuck::cast_slice_mut(state))
        };
        let give =
            |to: usize, state: &[Line]| (&pairs[to].1).write_all(bytemuck::cast_slice(state));
        self.handed(self.bytes / LINE, take, give)
    }

    fn handed(
        &self,
        lines: usize,
        take: impl Fn(usize, &mut [Line]) -> io::Result<()>,
        give: impl Fn(usize, &[Line]) -> io::Result<()>,
    ) -> io::Result<(Times, Vec<u64>)> {
        let mut times = Times::begin();
        let forked = Forked::fork(self.processes, &self.cpus, |number| {
            let mut state = vec![Line::default(); lines];
            for _ in 0..(self.laps + 1) * self.flows as u64 {
                take(number, &mut state)?;
                arrive(&mut state, number as u64);
                give((number + 1) % self.processes, &state)?;
            }
            Ok(())
        })?;
        let mut state = vec![Line::default(); lines];
        let mut around = |starts: &[u64], laps: u64| {
            for value in starts {
                put(&mut state, *value);
                give(1, &state)?;
            }
            let mut ends = Vec::with_capacity(starts.len());
            for lap in 1..=laps {
                for _ in starts {
                    take(0, &mut state)?;
                    arrive(&mut state, 0);
                    match lap == laps {
                        true => ends.push(state[0][0]),
                        false => give(1, &state)?,
                    }
                }
            }
            io::Result::Ok(ends)
        };
        let ends = forked.watched(|| {
            let warm = around(&self.starts(), 1)?;
            times.go();
            let ends = around(&warm, self.laps)?;
            times.done();
            Ok(ends)
        })?;
        forked.dismiss()?;
        Ok((times.end(), ends))
    }
}

fn copy_in(state: &[Line], words: &[AtomicU64]) {
    let state = state.as_flattened();
    assert!(state.len() <= words.len(), "a slot holds the state");
    let to = words.as_ptr().cast_mut().cast::<u64>();
    // SAFETY: both hold as many words, apart; the slot is this process's until `push` returns.
    unsafe { std::ptr::copy_nonoverlapping(state.as_ptr(), to, state.len()) };
}

fn copy_out(words: &[AtomicU64], state: &mut [Line]) {
    let state = state.as_flattened_mut();
    assert!(state.len() <= words.len(), "a slot holds the state");
    let from = words.as_ptr().cast::<u64>();
    // SAFETY: both hold as many words, apart; the slot is this process's until `pop` returns.
    unsafe { std::ptr::copy_nonoverlapping(from, state.as_mut_ptr(), state.len()) };
}

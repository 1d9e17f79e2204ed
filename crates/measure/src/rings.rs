//! Rings of perf events, one for each CPU: of a process and all that it makes from now on, or of all that runs there.
//! What a reader is slow to take is lost, and the kernel says how much.

use std::io;

use nix::errno::Errno;
use nix::unistd::{SysconfVar, sysconf};
use perf_event::{Builder, Clock, SampleFlag, Sampler};

use crate::ring_record::{Stamped, decode};

/// Bytes of the rings of all CPUs together, at the most.
const ALL: usize = 24 << 20;
const LEAST: usize = 16 << 10;

/// Open rings.
pub struct Rings(Vec<Sampler>);

impl std::fmt::Debug for Rings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Rings").field(&self.0.len()).finish()
    }
}

impl Rings {
    /// Begins with process `pid`, or with all processes. `event` is what is recorded, with its thread and its time by
    /// [`crate::clock::now_ns`]. A ring has `bytes` where there are not too many CPUs. Fails if the kernel does not
    /// permit it or cannot do it.
    pub fn open(
        pid: Option<i32>,
        bytes: usize,
        event: impl Fn() -> Builder<'static>,
    ) -> io::Result<Self> {
        let online = cpus(SysconfVar::_NPROCESSORS_ONLN)?;
        let bytes = 1 << (ALL / online).clamp(LEAST, bytes).ilog2();
        let ring = |cpu| {
            let mut builder = event();
            match pid {
                Some(pid) => builder.observe_pid(pid).inherit(true),
                None => builder.any_pid(),
            };
            builder.one_cpu(cpu).exclude_idle(true);
            builder.enabled(true).sample_id_all(true);
            builder.clockid(Clock::MONOTONIC);
            builder.sample(SampleFlag::TID | SampleFlag::TIME);
            builder.build()?.sampled(bytes)
        };
        let opened = (0..cpus(SysconfVar::_NPROCESSORS_CONF)?).map(ring);
        let is_away = |error: &io::Error| error.raw_os_error() == Some(Errno::ENODEV as i32);
        let here = opened.filter(|ring| !ring.as_ref().is_err_and(is_away));
        Ok(Self(here.collect::<io::Result<_>>()?))
    }

    /// Records from now on, or no more.
    pub fn record(&mut self, is_on: bool) -> io::Result<()> {
        let mut rings = self.0.iter_mut();
        match is_on {
            true => rings.try_for_each(|ring| ring.enable()),
            false => rings.try_for_each(|ring| ring.disable()),
        }
    }

    /// Empties them, CPU by CPU.
    pub fn drain(&mut self, mut take: impl FnMut(Stamped)) {
        for ring in &mut self.0 {
            while let Some(record) = ring.next_record() {
                let decoded = decode(record.ty(), record.misc(), &record.to_contiguous());
                decoded.into_iter().for_each(&mut take);
            }
        }
    }
}

fn cpus(of: SysconfVar) -> io::Result<usize> {
    let count = sysconf(of)?.unwrap_or(1);
    Ok(usize::try_from(count).unwrap_or(1).max(1))
}

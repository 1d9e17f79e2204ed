//! `migratable/P`: fibers that could go on in another process, over P forked processes, each of
//! which carries every P-th flow. The range of addresses is reserved before the first fork: at the
//! same place in all. None moves unless its body says so.

use std::io;

use ::fiber::ConfigError;
use ::fiber::movable::{Region, Way};
use nix::unistd::{ForkResult, Pid, fork};
use sys::Alone;

use super::fiber::{carry_with, config};
use super::process::{become_child, leave};
use crate::body::Body;
use crate::flow_run::Context;
use crate::model::Stacks;

pub(super) fn region<B: Body>(context: &Context<'_, B>, way: Way) -> io::Result<Region> {
    let processes = context.variant.carriers() as usize;
    let each = (context.variant.flows as usize).div_ceil(processes.max(1));
    let config = config(Stacks::Movable(way), context.body.stack_bytes());
    Region::reserve(config.capacity(each), processes).map_err(of_the_system)
}

pub(super) fn start<B: Body>(
    context: &Context<'_, B>,
    index: usize,
    region: &Region,
    _alone: &Alone,
) -> io::Result<Pid> {
    // SAFETY: there is no other thread, so none holds a lock. The child never returns.
    match unsafe { fork() }? {
        ForkResult::Child => {
            become_child(context.parent);
            carry_with(context, index, |_flows| region.join(index));
            leave(0)
        }
        ForkResult::Parent { child } => Ok(child),
    }
}

/// Keeps the kernel's error, so that its remedy is found.
fn of_the_system(error: ConfigError) -> io::Error {
    match error {
        ConfigError::Memory { source, .. } => source,
        other => io::Error::other(other),
    }
}

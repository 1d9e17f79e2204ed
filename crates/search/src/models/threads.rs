use std::thread::{Builder, Scope, ScopedJoinHandle};

use crate::models::{FlowSet, Totals, refused};

/// Only touched pages take memory.
pub(crate) const STACK_BYTES: usize = 256 << 10;

pub(crate) type Ended = (Totals, u64);

/// As many as the kernel makes; reports if fewer.
pub(crate) fn make<'scope>(
    scope: &'scope Scope<'scope, '_>,
    set: &FlowSet<'_, '_>,
    wanted: usize,
    body: impl Fn() -> Ended + Copy + Send + 'scope,
) -> Vec<ScopedJoinHandle<'scope, Ended>> {
    let mut threads = Vec::new();
    for _ in 0..wanted {
        let made = Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, body);
        match made {
            Ok(thread) => threads.push(thread),
            Err(error) => {
                refused::tell_pool(set, threads.len(), wanted, "threads", &error);
                break;
            }
        }
    }
    threads
}

pub(crate) fn join(threads: Vec<ScopedJoinHandle<'_, Ended>>, totals: &mut Totals) -> Option<u64> {
    let mut last_ns = None;
    for thread in threads {
        match thread.join() {
            Ok((more, done_ns)) => {
                totals.add(more);
                last_ns = last_ns.max(Some(done_ns));
            }
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
    last_ns
}

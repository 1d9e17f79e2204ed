//! Some threads share the work; with `thread-private-files` each has its own table of files.
//!
//! # Theory
//!
//! Threads of a process share one table of open files. Each open takes its lock to find a
//! free number, and each read of a table that others use counts references with atomic
//! operations. `unshare(CLONE_FILES | CLONE_FS)` gives a thread a table of its own, so that a pool of
//! threads works on its files as processes do, and shares only memory. The roots were opened
//! before, so that their numbers are good in every table; nothing else goes from one thread
//! to another but paths.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, ScopedJoinHandle};

use measure::clock;
use nix::sched::{CloneFlags, unshare};

use crate::crew::shared::Shared;
use crate::crew::{Crew, Done, Totals};
use crate::job::Task;
use crate::problem::Problem;
use crate::report::Flows;

/// Bytes of a flow's stack; only what is touched takes memory.
pub(crate) const STACK_BYTES: usize = 256 << 10;

/// Whose table of open files a thread uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Files {
    Shared,
    Private,
}

pub(crate) fn run(crew: &Crew<'_, '_>, workers: u32, tasks: Vec<Task>, files: Files) -> Done {
    let wanted = workers as usize;
    let shared = Shared::new(tasks, wanted);
    let denied = AtomicBool::new(false);
    let started_ns = clock::now_ns();
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        let mut held_at = None;
        for _ in 0..wanted {
            let body = || flow(crew, &shared, files, &denied);
            match Builder::new()
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, body)
            {
                Ok(thread) => threads.push(thread),
                Err(error) => {
                    held_at = Some(threads.len() as u64);
                    tell_held(crew, threads.len(), wanted, "threads", &error);
                    break;
                }
            }
        }
        let create_ns = clock::now_ns() - started_ns;
        let made = threads.len();
        let mut totals = Totals::default();
        if made == 0 {
            shared.lose(wanted - 1);
            totals.add(flow(crew, &shared, Files::Shared, &denied).0);
        } else {
            shared.lose(wanted - made);
        }
        let last_ns = join(threads, &mut totals);
        let flows = Flows {
            made: made as u64,
            most: made.max(1) as u64,
            held_at,
        };
        let tear_down_ns = clock::now_ns().saturating_sub(last_ns.unwrap_or(u64::MAX));
        Done::new(totals, flows).taking(create_ns, tear_down_ns)
    })
}

/// Says that the kernel refused another flow, and that it goes on.
pub(crate) fn tell_held(
    crew: &Crew<'_, '_>,
    made: usize,
    wanted: usize,
    what: &str,
    error: &std::io::Error,
) {
    let error = error.to_string();
    let error = error.split(" (os error").next().unwrap_or(&error);
    let with = match made {
        0 => "this one".to_owned(),
        _ => format!("{made} of {wanted} {what}"),
    };
    let what = format!("the kernel makes no more {what} ({error}): going on with {with}");
    crew.outlet.tell(&Problem::notice(None, what));
}

/// Joins all: when the last of them was done with its work.
fn join(threads: Vec<ScopedJoinHandle<'_, (Totals, u64)>>, totals: &mut Totals) -> Option<u64> {
    let mut last = None;
    for thread in threads {
        match thread.join() {
            Ok((more, done_ns)) => {
                totals.add(more);
                last = last.max(Some(done_ns));
            }
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
    last
}

/// What a thread does: its totals, and when it was done.
fn flow(crew: &Crew<'_, '_>, shared: &Shared, files: Files, denied: &AtomicBool) -> (Totals, u64) {
    if files == Files::Private
        && let Err(errno) = unshare(CloneFlags::CLONE_FILES | CloneFlags::CLONE_FS)
        && !denied.swap(true, Ordering::Relaxed)
    {
        let what = format!(
            "tables of files of their own are denied to threads here ({errno}): they share one"
        );
        crew.outlet.tell(&Problem::notice(None, what));
    }
    let mut worker = crew.worker();
    worker.run(shared);
    (Totals::of(worker.totals()), clock::now_ns())
}

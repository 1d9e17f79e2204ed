//! `thread` and `thread-private-files`: pthreads of the slot process or of a process of a mix.

use std::io;

use crate::context::Context;

/// Stays at its address in `Threads` until the join.
struct Task<'a> {
    context: &'a Context<'a>,
    index: usize,
}

pub(crate) struct Threads<'a> {
    tasks: Vec<Task<'a>>,
    handles: Vec<libc::pthread_t>,
}

impl<'a> Threads<'a> {
    pub(super) fn new(context: &'a Context<'a>, first: usize, count: usize) -> Self {
        let tasks = (first..first + count)
            .map(|index| Task { context, index })
            .collect();
        Self {
            tasks,
            handles: Vec::with_capacity(count),
        }
    }

    pub(super) fn create(&mut self) -> io::Result<()> {
        for task in &self.tasks {
            let mut handle = 0;
            // SAFETY: `entry` gets a `Task` that neither moves nor is dropped before `join`
            // has seen the thread end (`tasks` is never pushed to after `new`, and `drop` joins).
            let error = unsafe {
                libc::pthread_create(
                    &raw mut handle,
                    std::ptr::null(),
                    entry,
                    std::ptr::from_ref(task).cast_mut().cast(),
                )
            };
            if error != 0 {
                return Err(io::Error::from_raw_os_error(error));
            }
            self.handles.push(handle);
        }
        Ok(())
    }

    pub(super) fn join(mut self) -> io::Result<()> {
        self.join_all()
    }

    fn join_all(&mut self) -> io::Result<()> {
        for handle in self.handles.drain(..) {
            // SAFETY: the handle is of a thread made by `create`, joined here only.
            let error = unsafe { libc::pthread_join(handle, std::ptr::null_mut()) };
            if error != 0 {
                return Err(io::Error::from_raw_os_error(error));
            }
        }
        Ok(())
    }
}

impl Drop for Threads<'_> {
    fn drop(&mut self) {
        let _reported_by_join = self.join_all();
    }
}

extern "C" fn entry(task: *mut libc::c_void) -> *mut libc::c_void {
    // SAFETY: `create` passes a valid `Task` that outlives the thread.
    let task = unsafe { &*task.cast_const().cast::<Task<'_>>() };
    task.context.body.live(task.context, task.index);
    std::ptr::null_mut()
}

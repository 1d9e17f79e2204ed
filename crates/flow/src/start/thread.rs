//! `thread` and `thread-private-files`: pthreads of the slot process or of a process of a mix.

use std::io;

use crate::body::Body;
use crate::flow_run::Context;

/// Stays at its address in `Threads` until the join.
#[derive(Debug)]
struct Task<'a, B: Body> {
    context: &'a Context<'a, B>,
    index: usize,
}

#[derive(Debug)]
pub(crate) struct Threads<'a, B: Body> {
    tasks: Vec<Task<'a, B>>,
    handles: Vec<libc::pthread_t>,
}

impl<'a, B: Body> Threads<'a, B> {
    pub(super) fn new(context: &'a Context<'a, B>, first: usize, count: usize) -> Self {
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
            // SAFETY: `entry::<B>` gets a `Task<B>` that neither moves nor is dropped before `join`
            // has seen the thread end (`tasks` is never pushed to after `new`, and `drop` joins).
            let error = unsafe {
                libc::pthread_create(
                    &raw mut handle,
                    std::ptr::null(),
                    entry::<B>,
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

impl<B: Body> Drop for Threads<'_, B> {
    fn drop(&mut self) {
        let _reported_by_join = self.join_all();
    }
}

extern "C" fn entry<B: Body>(task: *mut libc::c_void) -> *mut libc::c_void {
    // SAFETY: `create` passes a valid `Task<B>` that outlives the thread.
    let task = unsafe { &*task.cast_const().cast::<Task<'_, B>>() };
    super::live::live(task.context, task.index);
    std::ptr::null_mut()
}

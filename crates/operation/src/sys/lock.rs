use std::cell::UnsafeCell;
use std::io;
use std::mem::MaybeUninit;

use super::{answer, no_error};

/// Made in place by `init`.
#[derive(Debug)]
pub(crate) struct Mutex(UnsafeCell<libc::pthread_mutex_t>);

// SAFETY: the C library's calls on a mutex may be made by any flow.
unsafe impl Sync for Mutex {}

impl Mutex {
    /// Call once, before anybody else uses it. `may_be_shared`: by processes.
    pub(crate) fn init(&self, may_be_shared: bool) -> io::Result<()> {
        let mut attributes = MaybeUninit::uninit();
        // SAFETY: the attributes lie where the call may write them.
        no_error(unsafe { libc::pthread_mutexattr_init(attributes.as_mut_ptr()) })?;
        let whose = match may_be_shared {
            true => libc::PTHREAD_PROCESS_SHARED,
            false => libc::PTHREAD_PROCESS_PRIVATE,
        };
        // SAFETY: the attributes were made by the call above.
        no_error(unsafe { libc::pthread_mutexattr_setpshared(attributes.as_mut_ptr(), whose) })?;
        // SAFETY: the mutex is used by nobody yet, and stays where it is.
        no_error(unsafe { libc::pthread_mutex_init(self.0.get(), attributes.as_ptr()) })
    }

    /// `work` must not panic.
    #[inline]
    pub(crate) fn hold(&self, work: impl FnOnce()) -> io::Result<()> {
        // SAFETY: zero bytes are a mutex of the usual kind, and `init` makes no other; it did not move.
        no_error(unsafe { libc::pthread_mutex_lock(self.0.get()) })?;
        work();
        // SAFETY: this flow locked it above.
        no_error(unsafe { libc::pthread_mutex_unlock(self.0.get()) })
    }
}

/// Shared by processes; made in place by `init`.
#[derive(Debug)]
pub(crate) struct Semaphore(UnsafeCell<libc::sem_t>);

// SAFETY: the C library's calls on a semaphore may be made by any flow.
unsafe impl Sync for Semaphore {}

impl Semaphore {
    /// One pass. Call once, before anybody else uses it.
    pub(crate) fn init(&self) -> io::Result<()> {
        // SAFETY: the semaphore is used by nobody yet, and stays where it is.
        answer(unsafe { libc::sem_init(self.0.get(), 1, 1) }).map(|_| ())
    }

    #[inline]
    pub(crate) fn wait(&self) -> io::Result<()> {
        // SAFETY: the semaphore was made by `init` and did not move.
        answer(unsafe { libc::sem_wait(self.0.get()) }).map(|_| ())
    }

    #[inline]
    pub(crate) fn post(&self) -> io::Result<()> {
        // SAFETY: as in `wait`.
        answer(unsafe { libc::sem_post(self.0.get()) }).map(|_| ())
    }

    pub(crate) fn passes(&self) -> io::Result<u64> {
        let mut value = 0;
        // SAFETY: as in `wait`; the value is written to a variable that lives.
        answer(unsafe { libc::sem_getvalue(self.0.get(), &raw mut value) })?;
        answer(value)
    }
}

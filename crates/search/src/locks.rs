//! Locks, waits and what is left behind them: a flow that panicked left nothing relevant half-done.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

pub(crate) fn held<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn waited<'g, T>(news: &Condvar, state: MutexGuard<'g, T>) -> MutexGuard<'g, T> {
    news.wait(state).unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn left<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

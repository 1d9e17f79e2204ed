//! Sleeping on a word of shared memory. The private flag of the futex calls is never used: a
//! private futex is keyed by address space, and a forked flow would sleep for ever.
//!
//! # Waiting for a counter
//! Who waits for another flow's counter raises a flag, looks at the counter once more and sleeps
//! **on the flag** ([`sleep_unless`]). The other moves its counter, then takes down a raised flag
//! and wakes ([`stir`]). All is `SeqCst`: either the sleeper sees the new counter, or the mover
//! sees the flag. A late mover may take down a flag of a later wait: the kernel does not let that
//! sleeper sleep. (Not on the counter: it may stand as seen with the flag down, and nobody wakes.)

use std::sync::atomic::{AtomicU32, Ordering};

use rustix::thread::futex::{self, Flags};

const SHARED: Flags = Flags::empty();

/// Returns when woken, when `word` differs, or on a signal. Callers loop.
pub(crate) fn wait(word: &AtomicU32, expected: u32) {
    let _looked_at_by_callers = futex::wait(word, SHARED, expected, None);
}

pub(crate) fn wake_all(word: &AtomicU32) {
    wake(word, u32::MAX >> 1);
}

fn wake(word: &AtomicU32, sleepers: u32) {
    let _never_fails = futex::wake(word, SHARED, sleepers);
}

/// Raises `flag` and sleeps on it unless the awaited thing has `come`. Callers loop.
pub(crate) fn sleep_unless(flag: &AtomicU32, come: impl FnOnce() -> bool) {
    flag.store(1, Ordering::SeqCst);
    if !come() {
        wait(flag, 1);
    }
}

/// Sleeps on `flag` as long as another flow's counter makes that necessary.
#[inline]
pub(crate) fn sleep_while(counter: &AtomicU32, flag: &AtomicU32, must_wait: impl Fn(u32) -> bool) {
    loop {
        let seen = counter.load(Ordering::SeqCst);
        if !must_wait(seen) {
            return;
        }
        sleep_unless(flag, || counter.load(Ordering::SeqCst) != seen);
    }
}

/// Wakes the sleeper on `flag`; called after the awaited thing was done.
pub(crate) fn stir(flag: &AtomicU32) {
    if flag.load(Ordering::SeqCst) == 1 {
        flag.store(0, Ordering::SeqCst);
        wake_all(flag);
    }
}

#[inline]
pub(crate) fn hand_token(word: &AtomicU32) {
    word.store(1, Ordering::Release);
    wake(word, 1);
}

#[inline]
pub(crate) fn take_token(word: &AtomicU32) {
    while word.swap(0, Ordering::Acquire) == 0 {
        wait(word, 0);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::{self, RecvTimeoutError};
    use std::time::Duration;

    use super::*;

    /// Far beyond what any of these takes on a busy machine: it only bounds a wait that is lost.
    const LOST: Duration = Duration::from_secs(60);

    /// Fails where `work` sleeps for ever, instead of hanging with it: its thread is left behind.
    fn ends(work: impl FnOnce() + Send + 'static) {
        let (done, end) = mpsc::channel();
        std::thread::spawn(move || {
            work();
            let _ = done.send(());
        });
        match end.recv_timeout(LOST) {
            Ok(()) => {}
            Err(RecvTimeoutError::Timeout) => panic!("nobody woke the sleeper"),
            Err(RecvTimeoutError::Disconnected) => panic!("the work failed: see above"),
        }
    }

    #[test]
    #[should_panic(expected = "the work failed")]
    fn work_that_fails_is_no_end() {
        ends(|| panic!("as asked"));
    }

    #[test]
    fn a_word_that_differs_does_not_sleep() {
        ends(|| wait(&AtomicU32::new(1), 0));
    }

    /// The mover is late: it takes the flag down after it was raised and before its owner
    /// sleeps. Pairs of flows that hand blocks over slept for ever so.
    #[test]
    fn a_flag_that_is_taken_down_before_the_sleep_is_no_lost_wake_up() {
        ends(|| {
            let flag = AtomicU32::new(0);
            sleep_unless(&flag, || {
                stir(&flag);
                false
            });
            assert_eq!(flag.load(Ordering::SeqCst), 0);
        });
    }

    #[test]
    fn what_has_come_lets_nobody_sleep() {
        ends(|| {
            let flag = AtomicU32::new(0);
            sleep_unless(&flag, || true);
            let raised = flag.load(Ordering::SeqCst);
            assert_eq!(raised, 1, "the next mover takes it down");
        });
    }

    #[test]
    fn a_token_goes_there_and_back() {
        let words = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
        let theirs = Arc::clone(&words);
        std::thread::spawn(move || {
            for _ in 0..100 {
                take_token(&theirs[0]);
                hand_token(&theirs[1]);
            }
        });
        let ours = Arc::clone(&words);
        ends(move || {
            for _ in 0..100 {
                hand_token(&ours[0]);
                take_token(&ours[1]);
            }
        });
        let left = words.each_ref().map(|word| word.load(Ordering::Acquire));
        assert_eq!(left, [0, 0], "every token that was handed was taken");
    }

    #[test]
    fn a_sleeper_is_woken() {
        let word = Arc::new(AtomicU32::new(0));
        let theirs = Arc::clone(&word);
        let (asleep, sleeps) = mpsc::channel();
        let waker = std::thread::spawn(move || {
            sleeps.recv().expect("the sleeper starts");
            theirs.store(1, Ordering::Release);
            wake_all(&theirs);
        });
        ends(move || {
            asleep.send(()).expect("the waker listens");
            while word.load(Ordering::Acquire) == 0 {
                wait(&word, 0);
            }
        });
        waker.join().expect("the waker ends");
    }
}

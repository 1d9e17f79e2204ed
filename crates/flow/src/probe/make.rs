use std::io;
use std::sync::atomic::{AtomicU32, Ordering};

use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::{Signal, kill};
use nix::unistd::{ForkResult, Pid, getpid, getppid, pause};
use sys::Alone;

use crate::context::AnyBody;
use crate::context::by_itself;
use crate::ending::exit;
use crate::start::reap;
use crate::{Model, Variant, futex};

/// Beyond twice the prediction, enough is known.
const BEYOND: u64 = 100;
/// Halving stops at one part in this many.
const PRECISION: u64 = 1_000;

/// Most flows at one time, and the error of one more.
type Reached = (u64, Option<io::Error>);

/// Stops at a refusal or far beyond `predicted`. Leaves no flow.
pub(super) fn as_many_as_can_be(
    model: Model,
    body: &dyn AnyBody,
    predicted: u64,
) -> Result<Reached, String> {
    let enough = 2 * predicted + BEYOND;
    match model {
        Model::Process => Ok(processes(enough)),
        Model::Thread => Ok(threads(enough)),
        Model::Fiber { .. } | Model::Migratable { .. } | Model::Task => {
            Ok(halving(predicted, enough, |flows| {
                hold_all(model, body, flows)
            }))
        }
        Model::ProcessSharedFiles | Model::ThreadPrivateFiles | Model::Mix { .. } => {
            Err(format!("flows of model {model} are not probed"))
        }
    }
}

/// As many as that, or as there can be, with the error of one more.
fn until_refused<T>(enough: u64, make: fn() -> io::Result<T>) -> (Vec<T>, Option<io::Error>) {
    let mut made = Vec::with_capacity(enough as usize);
    while (made.len() as u64) < enough {
        match make() {
            Ok(one) => made.push(one),
            Err(error) => return (made, Some(error)),
        }
    }
    (made, None)
}

fn processes(enough: u64) -> Reached {
    let (children, refused) = until_refused(enough, waiting_process);
    for child in &children {
        let _gone_is_fine = kill(*child, Signal::SIGKILL);
    }
    for child in &children {
        let _gone_is_fine = reap(*child);
    }
    (children.len() as u64, refused)
}

fn waiting_process() -> io::Result<Pid> {
    let parent = getpid();
    if let ForkResult::Parent { child } = Alone::now()?.fork()? {
        return Ok(child);
    }
    if set_pdeathsig(Signal::SIGKILL).is_err() || getppid() != parent {
        exit(1);
    }
    loop {
        pause();
    }
}

static GATE: AtomicU32 = AtomicU32::new(0);

/// With the C library's default stacks, as in slots.
fn threads(enough: u64) -> Reached {
    let (all, refused) = until_refused(enough, waiting_thread);
    let reached = all.len() as u64;
    GATE.store(1, Ordering::Release);
    futex::wake_all(&GATE);
    for thread in all {
        // SAFETY: a thread made above, joined here only.
        let _joined = unsafe { libc::pthread_join(thread, std::ptr::null_mut()) };
    }
    (reached, refused)
}

fn waiting_thread() -> io::Result<libc::pthread_t> {
    extern "C" fn wait(_nothing: *mut libc::c_void) -> *mut libc::c_void {
        while GATE.load(Ordering::Acquire) == 0 {
            futex::wait(&GATE, 0);
        }
        std::ptr::null_mut()
    }
    let mut thread = 0;
    let (usual, none) = (std::ptr::null(), std::ptr::null_mut());
    // SAFETY: the entry touches a static only; the thread is joined before this process ends.
    match unsafe { libc::pthread_create(&raw mut thread, usual, wait, none) } {
        0 => Ok(thread),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

fn halving(predicted: u64, enough: u64, mut make: impl FnMut(u64) -> io::Result<()>) -> Reached {
    let (mut most, mut too_many, mut next) = (0, enough, enough);
    let mut refused = None;
    loop {
        match make(next) {
            Ok(()) => most = next,
            Err(error) => (too_many, refused) = (next, Some(error)),
        }
        if most == enough || too_many - most <= (too_many / PRECISION).max(1) {
            return (most, refused);
        }
        next = match (most, too_many) {
            (0, all) if all == enough && predicted > 0 => predicted,
            (most, too_many) => most + (too_many - most) / 2,
        };
    }
}

fn hold_all(model: Model, body: &dyn AnyBody, flows: u64) -> io::Result<()> {
    let variant = Variant::new(model, u32::try_from(flows).map_err(io::Error::other)?);
    by_itself(body, &variant, |context| body.hold(context))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(room: u64, predicted: u64) -> (u64, bool) {
        let make = |flows| match flows <= room {
            true => Ok(()),
            false => Err(io::Error::from_raw_os_error(libc::ENOMEM)),
        };
        let (most, refused) = halving(predicted, 2 * predicted + BEYOND, make);
        (most, refused.is_some())
    }

    #[test]
    fn halving_finds_the_largest_number_wherever_it_lies() {
        for room in [1, 7, 499, 500, 501, 777, 1_099] {
            let (most, refused) = found(room, 500);
            assert!(
                refused && most <= room && room - most <= 1,
                "{room}: {most}"
            );
        }
        assert_eq!(found(5_000, 500), (1_100, false));
        assert_eq!(found(0, 500), (0, true));
        assert_eq!(found(20, 0), (20, true));
    }
}

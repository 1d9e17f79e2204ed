//! The table of a body that is written in Rust.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::table::{Arg, FIBERS, Parts, Proof, Table, VERSION};

const PANICKED: c_int = 101;

/// A body: prepared once, and its units done by flows.
pub trait Body: Sync + Sized + 'static {
    /// Names of its arguments.
    const ARGS: &'static [&'static str] = &[];
    /// Names of the parts of a unit that [`part`] marks, for `--predict`.
    const PARTS: &'static [&'static str] = &[];
    /// It may run as a fiber: it does not block, and keeps nothing in thread-locals.
    const FIBERS: bool = false;
    /// Stack of a fiber in bytes; 0 for 256 KiB.
    const STACK_BYTES: u64 = 0;

    /// What each flow has for itself.
    type Own: 'static;

    /// Makes what all flows share: in a process with one thread, before any flow.
    /// # Errors
    /// A number other than 0, which the message of the failure has.
    fn prepare(args: &Args) -> Result<Self, i32>;

    /// Makes what flow number `flow` has for itself: in that flow, before the work is timed.
    /// # Errors
    /// As [`Body::prepare`].
    fn begin(&self, flow: u64) -> Result<Self::Own, i32>;

    /// Unit number `unit` of all, with `ops` operations; timed. Its proof is the same whatever flow does it.
    /// # Errors
    /// As [`Body::prepare`].
    fn unit(&self, own: &mut Self::Own, unit: u64, ops: u64) -> Result<Proof, i32>;
}

/// Arguments of the command line, by their names.
#[derive(Debug, Clone, Default)]
pub struct Args(Vec<(String, u64)>);

impl Args {
    /// The value, if the command line has it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<u64> {
        let found = self.0.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| *value)
    }

    /// # Safety
    /// As the header says of `prepare`.
    unsafe fn read(args: *const Arg, count: usize) -> Args {
        let all = (0..count).map(|at| {
            // SAFETY: the caller passes `count` of them.
            let arg = unsafe { args.wrapping_add(at).read() };
            // SAFETY: a name ended by 0.
            let name = unsafe { CStr::from_ptr(arg.name) };
            (name.to_string_lossy().into_owned(), arg.value)
        });
        Args(all.collect())
    }
}

/// The table of a body; [`export!`](crate::export) exports it.
#[must_use]
pub const fn table_of<B: Body>(args: *const *const c_char) -> Table {
    Table {
        version: VERSION,
        flags: if B::FIBERS { FIBERS } else { 0 },
        stack_bytes: B::STACK_BYTES,
        args,
        prepare: Some(prepare::<B>),
        begin: Some(begin::<B>),
        unit: Some(unit::<B>),
        end: Some(end::<B>),
        finish: Some(finish::<B>),
    }
}

/// The names of a body's arguments for C, kept for ever.
#[must_use]
pub fn arg_names<B: Body>() -> *const *const c_char {
    kept(B::ARGS)
}

/// The parts of this library, once they are known.
static PARTS: AtomicPtr<Parts> = AtomicPtr::new(ptr::null_mut());

/// The same of its parts, which stand in a table that is never removed.
#[must_use]
pub fn part_names<B: Body>(parts: *mut Parts) -> *const *const c_char {
    PARTS.store(parts, Ordering::Release);
    kept(B::PARTS)
}

fn called(hook: impl FnOnce(&Parts)) {
    let parts = PARTS.load(Ordering::Acquire);
    // SAFETY: null, or the table of this library, which nobody writes once there are flows.
    if let Some(parts) = unsafe { parts.as_ref() } {
        hook(parts);
    }
}

/// Does a part of a unit, by its place in [`Body::PARTS`]. Parts do not lie in each other.
pub fn part<T>(place: u32, work: impl FnOnce() -> T) -> T {
    called(|parts| parts.enter.map_or((), |enter| enter(place)));
    let done = work();
    called(|parts| parts.leave.map_or((), |leave| leave(place)));
    done
}

/// Waits for another flow, such as for a lock. What holds it is a part, and ends before it is given back.
pub fn wait<T>(until: impl FnOnce() -> T) -> T {
    called(|parts| parts.wait.map_or((), |wait| wait()));
    let done = until();
    called(|parts| parts.woken.map_or((), |woken| woken()));
    done
}

fn kept(names: &[&str]) -> *const *const c_char {
    let names = names.iter().map(|name| {
        let mut bytes = name.as_bytes().to_vec();
        bytes.push(0);
        Vec::leak(bytes).as_ptr().cast::<c_char>()
    });
    let mut names: Vec<*const c_char> = names.collect();
    names.push(ptr::null());
    Vec::leak(names).as_ptr()
}

/// Exports the body `$body` of this library: once in it.
#[macro_export]
macro_rules! export {
    ($body:ty) => {
        const _: () = {
            struct Exported(::std::cell::UnsafeCell<$crate::Table>);
            // SAFETY: written once, before `main` or while the library is loaded.
            unsafe impl Sync for Exported {}

            #[unsafe(no_mangle)]
            static flowgauge_body: Exported = Exported(::std::cell::UnsafeCell::new(
                $crate::table_of::<$body>(::std::ptr::null()),
            ));

            struct Parts(::std::cell::UnsafeCell<$crate::Parts>);
            // SAFETY: written while the library is loaded, and before there are flows.
            unsafe impl Sync for Parts {}

            #[unsafe(no_mangle)]
            static flowgauge_parts: Parts = Parts(::std::cell::UnsafeCell::new($crate::Parts {
                names: ::std::ptr::null(),
                enter: None,
                leave: None,
                wait: None,
                woken: None,
            }));

            extern "C" fn name_args() {
                let parts = flowgauge_parts.0.get();
                // SAFETY: the loader calls this once, before anyone can look at the tables.
                unsafe { (*flowgauge_body.0.get()).args = $crate::arg_names::<$body>() };
                // SAFETY: as above.
                unsafe { (*parts).names = $crate::part_names::<$body>(parts) };
            }

            // SAFETY: functions of this section are called while the library is loaded; this one needs
            // memory alone.
            #[used]
            #[unsafe(link_section = ".init_array")]
            static NAME_ARGS: extern "C" fn() = name_args;
        };
    };
}

fn caught(work: impl FnOnce() -> Result<(), i32>) -> c_int {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => 0,
        Ok(Err(code)) if code != 0 => code,
        Ok(Err(_)) | Err(_) => PANICKED,
    }
}

unsafe extern "C" fn prepare<B: Body>(
    args: *const Arg,
    count: usize,
    shared: *mut *mut c_void,
) -> c_int {
    caught(|| {
        // SAFETY: the caller's promise, which the header states.
        let args = unsafe { Args::read(args, count) };
        let body = Box::into_raw(Box::new(B::prepare(&args)?));
        // SAFETY: a place for the result.
        unsafe { shared.write(body.cast()) };
        Ok(())
    })
}

unsafe extern "C" fn begin<B: Body>(
    shared: *mut c_void,
    flow: u64,
    own: *mut *mut c_void,
) -> c_int {
    caught(|| {
        // SAFETY: what `prepare` made, until `finish`.
        let body = unsafe { &*shared.cast::<B>() };
        let made = Box::into_raw(Box::new(body.begin(flow)?));
        // SAFETY: a place for the result.
        unsafe { own.write(made.cast()) };
        Ok(())
    })
}

unsafe extern "C" fn unit<B: Body>(
    shared: *mut c_void,
    own: *mut c_void,
    unit: u64,
    ops: u64,
    proof: *mut Proof,
) -> c_int {
    caught(|| {
        // SAFETY: what `prepare` made, until `finish`.
        let body = unsafe { &*shared.cast::<B>() };
        // SAFETY: what `begin` made, and this flow alone has it.
        let own = unsafe { &mut *own.cast::<B::Own>() };
        let proved = body.unit(own, unit, ops)?;
        // SAFETY: a place for the result.
        unsafe { proof.write(proved) };
        Ok(())
    })
}

unsafe extern "C" fn end<B: Body>(_shared: *mut c_void, own: *mut c_void) {
    // SAFETY: what `begin` made, once.
    let own = unsafe { Box::from_raw(own.cast::<B::Own>()) };
    caught(|| {
        drop(own);
        Ok(())
    });
}

unsafe extern "C" fn finish<B: Body>(shared: *mut c_void) {
    // SAFETY: what `prepare` made, once, and no flow is left.
    let body = unsafe { Box::from_raw(shared.cast::<B>()) };
    caught(|| {
        drop(body);
        Ok(())
    });
}

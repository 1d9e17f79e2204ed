//! `malloc` and its family, served by the core-aware allocator: a library for `LD_PRELOAD`, which comes first in the
//! search of the dynamic linker. All functions of the family must come from here, or a block of one allocator would be
//! freed by another. Errors are as in POSIX: null with `ENOMEM`, `EINVAL` for an alignment that is no power of two. A
//! fork holds all locks while it copies the process, by `pthread_atfork`. Static and setuid programs are not reached.

mod deep_bind;

use std::ffi::{c_int, c_void};
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::AtomicI32;
use std::sync::atomic::Ordering::Relaxed;

use core_alloc::{CoreAware, made, shared};

fn fail(error: c_int) -> *mut c_void {
    // SAFETY: every thread has its own errno.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: the pointer is valid for this thread.
    unsafe { errno.write(error) };
    null_mut()
}

fn served(request: impl FnOnce(&CoreAware) -> *mut u8) -> *mut c_void {
    let block = shared().map_or(null_mut(), request);
    match block.is_null() {
        true => fail(libc::ENOMEM),
        false => block.cast(),
    }
}

/// As in POSIX.
#[unsafe(no_mangle)]
pub extern "C" fn malloc(size: usize) -> *mut c_void {
    match made().and_then(|shared| shared.allocate_fast(size)) {
        Some(block) => block.as_ptr().cast(),
        None => malloc_slowly(size),
    }
}

#[cold]
#[inline(never)]
fn malloc_slowly(size: usize) -> *mut c_void {
    served(|shared| shared.allocate(size))
}

/// As in POSIX.
#[unsafe(no_mangle)]
pub extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    match count.checked_mul(size) {
        Some(bytes) => served(|shared| shared.allocate_zeroed(bytes)),
        None => fail(libc::ENOMEM),
    }
}

/// As in POSIX; `realloc(block, 0)` frees the block, as glibc does.
/// # Safety
/// `block` is null or a live block of this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    let Some(old) = NonNull::new(block.cast()) else {
        return malloc(size);
    };
    if size == 0 {
        // SAFETY: the caller's.
        unsafe { free(block) };
        return null_mut();
    }
    // SAFETY: the caller's.
    served(|shared| unsafe { shared.reallocate(old, size) })
}

/// As in glibc.
/// # Safety
/// As [`realloc`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reallocarray(
    block: *mut c_void,
    count: usize,
    size: usize,
) -> *mut c_void {
    match count.checked_mul(size) {
        // SAFETY: the caller's.
        Some(bytes) => unsafe { realloc(block, bytes) },
        None => fail(libc::ENOMEM),
    }
}

/// As in POSIX.
/// # Safety
/// `block` is null or a live block of this library, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn free(block: *mut c_void) {
    // SAFETY: the caller's.
    let freed = made().is_some_and(|shared| unsafe { shared.free_fast(block.cast()) });
    if !freed {
        // SAFETY: the caller's; it was not freed.
        unsafe { free_slowly(block) };
    }
}

#[cold]
#[inline(never)]
unsafe fn free_slowly(block: *mut c_void) {
    if let (Some(block), Some(shared)) = (NonNull::new(block.cast()), made()) {
        // SAFETY: the caller's.
        unsafe { shared.free_slowly(block) };
    }
}

/// As in C23.
/// # Safety
/// As [`free`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn free_sized(block: *mut c_void, _size: usize) {
    // SAFETY: the caller's.
    unsafe { free(block) };
}

/// As in C23.
/// # Safety
/// As [`free`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn free_aligned_sized(block: *mut c_void, _align: usize, _size: usize) {
    // SAFETY: the caller's.
    unsafe { free(block) };
}

/// As in old C libraries.
/// # Safety
/// As [`free`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfree(block: *mut c_void) {
    // SAFETY: the caller's.
    unsafe { free(block) };
}

/// As in POSIX.
/// # Safety
/// `place` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posix_memalign(
    place: *mut *mut c_void,
    align: usize,
    size: usize,
) -> c_int {
    if !align.is_power_of_two() || !align.is_multiple_of(size_of::<usize>()) {
        return libc::EINVAL;
    }
    let block = shared().map_or(null_mut(), |shared| shared.allocate_aligned(size, align));
    if block.is_null() {
        return libc::ENOMEM;
    }
    // SAFETY: the caller's.
    unsafe { place.write(block.cast()) };
    0
}

/// As in C11, as glibc reads it: any size.
#[unsafe(no_mangle)]
pub extern "C" fn aligned_alloc(align: usize, size: usize) -> *mut c_void {
    match align.is_power_of_two() {
        true => served(|shared| shared.allocate_aligned(size, align)),
        false => fail(libc::EINVAL),
    }
}

/// As in glibc: an alignment that is no power of two is raised to one.
#[unsafe(no_mangle)]
pub extern "C" fn memalign(align: usize, size: usize) -> *mut c_void {
    match align.max(1).checked_next_power_of_two() {
        Some(align) => aligned_alloc(align, size),
        None => fail(libc::EINVAL),
    }
}

fn page() -> usize {
    // SAFETY: it takes a number and returns one.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(page).unwrap_or(4096)
}

/// As in glibc.
#[unsafe(no_mangle)]
pub extern "C" fn valloc(size: usize) -> *mut c_void {
    aligned_alloc(page(), size)
}

/// As in glibc.
#[unsafe(no_mangle)]
pub extern "C" fn pvalloc(size: usize) -> *mut c_void {
    match size.checked_next_multiple_of(page()) {
        Some(size) => valloc(size),
        None => fail(libc::ENOMEM),
    }
}

/// As in glibc.
/// # Safety
/// `block` is null or a live block of this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn malloc_usable_size(block: *mut c_void) -> usize {
    match (NonNull::new(block.cast()), shared()) {
        // SAFETY: the caller's.
        (Some(block), Some(shared)) => unsafe { shared.usable(block) },
        _ => 0,
    }
}

/// As in glibc.
#[unsafe(no_mangle)]
pub extern "C" fn malloc_trim(_keep: usize) -> c_int {
    c_int::from(shared().is_some_and(CoreAware::trim))
}

/// Prints what the heaps hold on standard error, as glibc's does.
#[unsafe(no_mangle)]
pub extern "C" fn malloc_stats() {
    if let Some(shared) = shared() {
        shared.print_stats(libc::STDERR_FILENO);
    }
}

/// The calling thread is on that core: emulators of other machines ask for it ([`core_alloc::on_core`]).
#[unsafe(no_mangle)]
pub extern "C" fn flowgauge_malloc_on_core(core: u16) {
    core_alloc::on_core(core);
}

extern "C" fn before_fork() {
    if let Some(shared) = shared() {
        shared.before_fork();
    }
}

extern "C" fn after_fork() {
    if let Some(shared) = shared() {
        // SAFETY: the C library called `before_fork` before it forked, on this thread.
        unsafe { shared.after_fork() };
    }
}

/// Where statistics go: programs may close their standard error before they end.
static STATS_TO: AtomicI32 = AtomicI32::new(libc::STDERR_FILENO);
/// The lowest number of the descriptor that is kept for them.
const OUT_OF_THE_WAY: c_int = 100;

fn keep_standard_error() {
    let (from, copy) = (libc::STDERR_FILENO, libc::F_DUPFD_CLOEXEC);
    // SAFETY: makes a descriptor that nobody else knows.
    let kept = unsafe { libc::fcntl(from, copy, OUT_OF_THE_WAY) };
    if kept >= 0 {
        STATS_TO.store(kept, Relaxed);
    }
}

extern "C" fn set_up() {
    if shared().is_some_and(CoreAware::prints_stats) {
        keep_standard_error();
    }
    // SAFETY: the handlers only lock and unlock, and live as long as this library.
    unsafe { libc::pthread_atfork(Some(before_fork), Some(after_fork), Some(after_fork)) };
}

extern "C" fn at_exit() {
    if let Some(shared) = shared().filter(|shared| shared.prints_stats()) {
        shared.print_stats(STATS_TO.load(Relaxed));
    }
}

#[used]
#[unsafe(link_section = ".init_array")]
static SET_UP: extern "C" fn() = set_up;

#[used]
#[unsafe(link_section = ".fini_array")]
static AT_EXIT: extern "C" fn() = at_exit;

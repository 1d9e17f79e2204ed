//! The recorder: a plugin of qemu-user that writes a trace for each thread of a program, at each
//! load and store, also of libc, the allocator and spilled registers (docs/simulate.md).
//! ```text
//!   the program                    qemu                     this library
//!   ───────────                    ────                     ────────────
//!   load, store          ─────▶    callback      ─────▶     granule into the thread's trace
//!   mmap, munmap, brk    ─────▶    system call   ─────▶     what is behind pages
//!   fork                 ─────▶    fork          ─────▶     a new address space
//!   mark (below)         ─────▶    system call   ─────▶     the window opens or closes
//! ```
//! **Marks.** The program says when a flow begins and ends its work by a system call that does not
//! exist ([`sys::mark`]). Between the two, accesses are recorded up to the window's
//! size and counted after it; before, only which pages a thread has written: those are its
//! process's own after a fork. Where the work makes its own flows, or a whole program is recorded
//! (`all`), every thread is a flow from birth to end.
//!
//! **Files.** Each thread has a file in the folder of `dir=`, numbered in the order of birth,
//! opened and closed at each full buffer: no descriptor of the program's is taken for long. If a
//! trace cannot be written, the program is ended. **exec** leaves qemu, and a file `exec`.
//!
//! **Nothing waits here**, since others may wait for the thread: threads share one counter, in
//! memory that forked processes share too, and no lock.
//!
//! **Versions.** The functions used here are the same in all known versions of qemu's interface,
//! but each qemu loads only plugins that name one of its own. So the version is set from the
//! environment when the library is loaded, before qemu reads it. Sources: QEMU's documentation,
//! *QEMU TCG Plugins*, and its header `qemu-plugin.h`.

mod calls;
mod qemu;
mod recording;

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::PathBuf;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32};

use qemu::Kind;
use recording::Recording;
use simulate::trace::{GRANULE, GRANULE_BITS};
use sys::Shared;

const INTERFACE: &CStr = c"FLOWGAUGE_QEMU_INTERFACE";
const MOST_THREADS: usize = 4096;
const NO_TRACE: c_int = 97;

/// The version of the interface, read by qemu.
#[unsafe(no_mangle)]
pub static qemu_plugin_version: AtomicI32 = AtomicI32::new(1);

#[used]
#[unsafe(link_section = ".init_array")]
static AT_LOAD: extern "C" fn() = choose_version;

extern "C" fn choose_version() {
    // SAFETY: the name is a C string; the program has one thread while libraries are loaded.
    let asked = unsafe { libc::getenv(INTERFACE.as_ptr()) };
    if asked.is_null() {
        return;
    }
    // SAFETY: what `getenv` gives is a C string that nobody changes before this function ends.
    let asked = unsafe { CStr::from_ptr(asked) };
    if let Some(version) = asked.to_str().ok().and_then(|text| text.parse().ok()) {
        qemu_plugin_version.store(version, Relaxed);
    }
}

#[derive(Debug)]
struct Asked {
    dir: PathBuf,
    window: u64,
    all: bool,
}

static ASKED: OnceLock<Asked> = OnceLock::new();
/// Numbers of threads and of address spaces, shared with forked processes.
static NUMBERS: OnceLock<Shared<[AtomicU32; 2]>> = OnceLock::new();
static SPACE: AtomicU32 = AtomicU32::new(0);
/// Thread and address space of a child about to be forked, numbered by the parent: children would
/// draw numbers in the order the kernel runs them.
static CHILD: [AtomicU32; 2] = [const { AtomicU32::new(0) }; 2];
static EACH: AtomicBool = AtomicBool::new(false);
/// By qemu's index.
static THREADS: [AtomicPtr<Recording>; MOST_THREADS] =
    [const { AtomicPtr::new(null_mut()) }; MOST_THREADS];

thread_local! {
    /// Set at the thread's first system call.
    static INDEX: Cell<c_uint> = const { Cell::new(0) };
}

fn give_up(what: &str) -> ! {
    let text = format!("flowgauge's recorder: {what}\n");
    // SAFETY: the bytes are valid for their length; a closed descriptor is an error that is ignored.
    unsafe { libc::write(2, text.as_ptr().cast(), text.len()) };
    // SAFETY: `_exit` ends the process and has no preconditions.
    unsafe { libc::_exit(NO_TRACE) }
}

fn next(of: usize) -> u32 {
    let numbers = NUMBERS.get();
    numbers.map_or(0, |numbers| numbers[of].fetch_add(1, Relaxed))
}

fn new_recording(number: u32, space: u32) -> Recording {
    let Some(asked) = ASKED.get() else {
        give_up("it was not told where to write");
    };
    let mut fresh = Recording::new(&asked.dir, number, space, asked.window);
    if EACH.load(Relaxed) {
        fresh.begin(number.into());
    }
    fresh
}

fn of_thread(index: c_uint) -> Option<&'static mut Recording> {
    let slot = THREADS.get(index as usize)?;
    // SAFETY: the pointer is null or from `Box::into_raw` and never freed; qemu makes the callbacks
    // of an index one after another, so no other reference is in use.
    unsafe { slot.load(Relaxed).as_mut() }
}

extern "C" fn thread_begins(_plugin: u64, index: c_uint) {
    let Some(slot) = THREADS.get(index as usize) else {
        give_up("the program has more threads at a time than it can record");
    };
    let fresh = new_recording(next(0), SPACE.load(Relaxed));
    if let Some(old) = of_thread(index) {
        // The index is reused: its thread has ended.
        old.last();
        *old = fresh;
    } else {
        slot.store(Box::into_raw(Box::new(fresh)), Relaxed);
    }
}

extern "C" fn thread_ends(_plugin: u64, index: c_uint) {
    if let Some(recording) = of_thread(index) {
        recording.last();
    }
}

extern "C" fn program_ends(_plugin: u64, _data: *mut c_void) {
    let threads = 0..MOST_THREADS as c_uint;
    threads.filter_map(of_thread).for_each(Recording::last);
}

extern "C" fn accessed(index: c_uint, info: u32, address: u64, _data: *mut c_void) {
    let Some(recording) = of_thread(index) else {
        return;
    };
    let kind = Kind::of(info);
    recording.access(address >> GRANULE_BITS, kind.is_store());
    if address % GRANULE + kind.size() > GRANULE {
        reaches_into_the_next(recording, address, kind);
    }
}

#[cold]
fn reaches_into_the_next(recording: &mut Recording, address: u64, kind: Kind) {
    recording.access((address >> GRANULE_BITS) + 1, kind.is_store());
}

extern "C" fn translated(_plugin: u64, block: *mut c_void) {
    for at in 0..qemu::instructions(block) {
        qemu::call_on_access(block, at, accessed);
    }
}

extern "C" fn before_fork() {
    let child = [next(0), next(1)];
    CHILD[0].store(child[0], Relaxed);
    CHILD[1].store(child[1], Relaxed);
    if let Some(recording) = of_thread(INDEX.get()) {
        recording.forks(child[1]);
    }
}

/// In the child of a fork: one thread, nothing recorded.
extern "C" fn in_child() {
    let [number, space] = [&CHILD[0], &CHILD[1]].map(|child| child.load(Relaxed));
    SPACE.store(space, Relaxed);
    let own = INDEX.get();
    for (index, slot) in THREADS.iter().enumerate() {
        if index as c_uint != own {
            // The parent writes its other threads' records itself.
            slot.store(null_mut(), Relaxed);
        }
    }
    if let Some(recording) = of_thread(own) {
        *recording = new_recording(number, space);
    }
}

fn read(arguments: impl Iterator<Item = String>) -> Option<Asked> {
    let (mut dir, mut window, mut all) = (None, None, false);
    for argument in arguments {
        match argument.split_once('=')? {
            ("dir", folder) => dir = Some(PathBuf::from(folder)),
            ("window", accesses) => window = accesses.parse().ok(),
            ("all", on) => all = on == "on",
            _ => return None,
        }
    }
    Some(Asked {
        dir: dir?,
        window: window?,
        all,
    })
}

/// Called by qemu when it has loaded this library: 0 if it can be used.
/// # Safety
/// `arguments` are `count` C strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qemu_plugin_install(
    plugin: u64,
    _info: *const c_void,
    count: c_int,
    arguments: *const *const c_char,
) -> c_int {
    let text = |at: usize| {
        // SAFETY: the caller promises this many pointers.
        let place = unsafe { arguments.add(at) };
        // SAFETY: as above.
        let text = unsafe { place.read() };
        // SAFETY: the caller promises C strings.
        let text = unsafe { CStr::from_ptr(text) };
        text.to_string_lossy().into_owned()
    };
    let Some(asked) = read((0..count.max(0) as usize).map(text)) else {
        return 1;
    };
    EACH.store(asked.all, Relaxed);
    let _is_set_once = ASKED.set(asked);
    let Ok(numbers) = Shared::value() else {
        return 1;
    };
    let _is_set_once = NUMBERS.set(numbers);
    SPACE.store(next(1), Relaxed);
    // SAFETY: the functions take no arguments, and live as long as the process.
    let hooked = unsafe { libc::pthread_atfork(Some(before_fork), None, Some(in_child)) };
    qemu::register(plugin);
    hooked
}

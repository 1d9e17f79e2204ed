//! System calls of the program: those that change what is behind its pages, and marks.

use std::ffi::c_uint;
use std::fs::File;
use std::mem::MaybeUninit;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use simulate::Backing;
use simulate::trace::{EXEC, Event, PAGE_BITS};
use sys::mark;

use crate::recording::Recording;
use crate::{ASKED, EACH, INDEX, next, of_thread};

// x86-64, the machine of qemu-x86_64.
const MMAP: i64 = 9;
const MUNMAP: i64 = 11;
const BRK: i64 = 12;
const MREMAP: i64 = 25;
const EXECVE: i64 = 59;
const EXECVEAT: i64 = 322;

/// Objects without a file are numbered from here; those of files are below.
const MEMORY: u64 = 1 << 62;

/// As the last `brk` returned it; 0 before.
static HEAP_END: AtomicU64 = AtomicU64::new(0);

#[derive(Debug, Clone, Copy)]
pub(crate) enum Pending {
    Map { bytes: u64, backing: Backing },
    Unmap { address: u64, bytes: u64 },
    Move { address: u64, old: u64, new: u64 },
    Heap,
}

fn pages(bytes: u64) -> u64 {
    bytes.div_ceil(1 << PAGE_BITS)
}

#[allow(clippy::too_many_arguments, reason = "qemu's interface")]
pub(crate) extern "C" fn called(
    _plugin: u64,
    index: c_uint,
    number: i64,
    a: u64,
    b: u64,
    c: u64,
    d: u64,
    e: u64,
    f: u64,
    _g: u64,
    _h: u64,
) {
    INDEX.set(index);
    let Some(recording) = of_thread(index) else {
        return;
    };
    recording.pending = match number {
        MMAP => Some(Pending::Map {
            bytes: b,
            backing: backing(d, e, f),
        }),
        MUNMAP => Some(Pending::Unmap {
            address: a,
            bytes: b,
        }),
        MREMAP => Some(Pending::Move {
            address: a,
            old: b,
            new: c,
        }),
        BRK => Some(Pending::Heap),
        EXECVE | EXECVEAT => {
            leaves();
            None
        }
        mark::CALL => {
            match a {
                mark::BEGIN => recording.begin(b),
                mark::END => recording.end(),
                mark::EACH => {
                    EACH.store(true, Relaxed);
                    recording.begin(recording.number.into());
                }
                mark::NO_MORE => {
                    EACH.store(false, Relaxed);
                    recording.end();
                }
                _ => {}
            }
            None
        }
        _ => None,
    };
}

pub(crate) extern "C" fn returned(_plugin: u64, index: c_uint, _number: i64, result: i64) {
    let Some(recording) = of_thread(index) else {
        return;
    };
    let Some(pending) = recording.pending.take() else {
        return;
    };
    // Errors are -4095 to -1.
    if (-4095..0).contains(&result) {
        return;
    }
    let result = result.cast_unsigned();
    match pending {
        Pending::Map { bytes, backing } => map(recording, result, bytes, backing),
        Pending::Unmap { address, bytes } => unmap(recording, address, bytes),
        Pending::Move { address, old, new } => {
            unmap(recording, address, old);
            map(recording, result, new, Backing::Own);
        }
        Pending::Heap => {
            let before = HEAP_END.swap(result, Relaxed);
            if before != 0 && result > before {
                map(recording, before, result - before, Backing::Own);
            }
        }
    }
}

fn map(recording: &mut Recording, address: u64, bytes: u64, backing: Backing) {
    recording.event(Event::Map {
        first: address >> PAGE_BITS,
        pages: pages(bytes),
        backing,
    });
}

fn unmap(recording: &mut Recording, address: u64, bytes: u64) {
    recording.event(Event::Unmap {
        first: address >> PAGE_BITS,
        pages: pages(bytes),
    });
}

fn backing(flags: u64, file: u64, from: u64) -> Backing {
    let has = |flag: i32| flags & u64::from(flag.cast_unsigned()) != 0;
    let private = !has(libc::MAP_SHARED);
    let (object, page) = match has(libc::MAP_ANONYMOUS) {
        true => ((!private).then(|| MEMORY | u64::from(next(1))), 0),
        false => (identity(file as i32), from >> PAGE_BITS),
    };
    object.map_or(Backing::Own, |object| Backing::Object {
        object,
        page,
        private,
    })
}

fn identity(file: i32) -> Option<u64> {
    let mut about = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the place is valid for a `stat`; a wrong descriptor is an error.
    let told = unsafe { libc::fstat(file, about.as_mut_ptr()) };
    if told != 0 {
        return None;
    }
    // SAFETY: `fstat` has filled it in.
    let about = unsafe { about.assume_init() };
    let mixed = about.st_dev.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ about.st_ino;
    Some(mixed & (MEMORY - 1))
}

fn leaves() {
    if let Some(asked) = ASKED.get() {
        // Its existence is the message; if it cannot be made, neither can a trace.
        let _made = File::create(asked.dir.join(EXEC));
    }
}

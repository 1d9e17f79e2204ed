//! qemu's functions, found when qemu loads this library: building it needs nothing of qemu.

use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

use crate::calls::{called, returned};
use crate::{program_ends, thread_begins, thread_ends, translated};

/// Thread, qemu's info word, address, data.
pub(crate) type OnAccess = extern "C" fn(c_uint, u32, u64, *mut c_void);

const NO_REGISTERS: c_int = 0;
/// One callback for both: qemu 7.2 calls a store callback on loads too.
const LOADS_AND_STORES: c_int = 3;

unsafe extern "C" {
    fn qemu_plugin_register_vcpu_tb_trans_cb(id: u64, call: extern "C" fn(u64, *mut c_void));
    fn qemu_plugin_tb_n_insns(block: *const c_void) -> usize;
    fn qemu_plugin_tb_get_insn(block: *const c_void, at: usize) -> *mut c_void;
    fn qemu_plugin_register_vcpu_mem_cb(
        instruction: *mut c_void,
        call: OnAccess,
        flags: c_int,
        which: c_int,
        data: *mut c_void,
    );
    safe fn qemu_plugin_mem_size_shift(info: u32) -> c_uint;
    safe fn qemu_plugin_mem_is_store(info: u32) -> bool;
    fn qemu_plugin_register_atexit_cb(
        id: u64,
        call: extern "C" fn(u64, *mut c_void),
        data: *mut c_void,
    );
    fn qemu_plugin_register_vcpu_init_cb(id: u64, call: extern "C" fn(u64, c_uint));
    fn qemu_plugin_register_vcpu_exit_cb(id: u64, call: extern "C" fn(u64, c_uint));
    fn qemu_plugin_register_vcpu_syscall_cb(id: u64, call: OnCall);
    fn qemu_plugin_register_vcpu_syscall_ret_cb(
        id: u64,
        call: extern "C" fn(u64, c_uint, i64, i64),
    );
}

/// Plugin, thread, number, eight arguments.
type OnCall = extern "C" fn(u64, c_uint, i64, u64, u64, u64, u64, u64, u64, u64, u64);

pub(crate) fn register(plugin: u64) {
    // SAFETY: called while qemu installs this plugin, whose number it is; so are the others below.
    unsafe { qemu_plugin_register_vcpu_init_cb(plugin, thread_begins) };
    // SAFETY: as above.
    unsafe { qemu_plugin_register_vcpu_exit_cb(plugin, thread_ends) };
    // SAFETY: as above.
    unsafe { qemu_plugin_register_vcpu_tb_trans_cb(plugin, translated) };
    // SAFETY: as above.
    unsafe { qemu_plugin_register_vcpu_syscall_cb(plugin, called) };
    // SAFETY: as above.
    unsafe { qemu_plugin_register_vcpu_syscall_ret_cb(plugin, returned) };
    // SAFETY: as above; the callback does not use its data.
    unsafe { qemu_plugin_register_atexit_cb(plugin, program_ends, std::ptr::null_mut()) };
}

pub(crate) fn instructions(block: *mut c_void) -> usize {
    // SAFETY: qemu gives the block to the callback that this is called from.
    unsafe { qemu_plugin_tb_n_insns(block) }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind(u8);

const KNOWN: u8 = 1;
const STORE: u8 = 2;
const SIZE_SHIFT: u32 = 2;

/// Cached answers of qemu by info word: few words occur, and two calls per access would be slow.
static KINDS: [AtomicU8; 1 << 18] = [const { AtomicU8::new(0) }; 1 << 18];

impl Kind {
    #[inline]
    pub(crate) fn of(info: u32) -> Self {
        let known = KINDS.get(info as usize);
        match known.map_or(0, |known| known.load(Relaxed)) {
            0 => Self::asked(info),
            kind => Self(kind),
        }
    }

    #[cold]
    fn asked(info: u32) -> Self {
        let store = if qemu_plugin_mem_is_store(info) {
            STORE
        } else {
            0
        };
        let size = qemu_plugin_mem_size_shift(info).min(6) as u8;
        let kind = KNOWN | store | size << SIZE_SHIFT;
        if let Some(place) = KINDS.get(info as usize) {
            place.store(kind, Relaxed);
        }
        Self(kind)
    }

    #[inline]
    pub(crate) fn is_store(self) -> bool {
        self.0 & STORE != 0
    }

    #[inline]
    pub(crate) fn size(self) -> u64 {
        1 << (self.0 >> SIZE_SHIFT)
    }
}

pub(crate) fn call_on_access(block: *mut c_void, at: usize, call: OnAccess) {
    // SAFETY: as in `instructions`; the place is below their number.
    let instruction = unsafe { qemu_plugin_tb_get_insn(block, at) };
    let data = std::ptr::null_mut();
    // SAFETY: the instruction is that block's; the callback does not use its data.
    unsafe {
        qemu_plugin_register_vcpu_mem_cb(instruction, call, NO_REGISTERS, LOADS_AND_STORES, data);
    }
}

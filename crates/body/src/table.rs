//! The table that a body exports, as C has it.

use std::ffi::{c_char, c_int, c_void};

/// The version of the interface that this crate makes.
pub const VERSION: u32 = 1;

/// In [`Table::flags`]: it may run as a fiber.
pub const FIBERS: u32 = 1;

/// An argument, as C has it.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Arg {
    /// Its name, ended by 0.
    pub name: *const c_char,
    /// Its value.
    pub value: u64,
}

/// What a unit did: a count, and a checksum over its results. Those of all units are added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Proof {
    /// Operations, or results.
    pub count: u64,
    /// Over the results, so that no compiler can leave the work out.
    pub checksum: u64,
}

/// `flowgauge_body_v1`; the header says what each field means.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
#[expect(missing_docs, reason = "include/flowgauge.h says it once")]
pub struct Table {
    pub version: u32,
    pub flags: u32,
    pub stack_bytes: u64,
    pub args: *const *const c_char,
    pub prepare: Option<unsafe extern "C" fn(*const Arg, usize, *mut *mut c_void) -> c_int>,
    pub begin: Option<unsafe extern "C" fn(*mut c_void, u64, *mut *mut c_void) -> c_int>,
    pub unit: Option<unsafe extern "C" fn(*mut c_void, *mut c_void, u64, u64, *mut Proof) -> c_int>,
    pub end: Option<unsafe extern "C" fn(*mut c_void, *mut c_void)>,
    pub finish: Option<unsafe extern "C" fn(*mut c_void)>,
}

/// `flowgauge_parts_v1`: parts of a unit, and what is called at their ends where one is faster in effect.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
#[expect(missing_docs, reason = "include/flowgauge.h says it once")]
pub struct Parts {
    pub names: *const *const c_char,
    pub enter: Option<extern "C" fn(u32)>,
    pub leave: Option<extern "C" fn(u32)>,
    pub wait: Option<extern "C" fn()>,
    pub woken: Option<extern "C" fn()>,
}

// SAFETY: a table is constant, and its functions are called as the header allows.
unsafe impl Sync for Table {}

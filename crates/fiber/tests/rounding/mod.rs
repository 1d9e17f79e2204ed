//! Rounding, in the floating-point control words of the processor.

use std::arch::asm;

/// What decides how results are rounded.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct State {
    mxcsr: u32,
    x87: u16,
}

#[cfg(target_arch = "x86_64")]
impl State {
    pub(crate) const DEFAULT: State = State {
        mxcsr: 0x1F80,
        x87: 0x037F,
    };
    pub(crate) const TOWARDS_ZERO: State = State {
        mxcsr: State::DEFAULT.mxcsr | 0x6000,
        x87: State::DEFAULT.x87 | 0x0C00,
    };
    pub(crate) const UPWARDS: State = State {
        mxcsr: State::DEFAULT.mxcsr | 0x4000,
        x87: State::DEFAULT.x87 | 0x0800,
    };

    pub(crate) fn now() -> State {
        let (mut mxcsr, mut x87) = (0_u32, 0_u16);
        // SAFETY: stores into the local.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut mxcsr) };
        // SAFETY: the same.
        unsafe { asm!("fnstcw [{}]", in(reg) &raw mut x87) };
        State {
            mxcsr: mxcsr & !0x3F,
            x87,
        }
    }

    pub(crate) fn set(self) {
        // SAFETY: a valid state; each test runs on a kernel thread of its own.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const self.mxcsr) };
        // SAFETY: the same.
        unsafe { asm!("fldcw [{}]", in(reg) &raw const self.x87) };
    }
}

/// What decides how results are rounded: FPCR.
#[cfg(target_arch = "aarch64")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct State(u64);

#[cfg(target_arch = "aarch64")]
impl State {
    pub(crate) const DEFAULT: State = State(0);
    pub(crate) const TOWARDS_ZERO: State = State(0b11 << 22);
    pub(crate) const UPWARDS: State = State(0b01 << 22);

    pub(crate) fn now() -> State {
        let fpcr;
        // SAFETY: reads a register.
        unsafe { asm!("mrs {}, fpcr", out(reg) fpcr) };
        State(fpcr)
    }

    pub(crate) fn set(self) {
        // SAFETY: a valid state; each test runs on a kernel thread of its own.
        unsafe { asm!("msr fpcr, {}", in(reg) self.0) };
    }
}

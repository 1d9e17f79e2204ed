use std::fs;
use std::sync::OnceLock;

use super::proc::kib;
use crate::Measured;

/// `THREAD_SIZE` of Linux on x86_64 (`page_64_types.h`) and, with 4 KiB pages, aarch64
/// (`asm/memory.h`); common for riscv64, powerpc64 and s390x too.
const USUAL_STACK: u64 = 16 * 1_024;

/// Bytes of kernel stack of one task: a power of two, fixed when a kernel is built (larger with 64
/// KiB pages or KASAN). Derived once from `KernelStack` of `/proc/meminfo` over the tasks in
/// `/proc/loadavg`, or 16 KiB if the quotient is not near a power of two.
pub fn kernel_stack_bytes() -> u64 {
    static SIZE: OnceLock<u64> = OnceLock::new();
    *SIZE.get_or_init(|| {
        let text = |file| fs::read_to_string(file).unwrap_or_default();
        derive_stack(&text("/proc/meminfo"), &text("/proc/loadavg")).unwrap_or(USUAL_STACK)
    })
}

/// Idle tasks have stacks but do not count, zombies the reverse: good enough for powers of two.
fn derive_stack(meminfo: &str, loadavg: &str) -> Option<u64> {
    let total = kib(meminfo, "KernelStack:")?;
    let quotient = total.checked_div(tasks(loadavg)?)?;
    let mut sizes = [4, 8, 16, 32, 64].into_iter().map(|k| k * 1_024);
    sizes.find(|size| quotient.abs_diff(*size) <= size / 4)
}

/// The 85 of `0.02 0.12 0.08 1/85 6928`.
fn tasks(loadavg: &str) -> Option<u64> {
    let (_, tasks) = loadavg.split_whitespace().nth(3)?.split_once('/')?;
    tasks.parse().ok()
}

/// Bytes of kernel objects on the whole machine that cannot be reclaimed (`SUnreclaim` of
/// `/proc/meminfo`). Only the difference around creating a large group means anything, on a quiet
/// machine: some 25 kB a process, 2 to 4 kB a thread ([`Memory::slab`](super::Memory::slab)).
pub fn system_slab() -> Measured<u64> {
    let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let bytes = kib(&meminfo, "SUnreclaim:");
    Measured::of(bytes, "/proc/meminfo does not tell SUnreclaim", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn derive(kernel_stack_kib: u64, tasks: u64) -> Option<u64> {
        let meminfo = format!("MemTotal: 24684084 kB\nKernelStack:        {kernel_stack_kib} kB\n");
        derive_stack(&meminfo, &format!("0.02 0.12 0.08 1/{tasks} 6928\n"))
    }

    #[test]
    fn the_stack_size_is_the_power_of_two_that_is_near() {
        assert_eq!(derive(1_368, 85), Some(16_384));
        assert_eq!(derive(1_368, 43), Some(32_768));
        assert_eq!(derive(6_500, 100), Some(65_536));
    }

    #[test]
    fn a_quotient_that_is_near_none_derives_nothing() {
        assert_eq!(derive(2_300, 100), None, "23 KiB");
        assert_eq!(derive(1_600, 0), None);
        assert_eq!(derive_stack("", "0.1 0.1 0.1 1/85 1"), None);
        assert_eq!(derive_stack("KernelStack: 16 kB", ""), None);
    }

    #[test]
    fn this_machine_has_a_plausible_stack_size_and_some_slab() {
        assert!((4_096..=65_536).contains(&kernel_stack_bytes()));
        assert!(system_slab().into_value().is_none_or(|bytes| bytes > 0));
    }
}

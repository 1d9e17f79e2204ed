//! Functions of the kernel, from `/proc/kallsyms`, and what of a call chain says what is done.

use super::elf::without_marks;
use crate::value::{INTERRUPT, OF_KERNEL, PAGE_FAULT, SYSTEM_CALL};

/// Ways in and out of the kernel, and the scheduler: in each chain, and of no meaning.
const PASSAGES: [&str; 14] = [
    "entry_",
    "do_syscall_64",
    "x64_sys_call",
    "el0",
    "invoke_syscall",
    "do_el0_svc",
    "schedule",
    "__schedule",
    "preempt_schedule",
    "__cond_resched",
    "ret_from_fork",
    "syscall_exit_to_user",
    "exit_to_user_mode",
    "irqentry_",
];
const CALLS: [&str; 5] = [
    "__x64_sys_",
    "__arm64_sys_",
    "__ia32_sys_",
    "__se_sys_",
    "__do_sys_",
];
const FAULTS: [&str; 4] = [
    "asm_exc_page_fault",
    "exc_page_fault",
    "do_user_addr_fault",
    "do_mem_abort",
];
const INTERRUPTS: [&str; 4] = [
    "asm_sysvec_",
    "asm_common_interrupt",
    "sysvec_",
    "common_interrupt",
];

#[derive(Debug)]
pub(super) struct Kernel {
    functions: Vec<(u64, String)>,
}

impl Kernel {
    pub(super) fn read() -> Self {
        Self::of(&std::fs::read_to_string("/proc/kallsyms").unwrap_or_default())
    }

    fn of(text: &str) -> Self {
        let function = |line: &str| {
            let mut words = line.split_ascii_whitespace();
            let address = u64::from_str_radix(words.next()?, 16).ok()?;
            let kind = words.next()?;
            // Where addresses are hidden they are 0.
            let is_code = matches!(kind, "t" | "T" | "w" | "W") && address > 0;
            is_code.then(|| Some((address, words.next()?.to_owned())))?
        };
        let mut functions: Vec<(u64, String)> = text.lines().filter_map(function).collect();
        functions.sort_by_key(|(address, _)| *address);
        Self { functions }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    pub(super) fn frame(&self, address: u64) -> Option<String> {
        let at = self.functions.partition_point(|(from, _)| *from <= address);
        let Some((_, name)) = at.checked_sub(1).and_then(|at| self.functions.get(at)) else {
            return Some(format!("[kernel]{OF_KERNEL}"));
        };
        frame(name)
    }
}

/// The system calls that this kernel has; none where their names are hidden.
pub(crate) fn calls() -> Vec<String> {
    let text = std::fs::read("/proc/kallsyms").unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    text.split_ascii_whitespace().filter_map(call).collect()
}

fn call(name: &str) -> Option<String> {
    let call = CALLS.iter().find_map(|call| name.strip_prefix(call))?;
    Some(format!("{}{SYSTEM_CALL}", call.trim_start_matches("new")))
}

fn frame(name: &str) -> Option<String> {
    let starts = |with: &[&str]| with.iter().any(|start| name.starts_with(start));
    if let Some(call) = call(name) {
        return Some(call);
    }
    if starts(&FAULTS) {
        return Some(PAGE_FAULT.to_owned());
    }
    if starts(&INTERRUPTS) {
        return Some(INTERRUPT.to_owned());
    }
    let passage = starts(&PASSAGES) && !name.starts_with("schedule_hrtimeout");
    (!passage).then(|| format!("{}{OF_KERNEL}", without_marks(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_keeps_what_says_what_is_done() {
        for (name, wanted) in [
            ("entry_SYSCALL_64_after_hwframe", None),
            ("__schedule", None),
            ("__x64_sys_munmap", Some("munmap (system call)")),
            ("__do_sys_newfstat", Some("fstat (system call)")),
            ("asm_exc_page_fault", Some("page fault")),
            ("asm_sysvec_apic_timer_interrupt", Some("interrupt")),
            ("clear_page_erms", Some("clear_page_erms_[k]")),
            (
                "rwsem_down_write_slowpath.isra.0",
                Some("rwsem_down_write_slowpath_[k]"),
            ),
        ] {
            assert_eq!(frame(name).as_deref(), wanted, "{name}");
        }
    }

    #[test]
    fn hidden_addresses_are_no_names() {
        let hidden = "0000000000000000 T _text\n0000000000000000 t f\n";
        assert!(Kernel::of(hidden).is_empty());
        let kernel = Kernel::of("ffff1000 T f\nffff2000 d data\nffff3000 t g\n");
        assert_eq!(kernel.frame(0xffff_2001).as_deref(), Some("f_[k]"));
        assert_eq!(kernel.frame(0xffff_3001).as_deref(), Some("g_[k]"));
    }
}

//! Whether the kernel has killed processes of this machine for want of memory, as `/proc/vmstat` counts. A command that
//! ends so gets `SIGKILL`, as by anyone's hand. That the count has grown does not prove that it was this command, so it
//! is said as what happened meanwhile.

use std::fs;
use std::sync::OnceLock;

static BEFORE: OnceLock<Option<u64>> = OnceLock::new();

pub(crate) fn begin() {
    BEFORE.get_or_init(count);
}

pub(crate) fn words() -> &'static str {
    said(BEFORE.get().copied().flatten(), count())
}

fn said(before: Option<u64>, now: Option<u64>) -> &'static str {
    match before.zip(now) {
        Some((before, now)) if now > before => {
            " while the kernel killed processes for want of memory (oom_kill in /proc/vmstat): give it \
             more, or use fewer copies"
        }
        _ => "",
    }
}

fn count() -> Option<u64> {
    counted(&fs::read_to_string("/proc/vmstat").ok()?)
}

fn counted(vmstat: &str) -> Option<u64> {
    let mut lines = vmstat.lines();
    let count = lines.find_map(|line| line.strip_prefix("oom_kill "))?;
    count.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A command that ran out of memory was only said to have been ended by SIGKILL.
    #[test]
    fn a_command_that_the_kernel_killed_for_memory_is_named_so() {
        assert_eq!(counted("pgfault 4\noom_kill 3\n"), Some(3));
        assert!(said(Some(3), Some(4)).contains("want of memory"));
        for (before, now) in [(Some(3), Some(3)), (None, Some(1)), (Some(1), None)] {
            assert_eq!(said(before, now), "");
        }
    }
}

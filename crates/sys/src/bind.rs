use std::io;

use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;

/// Binds this thread to these CPUs, by number; none for any. Errors: the kernel refuses, or has no such CPU.
pub fn bind(cpus: &[u32]) -> io::Result<()> {
    if cpus.is_empty() {
        return Ok(());
    }
    let mut set = CpuSet::new();
    for &cpu in cpus {
        set.set(cpu as usize)?;
    }
    Ok(sched_setaffinity(Pid::from_raw(0), &set)?)
}

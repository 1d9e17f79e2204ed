//! Which core this is. glibc 2.35 and newer registers a restartable-sequences area, in which the
//! kernel keeps the number of the thread's CPU; older ones ask the vDSO or the kernel. The number
//! may be stale as soon as it is known: that costs locality for one operation, since the heap of a
//! core is locked. Hardware threads of one core share its caches and its TLB, so they share a heap:
//! read once from `/sys`; where that fails, each CPU counts as a core. Under an emulator their
//! number is set ([`Config::cores`](crate::Config)), and each thread says its own.

use std::cell::Cell;

use crate::guard::Text;
use crate::os::read_file;

/// CPUs that are distinguished; further ones share heaps with these.
pub(crate) const CPUS: usize = 1024;

#[derive(Debug)]
pub(crate) struct Cores {
    core_of: [u16; CPUS],
    cores: usize,
    cpus: usize,
}

impl Cores {
    pub(crate) fn alone() -> Self {
        Self {
            core_of: std::array::from_fn(|cpu| cpu as u16),
            cores: 1,
            cpus: 1,
        }
    }

    pub(crate) fn read(&mut self) {
        let cpus = configured_cpus();
        let mut cores = 0;
        for cpu in 0..cpus {
            let sibling = first_sibling(cpu).filter(|&first| first < cpu);
            self.core_of[cpu] = match sibling {
                Some(first) => self.core_of[first],
                None => {
                    cores += 1;
                    cores - 1
                }
            };
        }
        for cpu in cpus..CPUS {
            self.core_of[cpu] = self.core_of[cpu % cpus];
        }
        self.cores = usize::from(cores).max(1);
        self.cpus = cpus;
    }

    pub(crate) fn set_count(&mut self, count: usize) {
        let count = count.clamp(1, CPUS);
        self.core_of = std::array::from_fn(|cpu| (cpu % count) as u16);
        self.cores = count;
        self.cpus = CPUS;
    }

    pub(crate) fn count(&self) -> usize {
        self.cores
    }

    pub(crate) fn cpus(&self) -> usize {
        self.cpus
    }

    #[inline]
    pub(crate) fn of(&self, cpu: usize) -> usize {
        usize::from(self.core_of[cpu % CPUS])
    }
}

thread_local! {
    static SAID: Cell<Option<u16>> = const { Cell::new(None) };
}

/// This thread is on that core, for emulators: elsewhere the kernel knows better.
pub fn on_core(core: u16) {
    SAID.set(Some(core));
}

#[inline]
pub(crate) fn current_cpu() -> usize {
    if let Some(core) = SAID.get() {
        return core.into();
    }
    if cfg!(miri) {
        return 0;
    }
    // SAFETY: it takes nothing and changes nothing.
    usize::try_from(unsafe { libc::sched_getcpu() }).unwrap_or(0)
}

fn configured_cpus() -> usize {
    // The C library's `sysconf` opens files; this list is one line (`0-7`, `0,2-3`).
    let mut buffer = [0; 256];
    let text = read_file(c"/sys/devices/system/cpu/possible", &mut buffer).unwrap_or_default();
    let last = text
        .split(|byte| !byte.is_ascii_digit())
        .filter_map(number)
        .max();
    last.map_or(1, |last| (last + 1).clamp(1, CPUS))
}

fn first_sibling(cpu: usize) -> Option<usize> {
    let path = Text::<80>::of(format_args!(
        "/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list\0"
    ));
    let path = std::ffi::CStr::from_bytes_until_nul(path.bytes()).ok()?;
    let mut buffer = [0; 64];
    let text = read_file(path, &mut buffer)?;
    number(text.split(|byte| !byte.is_ascii_digit()).next()?)
}

fn number(digits: &[u8]) -> Option<usize> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_a_core_for_every_cpu() {
        let mut cores = Cores::alone();
        cores.read();
        assert!((1..=CPUS).contains(&cores.count()));
        for cpu in 0..CPUS {
            assert!(cores.of(cpu) < cores.count());
        }
        assert!(cores.of(current_cpu()) < cores.count());
    }

    #[test]
    fn siblings_of_a_cpu_begin_with_itself_or_one_before() {
        assert!(first_sibling(0).is_none_or(|first| first == 0));
        assert_eq!(first_sibling(CPUS - 1), None);
    }
}

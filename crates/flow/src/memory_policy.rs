//! On which memory nodes the pages of a slot's processes lie (docs/numa.md). A page gets its node
//! when it is first touched, by the policy of the touching thread (`set_mempolicy(2)`). The slot
//! process sets that before it maps anything for its flows, and reads it back. Source: Linux's
//! admin-guide/mm/numa_memory_policy.rst.

use std::io;
use std::ptr;

use serde::{Deserialize, Serialize};
use sys::succeeded;

use crate::word::words;

/// As many as any kernel has (`CONFIG_NODES_SHIFT` is at most 10).
const WORDS: usize = 16;
/// One more than there are: the calls want it.
const BITS: usize = WORDS * 64 + 1;

const MEMS_ALLOWED: libc::c_ulong = 1 << 2;

/// On which memory nodes new pages lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryPolicy {
    /// On that of the CPU which touches a page first.
    Local,
    /// On all in turn.
    Interleave,
}

words!(MemoryPolicy, "memory policy", "local or interleave", [
    "local" => Self::Local,
    "interleave" => Self::Interleave
]);

type Nodes = [u64; WORDS];

impl MemoryPolicy {
    /// Checks that this kernel lets a process have a policy.
    pub fn check(self) -> Result<(), String> {
        allowed_nodes().map(drop).map_err(|error| match error.raw_os_error() {
            Some(libc::ENOSYS) => {
                "this kernel has no memory policies (CONFIG_NUMA is off): leave --memory-policy out"
                    .to_owned()
            }
            Some(libc::EPERM) => "memory policies are forbidden here, as containers do that have not \
                                  CAP_SYS_NICE: allow it, or leave --memory-policy out"
                .to_owned(),
            _ => format!("memory policies cannot be had here: {error}"),
        })
    }

    /// How many memory nodes a process here may have pages on.
    pub fn nodes() -> io::Result<u32> {
        Ok(allowed_nodes()?.iter().map(|word| word.count_ones()).sum())
    }

    pub(crate) fn prepare(self) -> io::Result<()> {
        let mode = self.mode();
        match self {
            Self::Local => set(mode, None)?,
            Self::Interleave => set(mode, Some(&allowed_nodes()?))?,
        }
        let found = current()?;
        match found == mode {
            true => Ok(()),
            false => Err(io::Error::other(format!(
                "the memory policy {self} was set, and the kernel says that it is number {found}"
            ))),
        }
    }

    fn mode(self) -> libc::c_int {
        match self {
            Self::Local => libc::MPOL_LOCAL,
            Self::Interleave => libc::MPOL_INTERLEAVE,
        }
    }
}

fn allowed_nodes() -> io::Result<Nodes> {
    let mut nodes: Nodes = [0; WORDS];
    get(None, Some(&mut nodes), MEMS_ALLOWED).map(|()| nodes)
}

fn current() -> io::Result<libc::c_int> {
    let mut mode = -1;
    get(Some(&mut mode), None, 0).map(|()| mode)
}

fn get(
    mode: Option<&mut libc::c_int>,
    nodes: Option<&mut Nodes>,
    flags: libc::c_ulong,
) -> io::Result<()> {
    let mode = mode.map_or(ptr::null_mut(), ptr::from_mut);
    let (nodes, bits) = nodes.map_or((ptr::null_mut(), 0), |nodes| (nodes.as_mut_ptr(), BITS));
    let nowhere = ptr::null::<u8>();
    // SAFETY: the kernel writes one number into `mode` and at most `bits` bits into `nodes`, and nothing
    // through null pointers.
    let done = unsafe { libc::syscall(libc::SYS_get_mempolicy, mode, nodes, bits, nowhere, flags) };
    succeeded("get_mempolicy", done)
}

fn set(mode: libc::c_int, nodes: Option<&Nodes>) -> io::Result<()> {
    let (nodes, bits) = nodes.map_or((ptr::null(), 0), |nodes| (nodes.as_ptr(), BITS));
    // SAFETY: the kernel reads at most `bits` bits, of a set that outlives the call.
    let done = unsafe { libc::syscall(libc::SYS_set_mempolicy, mode, nodes, bits) };
    succeeded("set_mempolicy", done)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a thread of its own, since the policy is that of a thread; another one that it makes has it.
    #[test]
    fn a_policy_is_set_inherited_and_read_back() {
        if let Err(why) = MemoryPolicy::Local.check() {
            skipped::skipped(why);
            return;
        }
        assert!(MemoryPolicy::nodes().unwrap() >= 1);
        let before = current().unwrap();
        for policy in [MemoryPolicy::Local, MemoryPolicy::Interleave] {
            let made = std::thread::spawn(move || {
                policy.prepare().unwrap();
                std::thread::spawn(current).join().unwrap().unwrap()
            });
            assert_eq!(made.join().unwrap(), policy.mode());
        }
        assert_eq!(current().unwrap(), before, "no other thread is changed");
    }
}

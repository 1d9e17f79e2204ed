//! Call chains as frames with names.

use crate::process::Processes;
use crate::symbols::Symbols;
use crate::unwind::OF_A_USER;

/// From here on an address in a chain says what follows: the kernel's frames, a user's.
pub(crate) const CONTEXT: u64 = -4095_i64 as u64;

/// Names the frames of a chain, which begins with what runs: whether each is the kernel's, and its name.
pub(crate) fn frames(
    chain: &[u64],
    pid: i32,
    (processes, symbols): (&Processes, &mut Symbols),
    mut take: impl FnMut(bool, &str),
) {
    let (mut in_user, mut first_of_part) = (false, true);
    for &address in chain {
        if address >= CONTEXT {
            (in_user, first_of_part) = (address == OF_A_USER, true);
            continue;
        }
        // A caller's address is the one that is returned to.
        let at = address.wrapping_sub(u64::from(!first_of_part));
        first_of_part = false;
        if !in_user {
            if let Some(name) = symbols.kernel(at) {
                take(true, &name);
            }
            continue;
        }
        // Where no frame pointer stood there is no mapping.
        let Some(mapping) = processes.mapping(pid, at) else {
            return;
        };
        take(false, &symbols.user(pid, &mapping, at));
    }
}

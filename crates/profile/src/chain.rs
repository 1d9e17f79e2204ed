//! Call chains as frames with names.

use crate::process::Processes;
use crate::symbols::Symbols;
use crate::unwind::OF_A_USER;

/// From here on an address in a chain says what follows: the kernel's frames, a user's.
pub(crate) const CONTEXT: u64 = -4095_i64 as u64;

/// The path of a chain, which begins with what runs: from the first frame on a user's frames by name, and how many,
/// then the kernel's.
pub(crate) fn path<T>(
    first: T,
    (chain, pid): (&[u64], i32),
    (processes, symbols): (&Processes, &mut Symbols),
    mut named: impl FnMut(&str) -> T,
) -> (Vec<T>, usize) {
    let (mut user, mut kernel) = (Vec::new(), Vec::new());
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
            kernel.extend(symbols.kernel(at).map(|name| named(&name)));
            continue;
        }
        // Where no frame pointer stood there is no mapping.
        let Some(mapping) = processes.mapping(pid, at) else {
            break;
        };
        user.push(named(&symbols.user(pid, &mapping, at)));
    }
    let users = user.len();
    let below = user.into_iter().rev().chain(kernel.into_iter().rev());
    (std::iter::once(first).chain(below).collect(), users)
}

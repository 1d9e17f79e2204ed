//! The state that goes around: cache lines with one word each. A process that gets it compares
//! every line with what the first one implies, and changes it by the value before and the process:
//! a line that was not brought along, or a move left out, changes the end value.

use std::hint::black_box;

pub(super) type Line = [u64; 8];

pub(super) const LINE: usize = size_of::<Line>();

pub(super) fn next(value: u64, process: u64) -> u64 {
    let mixed = (value ^ process).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}

pub(super) fn put(state: &mut [Line], value: u64) {
    for (place, line) in (0..).zip(black_box(state)) {
        line[0] = value.wrapping_add(place);
    }
}

/// A wrong line changes the value, and so the proof.
#[inline(never)]
pub(super) fn arrive(state: &mut [Line], process: u64) {
    let value = state[0][0];
    let wrong = (0..)
        .zip(black_box(&*state))
        .fold(0, |wrong, (place, line)| {
            wrong | line[0] ^ value.wrapping_add(place)
        });
    put(state, next(value ^ wrong, process));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_not_as_it_was_written_changes_the_proof() {
        let mut state = [Line::default(); 4];
        put(&mut state, 7);
        let mut spoilt = state;
        spoilt[3][0] += 1;
        arrive(&mut state, 1);
        arrive(&mut spoilt, 1);
        assert_eq!(state[0][0], next(7, 1));
        assert_ne!(spoilt[0][0], state[0][0]);
    }
}

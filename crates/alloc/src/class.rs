//! Size classes: which block serves a request.
//!
//! Up to 128 bytes there is a class every 16 bytes; above, eight classes in each doubling. So a
//! block is at most 12.5 % larger than what was asked for (or 15 bytes), 6 % on average, and every
//! power of two is a class, which is what aligned requests use.

use crate::region::SLICES;

/// What every block is aligned to.
pub(crate) const GRAIN: usize = 16;
/// The largest block that shares a span with others.
pub(crate) const LARGEST: usize = 32 << 10;
/// Classes in one doubling.
const STEPS: usize = 8;
/// Classes of up to 128 bytes.
const FINE: usize = 8;
/// Number of classes: 8 fine ones and 8 in each doubling from 128 bytes to 32 KiB.
pub(crate) const CLASSES: usize = FINE + STEPS * 8;
/// Slices of the longest span of small blocks.
const LONGEST_SPAN: usize = 32;

/// The class of every number of grains: a request is one look at this table.
static CLASS_OF: [u8; LARGEST / GRAIN + 1] = {
    let mut classes = [0; LARGEST / GRAIN + 1];
    let mut grains = 0;
    while grains < classes.len() {
        classes[grains] = compute_class(grains * GRAIN) as u8;
        grains += 1;
    }
    classes
};

/// The class whose blocks hold `size` bytes; `size` is at most [`LARGEST`].
#[inline]
pub(crate) fn class_of(size: usize) -> usize {
    usize::from(CLASS_OF[size.div_ceil(GRAIN)])
}

const fn compute_class(size: usize) -> usize {
    let last = size.saturating_sub(1);
    if last < FINE * GRAIN {
        return last / GRAIN;
    }
    let top = last.ilog2() as usize;
    let step = (last >> (top - 3)) & (STEPS - 1);
    FINE + (top - 7) * STEPS + step
}

/// Bytes of a block of that class.
#[inline]
pub(crate) fn size_of_class(class: usize) -> usize {
    if class < FINE {
        return (class + 1) * GRAIN;
    }
    let (doubling, step) = ((class - FINE) / STEPS, (class - FINE) % STEPS);
    (STEPS + step + 1) << (doubling + 4)
}

/// The class for `size` bytes at a multiple of `align`, a power of two, if one has such blocks.
///
/// Blocks of a class lie at multiples of its size from a slice's start: they are aligned if its
/// size is a multiple of `align`.
pub(crate) fn class_of_aligned(size: usize, align: usize) -> Option<usize> {
    let rounded = size.max(1).checked_next_multiple_of(align)?;
    if rounded > LARGEST {
        return None;
    }
    (class_of(rounded)..CLASSES).find(|&class| size_of_class(class).is_multiple_of(align))
}

/// Slices in a span of that class: the fewest that hold four blocks and leave at most one part
/// in 16 unused.
pub(crate) fn slices_of_class(class: usize, slice: usize) -> usize {
    let size = size_of_class(class);
    let fits = |slices: &usize| {
        let bytes = slices * slice;
        bytes / size >= 4 && (bytes % size) * 16 <= bytes
    };
    let longest = LONGEST_SPAN.min(SLICES / 8);
    (1..=longest).find(fits).unwrap_or(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_is_held_by_its_class_and_by_no_smaller_one() {
        for size in 1..=LARGEST {
            let class = class_of(size);
            assert!(size_of_class(class) >= size, "{size}");
            assert!(class == 0 || size_of_class(class - 1) < size, "{size}");
        }
        assert_eq!(class_of(0), 0);
        assert_eq!(class_of(LARGEST), CLASSES - 1);
    }

    #[test]
    fn no_block_is_more_than_an_eighth_larger_than_asked_for() {
        for size in 129..=LARGEST {
            let waste = size_of_class(class_of(size)) - size;
            assert!(waste * 8 <= size, "{size} wastes {waste}");
        }
    }

    #[test]
    fn aligned_requests_have_a_class_up_to_the_largest() {
        for shift in 4..=15 {
            let align = 1 << shift;
            for size in [1, 17, 100, 4097, LARGEST - 1] {
                let class = class_of_aligned(size, align).expect("a power of two fits");
                assert!(size_of_class(class) >= size && size_of_class(class).is_multiple_of(align));
            }
        }
        assert_eq!(class_of_aligned(LARGEST + 1, 16), None);
        assert_eq!(class_of_aligned(usize::MAX, 64), None);
    }

    #[test]
    fn spans_hold_at_least_four_blocks_and_waste_little() {
        for slice in [8 << 10, 16 << 10] {
            for class in 0..CLASSES {
                let bytes = slices_of_class(class, slice) * slice;
                let size = size_of_class(class);
                assert!(bytes / size >= 4, "class {class}");
                assert!((bytes % size) * 16 <= bytes, "class {class}");
            }
        }
    }
}

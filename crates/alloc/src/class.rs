//! Size classes: which block serves a request. The first is of 8 bytes; up to 128 there is a class
//! every 16 bytes; above, eight classes in each doubling. So a block is at most 12.5 % larger than
//! what was asked for (or 15 bytes), 6 % on average, and every power of two is a class, which is
//! what aligned requests use. Blocks beyond 16 KiB are *alone*: each has a span of its own, begins
//! at a slice, and what its class rounds up is never touched.

use crate::region::SLICES;

/// What every block is aligned to, but for those of the first class.
pub(crate) const GRAIN: usize = 16;
/// The size of the first class.
pub(crate) const WORD: usize = 8;
/// The largest block that shares a span with others.
pub(crate) const SHARING: usize = 16 << 10;
pub(crate) const LARGEST: usize = 1 << 20;
const STEPS: usize = 8;
const FINE: usize = 9;
const SHARED: usize = FINE + STEPS * 7;
pub(crate) const CLASSES: usize = SHARED + STEPS * 6;
const LONGEST_SPAN: usize = 32;

/// The class of every number of words: a small request is one look at this table.
static CLASS_OF: [u8; SHARING / WORD + 1] = {
    let mut classes = [0; SHARING / WORD + 1];
    let mut words = 0;
    while words < classes.len() {
        classes[words] = compute_class(words * WORD) as u8;
        words += 1;
    }
    classes
};

#[inline]
pub(crate) fn class_of(size: usize) -> usize {
    class_of_shared(size).unwrap_or_else(|| compute_class(size))
}

#[inline(always)]
pub(crate) fn class_of_shared(size: usize) -> Option<usize> {
    (size <= SHARING).then(|| usize::from(CLASS_OF[size.div_ceil(WORD)]))
}

/// Whether blocks of that class are larger than a page: a program may touch a part of each.
#[inline]
pub(crate) fn is_sparse(class: usize) -> bool {
    class >= FINE + STEPS * 5
}

#[inline]
pub(crate) fn is_alone(class: usize) -> bool {
    class >= SHARED
}

const fn compute_class(size: usize) -> usize {
    if size <= WORD {
        return 0;
    }
    let last = size - 1;
    if last < (FINE - 1) * GRAIN {
        return 1 + last / GRAIN;
    }
    let top = last.ilog2() as usize;
    let step = (last >> (top - 3)) & (STEPS - 1);
    FINE + (top - 7) * STEPS + step
}

#[inline]
pub(crate) fn size_of_class(class: usize) -> usize {
    if class < FINE {
        return (class * GRAIN).max(WORD);
    }
    let (doubling, step) = ((class - FINE) / STEPS, (class - FINE) % STEPS);
    (STEPS + step + 1) << (doubling + 4)
}

/// What every block of a class is aligned to.
#[inline(always)]
pub(crate) fn align_of_class(class: usize) -> usize {
    if class == 0 { WORD } else { GRAIN }
}

/// The same, of the class for that many bytes.
#[inline]
pub(crate) fn natural_align(size: usize) -> usize {
    if size > WORD { GRAIN } else { WORD }
}

/// The class for `size` bytes at a multiple of `align`, a power of two of at most a slice: blocks
/// of a class lie at multiples of its size from a slice's start.
pub(crate) fn class_of_aligned(size: usize, align: usize) -> Option<usize> {
    let rounded = size.max(1).checked_next_multiple_of(align)?;
    if rounded > LARGEST {
        return None;
    }
    let is_aligned = |&class: &usize| is_alone(class) || size_of_class(class).is_multiple_of(align);
    (class_of(rounded)..CLASSES).find(is_aligned)
}

/// For a block that is alone, or the fewest that hold four blocks with at most 1 part in 16 unused.
pub(crate) fn slices_of_class(class: usize, slice: usize) -> usize {
    let size = size_of_class(class);
    if is_alone(class) {
        return size.div_ceil(slice);
    }
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
        assert_eq!((class_of(0), class_of(8), size_of_class(0)), (0, 0, 8));
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
        for shift in 0..=13 {
            let align = 1 << shift;
            for size in [
                1,
                8,
                9,
                17,
                100,
                4097,
                SHARING - 1,
                SHARING + 1,
                LARGEST - 1,
            ] {
                let class = class_of_aligned(size, align).expect("a power of two fits");
                assert!(size_of_class(class) >= size);
                assert!(is_alone(class) || size_of_class(class).is_multiple_of(align));
            }
        }
        assert_eq!(class_of_aligned(LARGEST + 1, 16), None);
        assert_eq!(class_of_aligned(usize::MAX, 64), None);
    }

    #[test]
    fn spans_hold_at_least_four_blocks_and_waste_little() {
        for slice in [8 << 10, 16 << 10] {
            for class in 0..SHARED {
                let bytes = slices_of_class(class, slice) * slice;
                let size = size_of_class(class);
                assert!(bytes / size >= 4, "class {class}");
                assert!((bytes % size) * 16 <= bytes, "class {class}");
            }
        }
    }

    #[test]
    fn a_span_of_a_block_that_is_alone_has_less_than_a_slice_to_spare() {
        for slice in [8 << 10, 16 << 10] {
            for class in SHARED..CLASSES {
                let bytes = slices_of_class(class, slice) * slice;
                assert!((size_of_class(class)..size_of_class(class) + slice).contains(&bytes));
            }
        }
        assert!(!is_alone(class_of(SHARING)) && is_alone(class_of(SHARING + 1)));
        assert!(!is_sparse(class_of(4_096)) && is_sparse(class_of(4_097)));
    }
}

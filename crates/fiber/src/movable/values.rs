//! What may go with a fiber to another process.

/// What stays valid in another process: numbers, and what lies in the fiber's own arena; not what
/// points to other memory, or a number with a meaning in one process alone.
/// # Safety
/// A value must mean the same in every process of a region.
pub unsafe trait Movable {}

macro_rules! movable {
    ($($type:ty),*) => {
        $(
            // SAFETY: bytes that mean the same everywhere.
            unsafe impl Movable for $type {}
        )*
    };
}
movable!(
    (),
    bool,
    char,
    u8,
    u16,
    u32,
    u64,
    u128,
    usize,
    i8,
    i16,
    i32,
    i64,
    i128,
    isize,
    f32,
    f64
);
movable!(std::time::Duration);

// SAFETY: it holds nothing but values that are movable.
unsafe impl<T: Movable, const N: usize> Movable for [T; N] {}
// SAFETY: the same.
unsafe impl<T: Movable> Movable for Option<T> {}
// SAFETY: the same.
unsafe impl<T: Movable, E: Movable> Movable for Result<T, E> {}
// SAFETY: the same.
unsafe impl<A: Movable, B: Movable> Movable for (A, B) {}
// SAFETY: the same.
unsafe impl<A: Movable, B: Movable, C: Movable> Movable for (A, B, C) {}
// SAFETY: the same.
unsafe impl<A: Movable, B: Movable, C: Movable, D: Movable> Movable for (A, B, C, D) {}

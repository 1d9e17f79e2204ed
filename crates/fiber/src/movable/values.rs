//! What may go with a fiber to another process.

/// What stays valid when the fiber that holds it goes on in another process.
///
/// Numbers are; what lies in the fiber's own arena is; what points to other memory of a process,
/// or is a number that means something to one process alone, is not. Implement it for types of
/// your own that consist of such values.
///
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

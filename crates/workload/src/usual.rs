//! What parameters are where a study leaves them out, for `#[serde(default = "usual::number::<64>")]`.

use crate::Bytes;

pub(crate) fn number<const N: u64>() -> u64 {
    N
}

pub(crate) fn number_32<const N: u32>() -> u32 {
    N
}

pub(crate) fn bytes<const N: u64>() -> Bytes {
    Bytes(N)
}

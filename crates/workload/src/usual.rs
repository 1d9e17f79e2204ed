//! What parameters are where a study leaves them out, for `#[serde(default = "number::<64>")]`.

use crate::Bytes;

pub(crate) fn number<const N: u64>() -> u64 {
    N
}

pub(crate) fn few<const N: u32>() -> u32 {
    N
}

pub(crate) fn bytes<const N: u64>() -> Bytes {
    Bytes(N)
}

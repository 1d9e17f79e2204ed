//! Reading a file a window of whole lines at a time: a line is searched in one piece however files
//! are read, and the longest line bounds memory.
//!
//! ```text
//!  file    │ line │ line │ li:ne │ line │ line │ li:ne …
//!  buffer  [ ── window ──][ li ]           64 KiB
//!                          [ li:ne ──── window ────][ li ]
//! ```
//!
//! On disks and in memory a short read has met the end, so most files take one; elsewhere reading
//! continues until nothing comes. Windows end at the same places for every way of reading: bytes
//! that are no text decide ([`text`]).

pub(crate) mod mapped;
pub(crate) mod rolling;
pub(crate) mod shrunk;
pub(crate) mod text;
pub(crate) mod uring;

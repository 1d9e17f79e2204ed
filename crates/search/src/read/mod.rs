//! Reading a file a window at a time.
//!
//! A file is looked at through windows of whole lines, so that a line is searched in one
//! piece however files are read, and what is in memory is bounded by the longest line:
//!
//! ```text
//!  file    │ line │ line │ li:ne │ line │ line │ li:ne …
//!  buffer  [ ── window ──][ li ]           64 KiB
//!                          [ li:ne ──── window ────][ li ]
//! ```
//!
//! * Where a read that gives less than was asked for has met the end of the file (on disks
//!   and in memory), most files take one read. Elsewhere reading continues until nothing comes.
//! * A line longer than the buffer makes the buffer grow, until the file is done.
//! * Windows end at the same places for every way of reading: a byte that is no text decides
//!   about a window ([`text`]), and must do so alike for all.

pub(crate) mod mapped;
pub(crate) mod rolling;
pub(crate) mod shrunk;
pub(crate) mod text;
pub(crate) mod uring;

//! Files on disk that touch nothing of others, and of which nothing stays. Others may write into
//! the same folders: `/tmp`, a results folder that somebody sent, a disk of containers. Four rules:
//!
//! * **Made, never taken over.** A file is made with `O_EXCL` and `O_NOFOLLOW` below an open
//!   folder, so no link under its name is followed. A file that replaces another is written whole,
//!   without a name where possible, and renamed over it ([`whole`]).
//! * **No folder through somebody else's link.** A link to a folder may be this user's or root's;
//!   anybody else's is refused, as by the kernel in `/tmp` ([`Folder::open_for_files`]).
//! * **Random names.** 128 bits ([`names`]): in containers each run is process 1.
//! * **Only what is provably ours is removed.** The next run removes what a killed one left
//!   ([`slot_folder::sweep`], [`whole::sweep`]) if name, type and owner are right, a folder holds
//!   its maker's mark, and nobody holds its lock, which the kernel drops with its process. Within a
//!   folder, files go, and folders named as flows ([`OF_FLOW`]) or Open MPI name theirs; no link is
//!   followed and no other file system is entered.
//!
//! Paths whose folders others may rename are not defended: who names one trusts their owners.

#![forbid(unsafe_code)]

pub mod folder;
mod held;
pub mod input;
pub mod names;
pub mod slot_folder;
pub mod whole;

pub use folder::{Folder, OF_FLOW};
pub use slot_folder::SlotFolder;

//! Files on disk that touch nothing of others, and of which nothing stays.
//!
//! This program writes into folders that others may write to as well: `/tmp`, a results folder
//! that somebody sent, a disk that containers share. Four rules make that safe:
//!
//! * **Made, never taken over.** A file is made with `O_EXCL` and `O_NOFOLLOW` below an open
//!   folder, so a link that waits under its name is not followed. A file that replaces another
//!   one is written whole, without a name where that is possible, and renamed over it ([`whole`]).
//! * **No folder through somebody else's link.** The folder that files are put into may be named by
//!   a link if this user or root made it (a disk with more room, say). A link of anybody else
//!   could lead where they may not write and this user may, so it is refused, as the kernel
//!   refuses to follow one in `/tmp` ([`Folder::open_for_files`]).
//! * **Random names.** A name holds 128 random bits ([`names`]). A process number would not do:
//!   in containers each run is process 1.
//! * **Only what is provably ours is removed.** What a killed run left is removed by the next one
//!   ([`slot_folder::sweep`], [`whole::sweep`]) if the name is exactly one of ours, the type and the
//!   owner are right, a folder holds the mark that its maker put there, and nobody holds its
//!   lock. The kernel drops a lock with its process, however that ends, and it holds across
//!   containers. Within a folder, files go, and folders of the one name that flows use
//!   ([`OF_FLOW`]); no link is followed and no other file system is entered.
//!
//! What it deliberately does not do: defend a path whose folders somebody else may rename while
//! it is walked. Anyone who names a folder trusts those who own the folders above it.

#![forbid(unsafe_code)]

pub mod folder;
mod held;
pub mod input;
pub mod names;
pub mod slot_folder;
pub mod whole;

pub use folder::{Folder, OF_FLOW};
pub use slot_folder::SlotFolder;

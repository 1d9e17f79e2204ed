//! Listing folders: which files are to be searched, which folders are to be listed next.
//!
//! ```text
//!  Folder::open ─▶ fill: getdents64 into one buffer ─▶ rules of this folder, if it has any
//!                    ▲                                        │
//!                    └── next part of a large folder ◀── select: names of files, folders
//! ```
//!
//! The kernel tells the kind of each entry with its name (or is asked). The names also tell whether
//! the folder has ignore files; only in a folder that does not fit the buffer are they looked for.
//! Symbolic links are not followed, so a walk cannot go in circles.

mod entry;
mod folder;
mod ignore_files;
mod levels;
mod roots;
mod rules;

pub(crate) use folder::{FILE, Folder, Listing, open_file, reads_of};
pub(crate) use levels::Chain;
pub(crate) use roots::{Root, RootKind, open_roots};
pub(crate) use rules::Rules;

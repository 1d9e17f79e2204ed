//! Listing folders: which files are to be searched, which folders are to be listed next.
//!
//! ```text
//!  Folder::open ─▶ fill: getdents64 into one buffer ─▶ rules of this folder, if it has any
//!                    ▲                                        │
//!                    └── next part of a large folder ◀── select: names of files, folders
//! ```
//!
//! The kernel tells the kind of each entry with its name, so nothing is asked about a file
//! before it is opened (some file systems do not tell; there each entry is asked about). The
//! names of a listing also tell whether the folder has ignore files, so none is looked for
//! where there is none. A folder that does not fit the buffer is taken in parts; there the
//! few names of ignore files are looked for, since they may stand in a part that comes later.
//!
//! Symbolic links are not followed, so a walk cannot go in circles.

mod entry;
mod folder;
mod ignore_files;
mod levels;
mod roots;
mod rules;

pub(crate) use folder::{Folder, Listing, open_file, reads_of};
pub(crate) use levels::Chain;
pub(crate) use roots::{Root, RootKind, open_roots};
pub(crate) use rules::Rules;

//! `page-fault-*`: the first touch of a page.
//!
//! Pages are mapped [`CHUNK`] at a time, each is written, each is read back, and the chunk is
//! unmapped: the map and unmap are a small part. That each page really was a fault is taken
//! from the kernel's own count for the flow.
//!
//! The four differ in what the page comes from: memory of the process; memory that processes
//! may share; a copy of a file's page; a file's page itself.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use measure::usage;

use crate::check::{must, same};
use crate::facts::Facts;
use crate::repeat::Operation;
use crate::site::Site;
use crate::sys::descriptor::pread_word;
use crate::sys::memory::{Mapping, Of, PAGE};
use crate::sys::own_file::OwnFile;

/// Pages that are mapped at once: less than a huge page.
const CHUNK: u64 = 64;
/// Words of a page.
const PAGE_WORDS: u64 = (PAGE / 8) as u64;

const FAMILY: &str = "page faults";
const VERIFIED: &str = "each page holds its number; the kernel counted a fault for each";

/// Touches `ops` pages. `chunk_ends` is told the number of the last page of each chunk, and
/// how many there are, while the chunk is mapped.
fn touch(of: Of<'_>, ops: u64, chunk_ends: impl Fn(u64, u64)) -> u64 {
    let before = usage::this_thread();
    let mut checksum = 0;
    for first in (0..ops).step_by(CHUNK as usize) {
        let pages = CHUNK.min(ops - first);
        let length = pages as usize * PAGE;
        let mapping = must("map memory", Mapping::new(length, of)).common_pages();
        for page in 0..pages {
            mapping
                .page(page as usize)
                .store(first + page + 1, Ordering::Relaxed);
        }
        for page in 0..pages {
            let word = mapping.page(page as usize).load(Ordering::Relaxed);
            same("the first word of a page", word, first + page + 1);
            checksum += word;
        }
        chunk_ends(first + pages, pages);
        must("unmap memory", mapping.unmap());
    }
    enough_faults(usage::this_thread().since(before).minor_faults, ops);
    checksum
}

fn enough_faults(faults: u64, ops: u64) {
    assert!(
        faults >= ops,
        "{faults} page faults for the first touch of {ops} pages: they were there before"
    );
}

/// Memory of the process.
#[derive(Debug)]
pub(crate) struct Private;

impl Operation for Private {
    const FACTS: Facts = Facts {
        name: "page-fault-anon",
        family: FAMILY,
        does: "touch a new page of private memory",
        shares: "nothing",
        verified: VERIFIED,
        ops: 5_000,
        needs_folder: false,
    };

    type Own = ();

    fn prepare(_site: &Site<'_>) -> io::Result<Self> {
        Ok(Self)
    }

    fn own(&self, _flow: usize) {}

    fn repeat(&self, (): &mut (), ops: u64) -> u64 {
        touch(Of::Private, ops, |_, _| {})
    }
}

/// Memory that forked processes may share (each flow has its own).
#[derive(Debug)]
pub(crate) struct Shared;

impl Operation for Shared {
    const FACTS: Facts = Facts {
        name: "page-fault-shared",
        family: FAMILY,
        does: "touch a new page of shared memory",
        shares: "nothing",
        verified: VERIFIED,
        ops: 3_000,
        needs_folder: false,
    };

    type Own = ();

    fn prepare(_site: &Site<'_>) -> io::Result<Self> {
        Ok(Self)
    }

    fn own(&self, _flow: usize) {}

    fn repeat(&self, (): &mut (), ops: u64) -> u64 {
        touch(Of::Shared, ops, |_, _| {})
    }
}

/// A file of [`CHUNK`] pages for each flow.
fn chunk_file(folder: &std::path::Path, flow: usize) -> OwnFile {
    let words = CHUNK * PAGE_WORDS;
    must("make a file", OwnFile::of_flow(folder, flow, words))
}

/// The first word of a page of a file, as the file has it.
fn in_file(file: &File, page: u64) -> u64 {
    let at = page * PAGE as u64;
    must("read a file", pread_word(file.as_fd(), at))
}

/// Copies of a file's pages.
#[derive(Debug)]
pub(crate) struct FilePrivate {
    folder: PathBuf,
}

impl Operation for FilePrivate {
    const FACTS: Facts = Facts {
        name: "page-fault-file-private",
        family: FAMILY,
        does: "write to a page of a private mapping of a file (a copy is made)",
        shares: "nothing: each flow has its own file",
        verified: "each page holds its number and the file does not; a fault for each",
        ops: 4_000,
        needs_folder: true,
    };

    type Own = OwnFile;

    fn prepare(site: &Site<'_>) -> io::Result<Self> {
        let folder = site.folder()?.to_owned();
        Ok(Self { folder })
    }

    fn own(&self, flow: usize) -> OwnFile {
        chunk_file(&self.folder, flow)
    }

    fn repeat(&self, own: &mut OwnFile, ops: u64) -> u64 {
        touch(Of::FilePrivate(&own.file), ops, |_end, pages| {
            let untouched = own.tag + (pages - 1) * PAGE_WORDS;
            same(
                "a page of the file",
                in_file(&own.file, pages - 1),
                untouched,
            );
        })
    }
}

/// The pages of a file.
#[derive(Debug)]
pub(crate) struct FileShared {
    folder: PathBuf,
}

impl Operation for FileShared {
    const FACTS: Facts = Facts {
        name: "page-fault-file-shared",
        family: FAMILY,
        does: "write to a page of a shared mapping of a file",
        shares: "nothing: each flow has its own file",
        verified: "each page of the file holds its number; a fault for each",
        ops: 2_000,
        needs_folder: true,
    };

    type Own = OwnFile;

    fn prepare(site: &Site<'_>) -> io::Result<Self> {
        let folder = site.folder()?.to_owned();
        Ok(Self { folder })
    }

    fn own(&self, flow: usize) -> OwnFile {
        chunk_file(&self.folder, flow)
    }

    fn repeat(&self, own: &mut OwnFile, ops: u64) -> u64 {
        touch(Of::FileShared(&own.file), ops, |end, pages| {
            same("a page of the file", in_file(&own.file, pages - 1), end);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "they were there before")]
    fn pages_that_were_there_are_found() {
        enough_faults(4, 5);
    }

    #[test]
    fn every_page_is_a_fault() {
        assert_eq!(touch(Of::Private, 100, |_, _| {}), (1..=100).sum::<u64>());
    }
}

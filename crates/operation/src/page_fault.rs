//! `page-fault-*`: the first touch of a page. [`PAGES`] are mapped at a time, each is written and
//! read back, and all are unmapped: with 64 pages the waits to map and unmap made threads look
//! twice as slow at faults. The kernel's count for the flow proves each fault. The page comes from
//! memory of the process; memory that processes may share; a copy of a file's page; a file's page
//! itself. Files stay from one repetition to the next, so no disk is waited for.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::atomic::Ordering;

use measure::clock::now_ns;
use measure::usage;

use crate::check::{must, same};
use crate::sys::descriptor::pread_word;
use crate::sys::memory::{Mapping, Of, PAGE, one_by_one};
use crate::{Facts, OperationContext, PerFlow, either};

const PAGES: u64 = 2_048;

const FAMILY: &str = "page faults";
const OWN: &str = "nothing: each flow has its own file";
const VERIFIED: &str = "each page holds its number; the kernel counted a fault for each";

fn touch(of: Of<'_>, ops: u64, mapped: impl Fn(u64, u64)) -> u64 {
    // New numbers each time: the file keeps none of them from another repetition.
    let base = now_ns();
    let before = usage::this_thread();
    let mut checksum = 0;
    for first in (0..ops).step_by(PAGES as usize) {
        let pages = PAGES.min(ops - first);
        let length = pages as usize * PAGE;
        let mapping = one_by_one(must("map memory", Mapping::new(length, of)));
        let number = |page: u64| base + first + page;
        for page in 0..pages {
            let word = mapping.page(page as usize);
            word.store(number(page), Ordering::Relaxed);
        }
        for page in 0..pages {
            let word = mapping.page(page as usize).load(Ordering::Relaxed);
            same("the first word of a page", word, number(page));
            checksum += word - base;
        }
        mapped(pages, number(pages - 1));
        must("unmap memory", mapping.unmap());
    }
    let used = usage::this_thread().since(before);
    enough_faults(used.minor_faults + used.major_faults, ops);
    checksum
}

fn enough_faults(faults: u64, ops: u64) {
    assert!(
        faults >= ops,
        "{faults} page faults for the first touch of {ops} pages: some were there before, or came \
         with others"
    );
}

#[derive(Debug)]
pub(crate) struct Memory<const SHARED: bool>;

pub(crate) type Private = Memory<false>;
pub(crate) type Shared = Memory<true>;

impl<const SHARED: bool> PerFlow for Memory<SHARED> {
    const FACTS: Facts = Facts {
        name: either(SHARED, "page-fault-shared", "page-fault-anon"),
        family: FAMILY,
        does: either(
            SHARED,
            "touch a new page of shared memory",
            "touch a new page of private memory",
        ),
        verified: VERIFIED,
        ops: if SHARED { 1_200 } else { 2_000 },
        ..Facts::USUAL
    };

    fn make(_context: &OperationContext, _flow: usize) -> Self {
        Self
    }

    fn repeat(&mut self, ops: u64) -> u64 {
        let of = if SHARED { Of::Shared } else { Of::Private };
        touch(of, ops, |_, _| {})
    }
}

fn file(folder: &Path, flow: usize) -> io::Result<File> {
    let mut options = File::options();
    let options = options.read(true).write(true).create(true).truncate(false);
    let file = options.open(folder.join(format!("pages-{flow}")))?;
    file.set_len(PAGES * PAGE as u64)?;
    Ok(file)
}

fn in_file(file: &File, page: u64) -> u64 {
    let at = page * PAGE as u64;
    must("read a file", pread_word(file.as_fd(), at))
}

#[derive(Debug)]
pub(crate) struct OfFile<const SHARED: bool> {
    file: File,
}

pub(crate) type FilePrivate = OfFile<false>;
pub(crate) type FileShared = OfFile<true>;

impl<const SHARED: bool> PerFlow for OfFile<SHARED> {
    const FACTS: Facts = Facts {
        name: either(SHARED, "page-fault-file-shared", "page-fault-file-private"),
        family: FAMILY,
        does: either(
            SHARED,
            "write to a page of a shared mapping of a file",
            "write to a page of a private mapping of a file (a copy is made)",
        ),
        shares: OWN,
        verified: either(
            SHARED,
            "each page holds its number, and so does the file; a fault for each",
            "each page holds its number and the file does not; a fault for each",
        ),
        ops: if SHARED { 2_000 } else { 1_500 },
        needs_folder: true,
        ..Facts::USUAL
    };

    fn make(context: &OperationContext, flow: usize) -> Self {
        let file = context.folder().and_then(|folder| file(folder, flow));
        Self {
            file: must("make a file", file),
        }
    }

    fn repeat(&mut self, ops: u64) -> u64 {
        let file = &self.file;
        let of = if SHARED {
            Of::FileShared(file)
        } else {
            Of::FilePrivate(file)
        };
        touch(of, ops, |pages, last| {
            let expected = if SHARED { last } else { 0 };
            same("a page of the file", in_file(file, pages - 1), expected);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "some were there before")]
    fn pages_that_were_there_are_found() {
        enough_faults(4, 5);
    }

    #[test]
    fn every_page_is_a_fault() {
        let folder = tempfile::tempdir().unwrap();
        let sum = (0..3_000).sum::<u64>();
        let file = file(folder.path(), 0).unwrap();
        for _repetition in 0..2 {
            for of in [
                Of::Private,
                Of::Shared,
                Of::FilePrivate(&file),
                Of::FileShared(&file),
            ] {
                assert_eq!(touch(of, 3_000, |_, _| {}), sum, "{of:?}");
            }
        }
    }
}

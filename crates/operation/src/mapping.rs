//! `mmap*`: memory is mapped and given back. Only the first page of one mapping in
//! [`EVERY`](crate::check::EVERY) is touched; `mmap-touch` writes to every page: a change, faults,
//! and a change that flushes the TLB.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use crate::check::{Recurrence, at_length, must, same};
use crate::sys::memory::{Mapping, Of, PAGE};
use crate::sys::own_file::OwnFile;
use crate::{Facts, Operation, OperationContext, PerFlow, either};

const FAMILY: &str = "address space";

const LENGTH: usize = 1 << 20;

#[derive(Debug)]
pub(crate) struct Anonymous {
    flows: u64,
}

impl PerFlow for Anonymous {
    const FACTS: Facts = Facts {
        name: "mmap",
        family: FAMILY,
        does: "map 1 MB of memory and unmap it",
        verified: "addresses come again; 1 in 64 is new (zero), written and read back",
        ops: 1_000,
        ..Facts::USUAL
    };

    fn make(context: &OperationContext, _flow: usize) -> Self {
        Self {
            flows: context.flows,
        }
    }

    fn repeat(&mut self, ops: u64) -> u64 {
        let mut addresses = Recurrence::new(self.flows);
        let mut checksum = 0;
        for op in 0..ops {
            let mapping = must("map memory", Mapping::new(LENGTH, Of::Private));
            addresses.down(mapping.address());
            if at_length(op) {
                checksum += written(&mapping, op);
            }
            must("unmap memory", mapping.unmap());
        }
        addresses.check("addresses of mappings");
        checksum
    }
}

#[derive(Debug)]
pub(crate) struct Touched;

const PAGES: usize = 16;

impl PerFlow for Touched {
    const FACTS: Facts = Facts {
        name: "mmap-touch",
        family: FAMILY,
        does: "map 64 KB of memory, write to each page and unmap it",
        verified: "each page is zero at first, and holds its number at the end",
        ops: 100,
        ..Facts::USUAL
    };

    fn make(_context: &OperationContext, _flow: usize) -> Self {
        Self
    }

    fn repeat(&mut self, ops: u64) -> u64 {
        (0..ops).fold(0, |checksum, op| {
            let mapping = must("map memory", Mapping::new(PAGES * PAGE, Of::Private));
            for page in 0..PAGES {
                let was = mapping.page(page).fetch_add(op + 1, Ordering::Relaxed);
                same("the first word of a new page", was, 0);
            }
            let last = mapping.page(PAGES - 1).load(Ordering::Relaxed);
            must("unmap memory", mapping.unmap());
            checksum + last
        })
    }
}

fn map_file(file: &OwnFile, flows: u64, ops: u64) -> u64 {
    let mut addresses = Recurrence::new(flows);
    let mut checksum = 0;
    for op in 0..ops {
        let mapping = must("map a file", Mapping::new(PAGE, Of::FileShared(&file.file)));
        addresses.down(mapping.address());
        if at_length(op) {
            let word = mapping.page(0).load(Ordering::Relaxed);
            same("the first word of the file", word, file.tag);
            checksum += op + 1;
        }
        must("unmap a file", mapping.unmap());
    }
    addresses.check("addresses of mappings");
    checksum
}

#[derive(Debug)]
pub(crate) struct Mapped<const SAME: bool> {
    folder: PathBuf,
    same: Option<OwnFile>,
    flows: u64,
}

pub(crate) type OwnMapped = Mapped<false>;
pub(crate) type SameMapped = Mapped<true>;

impl<const SAME: bool> Operation for Mapped<SAME> {
    const FACTS: Facts = Facts {
        name: either(SAME, "mmap-file-same", "mmap-file"),
        family: FAMILY,
        does: "map 4 KB of a file and unmap it",
        shares: either(
            SAME,
            "the file, with the list of who maps it",
            "nothing: each flow has its own file",
        ),
        verified: "addresses come again; 1 in 64 shows the words of its file",
        ops: 800,
        needs_folder: true,
        ..Facts::USUAL
    };

    type State = Option<OwnFile>;

    fn prepare(context: &OperationContext) -> io::Result<Self> {
        Ok(Self {
            folder: context.folder()?.to_owned(),
            same: SAME.then(|| context.shared_file(1)).transpose()?,
            flows: context.flows,
        })
    }

    fn own(&self, flow: usize) -> Option<OwnFile> {
        let own = || must("make a file", OwnFile::of_flow(&self.folder, flow, 1));
        (!SAME).then(own)
    }

    fn repeat(&self, own: &mut Option<OwnFile>, ops: u64) -> u64 {
        let file = own.as_ref().or(self.same.as_ref());
        file.map_or(0, |file| map_file(file, self.flows, ops))
    }
}

fn written(mapping: &Mapping, op: u64) -> u64 {
    let word = mapping.page(0);
    same(
        "the first word of new memory",
        word.load(Ordering::Relaxed),
        0,
    );
    word.store(op + 1, Ordering::Relaxed);
    word.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_of_every_mapping_is_new() {
        assert_eq!(Touched.repeat(10), 55);
    }

    #[test]
    #[should_panic(expected = "0x5 came and not 0x0")]
    fn memory_that_is_not_new_is_found() {
        let mapping = Mapping::new(LENGTH, Of::Private).unwrap();
        mapping.page(0).store(5, Ordering::Relaxed);
        written(&mapping, 0);
    }
}

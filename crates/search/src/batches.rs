//! Files that a flow searches in batches, through a ring made for its first batch. Without it files
//! are read one by one, which is said; where it fails under way, what was in it is lost.

use std::os::fd::BorrowedFd;

use crate::file::FileSearch;
use crate::place::Place;
use crate::plan::Io;
use crate::problem::{Problem, words};
use crate::read::rolling::Reads;
use crate::read::uring::Batches;

pub(crate) enum Ring {
    NotYet,
    Made(Box<Batches>),
    None,
}

impl Ring {
    pub(crate) fn of(io: Io) -> Ring {
        match io {
            Io::Uring => Ring::NotYet,
            Io::Read | Io::Mmap => Ring::None,
        }
    }
}

impl FileSearch<'_, '_> {
    pub(crate) fn batches(&mut self) -> bool {
        if matches!(self.ring, Ring::NotYet) {
            self.ring = self.make_ring();
        }
        matches!(self.ring, Ring::Made(_))
    }

    fn make_ring(&mut self) -> Ring {
        match Batches::new() {
            Ok(batches) => Ring::Made(Box::new(batches)),
            Err(reason) => {
                let what = format!("{reason}: files are read one by one where none can be made");
                self.buffer.tell(Problem::otherwise(what));
                Ring::None
            }
        }
    }

    pub(crate) fn batch(
        &mut self,
        place: Place<'_>,
        folder: BorrowedFd<'_>,
        reads: Reads,
        names: &[u8],
    ) {
        let Ring::Made(mut batches) = std::mem::replace(&mut self.ring, Ring::None) else {
            return;
        };
        match batches.search(self, place, folder, reads, names) {
            Ok(unopened) if unopened.is_empty() => self.ring = Ring::Made(batches),
            Ok(unopened) => {
                drop(batches);
                self.buffer.tell(Problem::otherwise(
                    "there is no room for a ring beside open files (ulimit -n): files are read \
                     one by one",
                ));
                for name in unopened {
                    self.file(place, folder, reads, name);
                }
            }
            Err(error) => {
                // What is under way may still be written into the buffers.
                std::mem::forget(batches);
                self.buffer.tell(Problem::error(format!(
                    "io_uring failed under way ({}): files of a batch were not searched; use \
                     --io read",
                    words(&error)
                )));
            }
        }
    }
}

use std::ffi::{CStr, CString};
use std::os::fd::BorrowedFd;

use crate::file::FileSearch;
use crate::job::{FolderTask, Task};
use crate::models::{FlowSet, Totals};
use crate::place::Place;
use crate::read::rolling::Reads;
use crate::report::Class;
use crate::walk::{Listing, reads_of};

pub(crate) struct Walker<'c> {
    pub(crate) files: FileSearch<'c, 'c>,
    listing: Listing,
    own: Vec<Task>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Found<'f> {
    Below {
        place: Place<'f>,
        folder: BorrowedFd<'f>,
        name: &'f CStr,
        reads: Reads,
    },
    Root(u32),
}

#[derive(Debug)]
pub(crate) enum Later {
    Below {
        root: u32,
        path: Box<[u8]>,
        name: CString,
        reads: Reads,
    },
    Root(u32),
}

impl Found<'_> {
    pub(crate) fn later(&self) -> Later {
        match *self {
            Found::Root(root) => Later::Root(root),
            Found::Below {
                place, name, reads, ..
            } => Later::Below {
                root: place.root,
                path: place.path.into(),
                name: name.to_owned(),
                reads,
            },
        }
    }

    pub(crate) fn search(&self, files: &mut FileSearch<'_, '_>) {
        match *self {
            Found::Root(root) => files.root(root),
            Found::Below {
                place,
                folder,
                name,
                reads,
            } => files.file(place, folder, reads, name),
        }
    }
}

impl Later {
    pub(crate) fn search(&self, files: &mut FileSearch<'_, '_>) {
        match self {
            Later::Root(root) => files.root(*root),
            Later::Below {
                root,
                path,
                name,
                reads,
            } => files.file_below(Place { root: *root, path }, *reads, name),
        }
    }
}

impl<'c> Walker<'c> {
    pub(crate) fn new(set: &FlowSet<'c, '_>) -> Walker<'c> {
        Walker {
            files: set.files(),
            listing: Listing::default(),
            own: Vec::new(),
        }
    }

    pub(crate) fn walk(
        &mut self,
        tasks: Vec<Task>,
        mut each: impl FnMut(&mut FileSearch<'c, 'c>, Found<'_>),
    ) {
        self.own = tasks;
        self.own.reverse();
        while let Some(task) = self.own.pop() {
            if self.files.is_stopped() {
                break;
            }
            match task {
                Task::Folder(folder) => self.folder(&folder, &mut each),
                Task::Root(root) => each(&mut self.files, Found::Root(root)),
                Task::Files(_) | Task::Large => {}
            }
        }
        self.files.buffer.deliver();
    }

    fn folder(
        &mut self,
        task: &FolderTask,
        each: &mut impl FnMut(&mut FileSearch<'c, 'c>, Found<'_>),
    ) {
        let Some(mut folder) = self.files.open_folder(task) else {
            return;
        };
        let (place, reads) = (task.place(), reads_of(folder.fd()));
        while self.files.list(place, &mut folder, &mut self.listing) {
            let found = task.folders_in(&self.listing, &folder.chain);
            self.own.extend(found.map(Task::Folder));
            self.files.watch.lap(Class::Walk);
            for name in self.listing.files.split_inclusive(|&byte| byte == 0) {
                let Ok(name) = CStr::from_bytes_with_nul(name) else {
                    continue;
                };
                if self.files.is_stopped() {
                    return;
                }
                let found = Found::Below {
                    place,
                    folder: folder.fd(),
                    name,
                    reads,
                };
                each(&mut self.files, found);
            }
        }
    }

    pub(crate) fn totals(&self) -> Totals {
        Totals::of((self.files.counts, self.files.watch.profile()))
    }
}

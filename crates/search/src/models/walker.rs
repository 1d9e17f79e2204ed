use std::ffi::{CStr, CString};
use std::os::fd::BorrowedFd;

use crate::file::FileSearch;
use crate::job::{FolderTask, Task};
use crate::models::FlowSet;
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
pub(crate) struct Found<'f> {
    place: Place<'f>,
    name: &'f CStr,
    reads: Reads,
    /// Where it is open.
    folder: Option<BorrowedFd<'f>>,
}

#[derive(Debug)]
pub(crate) struct Later {
    root: u32,
    path: Box<[u8]>,
    name: CString,
    reads: Reads,
}

impl<'f> Found<'f> {
    fn below(place: Place<'f>, name: &'f CStr, reads: Reads) -> Found<'f> {
        Found {
            place,
            name,
            reads,
            folder: None,
        }
    }

    pub(crate) fn later(&self) -> Later {
        Later {
            root: self.place.root,
            path: self.place.path.into(),
            name: self.name.to_owned(),
            reads: self.reads,
        }
    }

    pub(crate) fn search(&self, files: &mut FileSearch<'_, '_>) {
        match self.folder {
            _ if self.name.is_empty() => files.root(self.place.root),
            Some(folder) => files.file(self.place, folder, self.reads, self.name),
            None => files.file_below(self.place, self.reads, self.name),
        }
    }
}

impl Later {
    pub(crate) fn search(&self, files: &mut FileSearch<'_, '_>) {
        let Later { root, path, .. } = self;
        Found::below(Place { root: *root, path }, &self.name, self.reads).search(files);
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
                Task::Root(root) => {
                    let place = Place { root, path: b"" };
                    each(&mut self.files, Found::below(place, c"", Reads::Parts));
                }
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
                let found = Found {
                    folder: Some(folder.fd()),
                    ..Found::below(place, name, reads)
                };
                each(&mut self.files, found);
            }
        }
    }
}

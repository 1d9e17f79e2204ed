use std::collections::VecDeque;
use std::ffi::CStr;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::Ordering;

use nix::fcntl::AtFlags;
use nix::sys::stat::fstatat;

use crate::exchange::Exchange;
use crate::file::FileSearch;
use crate::job::{FilesTask, FolderTask, Job, Task};
use crate::place::Place;
use crate::read::rolling::Reads;
use crate::report::Class;
use crate::walk::{Listing, reads_of};

/// A flow gives half of at least so many files away, however small.
pub(crate) const WORTH_SPLITTING: usize = 8;

/// Or of so many bytes, however few files.
const WORTH_BYTES: u64 = 512 << 10;

const WORTH_A_FLOW: usize = 4;

pub(crate) struct Worker<'j, 's> {
    pub(crate) job: &'j Job<'j>,
    listing: Listing,
    pub(crate) files: FileSearch<'j, 's>,
    own: VecDeque<Task>,
}

impl<'j, 's> Worker<'j, 's> {
    pub(crate) fn new(job: &'j Job<'j>, files: FileSearch<'j, 's>) -> Worker<'j, 's> {
        Worker {
            job,
            listing: Listing::default(),
            files,
            own: VecDeque::new(),
        }
    }

    pub(crate) fn run(&mut self, exchange: &impl Exchange) {
        // A large file that another flow left has the output until it is done.
        self.chunks(exchange);
        while let Some(task) = self.own.pop_back().or_else(|| self.take(exchange)) {
            if self.stopped() {
                self.own.clear();
                continue;
            }
            self.share(exchange);
            self.task(task, exchange);
        }
        self.files.buffer.deliver();
        self.files.watch.lap(Class::Print);
    }

    pub(crate) fn task(&mut self, task: Task, exchange: &impl Exchange) {
        match task {
            Task::Folder(folder) => self.folder(&folder, exchange),
            Task::Files(files) => self.named_files(&files, exchange),
            Task::Root(root) => self.files.root(root),
            Task::Large => {}
        }
        self.chunks(exchange);
    }

    #[inline]
    fn chunks(&mut self, exchange: &impl Exchange) {
        if let Some(large) = self.job.large.filter(|large| large.is_open()) {
            self.files.chunks(large, || {
                let given = exchange.helps() && exchange.give(Task::Large).is_ok();
                exchange.grow();
                given && exchange.leaves()
            });
        }
    }

    pub(crate) fn own(&mut self) -> &mut VecDeque<Task> {
        &mut self.own
    }

    fn take(&mut self, exchange: &impl Exchange) -> Option<Task> {
        self.chunks(exchange);
        // Results are shown before a possibly long wait.
        self.files.buffer.deliver();
        self.files.watch.lap(Class::Print);
        let task = exchange.take();
        self.files.watch.lap(Class::Wait);
        task
    }

    fn stopped(&self) -> bool {
        self.job.stop.load(Ordering::Relaxed)
    }

    /// The oldest is usually the largest.
    fn share(&mut self, exchange: &impl Exchange) {
        while exchange.hungry() {
            let Some(task) = self.own.pop_front() else {
                return;
            };
            if let Err(task) = exchange.give(task) {
                self.own.push_front(task);
                return;
            }
        }
        if self.own.len() >= WORTH_A_FLOW {
            exchange.grow();
        }
    }

    pub(crate) fn folder(&mut self, task: &FolderTask, exchange: &impl Exchange) {
        let Some(mut folder) = self.files.open_folder(task) else {
            return;
        };
        let (place, reads) = (task.place(), reads_of(folder.fd()));
        while self.files.list(place, &mut folder, &mut self.listing) {
            let found = task.folders_in(&self.listing, &folder.chain);
            self.own.extend(found.map(Task::Folder));
            self.files.watch.lap(Class::Walk);
            let names = std::mem::take(&mut self.listing.files);
            self.listing.files = self.files_in(place, folder.fd(), reads, names, exchange);
            if self.stopped() {
                break;
            }
        }
        drop(folder);
        self.files.pause();
        self.files.watch.lap(Class::Walk);
    }

    /// Gives half of the rest away if another flow is idle.
    fn files_in(
        &mut self,
        place: Place<'_>,
        folder: BorrowedFd<'_>,
        reads: Reads,
        mut names: Vec<u8>,
        exchange: &impl Exchange,
    ) -> Vec<u8> {
        if self.files.batches() {
            self.share_files(place, folder, &mut names, 0, exchange);
            self.files.batch(place, folder, reads, &names);
            return names;
        }
        let mut at = 0;
        while let Some(length) = memchr::memchr(0, &names[at..]) {
            if exchange.hungry() {
                self.share_files(place, folder, &mut names, at, exchange);
            }
            if self.stopped() {
                break;
            }
            if let Ok(name) = CStr::from_bytes_with_nul(&names[at..=at + length]) {
                self.files.file(place, folder, reads, name);
            }
            self.chunks(exchange);
            at += length + 1;
        }
        names
    }

    #[cold]
    fn share_files(
        &mut self,
        place: Place<'_>,
        folder: BorrowedFd<'_>,
        names: &mut Vec<u8>,
        at: usize,
        exchange: &impl Exchange,
    ) {
        self.share(exchange);
        if !exchange.hungry() {
            return;
        }
        let left = memchr::memchr_iter(0, &names[at..]).count();
        let heavy = left < WORTH_SPLITTING;
        if left < 2 || (heavy && bytes_of(folder, &names[at..]) < WORTH_BYTES) {
            return;
        }
        let stays = left - left / 2;
        let Some(half) = memchr::memchr_iter(0, &names[at..]).nth(stays - 1) else {
            return;
        };
        let second = names.split_off(at + half + 1);
        let task = Task::Files(FilesTask {
            root: place.root,
            path: place.path.into(),
            names: second,
            heavy,
        });
        if let Err(Task::Files(back)) = exchange.give(task) {
            names.extend_from_slice(&back.names);
        }
    }

    fn named_files(&mut self, task: &FilesTask, exchange: &impl Exchange) {
        let place = Place {
            root: task.root,
            path: &task.path,
        };
        let folder = match self.job.roots[task.root as usize].folder(&task.path) {
            Ok(folder) => folder,
            Err(error) => return self.files.failed(place, b"", &error),
        };
        self.files.watch.lap(Class::Walk);
        let reads = reads_of(folder.as_fd());
        self.files_in(place, folder.as_fd(), reads, task.names.clone(), exchange);
    }
}

fn bytes_of(folder: BorrowedFd<'_>, names: &[u8]) -> u64 {
    let names = names.split_inclusive(|&byte| byte == 0);
    let names = names.filter_map(|name| CStr::from_bytes_with_nul(name).ok());
    let size = |name| {
        let stat = fstatat(folder, name, AtFlags::AT_SYMLINK_NOFOLLOW).ok()?;
        u64::try_from(stat.st_size).ok()
    };
    names.filter_map(size).sum()
}

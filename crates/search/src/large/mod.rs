//! Large files, which flows that share memory search together: cut into chunks, of which every flow
//! between two files of its own, or without any, takes some:
//!
//! ```text
//!  leader: opens, reads a block, sees a large file ──▶ Large: files in order, chunks in order
//!                                                       │ claim: 0, 1, 2, …
//!  each flow: claim ─▶ read ─▶ count line feeds ─▶ find lines ─▶ hand over ─▶ claim …
//!                                  │ publish        │ needs the counts   │ in order, by
//!                                  └────────────────┘ of all before      ▼ a free flow
//!                                                                       outlet
//! ```
//!
//! * **A chunk** is whole blocks of the file (`read::rolling`). A line belongs to the chunk in
//!   which it *ends*; its start is found by reading backward. Each counts its feeds first, and
//!   waits for the counts of those before only if it finds a line and shows numbers.
//! * **Claims are in order**, of chunks and of files: nobody waits for a chunk that is not being
//!   worked on, or holds a claim while it waits to deliver: no deadlock.
//! * **Results are delivered in order**, by the flow that finishes the next chunk or finds it
//!   finished, one at a time. A chunk whose results grow beyond [`Sizes::spill`] waits for its turn
//!   and then writes them out as they come; no flow claims a chunk while [`AHEAD`] finished ones
//!   wait. So the number of flows bounds memory.
//! * **Ends.** The first chunk, in order, that meets the end of the file, a NUL byte that makes it
//!   binary, an error, or (where only the first line is looked for) a line, is the last. NUL bytes
//!   that stand for line feeds change the lines of all later chunks: delivery sees to that.
//!
//! Each flow opens the file by itself (threads may have their own tables of open files), and asks
//! whether it is the same one. If the leader leaves (the probe of `models::auto` does) and the file
//! has been replaced, that is an error of this file.
//!
//! Not cut: for processes, which share whole files and no memory; for a flow a file or a folder;
//! with `--io mmap`, where threads would contend for one address space; what cannot be read at a
//! place (pipes, standard input, `/proc`, UTF-16).

mod chunk;
mod flow;
mod progress;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::ffi::CString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use crate::locks::{held, waited};
use crate::outlet::Together;
use crate::plan::FileId;
use crate::query::Show;
use crate::read::rolling::BLOCK_BYTES;
use crate::read::text::Nul;

pub(crate) use chunk::ChunkBuffer;
pub(crate) use flow::Lead;
pub(crate) use progress::Seen;
use progress::{Outcome, Progress};

const AHEAD: usize = 8;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes {
    pub(crate) block: usize,
    pub(crate) chunk: usize,
    pub(crate) large: u64,
    /// The start of a chunk's first line is looked for in so many bytes first.
    pub(crate) head: usize,
    pub(crate) spill: usize,
}

impl Sizes {
    /// A chunk fits a core's cache and takes long beside a claim; below two none are shared.
    pub(crate) const USUAL: Sizes = Sizes {
        block: BLOCK_BYTES,
        chunk: 512 << 10,
        large: 1 << 20,
        head: 4 << 10,
        spill: 256 << 10,
    };
}

#[derive(Debug)]
pub(crate) struct LargeFile {
    pub(crate) root: u32,
    pub(crate) path: Box<[u8]>,
    pub(crate) name: CString,
    pub(crate) nul: Nul,
    pub(crate) mark: usize,
    pub(crate) id: FileId,
    pub(crate) led: AtomicBool,
}

pub(crate) struct Large<'l> {
    pub(crate) sizes: Sizes,
    show: Show,
    open: AtomicBool,
    to: &'l Together<'l>,
    state: Mutex<State>,
    news: Condvar,
}

struct State {
    files: VecDeque<Progress>,
    delivers: bool,
}

/// A claimed chunk, to be finished; dropping it ends its file.
struct Claim<'c, 'l> {
    large: &'c Large<'l>,
    file: Arc<LargeFile>,
    index: u64,
    finished: bool,
}

struct Piece {
    file: Arc<LargeFile>,
    text: Vec<u8>,
    whole: Option<Progress>,
}

impl<'l> Large<'l> {
    pub(crate) fn new(sizes: Sizes, show: Show, to: &'l Together<'l>) -> Large<'l> {
        Large {
            sizes,
            show,
            open: AtomicBool::new(false),
            to,
            state: Mutex::new(State {
                files: VecDeque::new(),
                delivers: false,
            }),
            news: Condvar::new(),
        }
    }

    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.open.load(Ordering::Relaxed)
    }

    fn add(&self, file: LargeFile) -> Arc<LargeFile> {
        let file = Arc::new(file);
        let mut state = held(&self.state);
        state.files.push_back(Progress::new(Arc::clone(&file)));
        self.update(&state);
        file
    }

    fn first(&self, unable: &[Arc<LargeFile>]) -> Option<Arc<LargeFile>> {
        let state = held(&self.state);
        let able = |file| !unable.iter().any(|other| Arc::ptr_eq(other, file));
        let mut files = state.files.iter();
        let first = files.find(|progress| progress.is_open() && able(&progress.file))?;
        Some(Arc::clone(&first.file))
    }

    /// `None`: all are claimed. Waits if too many finished chunks wait.
    fn claim(&self, file: &Arc<LargeFile>) -> Option<Claim<'_, 'l>> {
        let mut state = held(&self.state);
        loop {
            let ready = state.ready_upto(file);
            let progress = state.progress(file).filter(|progress| progress.is_open())?;
            if ready < AHEAD {
                let index = progress.claim();
                self.update(&state);
                return Some(Claim {
                    large: self,
                    file: Arc::clone(file),
                    index,
                    finished: false,
                });
            }
            state = waited(&self.news, state);
        }
    }

    /// `None` while another delivers, until [`has_delivered`](Self::has_delivered).
    fn next_piece(&self) -> Option<Piece> {
        let mut state = held(&self.state);
        if state.delivers {
            return None;
        }
        let front = state.files.front_mut()?;
        let (text, ended) = front.deliver(self.show)?;
        let file = Arc::clone(&front.file);
        front.parted |= !text.is_empty();
        let whole = match ended {
            true => state.files.pop_front(),
            false => None,
        };
        state.delivers = true;
        self.update(&state);
        drop(state);
        self.news.notify_all();
        Some(Piece { file, text, whole })
    }

    fn has_delivered(&self) {
        held(&self.state).delivers = false;
        self.news.notify_all();
    }

    fn update(&self, state: &State) {
        let open = state.files.iter().any(Progress::is_open);
        self.open.store(open, Ordering::Relaxed);
    }
}

impl State {
    /// Of `file` and earlier files; later ones wait for it.
    fn ready_upto(&self, file: &Arc<LargeFile>) -> usize {
        let place = |progress: &Progress| Arc::ptr_eq(&progress.file, file);
        let upto = self.files.iter().position(place).map_or(0, |at| at + 1);
        self.files.range(..upto).map(Progress::ready).sum()
    }

    fn progress(&mut self, file: &Arc<LargeFile>) -> Option<&mut Progress> {
        let mut files = self.files.iter_mut();
        files.find(|progress| Arc::ptr_eq(&progress.file, file))
    }
}

impl Claim<'_, '_> {
    fn begin(&self) -> u64 {
        self.index * self.large.sizes.chunk as u64
    }

    fn publish(&self, feeds: u64) {
        self.change(|progress, index| progress.publish(index, feeds));
    }

    fn is_last(&self) {
        self.change(Progress::ends_at);
    }

    fn change(&self, change: impl FnOnce(&mut Progress, u64)) {
        let mut state = held(&self.large.state);
        if let Some(progress) = state.progress(&self.file) {
            change(progress, self.index);
        }
        self.large.update(&state);
        drop(state);
        self.large.news.notify_all();
    }

    /// Lines before it; 0 if its results will be dropped.
    fn base(&self) -> u64 {
        let mut state = held(&self.large.state);
        loop {
            match state.progress(&self.file) {
                Some(progress) if progress.counts(self.index) => {
                    if let Some(base) = progress.base(self.index) {
                        return base;
                    }
                }
                _ => return 0,
            }
            state = waited(&self.large.news, state);
        }
    }

    /// Waits for all before it; nobody else delivers until [`has_delivered`](Large::has_delivered).
    /// False if its results will be dropped, or not shown in this form.
    fn turn(&self) -> bool {
        let mut state = held(&self.large.state);
        loop {
            if !state
                .progress(&self.file)
                .is_some_and(|progress| progress.counts(self.index))
            {
                return false;
            }
            let free = !state.delivers;
            if let Some(front) = state.files.front_mut()
                && Arc::ptr_eq(&front.file, &self.file)
                && front.is_next(self.index)
                && free
            {
                let wanted = !front.is_binary();
                front.parted |= wanted;
                state.delivers = wanted;
                return wanted;
            }
            state = waited(&self.large.news, state);
        }
    }

    fn finish(mut self, outcome: Outcome) {
        self.finished = true;
        self.change(|progress, index| progress.finish(index, outcome));
    }
}

impl Drop for Claim<'_, '_> {
    fn drop(&mut self) {
        if !self.finished {
            self.change(|progress, index| progress.finish(index, Outcome::lost()));
        }
    }
}

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use simulate::trace::{Event, GRANULE_BITS, PAGE_BITS, Writer};

use crate::give_up;

const BUFFER: usize = 1 << 17;
/// Buffers with less room (in accesses) are written.
const LITTLE: u64 = 1 << 10;
const REMEMBERED: usize = 1024;
const NOWHERE: u64 = u64::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Window {
    /// Before the first flow: only written pages are recorded.
    Before,
    Open,
    Full,
    Closed,
}

#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) number: u32,
    file: PathBuf,
    writer: Writer,
    window: Window,
    most: u64,
    room: u64,
    /// Accesses still to be recorded after `room`; 0 unless the window is open.
    left: u64,
    beyond: u64,
    written: Box<[u64; REMEMBERED]>,
    /// The pending system call, if it matters here.
    pub(crate) pending: Option<crate::calls::Pending>,
}

impl Recording {
    pub(crate) fn new(dir: &Path, number: u32, space: u32, most: u64) -> Self {
        Self {
            number,
            file: dir.join(format!("{number:08}")),
            writer: Writer::new(space, BUFFER),
            window: Window::Before,
            most,
            room: 0,
            left: 0,
            beyond: 0,
            written: Box::new([NOWHERE; REMEMBERED]),
            pending: None,
        }
    }

    #[inline(always)]
    pub(crate) fn access(&mut self, granule: u64, store: bool) {
        if self.room == 0 {
            return self.without_room(granule, store);
        }
        self.room -= 1;
        self.writer.access(granule, store);
    }

    #[inline(never)]
    fn without_room(&mut self, granule: u64, store: bool) {
        if self.left == 0 {
            if self.window == Window::Open {
                self.window = Window::Full;
                self.flush();
            }
            return self.not_recorded(granule, store);
        }
        if self.writer.room() < LITTLE {
            self.flush();
        }
        self.room = self.left.min(self.writer.room());
        self.left -= self.room;
        self.access(granule, store);
    }

    fn not_recorded(&mut self, granule: u64, store: bool) {
        match self.window {
            Window::Full => self.beyond += 1,
            Window::Before if store => self.wrote(granule >> (PAGE_BITS - GRANULE_BITS)),
            Window::Before | Window::Open | Window::Closed => {}
        }
    }

    fn wrote(&mut self, page: u64) {
        let known = &mut self.written[page as usize % REMEMBERED];
        if *known != page {
            *known = page;
            self.event(Event::Wrote { page });
        }
    }

    pub(crate) fn event(&mut self, event: Event) {
        if matches!(self.window, Window::Full | Window::Closed) {
            return;
        }
        self.writer.event(event);
        // It has used some of the room.
        self.left += self.room;
        self.room = 0;
        if self.writer.room() < LITTLE {
            self.flush();
        }
    }

    pub(crate) fn forks(&mut self, child: u32) {
        self.event(Event::Fork { child });
    }

    pub(crate) fn begin(&mut self, flow: u64) {
        if self.window == Window::Before {
            self.event(Event::Begin { flow });
            self.left = self.most;
            self.window = match self.most {
                0 => Window::Full,
                _ => Window::Open,
            };
        }
    }

    /// Ends the flow: its trace is complete, however the thread ends.
    pub(crate) fn end(&mut self) {
        if !matches!(self.window, Window::Open | Window::Full) {
            return;
        }
        self.writer.event(Event::End {
            accesses: self.most - self.left - self.room + self.beyond,
        });
        self.flush();
        (self.room, self.left) = (0, 0);
        self.window = Window::Closed;
    }

    pub(crate) fn last(&mut self) {
        self.end();
        self.flush();
    }

    #[cold]
    pub(crate) fn flush(&mut self) {
        if self.writer.bytes().is_empty() {
            return;
        }
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).open(&self.file);
        let done = file.and_then(|mut file| file.write_all(self.writer.bytes()));
        if let Err(error) = done {
            give_up(&format!(
                "{} cannot be written: {error}",
                self.file.display()
            ));
        }
        self.writer.clear();
    }
}

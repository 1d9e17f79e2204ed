use std::ffi::OsStr;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use memchr::memchr;

use crate::job::Job;
use crate::large::Seen;
use crate::lines::Lines;
use crate::output_buffer::OutputBuffer;
use crate::place::Which;
use crate::problem::Problem;
use crate::proof;
use crate::query::Show;
use crate::read::rolling::{feeds, nuls_to_feeds};
use crate::read::text::{End, Nul, Viewer, Wants};
use crate::report::{Class, Counts};
use crate::stopwatch::Stopwatch;

pub(crate) struct View<'v, 'j, 's> {
    job: &'j Job<'j>,
    lines: &'v Lines,
    which: &'v Which<'v>,
    buffer: &'v mut OutputBuffer<'s>,
    counts: &'v mut Counts,
    watch: &'v mut Stopwatch,
    seen: Seen,
    number: u64,
    path_hash: u64,
    /// Before the first window; asked for at the first match.
    base: Option<&'v dyn Fn() -> u64>,
}

impl<'v, 'j, 's> View<'v, 'j, 's> {
    pub(crate) fn new(
        job: &'j Job<'j>,
        lines: &'v Lines,
        which: &'v Which<'v>,
        buffer: &'v mut OutputBuffer<'s>,
        counts: &'v mut Counts,
        watch: &'v mut Stopwatch,
    ) -> View<'v, 'j, 's> {
        View {
            job,
            lines,
            which,
            buffer,
            counts,
            watch,
            seen: Seen::default(),
            number: 0,
            path_hash: 0,
            base: None,
        }
    }

    /// `base` lines end before this part.
    pub(crate) fn after(mut self, base: &'v dyn Fn() -> u64) -> View<'v, 'j, 's> {
        self.base = Some(base);
        self
    }

    /// All parts were searched, with `found` lines.
    pub(crate) fn having(mut self, found: u64, remarked: bool) -> View<'v, 'j, 's> {
        (self.seen.found, self.seen.remarked) = (found, remarked);
        if found > 0 {
            self.begin();
        }
        self
    }

    pub(crate) fn seen(&self) -> Seen {
        self.seen
    }
}

impl View<'_, '_, '_> {
    fn path(&self) -> Vec<u8> {
        let Which { place, name, .. } = *self.which;
        let mut path = Vec::new();
        self.job.roots[place.root as usize].show(place.path, name, &mut path);
        path
    }

    fn search(&mut self, window: &[u8], offset: u64, mut first: Option<Range<usize>>) -> Wants {
        let mut counted = 0;
        while let Some(line) = first {
            self.seen.last_end = offset + line.end as u64;
            if self.seen.found == 0 {
                self.seen.first_end = self.seen.last_end;
                self.begin();
            }
            self.seen.found += 1;
            if self.job.style.show == Show::Files {
                return Wants::Break(());
            }
            if self.job.style.show == Show::Lines
                && self
                    .shows_line(window, offset, &line, &mut counted)
                    .is_break()
            {
                return Wants::Break(());
            }
            first = self.lines.next(window, line.end);
        }
        if self.job.style.line_numbers {
            self.number += feeds(&window[counted..]);
        }
        Wants::Continue(())
    }

    fn shows_line(
        &mut self,
        window: &[u8],
        offset: u64,
        line: &Range<usize>,
        counted: &mut usize,
    ) -> Wants {
        if let Some(at) = self.seen.nul_at {
            self.remark(at);
            return Wants::Break(());
        }
        let number = self.job.style.line_numbers.then(|| {
            self.number += feeds(&window[*counted..line.start]);
            *counted = line.start;
            self.number + 1
        });
        let text = &window[line.clone()];
        self.watch.lap(Class::Search);
        if self.job.style.colour {
            let spans = self.lines.spans(text.strip_suffix(b"\n").unwrap_or(text));
            self.buffer.line(number, text, &spans);
        } else {
            self.buffer.line(number, text, &[]);
        }
        self.watch.lap(Class::Print);
        if self.job.proof {
            let seed = self.path_hash ^ (offset + line.start as u64);
            let text = text.strip_suffix(b"\n").unwrap_or(text);
            self.counts.checksum = self.counts.checksum.wrapping_add(proof::hash(seed, text));
        }
        match self.job.stop.load(Ordering::Relaxed) {
            true => Wants::Break(()),
            false => Wants::Continue(()),
        }
    }

    pub(crate) fn remark(&mut self, at: u64) {
        self.buffer
            .remark(&format!("binary file matches (NUL at byte {at})"));
        self.seen.remarked = true;
    }

    #[cold]
    fn begin(&mut self) {
        if let Some(base) = self.base.take().filter(|_| self.job.style.line_numbers) {
            self.watch.lap(Class::Search);
            self.number += base();
            self.watch.lap(Class::Wait);
        }
        let path = self.path();
        self.buffer.begin(&path);
        if self.job.proof {
            self.path_hash = proof::hash(0, &path);
        }
    }

    pub(crate) fn conclude(&mut self) {
        if self.seen.found == 0 {
            return;
        }
        self.counts.matched_files += 1;
        self.counts.lines += self.seen.found;
        let result = match self.job.style.show {
            Show::Lines => self.seen.remarked.then_some(u64::MAX),
            Show::Count => Some(self.seen.found),
            Show::Files => Some(0),
        };
        match self.job.style.show {
            Show::Lines => {}
            Show::Count => self.buffer.count(self.seen.found),
            Show::Files => {
                let path = self.path();
                self.buffer.name(&path);
            }
        }
        if let Some(result) = result.filter(|_| self.job.proof) {
            let hash = proof::hash(self.path_hash, &result.to_le_bytes());
            self.counts.checksum = self.counts.checksum.wrapping_add(hash);
        }
    }

    pub(crate) fn turned_out_binary(&mut self, at: u64) {
        match self.job.style.show {
            // A partial count would mislead.
            Show::Count => self.seen.found = 0,
            Show::Lines if self.seen.found > 0 => {
                let path = PathBuf::from(OsStr::from_bytes(&self.path()));
                let what = format!("binary: searched up to the NUL at byte {at} only");
                self.buffer.tell(Problem::notice(Some(path), what));
            }
            Show::Lines | Show::Files => {}
        }
    }
}

impl Viewer for View<'_, '_, '_> {
    fn came(&mut self, bytes: usize) {
        self.counts.bytes += bytes as u64;
        self.watch.lap(Class::Read);
    }

    fn whole(&mut self, window: &[u8], offset: u64, nul: Nul) -> End {
        if nul == Nul::IsLineFeed
            && let Some(at) = memchr(0, window)
        {
            return self.whole_with_nuls(window, offset, offset + at as u64);
        }
        let Some(first) = self.lines.next(window, 0) else {
            return End::Done;
        };
        if nul == Nul::Ends
            && let Some(at) = memchr(0, window)
        {
            return End::Binary(offset + at as u64);
        }
        let _no_more_windows = self.search(window, offset, Some(first));
        End::Done
    }

    fn window(&mut self, window: &[u8], offset: u64) -> Wants {
        let first = self.lines.next(window, 0);
        let wants = self.search(window, offset, first);
        self.watch.lap(Class::Search);
        if self.which.stream {
            // The next part may be late.
            self.buffer.flow();
            self.watch.lap(Class::Print);
        }
        wants
    }

    fn met_nul(&mut self, offset: u64) {
        self.seen.nul_at.get_or_insert(offset);
    }
}

impl View<'_, '_, '_> {
    fn whole_with_nuls(&mut self, window: &[u8], offset: u64, at: u64) -> End {
        let mut lines = window.to_vec();
        nuls_to_feeds(&mut lines);
        self.met_nul(at);
        let _no_more_windows = self.window(&lines, offset);
        End::Done
    }
}

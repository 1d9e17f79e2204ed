//! Searching one file: open, look at its windows, write down what matches.

use std::ffi::CStr;
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use memchr::memchr;
use nix::errno::Errno;

use crate::job::Job;
use crate::lines::Lines;
use crate::outlet::{Deliver, Key};
use crate::plan::Io;
use crate::problem::Problem;
use crate::proof;
use crate::query::Show;
use crate::read::mapped::Mapped;
use crate::read::rolling::{Reads, Rolling, feeds};
use crate::read::text::{End, Nul, Viewer, Wants};
use crate::read::uring::Batches;
use crate::report::{Class, Counts};
use crate::sheet::Sheet;
use crate::stopwatch::Stopwatch;
use crate::walk::{RootKind, open_below, open_file, reads_of};
use crate::worker::Place;

/// What a flow needs to search files.
pub(crate) struct FileSearch<'j, 's> {
    job: &'j Job<'j>,
    lines: Lines,
    rolling: Rolling,
    batches: Option<Batches>,
    pub(crate) sheet: Sheet<'s>,
    pub(crate) counts: Counts,
    pub(crate) watch: Stopwatch,
}

/// Which file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Which<'p> {
    pub(crate) place: Place<'p>,
    /// Empty for a root that is a file.
    pub(crate) name: &'p [u8],
    /// What a NUL byte in it means.
    pub(crate) nul: Nul,
}

impl<'j, 's> FileSearch<'j, 's> {
    pub(crate) fn new(job: &'j Job<'j>, to: Box<dyn Deliver + 's>) -> FileSearch<'j, 's> {
        FileSearch {
            job,
            lines: job.lines.clone(),
            rolling: Rolling::new(),
            batches: (job.io == Io::Uring)
                .then(Batches::new)
                .and_then(Result::ok),
            sheet: Sheet::new(job.style, to),
            counts: Counts::default(),
            watch: Stopwatch::new(job.profile),
        }
    }

    /// Opens and searches the file `name` of a folder.
    #[inline]
    pub(crate) fn file(
        &mut self,
        place: Place<'_>,
        folder: BorrowedFd<'_>,
        reads: Reads,
        name: &CStr,
    ) {
        let which = self.which(place, name.to_bytes());
        let file = match open_file(folder, name) {
            Ok(file) => file,
            Err(errno) => return self.not_opened(&which, errno),
        };
        self.watch.lap(Class::Open);
        self.opened(&which, file.as_fd(), reads);
        drop(file);
        self.watch.lap(Class::Open);
    }

    /// The same where the folder is not open.
    pub(crate) fn file_below(&mut self, place: Place<'_>, reads: Reads, name: &CStr) {
        let origin = &self.job.roots[place.root as usize];
        let which = self.which(place, name.to_bytes());
        let file = match open_below(origin.fd(), place.path, name) {
            Ok(file) => file,
            Err(errno) => return self.not_opened(&which, errno),
        };
        self.watch.lap(Class::Open);
        self.opened(&which, file.as_fd(), reads);
        drop(file);
        self.watch.lap(Class::Open);
    }

    /// Searches a root that is no folder.
    pub(crate) fn root(&mut self, root: u32) {
        let origin = &self.job.roots[root as usize];
        if self.job.skip.is_some_and(|skip| skip.is(origin.fd())) {
            let what = "left out: the results are written to it";
            let shown = Some(origin.shown.clone());
            return self.sheet.tell(Problem::notice(shown, what));
        }
        self.named(root, origin.fd(), origin.kind == RootKind::File);
    }

    pub(crate) fn job(&self) -> &'j Job<'j> {
        self.job
    }

    pub(crate) fn which<'p>(&self, place: Place<'p>, name: &'p [u8]) -> Which<'p> {
        let nul = if self.job.text {
            Nul::IsText
        } else {
            Nul::Ends
        };
        Which { place, name, nul }
    }

    /// Searches a file that the user named, or standard input.
    fn named(&mut self, root: u32, file: BorrowedFd<'_>, is_file: bool) {
        let which = Which {
            place: Place { root, path: b"" },
            name: b"",
            nul: if self.job.text {
                Nul::IsText
            } else {
                Nul::IsLineFeed
            },
        };
        let reads = match is_file {
            true => reads_of(file),
            false => Reads::Parts,
        };
        self.opened(&which, file, reads);
        self.sheet.pause();
    }

    /// Searches an open file from its begin.
    pub(crate) fn opened(&mut self, which: &Which<'_>, file: BorrowedFd<'_>, reads: Reads) {
        self.counts.files += 1;
        let mapped = match self.job.io {
            Io::Mmap => Mapped::of(file),
            _ => Ok(None),
        };
        self.watch.lap(Class::Read);
        let end = match mapped {
            Ok(Some(mapped)) => self.mapped(which, &mapped, file, reads),
            // What cannot be mapped (some file systems refuse) can still be read.
            Ok(None) | Err(_) => self.view(which, |rolling, view| {
                rolling.view(file, reads, which.nul, view)
            }),
        };
        self.ended(which, end);
    }

    fn mapped(
        &mut self,
        which: &Which<'_>,
        mapped: &Mapped,
        file: BorrowedFd<'_>,
        reads: Reads,
    ) -> io::Result<End> {
        self.view(which, |rolling, view| {
            match mapped.view(which.nul, view)? {
                Some(end) => Ok(end),
                None => rolling.view(file, reads, which.nul, view),
            }
        })
    }

    /// Has `look` show a file's windows, and writes down what matches.
    pub(crate) fn view(
        &mut self,
        which: &Which<'_>,
        look: impl FnOnce(&mut Rolling, &mut View<'_, '_, 's>) -> io::Result<End>,
    ) -> io::Result<End> {
        let mut view = View {
            job: self.job,
            lines: &self.lines,
            which,
            sheet: &mut self.sheet,
            counts: &mut self.counts,
            watch: &mut self.watch,
            found: 0,
            number: 0,
            path_hash: 0,
            nul_at: None,
            remarked: false,
        };
        let end = look(&mut self.rolling, &mut view);
        if let Ok(End::Binary(at)) = end {
            view.turned_out_binary(at);
        }
        view.conclude();
        end
    }

    /// A file's search has ended.
    pub(crate) fn ended(&mut self, which: &Which<'_>, end: io::Result<End>) {
        self.watch.lap(Class::Search);
        match end {
            Ok(_) => {}
            // It was one when it was listed; now it is a folder, and no file any more.
            Err(error) if error.raw_os_error() == Some(libc::EISDIR) && !which.name.is_empty() => {
                self.counts.files -= 1;
            }
            Err(error) => self.failed(which.place.root, which.place.path, which.name, &error),
        }
        self.sheet.end(|| {
            let place = which.place;
            Key::new(
                place.root,
                crate::worker::join(place.path, which.name).into_vec(),
            )
        });
        self.watch.lap(Class::Print);
    }

    /// A file could not be opened.
    #[cold]
    pub(crate) fn not_opened(&mut self, which: &Which<'_>, errno: Errno) {
        // It became a link, or a socket, since it was listed: no file to be searched.
        if !matches!(errno, Errno::ELOOP | Errno::ENXIO) {
            let Which { place, name, .. } = *which;
            self.failed(place.root, place.path, name, &errno.into());
        }
    }

    /// Something could not be searched.
    #[cold]
    pub(crate) fn failed(&mut self, root: u32, path: &[u8], name: &[u8], error: &io::Error) {
        let mut shown = Vec::new();
        let origin = &self.job.roots[root as usize];
        origin.show(path, name, &mut shown);
        if shown.last() == Some(&b'/') && shown.len() > 1 {
            shown.pop();
        }
        if shown.is_empty() {
            shown.extend_from_slice(origin.shown.as_os_str().as_bytes());
        }
        let path = PathBuf::from(std::ffi::OsStr::from_bytes(&shown));
        self.sheet.tell(Problem::on(path, error));
    }

    /// Whether files are searched in batches.
    pub(crate) fn batches(&self) -> bool {
        self.batches.is_some()
    }

    /// Searches the files `names` of a folder in batches.
    pub(crate) fn batch(
        &mut self,
        place: Place<'_>,
        folder: BorrowedFd<'_>,
        reads: Reads,
        names: &[u8],
    ) {
        if let Some(mut batches) = self.batches.take() {
            batches.search(self, place, folder, reads, names);
            self.batches = Some(batches);
        }
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.job.stop.load(Ordering::Relaxed)
    }
}

/// Looks at the windows of one file for lines.
pub(crate) struct View<'v, 'j, 's> {
    job: &'j Job<'j>,
    lines: &'v Lines,
    which: &'v Which<'v>,
    sheet: &'v mut Sheet<'s>,
    counts: &'v mut Counts,
    watch: &'v mut Stopwatch,
    /// Lines found so far.
    found: u64,
    /// Lines that end before the window at hand.
    number: u64,
    path_hash: u64,
    /// A NUL byte that stood for a line feed.
    nul_at: Option<u64>,
    remarked: bool,
}

impl View<'_, '_, '_> {
    fn path(&self) -> Vec<u8> {
        let Which { place, name, .. } = *self.which;
        let mut path = Vec::new();
        self.job.roots[place.root as usize].show(place.path, name, &mut path);
        path
    }

    /// Writes down the lines of `window` that match, of which `first` is the first.
    fn search(&mut self, window: &[u8], offset: u64, mut first: Option<Range<usize>>) -> Wants {
        let mut counted = 0;
        while let Some(line) = first {
            if self.found == 0 {
                self.begin();
            }
            self.found += 1;
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
        if let Some(at) = self.nul_at {
            self.sheet
                .remark(&format!("binary file matches (NUL at byte {at})"));
            self.remarked = true;
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
            self.sheet.line(number, text, &spans);
        } else {
            self.sheet.line(number, text, &[]);
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

    /// The first line of the file was found.
    #[cold]
    fn begin(&mut self) {
        let path = self.path();
        self.sheet.begin(&path);
        if self.job.proof {
            self.path_hash = proof::hash(0, &path);
        }
    }

    /// The file was seen to its end, or as far as anybody wanted.
    fn conclude(&mut self) {
        if self.found == 0 {
            return;
        }
        self.counts.matched_files += 1;
        self.counts.lines += self.found;
        let result = match self.job.style.show {
            Show::Lines => self.remarked.then_some(u64::MAX),
            Show::Count => Some(self.found),
            Show::Files => Some(0),
        };
        match self.job.style.show {
            Show::Lines => {}
            Show::Count => self.sheet.count(self.found),
            Show::Files => {
                let path = self.path();
                self.sheet.name(&path);
            }
        }
        if let Some(result) = result.filter(|_| self.job.proof) {
            let hash = proof::hash(self.path_hash, &result.to_le_bytes());
            self.counts.checksum = self.counts.checksum.wrapping_add(hash);
        }
    }

    /// Lines may have been shown, and then the file turned out to be binary.
    fn turned_out_binary(&mut self, at: u64) {
        match self.job.style.show {
            // A count that is not one of the whole file would mislead.
            Show::Count => self.found = 0,
            Show::Lines if self.found > 0 => {
                let path = PathBuf::from(std::ffi::OsStr::from_bytes(&self.path()));
                let what = format!("binary: searched up to the NUL at byte {at} only");
                self.sheet.tell(Problem::notice(Some(path), what));
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
        wants
    }

    fn met_nul(&mut self, offset: u64) {
        self.nul_at.get_or_insert(offset);
    }
}

impl View<'_, '_, '_> {
    /// A small file that was named and has NUL bytes, which stand for line feeds.
    fn whole_with_nuls(&mut self, window: &[u8], offset: u64, at: u64) -> End {
        let lines: Vec<u8> = window
            .iter()
            .map(|&byte| if byte == 0 { b'\n' } else { byte })
            .collect();
        self.met_nul(at);
        let _no_more_windows = self.window(&lines, offset);
        End::Done
    }
}

//! Searching one file: open, look at its windows, write down what matches.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use nix::errno::Errno;

use crate::batches::Ring;
use crate::job::{FolderTask, Job};
use crate::large::{ChunkBuffer, Large, Lead};
use crate::lines::Lines;
use crate::models::Totals;
use crate::outlet::{Deliver, Key};
use crate::output_buffer::OutputBuffer;
use crate::place::{Place, Which, join};
use crate::plan::Io;
use crate::problem::Problem;
use crate::read::mapped::Mapped;
use crate::read::rolling::{Begun, Reads, Rolling};
use crate::read::text::{End, Nul};
use crate::report::{Class, Counts};
use crate::stopwatch::Stopwatch;
use crate::view::View;
use crate::walk::{Folder, Listing, RootKind, open_file, reads_of};

pub(crate) struct FileSearch<'j, 's> {
    pub(crate) job: &'j Job<'j>,
    pub(crate) lines: Lines,
    rolling: Rolling,
    pub(crate) chunk: ChunkBuffer,
    pub(crate) leads: Vec<Lead>,
    pub(crate) ring: Ring,
    pub(crate) buffer: OutputBuffer<'s>,
    pub(crate) counts: Counts,
    pub(crate) watch: Stopwatch,
}

impl<'j, 's> FileSearch<'j, 's> {
    pub(crate) fn new(job: &'j Job<'j>, to: Box<dyn Deliver + 's>) -> FileSearch<'j, 's> {
        FileSearch {
            job,
            lines: job.lines.clone(),
            rolling: Rolling::new(job.block),
            chunk: ChunkBuffer::default(),
            leads: Vec::new(),
            ring: Ring::of(job.io),
            buffer: OutputBuffer::new(job.style, to),
            counts: Counts::default(),
            watch: Stopwatch::new(job.profile),
        }
    }

    pub(crate) fn open_folder<'t>(&mut self, task: &'t FolderTask) -> Option<Folder<'t>>
    where
        'j: 't,
    {
        let job = self.job;
        let origin = &job.roots[task.root as usize];
        let chain = task.chain.clone();
        let chain = chain.unwrap_or_else(|| job.rules.again(origin, &task.path));
        match Folder::open(origin, &task.path, chain) {
            Ok(folder) => {
                self.counts.folders += 1;
                Some(folder)
            }
            Err(error) => {
                self.failed(task.place(), b"", &error);
                None
            }
        }
    }

    pub(crate) fn list(
        &mut self,
        place: Place<'_>,
        folder: &mut Folder<'_>,
        listing: &mut Listing,
    ) -> bool {
        match folder.next(listing, self.job.rules, self.job.skip) {
            Ok(more) => more,
            Err(error) => {
                self.failed(place, b"", &error);
                false
            }
        }
    }

    #[inline]
    pub(crate) fn file(
        &mut self,
        place: Place<'_>,
        folder: BorrowedFd<'_>,
        reads: Reads,
        name: &CStr,
    ) {
        self.found(place, reads, name, open_file(folder, name));
    }

    pub(crate) fn file_below(&mut self, place: Place<'_>, reads: Reads, name: &CStr) {
        let origin = &self.job.roots[place.root as usize];
        self.found(place, reads, name, origin.file_below(place.path, name));
    }

    #[inline]
    fn found(&mut self, place: Place<'_>, reads: Reads, name: &CStr, file: Result<OwnedFd, Errno>) {
        let which = self.which(place, name.to_bytes());
        let file = match file {
            Ok(file) => file,
            Err(errno) => return self.not_opened(&which, errno),
        };
        self.watch.lap(Class::Open);
        self.opened(&which, file.as_fd(), reads);
        drop(file);
        self.watch.lap(Class::Open);
    }

    pub(crate) fn root(&mut self, root: u32) {
        let origin = &self.job.roots[root as usize];
        let place = Place { root, path: b"" };
        let file = match origin.open() {
            Ok(file) => file,
            Err(error) => return self.failed(place, b"", &error),
        };
        if self.job.skip.is_some_and(|skip| skip.is(file.as_fd())) {
            let what = "left out: the results are written to it";
            let shown = Some(origin.shown.clone());
            return self.buffer.tell(Problem::notice(shown, what));
        }
        self.watch.lap(Class::Open);
        self.named(place, file.as_fd(), origin.kind == RootKind::File);
        drop(file);
        self.watch.lap(Class::Open);
    }

    pub(crate) fn job(&self) -> &'j Job<'j> {
        self.job
    }

    pub(crate) fn which<'p>(&self, place: Place<'p>, name: &'p [u8]) -> Which<'p> {
        Which {
            place,
            name,
            nul: self.nul_or(Nul::Ends),
            stream: false,
        }
    }

    fn nul_or(&self, otherwise: Nul) -> Nul {
        match self.job.text {
            true => Nul::IsText,
            false => otherwise,
        }
    }

    fn named(&mut self, place: Place<'_>, file: BorrowedFd<'_>, is_file: bool) {
        let which = Which {
            place,
            name: b"",
            nul: self.nul_or(Nul::IsLineFeed),
            stream: !is_file,
        };
        let reads = match is_file {
            true => reads_of(file),
            false => Reads::Parts,
        };
        self.opened(&which, file, reads);
        self.pause();
    }

    pub(crate) fn opened(&mut self, which: &Which<'_>, file: BorrowedFd<'_>, reads: Reads) {
        self.counts.files += 1;
        let mapped = match self.job.io {
            Io::Mmap => Mapped::of(file),
            _ => Ok(None),
        };
        self.watch.lap(Class::Read);
        match mapped {
            Ok(Some(mapped)) => {
                let end = self.mapped(which, &mapped, file, reads);
                self.ended(which, end);
            }
            // What cannot be mapped can be read.
            Ok(None) | Err(_) => self.begun(which, file, reads, Begun::default()),
        }
    }

    /// `begun` is already in the buffer. Large files are searched by all flows.
    pub(crate) fn begun(
        &mut self,
        which: &Which<'_>,
        file: BorrowedFd<'_>,
        reads: Reads,
        begun: Begun,
    ) {
        let begun = match self.rolling.begin(begun, file, reads) {
            Ok(begun) => begun,
            Err(error) => return self.ended(which, Err(error)),
        };
        let may_be_large = !begun.ended && reads == Reads::Whole;
        if let Some(large) = self.job.large.filter(|_| may_be_large)
            && self.leads(large, which, file, begun)
        {
            return;
        }
        let end = self.view(which, |rolling, view| {
            rolling.view_begun(begun, file, reads, which.nul, view)
        });
        self.ended(which, end);
    }

    pub(crate) fn head(&mut self, head: &[u8]) {
        self.rolling.buffer()[..head.len()].copy_from_slice(head);
    }

    pub(crate) fn begun_text(&self, begun: Begun) -> &[u8] {
        self.rolling.begun(begun)
    }

    #[inline]
    pub(crate) fn has_chunks(&self) -> bool {
        self.job.large.is_some_and(Large::is_open)
    }

    pub(crate) fn pause(&mut self) {
        if !self.has_chunks() {
            self.buffer.pause();
        }
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

    pub(crate) fn view(
        &mut self,
        which: &Which<'_>,
        look: impl FnOnce(&mut Rolling, &mut View<'_, '_, 's>) -> io::Result<End>,
    ) -> io::Result<End> {
        let mut view = View::new(
            self.job,
            &self.lines,
            which,
            &mut self.buffer,
            &mut self.counts,
            &mut self.watch,
        );
        let end = look(&mut self.rolling, &mut view);
        if let Ok(End::Binary(at)) = end {
            view.turned_out_binary(at);
        }
        view.conclude();
        end
    }

    pub(crate) fn ended(&mut self, which: &Which<'_>, end: io::Result<End>) {
        self.watch.lap(Class::Search);
        match end {
            Ok(_) => {}
            // It has become a folder since it was listed.
            Err(error) if error.raw_os_error() == Some(libc::EISDIR) && !which.name.is_empty() => {
                self.counts.files -= 1;
            }
            Err(error) => self.failed(which.place, which.name, &error),
        }
        let may_wait = self.has_chunks();
        self.buffer.end(may_wait, || {
            let place = which.place;
            Key::new(place.root, join(place.path, which.name).into_vec())
        });
        self.watch.lap(Class::Print);
    }

    #[cold]
    pub(crate) fn not_opened(&mut self, which: &Which<'_>, errno: Errno) {
        // It has become a link or a socket since it was listed.
        if !matches!(errno, Errno::ELOOP | Errno::ENXIO) {
            self.failed(which.place, which.name, &errno.into());
        }
    }

    #[cold]
    pub(crate) fn failed(&mut self, place: Place<'_>, name: &[u8], error: &io::Error) {
        let problem = self.problem(place, name, error);
        self.buffer.tell(problem);
    }

    pub(crate) fn problem(&self, place: Place<'_>, name: &[u8], error: &io::Error) -> Problem {
        let mut shown = Vec::new();
        let origin = &self.job.roots[place.root as usize];
        origin.show(place.path, name, &mut shown);
        if shown.last() == Some(&b'/') && shown.len() > 1 {
            shown.pop();
        }
        if shown.is_empty() {
            shown.extend_from_slice(origin.shown.as_os_str().as_bytes());
        }
        let path = PathBuf::from(std::ffi::OsStr::from_bytes(&shown));
        Problem::on(path, error)
    }

    pub(crate) fn totals(&self) -> Totals {
        Totals {
            counts: self.counts,
            profile: self.watch.profile(),
        }
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.job.stop.load(Ordering::Relaxed)
    }
}

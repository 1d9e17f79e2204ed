use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::sys::stat::{SFlag, fstat};

use super::progress::{GoesOn, Outcome, Progress};
use super::{Claim, Large, LargeFile, Piece};
use crate::file::FileSearch;
use crate::locks::held;
use crate::outlet::{Deliver, Key, Together};
use crate::output_buffer::OutputBuffer;
use crate::place::{Place, Which, join};
use crate::plan::FileId;
use crate::problem::Problem;
use crate::read::rolling::Begun;
use crate::read::text::{Mark, Nul, Viewer};
use crate::report::{Class, Counts};
use crate::view::View;

#[derive(Debug)]
pub(crate) struct Lead {
    file: Led,
    open: OwnedFd,
}

#[derive(Debug)]
struct Led(Arc<LargeFile>);

impl Drop for Led {
    fn drop(&mut self) {
        self.0.led.store(false, Ordering::Release);
    }
}

impl LargeFile {
    fn which(&self) -> Which<'_> {
        Which {
            place: Place {
                root: self.root,
                path: &self.path,
            },
            name: self.name.to_bytes(),
            nul: self.nul,
            stream: false,
        }
    }
}

impl<'j> FileSearch<'j, '_> {
    /// If a file is large (its first block is in the buffer), all flows search it from here on.
    #[cold]
    pub(crate) fn leads(
        &mut self,
        large: &Large<'j>,
        which: &Which<'_>,
        file: BorrowedFd<'_>,
        begun: Begun,
    ) -> bool {
        let Mark::Utf8(mark) = Mark::of(self.begun_text(begun)) else {
            return false;
        };
        let Ok(stat) = fstat(file) else {
            return false;
        };
        let kind = SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT;
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        if kind != SFlag::S_IFREG || size < large.sizes.large {
            return false;
        }
        let (Ok(open), Ok(name)) = (file.try_clone_to_owned(), CString::new(which.name)) else {
            return false;
        };
        let file = large.add(LargeFile {
            root: which.place.root,
            path: which.place.path.into(),
            name,
            nul: which.nul,
            mark,
            id: FileId::told(&stat),
            led: AtomicBool::new(true),
        });
        let file = Led(file);
        self.leads.push(Lead { file, open });
        true
    }

    /// Until all are claimed or `leaves` is true, which is asked before each.
    pub(crate) fn chunks(&mut self, large: &Large<'j>, mut leaves: impl FnMut() -> bool) {
        let mut unable = Vec::new();
        while !self.is_stopped() && !leaves() {
            let Some(file) = large.first(&unable) else {
                break;
            };
            match self.open_large(&file) {
                Ok((open, _led)) => self.chunks_of(large, &file, open.as_fd(), &mut leaves),
                // Its finder has it open.
                Err(_) if file.led.load(Ordering::Acquire) => unable.push(file),
                Err(error) => self.give_up(large, &file, error),
            }
        }
        if !large.is_open() {
            self.leads.clear();
        }
    }

    fn chunks_of(
        &mut self,
        large: &Large<'j>,
        file: &Arc<LargeFile>,
        open: BorrowedFd<'_>,
        leaves: &mut impl FnMut() -> bool,
    ) {
        self.watch.lap(Class::Open);
        while let Some(claim) = large.claim(file) {
            self.watch.lap(Class::Wait);
            self.chunk(claim, open);
            self.hand_over(large);
            if self.is_stopped() || leaves() {
                break;
            }
        }
        self.watch.lap(Class::Wait);
    }

    fn open_large(&mut self, file: &Arc<LargeFile>) -> io::Result<(OwnedFd, Option<Led>)> {
        let mut leads = self.leads.iter();
        let Some(place) = leads.position(|lead| Arc::ptr_eq(&lead.file.0, file)) else {
            return Ok((self.open_again(file)?, None));
        };
        let Lead { file, open } = self.leads.swap_remove(place);
        Ok((open, Some(file)))
    }

    fn open_again(&self, file: &LargeFile) -> io::Result<OwnedFd> {
        let origin = &self.job.roots[file.root as usize];
        let open = match file.name.is_empty() {
            true => origin.open()?.as_fd().try_clone_to_owned()?,
            false => origin.file_below(&file.path, &file.name)?,
        };
        match file.id.is(open.as_fd()) {
            true => Ok(open),
            false => Err(io::Error::other("it was replaced while it was searched")),
        }
    }

    fn give_up(&mut self, large: &Large<'j>, file: &Arc<LargeFile>, error: io::Error) {
        if let Some(claim) = large.claim(file) {
            claim.finish(Outcome::failed(error));
            self.hand_over(large);
        }
    }

    fn chunk(&mut self, claim: Claim<'_, 'j>, file: BorrowedFd<'_>) {
        let mut spill = Spill::of(&claim);
        let outcome = self.search_chunk(&claim, file, &mut spill);
        let mut outcome = outcome.unwrap_or_else(Outcome::failed);
        let Spill { kept, fate, .. } = spill;
        let large = claim.large;
        let rest = std::mem::replace(&mut outcome.text, kept);
        match fate {
            Fate::Kept => outcome.text.extend_from_slice(&rest),
            Fate::Delivered => held(large.to).text(&rest, true),
            Fate::Dropped => {}
        }
        claim.finish(outcome);
        if fate == Fate::Delivered {
            large.has_delivered();
        }
        self.watch.lap(Class::Print);
    }

    fn search_chunk(
        &mut self,
        claim: &Claim<'_, 'j>,
        file: BorrowedFd<'_>,
        spill: &mut Spill<'_, '_, 'j>,
    ) -> io::Result<Outcome> {
        let (sizes, of) = (claim.large.sizes, &claim.file);
        let chunk = self.chunk.read(file, claim.begin(), sizes, of.nul)?;
        self.watch.lap(Class::Read);
        if chunk.ended {
            claim.is_last();
        }
        if self.job.style.line_numbers {
            claim.publish(self.chunk.feeds());
        }
        let (first, rest) = self.chunk.lines(&chunk, file, sizes, of.nul, of.mark)?;
        let mut counts = Counts::default();
        let mut buffer = OutputBuffer::new(self.job.style, Box::new(spill));
        let base = || claim.base();
        let which = of.which();
        let (job, lines, watch) = (self.job, &self.lines, &mut self.watch);
        let mut view = View::new(job, lines, &which, &mut buffer, &mut counts, watch).after(&base);
        let mut broke = !first.text.is_empty() && view.window(first.text, first.offset).is_break();
        if let Some(at) = chunk.nul_at.filter(|_| of.nul == Nul::IsLineFeed) {
            view.met_nul(at);
        }
        broke = broke || (!rest.text.is_empty() && view.window(rest.text, rest.offset).is_break());
        let seen = view.seen();
        let own_end = claim.begin() + chunk.length as u64;
        // Blocks are searched whole.
        let block_of = |end: u64| end.next_multiple_of(sizes.block as u64).min(own_end);
        let (end, goes_on) = match chunk.nul_at.filter(|_| of.nul == Nul::Ends) {
            _ if broke => (block_of(seen.last_end), GoesOn::No),
            Some(at) => (block_of(at + 1), GoesOn::Binary(at)),
            None if chunk.ended => (own_end, GoesOn::No),
            None => (own_end, GoesOn::Yes),
        };
        Ok(Outcome {
            text: buffer.into_text(),
            seen,
            checksum: counts.checksum,
            end,
            first_end: block_of(seen.first_end),
            goes_on,
        })
    }

    fn hand_over(&mut self, large: &Large<'j>) {
        while let Some(Piece { file, text, whole }) = large.next_piece() {
            if self.job.style.sort {
                if !text.is_empty() {
                    held(large.to).sorted(key(&file), &text);
                }
            } else if !text.is_empty() {
                held(large.to).text(&text, true);
            }
            if let Some(progress) = whole {
                self.conclude(&progress, large.to);
            }
            large.has_delivered();
        }
        self.watch.lap(Class::Print);
    }

    fn conclude(&mut self, progress: &Progress, to: &'j Together<'j>) {
        let (file, sum) = (&progress.file, &progress.sum);
        let parted = progress.parted && !self.job.style.sort;
        let mut buffer = OutputBuffer::new(self.job.style, Box::new(to)).parted(parted);
        let which = file.which();
        let (job, lines, watch) = (self.job, &self.lines, &mut self.watch);
        let counts = &mut self.counts;
        counts.bytes += sum.bytes;
        counts.checksum = counts.checksum.wrapping_add(sum.checksum);
        let mut view = View::new(job, lines, &which, &mut buffer, counts, watch)
            .having(sum.found, sum.remarked);
        if let Some(at) = sum.nul_at.filter(|_| sum.owes_remark) {
            view.remark(at);
        }
        if let Some(at) = sum.binary_at {
            view.turned_out_binary(at);
        }
        view.conclude();
        if let Some(error) = &sum.error {
            let problem = self.problem(which.place, which.name, error);
            buffer.tell(problem);
        }
        buffer.end(false, || key(file));
        buffer.deliver();
    }
}

fn key(file: &LargeFile) -> Key {
    let path = join(&file.path, file.name.to_bytes());
    Key::new(file.root, path.into_vec())
}

struct Spill<'s, 'c, 'l> {
    claim: &'s Claim<'c, 'l>,
    kept: Vec<u8>,
    fate: Fate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Kept,
    Delivered,
    Dropped,
}

impl<'s, 'c, 'l> Spill<'s, 'c, 'l> {
    fn of(claim: &'s Claim<'c, 'l>) -> Spill<'s, 'c, 'l> {
        Spill {
            claim,
            kept: Vec::new(),
            fate: Fate::Kept,
        }
    }
}

impl Deliver for &mut Spill<'_, '_, '_> {
    fn text(&mut self, text: &[u8], _: bool) {
        let large = self.claim.large;
        match self.fate {
            Fate::Delivered => held(large.to).text(text, true),
            Fate::Dropped => {}
            Fate::Kept => self.kept.extend_from_slice(text),
        }
        if self.kept.len() > large.sizes.spill {
            let kept = std::mem::take(&mut self.kept);
            self.fate = Fate::Dropped;
            if self.claim.turn() {
                self.fate = Fate::Delivered;
                held(large.to).text(&kept, true);
            }
        }
    }

    fn sorted(&mut self, _: Key, text: &[u8]) {
        self.kept.extend_from_slice(text);
    }

    fn tell(&mut self, problem: Problem) {
        held(self.claim.large.to).tell(problem);
    }
}

//! Single pages of a process, by `/proc/PID/pagemap`: 8 bytes each. Bit 63: it is in memory; bit
//! 61: of a file or of shared memory; bit 56: no other process maps it; the low 55 bits: the
//! physical page's number, which reads 0 without `CAP_SYS_ADMIN` since Linux 4.2: *hidden*.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use nix::errno::Errno;

use crate::Measured;

const ENTRY: usize = 8;
const AT_ONCE: u64 = 8_192;
const PRESENT: u64 = 1 << 63;
const EXCLUSIVE: u64 = 1 << 56;
const OF_FILE: u64 = 1 << 61;
const FRAME: u64 = (1 << 55) - 1;

/// A page as the kernel tells of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    entry: u64,
}

impl Page {
    /// Whether it is in memory.
    #[must_use]
    pub fn is_present(self) -> bool {
        self.entry & PRESENT != 0
    }

    /// Whether this process alone maps it.
    #[must_use]
    pub fn is_exclusive(self) -> bool {
        self.entry & EXCLUSIVE != 0
    }

    /// Whether it is a page of a file, or of shared memory, and no copy of this process's own.
    #[must_use]
    pub fn is_of_file(self) -> bool {
        self.entry & OF_FILE != 0
    }

    /// The number of the physical page; `None` where it is hidden or there is none.
    #[must_use]
    pub fn frame(self) -> Option<u64> {
        let frame = self.entry & FRAME;
        (self.is_present() && frame != 0).then_some(frame)
    }
}

/// The pages of one process.
#[derive(Debug)]
pub struct Pagemap {
    file: File,
}

impl Pagemap {
    /// Pages of a process; not available if the kernel lacks or denies the file.
    #[must_use]
    pub fn of(pid: i32) -> Measured<Self> {
        Self::open(Path::new(&format!("/proc/{pid}/pagemap")))
    }

    pub(crate) fn open(path: &Path) -> Measured<Self> {
        match File::open(path) {
            Ok(file) => Measured::Value(Self { file }),
            Err(error) => unreadable(path, &error),
        }
    }

    /// Hands `count` pages from number `first` on to `each`, with their numbers.
    #[must_use]
    pub fn read(&self, first: u64, count: u64, mut each: impl FnMut(u64, Page)) -> Measured<()> {
        let mut bytes = vec![0; AT_ONCE.min(count) as usize * ENTRY];
        let mut at = first;
        while at < first + count {
            let part = (first + count - at).min(AT_ONCE);
            let bytes = &mut bytes[..part as usize * ENTRY];
            if let Err(error) = self.file.read_exact_at(bytes, at * ENTRY as u64) {
                return unreadable(Path::new("/proc/PID/pagemap"), &error);
            }
            let entries = bytes.as_chunks::<ENTRY>().0.iter();
            for (page, entry) in (at..).zip(entries) {
                let entry = u64::from_ne_bytes(*entry);
                each(page, Page { entry });
            }
            at += part;
        }
        Measured::Value(())
    }
}

fn unreadable<T>(path: &Path, error: &io::Error) -> Measured<T> {
    let remedy = match error.raw_os_error().map(Errno::from_raw) {
        Some(Errno::ENOENT) => "use a kernel with CONFIG_PROC_PAGE_MONITOR",
        Some(Errno::EACCES | Errno::EPERM) => "run as the user that owns the processes, or as root",
        _ => "",
    };
    Measured::not_available(format!("cannot read {}: {error}", path.display()), remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_was_written_is_in_memory_and_ours_alone() {
        let page_bytes = 4096;
        let memory = vec![1_u8; 64 * page_bytes];
        let first = memory.as_ptr().addr() / page_bytes + 1;
        let map = Pagemap::of(std::process::id() as i32);
        let mut pages = Vec::new();
        let read = map.and_then(|map| map.read(first as u64, 8, |at, page| pages.push((at, page))));
        if let Measured::NotAvailable { reason, .. } = read {
            assert!(reason.contains("pagemap"), "{reason}");
            return;
        }
        assert_eq!(pages.len(), 8);
        assert_eq!(pages[7].0, first as u64 + 7);
        assert!(pages.iter().all(|(_, page)| page.is_present()));
        assert!(pages.iter().all(|(_, page)| page.is_exclusive()));
        assert_eq!(memory[page_bytes], 1);
    }

    #[test]
    fn a_hidden_number_is_no_number() {
        let present = Page { entry: PRESENT };
        assert!(present.is_present() && !present.is_exclusive());
        assert_eq!(present.frame(), None);
        assert_eq!(Page { entry: PRESENT | 7 }.frame(), Some(7));
        assert_eq!(Page { entry: 7 }.frame(), None, "swapped out");
    }

    #[test]
    fn a_file_that_is_not_there_says_what_to_do() {
        let empty = tempfile::tempdir().unwrap();
        let missing = empty.path().join("pagemap");
        let none = Pagemap::open(&missing);
        let Measured::NotAvailable { reason, remedy } = none else {
            panic!("it is there")
        };
        let named = missing.display().to_string();
        assert!(reason.contains(&named), "{reason}");
        assert!(remedy.contains("CONFIG_PROC_PAGE_MONITOR"), "{remedy}");
    }
}

use std::fs;
use std::io;
use std::sync::atomic::Ordering;

use sys::{Advice, Mapping, Of};

use super::{Pages, ParentMemory};
use crate::page_bytes;

const HUGE_SIZE: &str = "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size";

/// Parent memory, mapped until it is dropped.
#[derive(Debug)]
pub struct HeldParentMemory {
    mapping: Mapping,
    pages: Pages,
    page: usize,
}

impl HeldParentMemory {
    /// Maps the parent memory and touches all of it. An error says why not, and what would help.
    pub fn take(parent_memory: ParentMemory) -> io::Result<Self> {
        let page = page_bytes();
        let mapped = match parent_memory.pages {
            Pages::Huge => {
                let huge = huge_bytes()?;
                let length = whole_pages(parent_memory.bytes, huge)?;
                Mapping::on_boundary(length, Of::Private, size(huge)?, 0)
            }
            Pages::Small | Pages::DontFork => {
                Mapping::new(whole_pages(parent_memory.bytes, page)?, Of::Private)
            }
            Pages::Shared => Mapping::new(whole_pages(parent_memory.bytes, page)?, Of::Shared),
        };
        let held = Self {
            mapping: mapped.map_err(|error| cannot(parent_memory, &error))?,
            pages: parent_memory.pages,
            page: size(page)?,
        };
        held.advise_pages(parent_memory.pages)?;
        held.renew()?;
        Ok(held)
    }

    /// Undoes a fork's write protection by a write to every page; fails if huge pages were lost.
    pub fn renew(&self) -> io::Result<()> {
        self.touch();
        match self.pages {
            Pages::Huge => self.check_huge(),
            Pages::Small | Pages::Shared | Pages::DontFork => Ok(()),
        }
    }

    fn touch(&self) {
        for offset in (0..self.mapping.len()).step_by(self.page) {
            let word = self.mapping.word(offset / size_of::<u64>());
            word.store(1, Ordering::Relaxed);
        }
    }

    fn advise_pages(&self, pages: Pages) -> io::Result<()> {
        match pages {
            Pages::Huge => self.mapping.advise(Advice::HugePages).map_err(|error| {
                not_huge(&format!(
                    "this kernel gives no huge pages on request: {error}"
                ))
            }),
            Pages::Shared => Ok(()),
            Pages::Small => self.only_small(),
            Pages::DontFork => {
                self.only_small()?;
                self.mapping.advise(Advice::NotInForks)
            }
        }
    }

    /// A kernel without huge pages refuses the advice and has only small ones.
    fn only_small(&self) -> io::Result<()> {
        match self.mapping.advise(Advice::NoHugePages) {
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => Ok(()),
            advised => advised,
        }
    }

    fn address(&self) -> usize {
        self.mapping.base().addr().get()
    }

    fn check_huge(&self) -> io::Result<()> {
        let smaps = fs::read_to_string("/proc/self/smaps")
            .map_err(|error| not_huge(&format!("/proc/self/smaps does not tell: {error}")))?;
        let (from, length) = (self.address(), self.mapping.len());
        let huge = huge_within(&smaps, from, from + length);
        if huge >= length as u64 {
            return Ok(());
        }
        Err(not_huge(&format!(
            "of {} MiB the kernel put {} MiB into huge pages",
            length >> 20,
            huge >> 20
        )))
    }
}

fn huge_within(smaps: &str, from: usize, to: usize) -> u64 {
    let mut inside = false;
    let mut huge = 0;
    for line in smaps.lines() {
        if let Some((start, end)) = mapping(line) {
            inside = start < to && from < end;
        } else if let Some(kib) = line.strip_prefix("AnonHugePages:") {
            let kib = kib.trim().trim_end_matches(" kB").trim_end();
            huge += if inside { kib.parse().unwrap_or(0) } else { 0 };
        }
    }
    huge * 1024
}

fn mapping(line: &str) -> Option<(usize, usize)> {
    let (start, end) = line.split_whitespace().next()?.split_once('-')?;
    let address = |text| usize::from_str_radix(text, 16).ok();
    Some((address(start)?, address(end)?))
}

fn huge_bytes() -> io::Result<u64> {
    let told = fs::read_to_string(HUGE_SIZE).ok();
    let bytes = told.and_then(|text| text.trim().parse::<u64>().ok());
    bytes
        .filter(|bytes| bytes.is_power_of_two())
        .ok_or_else(|| not_huge("this kernel has no transparent huge pages"))
}

fn not_huge(reason: &str) -> io::Error {
    io::Error::other(format!(
        "parent memory in huge pages is not available: {reason} (echo madvise | sudo tee \
         /sys/kernel/mm/transparent_hugepage/enabled; or free memory, so that whole huge pages \
         can be had)"
    ))
}

fn cannot(parent_memory: ParentMemory, error: &io::Error) -> io::Error {
    io::Error::other(format!(
        "cannot have parent memory of {parent_memory}: {error}; use less of it"
    ))
}

fn too_large() -> io::Error {
    io::Error::other("so much parent memory would exceed the address space")
}

fn size(bytes: u64) -> io::Result<usize> {
    usize::try_from(bytes).map_err(|_| too_large())
}

fn whole_pages(bytes: u64, page: u64) -> io::Result<usize> {
    let whole = bytes.max(1).checked_next_multiple_of(page);
    size(whole.ok_or_else(too_large)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: u64 = 8 << 20;

    fn held(pages: Pages) -> HeldParentMemory {
        HeldParentMemory::take(ParentMemory {
            bytes: BYTES,
            pages,
        })
        .unwrap()
    }

    /// The lines of the mapping that holds the parent memory.
    fn lines(held: &HeldParentMemory) -> String {
        let smaps = fs::read_to_string("/proc/self/smaps").unwrap();
        let at = held.address();
        let mut inside = false;
        let its = |line: &&str| {
            if let Some((start, end)) = mapping(line) {
                inside = (start..end).contains(&at);
            }
            inside
        };
        smaps.lines().filter(its).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn small_pages_stay_small_and_are_all_there() {
        let held = held(Pages::Small);
        let lines = lines(&held);
        assert!(lines.contains("AnonHugePages:         0 kB"), "{lines}");
        let (from, length) = (held.address(), held.mapping.len());
        let smaps = fs::read_to_string("/proc/self/smaps").unwrap();
        assert_eq!(huge_within(&smaps, from, from + length), 0);
        assert_eq!(length as u64, BYTES);
    }

    #[test]
    fn what_is_kept_from_children_says_so() {
        if skipped::is_emulated() {
            return skipped::skipped("qemu-user gives children all memory");
        }
        let lines = lines(&held(Pages::DontFork));
        let flags = lines.lines().find(|line| line.starts_with("VmFlags"));
        assert!(flags.unwrap().contains(" dc"), "{lines}");
    }

    #[test]
    fn a_shared_mapping_is_shared() {
        let held = held(Pages::Shared);
        let lines = lines(&held);
        assert!(lines.lines().next().unwrap().contains("rw-s"), "{lines}");
    }

    #[test]
    fn huge_pages_are_had_whole_or_refused_with_the_way_out() {
        let parent_memory = ParentMemory {
            bytes: BYTES,
            pages: Pages::Huge,
        };
        match HeldParentMemory::take(parent_memory) {
            Ok(held) => assert!(held.check_huge().is_ok()),
            Err(error) => {
                let error = error.to_string();
                assert!(error.contains("not available") && error.contains("madvise"));
            }
        }
    }

    #[test]
    fn only_mappings_in_the_range_are_counted() {
        let smaps = "1000-2000 rw-p 0 00:00 0\nAnonHugePages:  2048 kB\n\
                     3000-5000 rw-p 0 00:00 0\nRss: 9 kB\nAnonHugePages:  4096 kB\n";
        assert_eq!(huge_within(smaps, 0x3000, 0x4000), 4096 * 1024);
        assert_eq!(huge_within(smaps, 0x2000, 0x3000), 0);
        assert_eq!(huge_within(smaps, 0x1000, 0x5000), 6144 * 1024);
    }

    #[test]
    fn more_than_there_can_be_is_refused_by_name() {
        let parent_memory = ParentMemory {
            bytes: 1 << 60,
            pages: Pages::Small,
        };
        let error = HeldParentMemory::take(parent_memory)
            .unwrap_err()
            .to_string();
        assert!(error.contains("1073741824G"), "{error}");
    }
}

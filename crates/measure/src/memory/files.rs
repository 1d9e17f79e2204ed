//! The pages of files that a group of processes maps, each counted once. PSS divides a page by
//! *all* processes that map it, every run of the same program too. Only pages of files are shared
//! with the outside of a fresh process's tree. So they are counted by what they are (which page of
//! which file), without physical page numbers, which only root may see: `maps` names the file of an
//! address, `pagemap` says which of its pages are mapped (bit 63) and still the file's own (bit 61;
//! a written page is an anonymous copy). Not counted here is what `smaps_rollup` counts as shared
//! memory: files on tmpfs, memfd, System V segments, shared anonymous mappings.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::pagemap::Pagemap;

/// Device and inode, as `maps` has them.
type FileId<'t> = (&'t str, &'t str);

type Pages = Vec<u64>;

pub(super) fn mapped(root: &Path, pids: &[i32], page: u64) -> Option<u64> {
    let in_memory = in_memory(&fs::read_to_string(root.join("self/mountinfo")).ok()?);
    let mut files: BTreeMap<(String, String), Pages> = BTreeMap::new();
    for pid in pids {
        let folder = root.join(pid.to_string());
        let maps = fs::read_to_string(folder.join("maps")).ok()?;
        let map = Pagemap::open(&folder.join("pagemap")).into_value()?;
        let mappings = maps.lines().filter_map(Mapping::parse);
        for mapping in mappings.filter(|mapping| !mapping.is_memory(&in_memory)) {
            let (device, inode) = mapping.file;
            let pages = files.entry((device.to_owned(), inode.to_owned()));
            mapping.add_to(pages.or_default(), &map, page)?;
        }
    }
    let bits = files.values().flatten();
    Some(bits.map(|word| u64::from(word.count_ones())).sum())
}

fn in_memory(mountinfo: &str) -> BTreeSet<String> {
    let tmpfs = mountinfo.lines().filter(|line| {
        let kind = line.split(" - ").nth(1);
        kind.is_some_and(|kind| kind.starts_with("tmpfs ") || kind.starts_with("devtmpfs "))
    });
    let device = |line: &str| {
        let (major, minor) = line.split(' ').nth(2)?.split_once(':')?;
        let hex = |number: &str| number.parse::<u32>().ok();
        Some(format!("{:02x}:{:02x}", hex(major)?, hex(minor)?))
    };
    tmpfs.filter_map(device).collect()
}

struct Mapping<'t> {
    from: u64,
    to: u64,
    offset: u64,
    file: FileId<'t>,
    path: &'t str,
}

impl<'t> Mapping<'t> {
    /// `55d0c5a4b000-55d0c5a4f000 r-xp 00002000 fe:00 1966201   /usr/bin/cat`.
    fn parse(line: &'t str) -> Option<Self> {
        let mut words = line.splitn(6, ' ');
        let (from, to) = words.next()?.split_once('-')?;
        let _access = words.next()?;
        let offset = words.next()?;
        let file = (words.next()?, words.next()?);
        let hex = |number| u64::from_str_radix(number, 16).ok();
        (file.1 != "0").then_some(())?;
        Some(Self {
            from: hex(from)?,
            to: hex(to)?,
            offset: hex(offset)?,
            file,
            path: words.next().unwrap_or_default().trim_start(),
        })
    }

    fn is_memory(&self, devices: &BTreeSet<String>) -> bool {
        let kernels_own = ["/memfd:", "/dev/zero", "/SYSV", "/[aio]"];
        devices.contains(self.file.0) || kernels_own.iter().any(|own| self.path.starts_with(own))
    }

    fn add_to(&self, pages: &mut Pages, map: &Pagemap, page: u64) -> Option<()> {
        let (first, count) = (self.from / page, (self.to - self.from) / page);
        let offset = self.offset / page;
        let read = map.read(first, count, |at, mapped| {
            if mapped.is_present() && mapped.is_of_file() {
                let place = offset + (at - first);
                let word = (place / 64) as usize;
                if pages.len() <= word {
                    pages.resize(word + 1, 0);
                }
                pages[word] |= 1 << (place % 64);
            }
        });
        read.into_value()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_a_file_are_read_and_shared_memory_is_none() {
        let line = "7f00-7f02000 r-xp 00003000 fe:00 1966201                  /usr/bin/cat it";
        let mapping = Mapping::parse(line).unwrap();
        assert_eq!((mapping.from, mapping.to), (0x7f00, 0x7f02000));
        assert_eq!(
            (mapping.offset, mapping.file),
            (0x3000, ("fe:00", "1966201"))
        );
        assert_eq!(mapping.path, "/usr/bin/cat it");
        assert!(Mapping::parse("7f00-7f01 rw-p 00000000 00:00 0   [heap]").is_none());
        let info =
            "24 1 254:0 / / rw - ext4 /dev/vda rw\n25 24 0:23 / /dev/shm rw - tmpfs tmpfs rw\n";
        let devices = in_memory(info);
        assert!(!mapping.is_memory(&devices));
        for shared in [
            "7f00-7f01 rw-s 00000000 00:17 5   /dev/shm/mine",
            "7f00-7f01 rw-s 00000000 00:01 1024   /memfd:results (deleted)",
            "7f00-7f01 rw-s 00000000 00:01 1025   /dev/zero (deleted)",
        ] {
            let mapping = Mapping::parse(shared).unwrap();
            assert!(mapping.is_memory(&devices), "{shared}");
        }
    }
}

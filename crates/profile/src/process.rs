//! The processes of a slot as the records tell of them: what they execute, and what their addresses mean.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::rc::Rc;

use measure::ring_record::Mapping;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Image {
    Slot,
    /// Between `execve` and the first map.
    New,
    /// This program again: a load generator, a rank.
    Own,
    Launched,
}

#[derive(Debug, Clone)]
struct Process {
    image: Image,
    maps: Rc<Vec<Mapping>>,
}

#[derive(Debug)]
pub(crate) struct Processes {
    all: HashMap<i32, Process>,
    own_inode: Option<u64>,
}

impl Processes {
    pub(crate) fn of_slot(pid: i32) -> Self {
        let maps = std::fs::read_to_string(format!("/proc/{pid}/maps"));
        let maps = maps.iter().flat_map(|text| text.lines());
        let slot = Process {
            image: Image::Slot,
            maps: Rc::new(maps.filter_map(mapping).collect()),
        };
        let own = std::fs::metadata(format!("/proc/{pid}/exe")).ok();
        Self {
            all: HashMap::from([(pid, slot)]),
            own_inode: own.map(|own| own.ino()),
        }
    }

    pub(crate) fn fork(&mut self, parent: i32, child: i32) {
        if parent != child
            && let Some(process) = self.all.get(&parent).cloned()
        {
            self.all.insert(child, process);
        }
    }

    pub(crate) fn exec(&mut self, pid: i32) {
        let new = Process {
            image: Image::New,
            maps: Rc::default(),
        };
        self.all.insert(pid, new);
    }

    pub(crate) fn map(&mut self, pid: i32, mapping: Mapping) {
        let Some(process) = self.all.get_mut(&pid) else {
            return;
        };
        if process.image == Image::New {
            process.image = match self.own_inode == Some(mapping.inode) {
                true => Image::Own,
                false => Image::Launched,
            };
        }
        let maps = Rc::make_mut(&mut process.maps);
        maps.retain(|old| old.to <= mapping.from || mapping.to <= old.from);
        let at = maps.partition_point(|old| old.from < mapping.from);
        maps.insert(at, mapping);
    }

    pub(crate) fn launched(&self) -> impl Iterator<Item = i32> {
        let all = self.all.iter();
        all.filter(|(_, process)| process.image == Image::Launched)
            .map(|(pid, _)| *pid)
    }

    pub(crate) fn image(&self, pid: i32) -> Option<Image> {
        self.all.get(&pid).map(|process| process.image)
    }

    pub(crate) fn mapping(&self, pid: i32, address: u64) -> Option<Mapping> {
        let maps = &self.all.get(&pid)?.maps;
        let at = maps.partition_point(|map| map.to <= address);
        maps.get(at).filter(|map| map.from <= address).cloned()
    }
}

/// A line of `/proc/PID/maps`, of code.
fn mapping(line: &str) -> Option<Mapping> {
    let mut words = line.split_ascii_whitespace();
    let (from, to) = words.next()?.split_once('-')?;
    words.next().filter(|rights| rights.contains('x'))?;
    let offset = words.next()?;
    let inode = words.nth(1)?;
    let hex = |text| u64::from_str_radix(text, 16).ok();
    Some(Mapping {
        from: hex(from)?,
        to: hex(to)?,
        offset: hex(offset)?,
        inode: inode.parse().ok()?,
        path: words.next().unwrap_or("//anon").into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(from: u64, to: u64, inode: u64) -> Mapping {
        Mapping {
            from,
            to,
            offset: 0,
            inode,
            path: format!("/f{inode}").into(),
        }
    }

    fn processes(own_inode: u64) -> Processes {
        let slot = Process {
            image: Image::Slot,
            maps: Rc::new(vec![map(100, 200, own_inode)]),
        };
        Processes {
            all: HashMap::from([(1, slot)]),
            own_inode: Some(own_inode),
        }
    }

    #[test]
    fn an_address_means_what_the_last_map_of_its_process_says() {
        let mut all = processes(9);
        all.fork(1, 2);
        all.map(2, map(150, 160, 4));
        let inode = |pid, at| all.mapping(pid, at).map(|map| map.inode);
        assert_eq!(inode(1, 155), Some(9), "the parent has its own");
        assert_eq!([inode(2, 155), inode(2, 120)], [Some(4), None]);
    }

    #[test]
    fn what_is_executed_is_known_by_its_first_map() {
        let mut all = processes(9);
        for (pid, inode) in [(2, 4), (3, 9)] {
            all.fork(1, pid);
            assert_eq!(all.image(pid), Some(Image::Slot));
            all.exec(pid);
            assert_eq!(all.image(pid), Some(Image::New));
            all.map(pid, map(0, 10, inode));
            all.map(pid, map(20, 30, 9));
        }
        assert_eq!(all.image(2), Some(Image::Launched));
        assert_eq!(all.image(3), Some(Image::Own));
    }

    #[test]
    fn own_maps_are_read_and_only_code_counts() {
        let line = "7f00-7fff r-xp 00001000 08:01 42    /usr/bin/true";
        let found = mapping(line).unwrap();
        assert_eq!(
            (found.from, found.to, found.offset, found.inode),
            (0x7f00, 0x7fff, 0x1000, 42)
        );
        assert_eq!(mapping(&line.replace("r-xp", "rw-p")), None);
    }
}

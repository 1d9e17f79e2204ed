//! Callers of functions that have no frame pointers, from the tables by which exceptions find their way (`.eh_frame`),
//! the registers of a sample and the top of its stack. A stack is unwound when it is read from its ring, as it is too
//! large to be kept. Where it cannot be, the chain of frame pointers stays. Code without a file is passed by its frame
//! pointer.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use framehop::{
    CacheNative, ExplicitModuleSectionInfo, FrameAddress, MayAllocateDuringUnwind, Module,
    UnwindRegsNative, Unwinder, UnwinderNative,
};
use measure::ring_record::{Mapping, Record, Stack, Stamped};
use object::read::ReadCache;
use object::{Object, ObjectSection, ObjectSegment};

/// In a chain: from here on its addresses are a user's.
pub(crate) const OF_A_USER: u64 = -512_i64 as u64;
const MOST_FRAMES: usize = 96;

type Process = UnwinderNative<Arc<[u8]>, MayAllocateDuringUnwind>;

#[derive(Default)]
pub(crate) struct Unwinding {
    processes: HashMap<i32, Process>,
    files: HashMap<(PathBuf, u64), Option<Tables>>,
    cache: CacheNative<MayAllocateDuringUnwind>,
}

struct Tables {
    /// Offsets in the file, their length, and the address there.
    segments: Vec<(u64, u64, u64)>,
    sections: ExplicitModuleSectionInfo<Arc<[u8]>>,
}

impl Unwinding {
    /// Follows processes; a sample with a stack gets the callers that its stack tells of.
    pub(crate) fn hear(&mut self, mut heard: Stamped) -> Stamped {
        match &heard.record {
            Record::Fork { child, .. } if *child != heard.pid => {
                if let Some(parent) = self.processes.get(&heard.pid) {
                    self.processes.insert(*child, parent.clone());
                }
            }
            Record::Exec => {
                self.processes.insert(heard.pid, Process::new());
            }
            Record::Exit if heard.pid == heard.tid => {
                self.processes.remove(&heard.pid);
            }
            Record::Map(mapping) => self.map(heard.pid, mapping),
            Record::Stacked(chain, stack) => {
                let unwound = self.chain(heard.pid, chain, stack);
                heard.record = Record::Sample(unwound);
            }
            _ => {}
        }
        heard
    }

    fn map(&mut self, pid: i32, mapping: &Mapping) {
        let Some(process) = self.processes.get_mut(&pid) else {
            return;
        };
        process.remove_module(mapping.from);
        let key = (mapping.path.clone(), mapping.inode);
        let tables = self.files.entry(key);
        let tables = tables.or_insert_with(|| Tables::read(&mapping.path));
        if let Some(module) = tables.as_ref().and_then(|tables| tables.module(mapping)) {
            process.add_module(module);
        }
    }

    fn chain(&mut self, pid: i32, chain: &[u64], stack: &Stack) -> Vec<u64> {
        let frames = self.frames(pid, stack).unwrap_or_default();
        let user = chain.iter().position(|&word| word == OF_A_USER);
        match (user, frames.len()) {
            (Some(at), 2..) => [&chain[..=at], &frames].concat(),
            _ => chain.to_vec(),
        }
    }

    fn frames(&mut self, pid: i32, stack: &Stack) -> Option<Vec<u64>> {
        let process = self.processes.get(&pid)?;
        let (address, from, registers) = registers(&stack.registers)?;
        let mut read = |at: u64| {
            let at = usize::try_from(at.wrapping_sub(from)).map_err(drop)?;
            let word = stack.bytes.get(at..).and_then(|rest| rest.first_chunk());
            word.map(|word| u64::from_ne_bytes(*word)).ok_or(())
        };
        let mut all = process.iter_frames(address, registers, &mut self.cache, &mut read);
        let frames = std::iter::from_fn(|| all.next().ok().flatten());
        Some(
            frames
                .map(FrameAddress::address)
                .take(MOST_FRAMES)
                .collect(),
        )
    }
}

#[cfg(target_arch = "x86_64")]
fn registers(all: &[u64]) -> Option<(u64, u64, UnwindRegsNative)> {
    let &[frame, stack, address] = all.first_chunk()?;
    Some((address, stack, UnwindRegsNative::new(address, stack, frame)))
}

#[cfg(target_arch = "aarch64")]
fn registers(all: &[u64]) -> Option<(u64, u64, UnwindRegsNative)> {
    let &[frame, link, stack, address] = all.first_chunk()?;
    Some((address, stack, UnwindRegsNative::new(link, stack, frame)))
}

impl Tables {
    fn read(path: &Path) -> Option<Self> {
        let file = File::open(path).ok()?;
        file.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let cache = ReadCache::new(file);
        let elf = object::File::parse(&cache).ok()?;
        let segments = elf.segments();
        let range = |name: &str| {
            let section = elf.section_by_name(name)?;
            Some(section.address()..section.address() + section.size())
        };
        let data = |name: &str| Some(elf.section_by_name(name)?.data().ok()?.into());
        Some(Self {
            segments: segments
                .map(|one| (one.file_range().0, one.file_range().1, one.address()))
                .collect(),
            sections: ExplicitModuleSectionInfo {
                text_svma: range(".text"),
                got_svma: range(".got"),
                eh_frame_svma: range(".eh_frame"),
                eh_frame: data(".eh_frame"),
                eh_frame_hdr_svma: range(".eh_frame_hdr"),
                eh_frame_hdr: data(".eh_frame_hdr"),
                ..ExplicitModuleSectionInfo::default()
            },
        })
    }

    fn module(&self, mapping: &Mapping) -> Option<Module<Arc<[u8]>>> {
        let here =
            |&&(from, length, _): &&(u64, u64, u64)| mapping.offset.wrapping_sub(from) < length;
        let &(from, _, address) = self.segments.iter().find(here)?;
        let base = mapping.from.wrapping_sub(mapping.offset - from + address);
        let name = String::new();
        Some(Module::new(
            name,
            mapping.from..mapping.to,
            base,
            self.sections.clone(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_the_tables() {
        let path = std::env::current_exe().unwrap();
        let tables = Tables::read(&path).expect("a program has tables");
        assert!(tables.sections.eh_frame.is_some() && tables.sections.eh_frame_hdr.is_some());
    }

    #[test]
    fn a_sample_without_tables_keeps_its_chain() {
        let chain = vec![1, OF_A_USER, 2, 3];
        let stack = Stack {
            registers: vec![0; 4],
            bytes: Vec::new(),
        };
        let heard = Stamped {
            ns: 1,
            pid: 7,
            tid: 7,
            record: Record::Stacked(chain.clone(), stack),
        };
        let record = Unwinding::default().hear(heard).record;
        assert_eq!(record, Record::Sample(chain));
    }
}

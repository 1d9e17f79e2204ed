//! Records of a ring of perf events, decoded, as in `perf_event_open(2)`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

const LOST: u32 = 2;
const COMM: u32 = 3;
pub(crate) const EXIT: u32 = 4;
pub(crate) const FORK: u32 = 7;
const SAMPLE: u32 = 9;
const MMAP2: u32 = 10;
const LOST_SAMPLES: u32 = 13;
pub(crate) const SWITCH: u32 = 14;
/// The same of an event for all processes, with the other task of the switch before.
const SWITCH_CPU_WIDE: u32 = 15;

const COMM_EXEC: u16 = 1 << 13;
pub(crate) const SWITCH_OUT: u16 = 1 << 13;
pub(crate) const SWITCH_PREEMPTED: u16 = 1 << 14;
const EXECUTABLE: u32 = 4;
/// Thread and time, at the end of each record that is no sample.
const TRAILER: usize = 16;

/// Registers that a stack is unwound from, by the mask of the kernel: frame pointer, link, stack pointer, address.
#[cfg(target_arch = "aarch64")]
pub const REGISTERS: u64 = 0xf << 29;
/// Registers that a stack is unwound from, by the mask of the kernel: frame pointer, stack pointer, address.
#[cfg(not(target_arch = "aarch64"))]
pub const REGISTERS: u64 = 0b111 << 6;

/// The top of a user's stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stack {
    /// Those of [`REGISTERS`], in their order.
    pub registers: Vec<u64>,
    /// From the stack pointer on.
    pub bytes: Vec<u8>,
}

/// A part of an address space that can be executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// Its first address.
    pub from: u64,
    /// The address behind its last.
    pub to: u64,
    /// Where it begins in its file, in bytes.
    pub offset: u64,
    /// Its file.
    pub path: PathBuf,
    /// The file's inode.
    pub inode: u64,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// A sample, with its call chain.
    Sample(Vec<u64>),
    /// The same with a stack, where that was asked for.
    Stacked(Vec<u64>, Stack),
    /// A task lost its CPU.
    Out {
        /// It could have used it.
        preempted: bool,
    },
    /// A task got a CPU.
    In,
    /// A task was made, by whom the record is.
    Fork {
        /// Its process.
        child: i32,
        /// Itself.
        child_thread: i32,
    },
    /// A task ended.
    Exit,
    /// A process runs another program.
    Exec,
    /// A process maps code.
    Map(Mapping),
    /// Records that found no room.
    Lost(u64),
}

/// A record, whose it is, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamped {
    /// When, by the clock of its event.
    pub ns: u64,
    /// The process.
    pub pid: i32,
    /// The task.
    pub tid: i32,
    /// What happened.
    pub record: Record,
}

/// Decodes a record; `None` for what says nothing of time or place, and of a cut one.
#[must_use]
pub fn decode(kind: u32, misc: u16, bytes: &[u8]) -> Option<Stamped> {
    match kind {
        SAMPLE => sample(bytes),
        LOST => Some(lost(u64_at(bytes, 8)?)),
        LOST_SAMPLES => Some(lost(u64_at(bytes, 0)?)),
        FORK => {
            let (child, child_thread) = (id_at(bytes, 0)?, id_at(bytes, 8)?);
            let record = Record::Fork {
                child,
                child_thread,
            };
            // The parent's, where both have the same shape.
            stamped(bytes, [4, 12, 16], record)
        }
        EXIT => stamped(bytes, [0, 8, 16], Record::Exit),
        SWITCH | SWITCH_CPU_WIDE => trailed(
            bytes,
            match misc & SWITCH_OUT {
                0 => Record::In,
                _ => Record::Out {
                    preempted: misc & SWITCH_PREEMPTED != 0,
                },
            },
        ),
        COMM if misc & COMM_EXEC != 0 => trailed(bytes, Record::Exec),
        MMAP2 => trailed(bytes, Record::Map(mapping(bytes)?)),
        _ => None,
    }
}

fn lost(count: u64) -> Stamped {
    Stamped {
        ns: 0,
        pid: 0,
        tid: 0,
        record: Record::Lost(count),
    }
}

fn sample(bytes: &[u8]) -> Option<Stamped> {
    let frames = usize::try_from(u64_at(bytes, 16)?).ok()?;
    let end = frames.checked_mul(8)?.checked_add(24)?;
    let chain = words(bytes.get(24..end)?);
    let record = match stack(bytes, end) {
        None => Record::Sample(chain),
        Some(stack) => Record::Stacked(chain, stack),
    };
    stamped(bytes, [0, 4, 8], record)
}

fn words(bytes: &[u8]) -> Vec<u64> {
    let words = bytes.as_chunks::<8>().0.iter();
    words.map(|word| u64::from_ne_bytes(*word)).collect()
}

/// Behind the chain: 0 for threads of the kernel, or which kind of registers, those, and the stack.
fn stack(bytes: &[u8], at: usize) -> Option<Stack> {
    u64_at(bytes, at).filter(|kind| *kind > 0)?;
    let registers = at + 8..at + 8 + 8 * REGISTERS.count_ones() as usize;
    let size = usize::try_from(u64_at(bytes, registers.end)?).ok()?;
    let from = registers.end + 8;
    // The room that was reserved, and what of it was filled.
    let room = bytes.get(from..from.checked_add(size)?)?;
    let filled = usize::try_from(u64_at(bytes, from + size)?).ok()?;
    Some(Stack {
        registers: words(bytes.get(registers)?),
        bytes: room.get(..filled)?.to_vec(),
    })
}

fn mapping(bytes: &[u8]) -> Option<Mapping> {
    if u32_at(bytes, 56)? & EXECUTABLE == 0 {
        return None;
    }
    let (from, length) = (u64_at(bytes, 8)?, u64_at(bytes, 16)?);
    let name = bytes.get(64..bytes.len().checked_sub(TRAILER)?)?;
    let name = name.split(|byte| *byte == 0).next()?;
    Some(Mapping {
        from,
        to: from.checked_add(length)?,
        offset: u64_at(bytes, 24)?,
        inode: u64_at(bytes, 40)?,
        path: OsStr::from_bytes(name).into(),
    })
}

fn trailed(bytes: &[u8], record: Record) -> Option<Stamped> {
    let at = bytes.len().checked_sub(TRAILER)?;
    stamped(bytes, [at, at + 4, at + 8], record)
}

fn stamped(bytes: &[u8], [pid, tid, ns]: [usize; 3], record: Record) -> Option<Stamped> {
    Some(Stamped {
        pid: id_at(bytes, pid)?,
        tid: id_at(bytes, tid)?,
        ns: u64_at(bytes, ns)?,
        record,
    })
}

fn id_at(bytes: &[u8], at: usize) -> Option<i32> {
    u32_at(bytes, at).map(u32::cast_signed)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let word = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_ne_bytes(*word))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    let word = bytes.get(at..)?.first_chunk()?;
    Some(u64::from_ne_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(of: &[u64]) -> Vec<u8> {
        of.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    /// Two halves of a word.
    fn two(low: u32, high: u32) -> u64 {
        u64::from(low) | u64::from(high) << 32
    }

    #[test]
    fn a_sample_has_its_thread_its_time_and_its_chain() {
        let bytes = words(&[two(7, 8), 1_000, 2, 0xaa, 0xbb]);
        let found = decode(SAMPLE, 0, &bytes).unwrap();
        assert_eq!((found.pid, found.tid, found.ns), (7, 8, 1_000));
        assert_eq!(found.record, Record::Sample(vec![0xaa, 0xbb]));
        assert_eq!(decode(SAMPLE, 0, &bytes[..30]), None, "it was cut");
    }

    #[test]
    fn a_sample_may_have_registers_and_a_stack_of_which_a_part_is_filled() {
        let registers: Vec<u64> = (1..=u64::from(REGISTERS.count_ones())).collect();
        let all = [
            &[two(7, 8), 1_000, 1, 0xaa, 2],
            &registers[..],
            &[16, 5, 6, 8],
        ]
        .concat();
        let found = decode(SAMPLE, 0, &words(&all)).unwrap();
        let bytes = words(&[5]);
        let wanted = Record::Stacked(vec![0xaa], Stack { registers, bytes });
        assert_eq!(found.record, wanted);
        let of_kernel = words(&[two(7, 8), 1_000, 1, 0xaa, 0, 0]);
        let found = decode(SAMPLE, 0, &of_kernel).unwrap();
        assert_eq!(found.record, Record::Sample(vec![0xaa]));
    }

    #[test]
    fn a_switch_is_out_or_in_and_may_be_a_preemption() {
        let bytes = words(&[two(7, 8), 5]);
        let record = |misc| decode(SWITCH, misc, &bytes).unwrap().record;
        assert_eq!(record(0), Record::In);
        let out = |preempted| Record::Out { preempted };
        assert_eq!(record(SWITCH_OUT), out(false));
        assert_eq!(record(SWITCH_OUT | SWITCH_PREEMPTED), out(true));
    }

    #[test]
    fn lost_records_are_counted() {
        assert_eq!(decode(LOST, 0, &words(&[0, 9])), Some(lost(9)));
        assert_eq!(decode(SWITCH, 0, &[0; 9]), None, "it was cut");
    }

    #[test]
    fn a_map_has_a_path_and_only_code_counts() {
        let map = |prot| {
            let mut bytes = words(&[two(7, 7), 0x1000, 0x200, 0x40, two(8, 1), 99, 0]);
            bytes.extend(words(&[two(prot, 2)]));
            bytes.extend(b"/bin/gzip\0\0\0\0\0\0\0");
            bytes.extend(words(&[two(7, 7), 5]));
            decode(MMAP2, 0, &bytes)
        };
        let Record::Map(found) = map(5).unwrap().record else {
            panic!("no map");
        };
        assert_eq!((found.from, found.to, found.offset), (0x1000, 0x1200, 0x40));
        assert_eq!((found.inode, found.path), (99, PathBuf::from("/bin/gzip")));
        assert_eq!(map(3), None);
    }

    #[test]
    fn a_new_name_is_no_new_program() {
        let bytes = words(&[two(7, 7), 0, two(7, 7), 5]);
        assert_eq!(decode(COMM, 0, &bytes), None);
        let found = decode(COMM, COMM_EXEC, &bytes).unwrap();
        assert_eq!((found.record, found.ns), (Record::Exec, 5));
    }
}

//! `io`: workers that write blocks to a disk and wait for each of them.
//!
//! # What it stands for
//!
//! Work that waits: each worker writes a file block by block, and continues only when the
//! system says that the block is on the disk. A CPU has little to do meanwhile, so many
//! workers fit on one, and what decides is how the disk and the file system serve them.
//!
//! # How a block gets to the disk
//!
//! [`Sync::Dsync`] opens the file with `O_DSYNC`, so that each write returns when the data,
//! and what is needed to find it again, is written. [`Sync::Fsync`] writes and then calls
//! `fsync`, which also waits for what else the file system keeps about the file. Where the
//! folder is in memory both return at once and there is nothing to wait for: that is said
//! of the folder and not here.
//!
//! # Self-check
//!
//! The file is opened again and read to its end, and every word is compared with what was
//! written to its place; it comes from the system's cache, so this checks what programs
//! see and not the disk's own cells. The proof counts bytes that are right. Then the file is
//! removed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use flow::{Body, Outlet, Proof};
use serde::{Deserialize, Serialize};

use crate::WorkError;
use crate::workload::FileWords;
use crate::{Work, Workload};
use flow::{Answer, NoSink, SlotProcess};

/// Loops that make up one block.
pub const LOOPS_A_BLOCK: u64 = 30;
/// Bytes of a block where none are asked for.
pub const USUAL_BLOCK: u64 = 4096;
/// Larger blocks are refused: a worker keeps one in memory.
const MOST_BLOCK: u64 = 64 << 20;

/// Blocks of all workers together at the most: what is expected is made block by block before
/// the first slot.
const MOST_BLOCKS: u64 = 100_000_000;

/// Parameters of `io`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Io {
    /// How many workers, one unit and one file each.
    pub workers: u64,
    /// Loops of each worker; [`LOOPS_A_BLOCK`] of them are one block, and there is one at
    /// least.
    pub loops: u64,
    /// Bytes of a block.
    #[serde(default = "usual_block")]
    pub block: u64,
    /// How a worker waits for its block.
    #[serde(default)]
    pub sync: Sync,
    /// The folder on whose disk the files are; that of the results, if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
}

fn usual_block() -> u64 {
    USUAL_BLOCK
}

/// How a worker waits for its block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sync {
    /// The file is open with `O_DSYNC`: each write waits.
    #[default]
    Dsync,
    /// `fsync` after each write.
    Fsync,
}

impl FromStr for Sync {
    type Err = WorkError;

    fn from_str(text: &str) -> Result<Self, WorkError> {
        match text {
            "dsync" => Ok(Self::Dsync),
            "fsync" => Ok(Self::Fsync),
            _ => Err(WorkError(format!(
                "'{text}' is no way to wait for a disk: use dsync or fsync"
            ))),
        }
    }
}

impl std::fmt::Display for Sync {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Dsync => "dsync",
            Self::Fsync => "fsync",
        })
    }
}

const WORD: u64 = size_of::<u64>() as u64;

impl Io {
    pub(crate) fn check(&self) -> Result<(), WorkError> {
        if self.workers == 0 || self.loops == 0 {
            return Err(WorkError(
                "io needs workers and loops of at least 1".to_owned(),
            ));
        }
        if !(WORD..=MOST_BLOCK).contains(&self.block) || !self.block.is_multiple_of(WORD) {
            return Err(WorkError(format!(
                "blocks of {} bytes will not do: take a multiple of {WORD} up to {MOST_BLOCK}",
                self.block
            )));
        }
        // Each block of each worker is proved, and what is to be proved is known beforehand.
        let all = self.blocks().checked_mul(self.workers);
        if all.is_none_or(|all| all > MOST_BLOCKS) {
            return Err(WorkError(format!(
                "{} loops are {} blocks for each of {} workers, and more than {MOST_BLOCKS} in all \
                 are not proved one by one: use at most {} loops",
                self.loops,
                self.blocks(),
                self.workers,
                (MOST_BLOCKS / self.workers).max(1) * LOOPS_A_BLOCK
            )));
        }
        let bytes = self.blocks().checked_mul(self.block);
        match bytes.and_then(|bytes| bytes.checked_mul(self.workers)) {
            Some(_) => Ok(()),
            None => Err(WorkError(format!(
                "{} loops are more bytes than can be counted: use fewer",
                self.loops
            ))),
        }
    }

    /// Blocks in the file of each worker.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        (self.loops / LOOPS_A_BLOCK).max(1)
    }

    /// Bytes of all files together.
    #[must_use]
    pub fn file_bytes(&self) -> u64 {
        self.workers * self.blocks() * self.block
    }

    /// What all workers prove together.
    pub(crate) fn expected(&self) -> Proof {
        let all = (0..self.workers).flat_map(|unit| (0..self.blocks()).map(move |b| (unit, b)));
        all.map(|(unit, block)| proof(first_word(unit, block), self.block))
            .sum()
    }

    /// The work with the folder of its slot.
    #[must_use]
    pub fn body<'a>(&'a self, folder: Option<&'a Path>) -> Files<'a> {
        Files {
            io: self,
            folder: folder.unwrap_or(Path::new(".")),
        }
    }
}

/// The work with the folder of its slot.
#[derive(Debug)]
pub struct Files<'a> {
    io: &'a Io,
    folder: &'a Path,
}

impl Files<'_> {
    fn path(&self, unit: u64) -> PathBuf {
        self.folder.join(format!("inOut_{}.dat", unit + 1))
    }

    fn write(&self, path: &Path, unit: u64) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        if self.io.sync == Sync::Dsync {
            options.custom_flags(libc::O_DSYNC);
        }
        let mut file = options.open(path)?;
        let mut bytes = Vec::with_capacity(self.io.block as usize);
        for block in 0..self.io.blocks() {
            fill(&mut bytes, first_word(unit, block), self.io.block);
            file.write_all(&bytes)?;
            if self.io.sync == Sync::Fsync {
                file.sync_all()?;
            }
        }
        Ok(())
    }

    /// Reads the file to its end: however long it is, only the right one proves the right
    /// amount.
    fn verify(&self, path: &Path, unit: u64) -> io::Result<Proof> {
        let mut file = File::open(path)?;
        let (mut wanted, mut found) = (Vec::new(), vec![0; self.io.block as usize]);
        let mut all = Proof::default();
        for block in 0.. {
            let read = read_block(&mut file, &mut found)?;
            if read == 0 {
                break;
            }
            let first = first_word(unit, block);
            fill(&mut wanted, first, self.io.block);
            let right = found[..read].iter().zip(&wanted).filter(|(a, b)| a == b);
            all += proof(first, right.count() as u64);
        }
        Ok(all)
    }
}

/// Bytes up to a whole block, fewer only at the end of the file.
fn read_block(file: &mut File, block: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while read < block.len() {
        match file.read(&mut block[read..])? {
            0 => break,
            some => read += some,
        }
    }
    Ok(read)
}

fn proof(first: u64, right: u64) -> Proof {
    Proof {
        count: right,
        checksum: first.wrapping_mul(right),
    }
}

/// The first word of a block; each further one is one more.
fn first_word(unit: u64, block: u64) -> u64 {
    unit.wrapping_add(1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(block << 32)
        | 1
}

fn fill(bytes: &mut Vec<u8>, first: u64, block: u64) {
    bytes.clear();
    bytes.extend((0..block / WORD).flat_map(|place| first.wrapping_add(place).to_le_bytes()));
}

impl Body for Files<'_> {
    type State = ();
    const SENDS: bool = false;

    fn units(&self) -> u64 {
        self.io.workers
    }

    fn describe(&self, unit: u64) -> String {
        format!(
            "{} blocks into {}",
            self.io.blocks(),
            self.path(unit).display()
        )
    }

    fn state(&self, _flow: usize) {}

    fn unit(&self, _state: &mut (), unit: u64, outlet: &mut Outlet<'_>) -> Proof {
        let path = self.path(unit);
        let proved = self
            .write(&path, unit)
            .and_then(|()| self.verify(&path, unit));
        let removed = fs::remove_file(&path);
        match proved.and_then(|proof| removed.map(|()| proof)) {
            Ok(proof) => proof,
            Err(error) => {
                outlet.fail(error);
                Proof::default()
            }
        }
    }
}

impl Workload for Io {
    fn units(&self) -> u64 {
        self.workers
    }

    fn check(&self) -> Result<(), WorkError> {
        Self::check(self)
    }

    fn run(&self, slot: &SlotProcess<Work>) -> Answer {
        slot.run(&self.body(slot.scratch()), &mut NoSink)
    }

    fn flows(&self) -> Option<u64> {
        Some(self.workers)
    }

    fn set_flows(&mut self, flows: u64) {
        self.workers = flows;
    }

    fn worker_kind(&self) -> Option<&'static str> {
        Some("io")
    }

    fn expected(&self) -> Option<Proof> {
        Some(Self::expected(self))
    }

    fn files(&self) -> Option<crate::workload::Files<'_>> {
        Some(crate::workload::Files {
            folder: self.folder.as_deref(),
            bytes: self.file_bytes(),
            words: FileWords {
                whose: "io",
                what: "the files of io need",
                fewer: "use fewer --loops",
                elsewhere: "name a folder on another disk: --folder DIR",
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn io(workers: u64, loops: u64, sync: Sync) -> Io {
        Io {
            workers,
            loops,
            block: 4096,
            sync,
            folder: None,
        }
    }

    #[test]
    fn workers_prove_what_is_expected_of_them_and_leave_no_files() {
        let folder = tempfile::tempdir().unwrap();
        for sync in [Sync::Dsync, Sync::Fsync] {
            let io = io(2, 3 * LOOPS_A_BLOCK, sync);
            let body = io.body(Some(folder.path()));
            let outlet = &mut Outlet::nowhere();
            let proved: Proof = (0..2).map(|unit| body.unit(&mut (), unit, outlet)).sum();
            assert!(outlet.failure().is_none());
            assert_eq!(proved, io.expected());
            assert_eq!(proved.count, io.file_bytes());
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_file_that_is_not_as_it_was_written_proves_something_else() {
        let folder = tempfile::tempdir().unwrap();
        let io = io(1, LOOPS_A_BLOCK, Sync::Dsync);
        let body = io.body(Some(folder.path()));
        let path = body.path(0);
        body.write(&path, 0).unwrap();
        assert_eq!(body.verify(&path, 0).unwrap(), io.expected());
        let right = fs::read(&path).unwrap();
        let mut flipped = right.clone();
        flipped[77] ^= 1;
        let longer = [right.as_slice(), &right].concat();
        for wrong in [flipped, right[..4000].to_vec(), longer, Vec::new()] {
            fs::write(&path, wrong).unwrap();
            assert_ne!(body.verify(&path, 0).unwrap(), io.expected());
        }
    }

    #[test]
    fn a_folder_that_takes_no_file_fails_the_flow_with_its_reason() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing");
        let io = io(1, 1, Sync::Dsync);
        let outlet = &mut Outlet::nowhere();
        io.body(Some(&missing)).unit(&mut (), 0, outlet);
        let error = outlet.failure().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    /// Set in a process of this test that may not write large files.
    const LIMITED: &str = "FLOWGAUGE_TEST_OF_LIMITED_FILES";

    /// A file that may not grow stands for a disk that fills up amid a file.
    #[test]
    fn a_file_that_is_refused_midway_is_gone_and_its_reason_is_kept() {
        if std::env::var_os(LIMITED).is_none() {
            return in_a_process_of_small_files();
        }
        let folder = tempfile::tempdir().unwrap();
        let io = io(1, 100 * LOOPS_A_BLOCK, Sync::Fsync);
        let outlet = &mut Outlet::nowhere();
        let proof = io.body(Some(folder.path())).unit(&mut (), 0, outlet);
        let error = outlet.failure().unwrap();
        assert_eq!(error.raw_os_error(), Some(libc::EFBIG), "{error}");
        assert_eq!(proof, Proof::default());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    /// Runs the test above where files have 64 blocks of a shell at the most: more than a block
    /// of io, and less than all of them.
    fn in_a_process_of_small_files() {
        let test = "io::tests::a_file_that_is_refused_midway_is_gone_and_its_reason_is_kept";
        let script = "trap '' XFSZ; ulimit -f 64; exec \"$@\"";
        let output = std::process::Command::new("sh")
            .args(["-c", script, "sh"])
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", test])
            .env(LIMITED, "yes")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && said.contains("1 passed"),
            "{said}"
        );
    }

    /// Before the first slot 3e11 blocks were gone through, silently and for minutes.
    #[test]
    fn more_blocks_than_can_be_expected_one_by_one_are_refused() {
        let most = LOOPS_A_BLOCK * MOST_BLOCKS / 2;
        assert!(io(2, most, Sync::Dsync).check().is_ok());
        for loops in [10_000_000_000_000, u64::MAX] {
            let said = io(2, loops, Sync::Dsync).check().unwrap_err().to_string();
            assert!(
                said.contains(&format!("use at most {most} loops")),
                "{said}"
            );
        }
    }

    #[test]
    fn parameters_that_cannot_be_are_refused() {
        let good = io(2, 9_000, Sync::Fsync);
        assert!(good.check().is_ok());
        assert_eq!(good.blocks(), 300);
        for bad in [
            Io {
                block: 12,
                ..good.clone()
            },
            Io {
                block: MOST_BLOCK + 8,
                ..good.clone()
            },
            Io {
                workers: 0,
                ..good.clone()
            },
            Io {
                loops: u64::MAX,
                ..good.clone()
            },
        ] {
            assert!(bad.check().is_err(), "{bad:?}");
        }
        assert_eq!("fsync".parse(), Ok(Sync::Fsync));
        assert!(
            "sync"
                .parse::<Sync>()
                .unwrap_err()
                .to_string()
                .contains("dsync or fsync")
        );
    }
}

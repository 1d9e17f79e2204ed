//! The body: each worker writes its file, reads it again and removes it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use flow::pace::part;
use flow::{Body, Outlet, Proof};

use super::{Io, Sync};

pub(super) const WORD: u64 = size_of::<u64>() as u64;

pub(super) const PARTS: [&str; 3] = ["fill", "write", "verify"];
const FILL: u32 = 0;
const WRITE: u32 = 1;
const VERIFY: u32 = 2;

/// The work with the folder of its slot.
#[derive(Debug)]
pub struct Files<'a> {
    pub(super) io: &'a Io,
    pub(super) folder: &'a Path,
}

impl Files<'_> {
    pub(super) fn path(&self, unit: u64) -> PathBuf {
        self.folder.join(format!("inOut_{}.dat", unit + 1))
    }

    pub(super) fn write(&self, path: &Path, unit: u64) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        if self.io.sync == Sync::Dsync {
            options.custom_flags(libc::O_DSYNC);
        }
        let mut file = options.open(path)?;
        let mut bytes = Vec::with_capacity(self.io.block as usize);
        for block in 0..self.io.blocks() {
            part(FILL, || {
                fill(&mut bytes, first_word(unit, block), self.io.block)
            });
            part(WRITE, || match self.io.sync {
                Sync::Dsync => file.write_all(&bytes),
                Sync::Fsync => file.write_all(&bytes).and_then(|()| file.sync_all()),
            })?;
        }
        Ok(())
    }

    /// Reads to the end of the file: a longer file proves a wrong amount.
    pub(super) fn verify(&self, path: &Path, unit: u64) -> io::Result<Proof> {
        let mut file = File::open(path)?;
        let (mut wanted, mut found) = (Vec::new(), vec![0; self.io.block as usize]);
        let mut all = Proof::default();
        for block in 0.. {
            let read = read_block(&mut file, &mut found)?;
            if read == 0 {
                break;
            }
            fill(&mut wanted, first_word(unit, block), self.io.block);
            let right = found[..read].iter().zip(&wanted).filter(|(a, b)| a == b);
            all += proof_of(unit, block, right.count() as u64);
        }
        Ok(all)
    }
}

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

pub(super) fn proof_of(unit: u64, block: u64, right: u64) -> Proof {
    Proof {
        count: right,
        checksum: first_word(unit, block).wrapping_mul(right),
    }
}

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
            .and_then(|()| part(VERIFY, || self.verify(&path, unit)));
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

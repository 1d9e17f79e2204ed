//! `primes`: search blocks of numbers for primes, with a thin stream of results to one parent that
//! alone writes the file (S. Norgren, 2010). By trial division equal blocks are *not* even: a prime
//! costs a division for each candidate up to its root. Miller-Rabin is the even control; the sieve
//! does a block in a millisecond, so it compares the making of flows. Self-check: the number of
//! primes and a checksum over every result with its place in its block, held against the sieve.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use flow::{Answer, Body, Outlet, Proof, Sink, SlotProcess};
use serde::{Deserialize, Serialize};

use crate::primes::{Method, Searcher};
use crate::work::{at_least_1, require};
use crate::{Work, WorkError, Workload};

/// Parameters of `primes`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Primes {
    /// First number searched.
    pub start: u64,
    /// Numbers in a block (a unit of work).
    pub block: u64,
    /// How many blocks.
    pub blocks: u64,
    /// Every how-manieth prime of a block is sent to the parent (1 = all).
    pub every: u64,
    /// How primes are found.
    pub method: Method,
}

/// More numbers are not checked against the sieve beforehand (about 0.1 s of sieving).
const CHECKED_NUMBERS: u64 = 1_000_000_000;

impl Primes {
    /// The numbers of block `unit`, half-open.
    #[must_use]
    pub fn range(&self, unit: u64) -> Range<u64> {
        let first = self.start + unit * self.block;
        first..first + self.block
    }

    fn end(&self) -> u64 {
        self.start + self.block * self.blocks
    }

    /// Searches part `part` of `parts` of block `unit`; the parts before it proved `before`.
    #[must_use]
    pub fn part(&self, unit: u64, part: u64, parts: u64, before: Proof) -> Proof {
        let Range { start, end } = self.range(unit);
        let cut = |part: u64| start + ((end - start) as u128 * part as u128 / parts as u128) as u64;
        let range = cut(part)..cut(part + 1);
        let mut searcher = Searcher::new(self.method, range.end);
        searcher.search_on(range, before.count, self.every, |_ordinal, _prime| {})
    }

    fn search(&self, searcher: &mut Searcher, unit: u64, mut emit: impl FnMut(u64)) -> Proof {
        searcher.search(self.range(unit), self.every, |_ordinal, prime| emit(prime))
    }

    pub(crate) fn sink(&self, output: Option<&Path>) -> CsvSink {
        CsvSink {
            path: output.map(Path::to_owned),
            every: self.every,
            file: None,
        }
    }
}

impl Body for Primes {
    type State = Searcher;
    const SENDS: bool = true;

    fn units(&self) -> u64 {
        self.blocks
    }

    fn describe(&self, unit: u64) -> String {
        let range = self.range(unit);
        format!("range {} - {}", range.start, range.end - 1)
    }

    fn state(&self, _flow: usize) -> Searcher {
        Searcher::new(self.method, self.end())
    }

    fn unit(&self, searcher: &mut Searcher, unit: u64, outlet: &mut Outlet<'_>) -> Proof {
        self.search(searcher, unit, |prime| outlet.push(prime))
    }
}

/// Parent's CSV file: block, place in it (both from 1) and prime, for each result.
#[derive(Debug)]
pub struct CsvSink {
    path: Option<PathBuf>,
    every: u64,
    file: Option<BufWriter<File>>,
}

impl CsvSink {
    fn open(&mut self) -> io::Result<()> {
        let Some(path) = &self.path else {
            return Ok(());
        };
        let file = OpenOptions::new().write(true).truncate(true).open(path)?;
        let mut file = BufWriter::with_capacity(1 << 16, file);
        file.write_all(b"worker,index,prime\n")?;
        self.file = Some(file);
        Ok(())
    }

    fn write(&mut self, unit: u64, first: u64, values: &[u64]) -> io::Result<()> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let mut number = itoa::Buffer::new();
        for (index, prime) in (first + 1..).zip(values) {
            file.write_all(number.format(unit + 1).as_bytes())?;
            file.write_all(b",")?;
            file.write_all(number.format(index * self.every).as_bytes())?;
            file.write_all(b",")?;
            file.write_all(number.format(*prime).as_bytes())?;
            file.write_all(b"\n")?;
        }
        Ok(())
    }
}

impl Sink for CsvSink {
    fn begin(&mut self) -> io::Result<()> {
        self.open().map_err(not_written)
    }

    fn take(&mut self, unit: u64, first: u64, values: &[u64]) -> io::Result<()> {
        self.write(unit, first, values).map_err(not_written)
    }

    fn end(&mut self) -> io::Result<()> {
        let flushed = self.file.as_mut().map_or(Ok(()), Write::flush);
        flushed.map_err(not_written)
    }
}

/// The file has no name to show: it is unnamed while slots run.
fn not_written(error: io::Error) -> io::Error {
    io::Error::other(format!(
        "cannot write the file of results: {error}; make room on its disk, or send fewer \
         results (--every)"
    ))
}

impl Workload for Primes {
    fn units(&self) -> u64 {
        self.blocks
    }

    fn check(&self) -> Result<(), WorkError> {
        let (start, block, blocks) = (self.start, self.block, self.blocks);
        at_least_1(&[("block", block), ("blocks", blocks), ("every", self.every)])?;
        let numbers = block.checked_mul(blocks);
        let end = numbers.and_then(|numbers| start.checked_add(numbers));
        require(end.is_some(), || {
            format!(
                "{blocks} blocks of {block} numbers from {start} end beyond {}, the largest \
                 number that can be searched: use fewer or smaller blocks, or a smaller start",
                u64::MAX
            )
        })
    }

    fn run(&self, slot: &SlotProcess<Work>) -> Answer {
        slot.run(self, &mut self.sink(slot.spec().output.as_deref()))
    }

    fn expected(&self) -> Option<Proof> {
        if self.method == Method::Sieve || self.block * self.blocks > CHECKED_NUMBERS {
            return None;
        }
        let mut sieve = Searcher::new(Method::Sieve, self.end());
        let blocks = (0..self.blocks).map(|unit| self.search(&mut sieve, unit, |_| {}));
        Some(blocks.sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, prove_all};

    fn primes() -> Primes {
        Primes {
            start: 10_000_001,
            block: 10_000,
            blocks: 5,
            every: 100,
            method: Method::Trial,
        }
    }

    #[test]
    fn the_sieve_expects_what_every_method_proves() {
        for method in [Method::Trial, Method::MillerRabin, Method::Sieve] {
            let proof = prove_all(&Primes { method, ..primes() });
            assert_eq!(primes().expected(), Some(proof), "{method}");
        }
    }

    #[test]
    fn parts_of_a_block_prove_what_the_block_does() {
        let block = primes();
        for method in [Method::Trial, Method::MillerRabin, Method::Sieve] {
            let work = Primes { method, ..primes() };
            let whole = block.search(&mut block.state(0), 3, |_| {});
            // The last cut is finer than the block.
            for parts in [1, 2, 7, 64, 20_000] {
                let sum = (0..parts).fold(Proof::default(), |before, part| {
                    before + work.part(3, part, parts, before)
                });
                assert_eq!(sum, whole, "{method} in {parts} parts");
            }
        }
    }

    #[test]
    fn blocks_that_end_beyond_u64_are_refused() {
        let to_the_end = Primes {
            start: u64::MAX - 10,
            block: 10,
            blocks: 1,
            ..primes()
        };
        let beyond = "end beyond 18446744073709551615";
        testing::refused(&to_the_end, &[(|work| work.block = 11, beyond)]);
        testing::refused(&primes(), &[(|work| work.block = u64::MAX, beyond)]);
    }

    #[test]
    fn zero_is_refused_by_name() {
        testing::refused(
            &primes(),
            &[
                (|work| work.block = 0, "block is 0"),
                (|work| work.blocks = 0, "blocks is 0"),
                (|work| work.every = 0, "every is 0"),
            ],
        );
    }

    #[test]
    fn rows_carry_block_place_and_prime() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut sink = primes().sink(Some(file.path()));
        for _twice_overwrites in 0..2 {
            sink.begin().unwrap();
            sink.take(1, 0, &[10_009, 10_037]).unwrap();
            sink.take(1, 2, &[10_039]).unwrap();
            sink.end().unwrap();
        }
        let text = std::fs::read_to_string(file.path()).unwrap();
        assert_eq!(
            text,
            "worker,index,prime\n2,100,10009\n2,200,10037\n2,300,10039\n"
        );
    }
}

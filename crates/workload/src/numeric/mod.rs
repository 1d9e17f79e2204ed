//! `numeric`: kernels that compute and hardly allocate (docs/workloads/numeric.md): the control
//! beside `warehouse`, as Inoue and Nakatani (2010) ran SPECjvm2008. Five kernels are those of
//! SciMark 2.0 in its two sizes: what a core's caches hold, and more. Three more compress, encrypt
//! and parse. Caches and the TLB are left between threads and processes.
//!
//! A unit is this many passes of one kernel over its data, the same for all units and made before
//! the gate. Self-check: each unit ends with a check by another way (an inverse, a product, a round
//! trip, a bound). The proof is made of the bits of results.

mod compress;
mod crypto;
mod fft;
mod json;
mod kernel;
mod lu;
mod monte_carlo;
mod sor;
mod sparse;
#[cfg(test)]
mod tests;

use flow::{Answer, Body, NoSink, Outlet, Pieces, Proof, SlotProcess};
use serde::{Deserialize, Serialize};

use crate::draw::mix;
use crate::work::{at_least_1, require};
use crate::{Allocates, Scaled, Work, WorkError, Workload};
pub use kernel::{Kernel, Size, UnknownKernel};

/// Parameters of `numeric`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Numeric {
    /// What is computed.
    pub kernel: Kernel,
    /// Over how much data.
    #[serde(default)]
    pub size: Size,
    /// Units of work.
    pub units: u64,
    /// Passes over the data in each unit.
    pub passes: u64,
    /// Seed of the data.
    #[serde(default)]
    pub seed: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a kernel computed something wrong: {0}")]
struct Wrong(String);

impl Wrong {
    fn unless(right: bool, what: impl FnOnce() -> String) -> Result<(), Self> {
        if right { Ok(()) } else { Err(Self(what())) }
    }
}

trait Program {
    /// Restores the data, if passes change it.
    fn begin(&mut self) {}

    fn pass(&mut self);

    /// Checks the result of the passes since the beginning, and sums it up.
    fn end(&mut self) -> Result<u64, Wrong>;

    fn pieces(&self, pieces: &mut Pieces);

    fn flops(&self) -> Option<f64> {
        None
    }
}

/// The data of one flow.
#[derive(Debug)]
pub struct Data(Programs);

#[derive(Debug)]
enum Programs {
    Fft(fft::Fft),
    Lu(lu::Lu),
    Sor(sor::Sor),
    Sparse(sparse::Sparse),
    MonteCarlo(monte_carlo::MonteCarlo),
    Compress(Box<compress::Text>),
    Crypto(Box<crypto::Secret>),
    Json(json::Document),
}

const LARGE_BYTES: u64 = 64 << 20;

impl Numeric {
    /// Floating-point operations of a pass, for kernels that do mainly those.
    #[must_use]
    pub fn flops(&self) -> Option<f64> {
        self.programs().program().flops()
    }

    fn programs(&self) -> Programs {
        let by_size = |small, large| match self.size {
            Size::Small => small,
            Size::Large => large,
        };
        let seed = self.seed;
        match self.kernel {
            Kernel::Fft => Programs::Fft(fft::Fft::new(by_size(1 << 10, 1 << 20), seed)),
            Kernel::Lu => Programs::Lu(lu::Lu::new(by_size(100, 1_000), seed)),
            Kernel::Sor => Programs::Sor(sor::Sor::new(by_size(100, 1_000), seed)),
            Kernel::Sparse => {
                let (rows, entries) = (by_size(1_000, 100_000), by_size(5_000, 1_000_000));
                Programs::Sparse(sparse::Sparse::new(rows, entries, seed))
            }
            Kernel::MonteCarlo => Programs::MonteCarlo(monte_carlo::MonteCarlo::new(seed)),
            Kernel::Compress => {
                let text = compress::Text::new(by_size(64 << 10, 4 << 20), seed);
                Programs::Compress(Box::new(text))
            }
            Kernel::Crypto => {
                let secret = crypto::Secret::new(by_size(16 << 10, 4 << 20), seed);
                Programs::Crypto(Box::new(secret))
            }
            Kernel::Json => {
                let orders = by_size(100_usize, 10_000) as u32;
                Programs::Json(json::Document::new(orders, seed))
            }
        }
    }
}

impl Programs {
    /// Each kernel is compiled into its own loop.
    fn run(&mut self, passes: u64) -> Result<u64, Wrong> {
        match self {
            Self::Fft(program) => run(program, passes),
            Self::Lu(program) => run(program, passes),
            Self::Sor(program) => run(program, passes),
            Self::Sparse(program) => run(program, passes),
            Self::MonteCarlo(program) => run(program, passes),
            Self::Compress(program) => run(program.as_mut(), passes),
            Self::Crypto(program) => run(program.as_mut(), passes),
            Self::Json(program) => run(program, passes),
        }
    }

    fn program(&self) -> &dyn Program {
        match self {
            Self::Fft(program) => program,
            Self::Lu(program) => program,
            Self::Sor(program) => program,
            Self::Sparse(program) => program,
            Self::MonteCarlo(program) => program,
            Self::Compress(program) => program.as_ref(),
            Self::Crypto(program) => program.as_ref(),
            Self::Json(program) => program,
        }
    }
}

fn run<P: Program>(program: &mut P, passes: u64) -> Result<u64, Wrong> {
    program.begin();
    (0..passes).for_each(|_| program.pass());
    program.end()
}

impl Body for Numeric {
    type State = Data;
    const SENDS: bool = false;
    const TOUCHES: bool = true;

    fn units(&self) -> u64 {
        self.units
    }

    fn stack_bytes(&self) -> usize {
        // Compressors lay large tables on the stack before they give them a place.
        1 << 20
    }

    fn state(&self, _flow: usize) -> Data {
        Data(self.programs())
    }

    fn unit(&self, data: &mut Data, unit: u64, _outlet: &mut Outlet<'_>) -> Proof {
        match data.0.run(self.passes) {
            Ok(sum) => Proof {
                count: self.passes,
                checksum: mix(sum ^ mix(unit)),
            },
            Err(wrong) => panic!("{} in unit {unit}: {wrong}", self.kernel),
        }
    }

    fn touched(&self, data: &Data, _flow: usize, pieces: &mut Pieces) {
        data.0.program().pieces(pieces);
    }
}

impl Workload for Numeric {
    fn units(&self) -> u64 {
        self.units
    }

    fn check(&self) -> Result<(), WorkError> {
        at_least_1(&[("units", self.units), ("passes", self.passes)])?;
        let has_size = self.kernel != Kernel::MonteCarlo || self.size == Size::Small;
        require(
            has_size,
            || "monte-carlo keeps no data and has one size: leave size out",
        )
    }

    fn run(&self, slot: &SlotProcess<Work>) -> Answer {
        slot.run(self, &mut NoSink)
    }

    fn usual_flows(&self) -> Option<u64> {
        Some(self.units)
    }

    fn bytes_a_flow(&self) -> Option<u64> {
        (self.size == Size::Large).then_some(LARGE_BYTES)
    }

    /// Of a pass; those of SciMark's kernels are known to be zero.
    fn allocates(&self) -> Option<Allocates> {
        self.kernel.is_of_scimark().then(Allocates::default)
    }

    fn scaled(&self) -> Option<Scaled> {
        Some(Scaled::by_flow("passes", self.units * self.passes))
    }

    fn with_parts(&self, _now: u32, units: u64) -> Option<Work> {
        Some(Work::Numeric(Self {
            units,
            ..self.clone()
        }))
    }
}

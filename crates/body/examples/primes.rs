//! The body of S. Norgren, "Processes vs. Threads" (2010): each unit searches a block of numbers for
//! primes, by trial division.
//!
//! ```sh
//! cargo build --release -p flowgauge-body --example primes
//! flowgauge body target/release/examples/libprimes.so --units 5 --ops 1e5 --arg start=1e7 --flows 5
//! ```

use body::{Args, Body, Proof};

/// What all flows share.
#[derive(Debug)]
pub struct Primes {
    /// Where the first block begins.
    start: u64,
}

impl Body for Primes {
    const ARGS: &'static [&'static str] = &["start"];
    const FIBERS: bool = true;
    type Own = ();

    fn prepare(args: &Args) -> Result<Self, i32> {
        let start = args.get("start").unwrap_or(1);
        Ok(Self { start })
    }

    fn begin(&self, _flow: u64) -> Result<(), i32> {
        Ok(())
    }

    /// The block of `ops` numbers; proved by how many primes there are, and their sum.
    fn unit(&self, (): &mut (), unit: u64, ops: u64) -> Result<Proof, i32> {
        let first = self.start + unit * ops;
        let primes = (first..first + ops).filter(|number| is_prime(*number));
        Ok(primes.fold(Proof::default(), |proof, prime| Proof {
            count: proof.count + 1,
            checksum: proof.checksum.wrapping_add(prime),
        }))
    }
}

fn is_prime(number: u64) -> bool {
    let divisors = (2..).take_while(|divisor| divisor * divisor <= number);
    number > 1
        && !divisors
            .into_iter()
            .any(|divisor| number.is_multiple_of(divisor))
}

body::export!(Primes);

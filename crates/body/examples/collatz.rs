//! A body in Rust: steps of the Collatz sequence until it comes to 1.
//!
//! ```sh
//! cargo build --release -p flowgauge-body --example collatz
//! flowgauge body target/release/examples/libcollatz.so --ops 20000 --arg from=1e6
//! ```

use body::{Args, Body, Proof};

struct Collatz {
    from: u64,
}

impl Body for Collatz {
    const ARGS: &'static [&'static str] = &["from"];
    const FIBERS: bool = true;
    type Own = ();

    fn prepare(args: &Args) -> Result<Self, i32> {
        let from = args.get("from").unwrap_or(1).max(1);
        Ok(Self { from })
    }

    fn begin(&self, _flow: u64) -> Result<(), i32> {
        Ok(())
    }

    fn unit(&self, (): &mut (), unit: u64, ops: u64) -> Result<Proof, i32> {
        let first = self.from + unit * ops;
        let checksum = (first..first + ops).map(steps).sum();
        Ok(Proof {
            count: ops,
            checksum,
        })
    }
}

fn steps(mut n: u64) -> u64 {
    let mut steps = 0;
    while n != 1 {
        n = match n.is_multiple_of(2) {
            true => n / 2,
            false => 3 * n + 1,
        };
        steps += 1;
    }
    steps
}

body::export!(Collatz);

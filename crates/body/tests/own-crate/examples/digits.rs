//! The function as a body.

use body::{Args, Body, Proof};

struct Digits;

impl Body for Digits {
    const FIBERS: bool = true;
    type Own = ();

    fn prepare(_args: &Args) -> Result<Self, i32> {
        Ok(Self)
    }

    fn begin(&self, _flow: u64) -> Result<(), i32> {
        Ok(())
    }

    fn unit(&self, (): &mut (), unit: u64, ops: u64) -> Result<Proof, i32> {
        let numbers = unit * ops..(unit + 1) * ops;
        Ok(Proof { count: ops, checksum: numbers.map(own_function::digits).sum() })
    }
}

body::export!(Digits);
